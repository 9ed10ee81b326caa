/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from interfaces/registers. Do not edit: run python interfaces/generate.py */
/* clang-format off */
/*
 * The SoC as its CPU sees it. ORM_SOC_<REGION>_BASE and _SIZE: bytes; _CACHED: the data cache keeps them. Registers are
 * named as in orm_regs.h: ORM_SOC_R is the byte offset of register R from ORM_SOC_CSR_BASE.
 */
#ifndef OPENREMAP_ORM_SOC_H
#define OPENREMAP_ORM_SOC_H

#include "orm_regs.h"

/* the clock of CPU and controller; TIME_LO and the timers count its cycles */
#define ORM_SOC_CLOCK_HZ 100000000u

/* the firmware's image, from its start code on; loaded before reset ends, by the simulation or from a board's SPI flash */
#define ORM_SOC_ROM_BASE 0x00000000u
#define ORM_SOC_ROM_SIZE 0x00040000u
#define ORM_SOC_ROM_CACHED 1
/* SocBoard: identity and options of this device, loaded with the image */
#define ORM_SOC_BOARD_BASE 0x0003FFC0u
#define ORM_SOC_BOARD_SIZE 0x00000040u
#define ORM_SOC_BOARD_CACHED 1
/* on-chip RAM: data and stack; its contents at power-on are undefined */
#define ORM_SOC_RAM_BASE 0x10000000u
#define ORM_SOC_RAM_SIZE 0x00080000u
#define ORM_SOC_RAM_CACHED 1
/* the controller's DRAM from its address 0 on; beyond its size accesses end in a bus error */
#define ORM_SOC_DRAM_BASE 0x40000000u
#define ORM_SOC_DRAM_SIZE 0x40000000u
#define ORM_SOC_DRAM_CACHED 1
/* NVRAM from its address 0 on. Words of 32 bits: a write of the low word of an 8-byte unit is kept, the write of its high word commits both, and is answered when they are durable */
#define ORM_SOC_NVRAM_BASE 0xA0000000u
#define ORM_SOC_NVRAM_SIZE 0x10000000u
#define ORM_SOC_NVRAM_CACHED 0
/* the controller's firmware window (openremap.rdl) */
#define ORM_SOC_FW_BASE 0xE0000000u
#define ORM_SOC_FW_SIZE 0x00010000u
#define ORM_SOC_FW_CACHED 0
/* the SoC's own registers (soc.rdl) */
#define ORM_SOC_CSR_BASE 0xF0000000u
#define ORM_SOC_CSR_SIZE 0x00020000u
#define ORM_SOC_CSR_CACHED 0

/* Inputs of the interrupt controller */
#define ORM_SOC_IRQ_UART 0 /* the UART's events */
#define ORM_SOC_IRQ_TIMER 1 /* the timer has reached zero */
#define ORM_SOC_IRQ_FAULT 2 /* an access of the CPU has gone wrong: register FAULT */

/* ---- SoC registers: 32-bit; offsets from region csr. */
/* Console. Each line of the log starts with <L>, L being its level (platform_log_level), and ends with a newline. */
#define ORM_SOC_UART_RXTX 0x000u
#define ORM_SOC_UART_RXTX_RESET 0x00000000u
#define ORM_SOC_UART_RXTX_DATA_SHIFT 0 /* rw: written: a byte to send, lost when TXFULL; read: the oldest byte received */
#define ORM_SOC_UART_RXTX_DATA_MASK 0x000000FFu
/* The transmit FIFO (16 bytes) is full. */
#define ORM_SOC_UART_TXFULL 0x004u
#define ORM_SOC_UART_TXFULL_RESET 0x00000000u
#define ORM_SOC_UART_TXFULL_FULL_SHIFT 0 /* r: full */
#define ORM_SOC_UART_TXFULL_FULL_MASK 0x00000001u
/* The receive FIFO is empty. */
#define ORM_SOC_UART_RXEMPTY 0x008u
#define ORM_SOC_UART_RXEMPTY_RESET 0x00000000u
#define ORM_SOC_UART_RXEMPTY_EMPTY_SHIFT 0 /* r: empty */
#define ORM_SOC_UART_RXEMPTY_EMPTY_MASK 0x00000001u
/* Events of the UART. */
#define ORM_SOC_UART_EV_STATUS 0x00Cu
#define ORM_SOC_UART_EV_STATUS_RESET 0x00000000u
#define ORM_SOC_UART_EV_STATUS_TX_SHIFT 0 /* rw: the transmit FIFO is no longer full */
#define ORM_SOC_UART_EV_STATUS_TX_MASK 0x00000001u
#define ORM_SOC_UART_EV_STATUS_RX_SHIFT 1 /* rw: a byte was received */
#define ORM_SOC_UART_EV_STATUS_RX_MASK 0x00000002u
/* Events of the UART. */
#define ORM_SOC_UART_EV_PENDING 0x010u
#define ORM_SOC_UART_EV_PENDING_RESET 0x00000000u
#define ORM_SOC_UART_EV_PENDING_TX_SHIFT 0 /* rw: the transmit FIFO is no longer full */
#define ORM_SOC_UART_EV_PENDING_TX_MASK 0x00000001u
#define ORM_SOC_UART_EV_PENDING_RX_SHIFT 1 /* rw: a byte was received */
#define ORM_SOC_UART_EV_PENDING_RX_MASK 0x00000002u
/* Events of the UART. */
#define ORM_SOC_UART_EV_ENABLE 0x014u
#define ORM_SOC_UART_EV_ENABLE_RESET 0x00000000u
#define ORM_SOC_UART_EV_ENABLE_TX_SHIFT 0 /* rw: the transmit FIFO is no longer full */
#define ORM_SOC_UART_EV_ENABLE_TX_MASK 0x00000001u
#define ORM_SOC_UART_EV_ENABLE_RX_SHIFT 1 /* rw: a byte was received */
#define ORM_SOC_UART_EV_ENABLE_RX_MASK 0x00000002u
/* The transmit FIFO is empty. */
#define ORM_SOC_UART_TXEMPTY 0x018u
#define ORM_SOC_UART_TXEMPTY_RESET 0x00000000u
#define ORM_SOC_UART_TXEMPTY_EMPTY_SHIFT 0 /* r: empty */
#define ORM_SOC_UART_TXEMPTY_EMPTY_MASK 0x00000001u
/* The receive FIFO is full. */
#define ORM_SOC_UART_RXFULL 0x01Cu
#define ORM_SOC_UART_RXFULL_RESET 0x00000000u
#define ORM_SOC_UART_RXFULL_FULL_SHIFT 0 /* r: full */
#define ORM_SOC_UART_RXFULL_FULL_MASK 0x00000001u
/* What the timer starts from when TIMER_EN rises. The timer is the watchdog: stopped while the CPU waits in WAIT, loaded when a poll begins; at zero its interrupt leaves the poll. It does not count cycles that a simulation leaves out. */
#define ORM_SOC_TIMER_LOAD 0x800u
#define ORM_SOC_TIMER_LOAD_RESET 0x00000000u
#define ORM_SOC_TIMER_LOAD_CYCLES_SHIFT 0 /* rw: clock cycles */
#define ORM_SOC_TIMER_LOAD_CYCLES_MASK 0xFFFFFFFFu
/* What the timer starts from again at zero; 0: it stays there. */
#define ORM_SOC_TIMER_RELOAD 0x804u
#define ORM_SOC_TIMER_RELOAD_RESET 0x00000000u
#define ORM_SOC_TIMER_RELOAD_CYCLES_SHIFT 0 /* rw: clock cycles */
#define ORM_SOC_TIMER_RELOAD_CYCLES_MASK 0xFFFFFFFFu
/* The timer runs; while it does not, it holds TIMER_LOAD. */
#define ORM_SOC_TIMER_EN 0x808u
#define ORM_SOC_TIMER_EN_RESET 0x00000000u
#define ORM_SOC_TIMER_EN_RUN_SHIFT 0 /* rw: run */
#define ORM_SOC_TIMER_EN_RUN_MASK 0x00000001u
/* A write copies the timer to TIMER_VALUE. */
#define ORM_SOC_TIMER_UPDATE_VALUE 0x80Cu
#define ORM_SOC_TIMER_UPDATE_VALUE_RESET 0x00000000u
#define ORM_SOC_TIMER_UPDATE_VALUE_COPY_SHIFT 0 /* rw: copy */
#define ORM_SOC_TIMER_UPDATE_VALUE_COPY_MASK 0x00000001u
/* The timer at the last write of TIMER_UPDATE_VALUE. */
#define ORM_SOC_TIMER_VALUE 0x810u
#define ORM_SOC_TIMER_VALUE_RESET 0x00000000u
#define ORM_SOC_TIMER_VALUE_CYCLES_SHIFT 0 /* r: clock cycles */
#define ORM_SOC_TIMER_VALUE_CYCLES_MASK 0xFFFFFFFFu
/* Event of the timer. */
#define ORM_SOC_TIMER_EV_STATUS 0x814u
#define ORM_SOC_TIMER_EV_STATUS_RESET 0x00000000u
#define ORM_SOC_TIMER_EV_STATUS_ZERO_SHIFT 0 /* rw: the timer has reached zero */
#define ORM_SOC_TIMER_EV_STATUS_ZERO_MASK 0x00000001u
/* Event of the timer. */
#define ORM_SOC_TIMER_EV_PENDING 0x818u
#define ORM_SOC_TIMER_EV_PENDING_RESET 0x00000000u
#define ORM_SOC_TIMER_EV_PENDING_ZERO_SHIFT 0 /* rw: the timer has reached zero */
#define ORM_SOC_TIMER_EV_PENDING_ZERO_MASK 0x00000001u
/* Event of the timer. */
#define ORM_SOC_TIMER_EV_ENABLE 0x81Cu
#define ORM_SOC_TIMER_EV_ENABLE_RESET 0x00000000u
#define ORM_SOC_TIMER_EV_ENABLE_ZERO_SHIFT 0 /* rw: the timer has reached zero */
#define ORM_SOC_TIMER_EV_ENABLE_ZERO_MASK 0x00000001u
/* Cycles since power-on, low half; reading it latches TIME_HI. Cycles that a simulation leaves out count. */
#define ORM_SOC_TIME_LO 0x10000u
#define ORM_SOC_TIME_LO_RESET 0x00000000u
#define ORM_SOC_TIME_LO_CYCLES_SHIFT 0 /* r: clock cycles */
#define ORM_SOC_TIME_LO_CYCLES_MASK 0xFFFFFFFFu
/* Cycles since power-on, high half, as TIME_LO was read. */
#define ORM_SOC_TIME_HI 0x10004u
#define ORM_SOC_TIME_HI_RESET 0x00000000u
#define ORM_SOC_TIME_HI_CYCLES_SHIFT 0 /* r: clock cycles */
#define ORM_SOC_TIME_HI_CYCLES_MASK 0xFFFFFFFFu
/* What the firmware is doing, for the simulation and for a board's LED. */
#define ORM_SOC_STATE 0x10008u
#define ORM_SOC_STATE_RESET 0x00000000u
#define ORM_SOC_STATE_STATE_SHIFT 0 /* rw: state */
#define ORM_SOC_STATE_STATE_MASK 0x00000003u
/* The deadline of a read of WAIT, in cycles from this write on. */
#define ORM_SOC_WAIT_CYCLES 0x1000Cu
#define ORM_SOC_WAIT_CYCLES_RESET 0x00000000u
#define ORM_SOC_WAIT_CYCLES_CYCLES_SHIFT 0 /* rw: clock cycles until then; read: what is left of them */
#define ORM_SOC_WAIT_CYCLES_CYCLES_MASK 0x7FFFFFFFu
#define ORM_SOC_WAIT_CYCLES_IDLE_SHIFT 31 /* rw: the firmware waits for nothing but an interrupt: a simulation need let no time pass */
#define ORM_SOC_WAIT_CYCLES_IDLE_MASK 0x80000000u
/* A read is answered when the controller's firmware interrupt is high, when the deadline has passed or when TEMPERATURE or TRIAL has changed since the last answer. No other access takes longer than 65,536 cycles. */
#define ORM_SOC_WAIT 0x10010u
#define ORM_SOC_WAIT_RESET 0x00000000u
#define ORM_SOC_WAIT_IRQ_SHIFT 0 /* r: the interrupt is high */
#define ORM_SOC_WAIT_IRQ_MASK 0x00000001u
#define ORM_SOC_WAIT_DEADLINE_SHIFT 1 /* r: the deadline has passed */
#define ORM_SOC_WAIT_DEADLINE_MASK 0x00000002u
#define ORM_SOC_WAIT_TRIAL_SHIFT 2 /* r: TRIAL is not 0 */
#define ORM_SOC_WAIT_TRIAL_MASK 0x00000004u
/* Temperature of the hottest part. */
#define ORM_SOC_TEMPERATURE 0x10014u
#define ORM_SOC_TEMPERATURE_RESET 0x00000000u
#define ORM_SOC_TEMPERATURE_KELVIN_SHIFT 0 /* r: kelvin; 0: no sensor */
#define ORM_SOC_TEMPERATURE_KELVIN_MASK 0x0000FFFFu
/* The first access of the CPU that has gone wrong since this register was written, whatever the value. The CPU takes no notice of the bus's errors: the access ends as if it were answered, and the interrupt `fault` is high while `cause` is not 0. */
#define ORM_SOC_FAULT 0x10018u
#define ORM_SOC_FAULT_RESET 0x00000000u
#define ORM_SOC_FAULT_CAUSE_SHIFT 0 /* rw: what is wrong */
#define ORM_SOC_FAULT_CAUSE_MASK 0x00000003u
#define ORM_SOC_FAULT_STORE_SHIFT 8 /* r: it was a store */
#define ORM_SOC_FAULT_STORE_MASK 0x00000100u
#define ORM_SOC_FAULT_FETCH_SHIFT 9 /* r: it was the fetch of an instruction */
#define ORM_SOC_FAULT_FETCH_MASK 0x00000200u
/* Where: the word, or the 16 bytes of a store that was lost. */
#define ORM_SOC_FAULT_ADDR 0x1001Cu
#define ORM_SOC_FAULT_ADDR_RESET 0x00000000u
#define ORM_SOC_FAULT_ADDR_ADDRESS_SHIFT 0 /* r: address on the CPU's bus */
#define ORM_SOC_FAULT_ADDR_ADDRESS_MASK 0xFFFFFFFFu
/* What the firmware shall do wrong, once, so that its crash paths can be tried: pins of the SoC, which a board ties to 0. */
#define ORM_SOC_TRIAL 0x10020u
#define ORM_SOC_TRIAL_RESET 0x00000000u
#define ORM_SOC_TRIAL_POLL_SHIFT 0 /* r: in its next poll */
#define ORM_SOC_TRIAL_POLL_MASK 0x00000007u
#define ORM_SOC_TRIAL_LOG_SHIFT 4 /* r: while it writes the crash log of that */
#define ORM_SOC_TRIAL_LOG_MASK 0x00000070u
enum orm_soc_state {
  ORM_SOC_STATE_NONE = 0,
  ORM_SOC_STATE_STARTING = 1,
  ORM_SOC_STATE_RUNNING = 2,
  ORM_SOC_STATE_FAILED = 3,
};
enum orm_soc_fault {
  ORM_SOC_FAULT_NONE = 0,
  ORM_SOC_FAULT_REFUSED = 1,
  ORM_SOC_FAULT_LATE = 2,
  ORM_SOC_FAULT_LOST = 3,
};
enum orm_soc_trial {
  ORM_SOC_TRIAL_NONE = 0,
  ORM_SOC_TRIAL_HANG = 1,
  ORM_SOC_TRIAL_ILLEGAL = 2,
  ORM_SOC_TRIAL_LOAD = 3,
  ORM_SOC_TRIAL_STORE = 4,
  ORM_SOC_TRIAL_STACK = 5,
  ORM_SOC_TRIAL_LAST_STORE = 6,
};

#endif /* OPENREMAP_ORM_SOC_H */
