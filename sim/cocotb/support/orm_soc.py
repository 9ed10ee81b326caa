# SPDX-License-Identifier: Apache-2.0
# Generated from interfaces/registers. Do not edit: run python interfaces/generate.py
# fmt: off
# ruff: noqa
"""The SoC as its CPU sees it: the memory map, and `Soc`, its registers, as offsets from CSR_BASE."""

from enum import IntEnum

from sim.cocotb.support.orm_regs import RegField

CLOCK_HZ = 100000000  # the clock of CPU and controller; TIME_LO and the timers count its cycles

ROM_BASE = 0x00000000  # the firmware's image, from its start code on; loaded before reset ends, by the simulation or from a board's SPI flash
ROM_SIZE = 0x00040000
BOARD_BASE = 0x0003FFC0  # SocBoard: identity and options of this device, loaded with the image
BOARD_SIZE = 0x00000040
RAM_BASE = 0x10000000  # on-chip RAM: data and stack; its contents at power-on are undefined
RAM_SIZE = 0x00080000
DRAM_BASE = 0x40000000  # the controller's DRAM from its address 0 on; beyond its size accesses end in a bus error
DRAM_SIZE = 0x40000000
NVRAM_BASE = 0xA0000000  # NVRAM from its address 0 on. Words of 32 bits: a write of the low word of an 8-byte unit is kept, the write of its high word commits both, and is answered when they are durable
NVRAM_SIZE = 0x10000000
FW_BASE = 0xE0000000  # the controller's firmware window (openremap.rdl)
FW_SIZE = 0x00010000
CSR_BASE = 0xF0000000  # the SoC's own registers (soc.rdl)
CSR_SIZE = 0x00020000

IRQ_UART = 0  # the UART's events
IRQ_TIMER = 1  # the timer has reached zero
IRQ_FAULT = 2  # an access of the CPU has gone wrong: register FAULT


class Soc:
    """SoC registers: 32-bit; offsets from region csr.

    Registers are addresses; an array's is that of its first element.
    """

    UART_RXTX = 0x000  # Console. Each line of the log starts with <L>, L being its level (platform_log_level), and ends with a newline.
    UART_RXTX_DATA = RegField(0, 8, 0x0)  # rw: written: a byte to send, lost when TXFULL; read: the oldest byte received
    UART_TXFULL = 0x004  # The transmit FIFO (16 bytes) is full.
    UART_TXFULL_FULL = RegField(0, 1, 0x0)  # r: full
    UART_RXEMPTY = 0x008  # The receive FIFO is empty.
    UART_RXEMPTY_EMPTY = RegField(0, 1, 0x0)  # r: empty
    UART_EV_STATUS = 0x00C  # Events of the UART.
    UART_EV_STATUS_TX = RegField(0, 1, 0x0)  # rw: the transmit FIFO is no longer full
    UART_EV_STATUS_RX = RegField(1, 1, 0x0)  # rw: a byte was received
    UART_EV_PENDING = 0x010  # Events of the UART.
    UART_EV_PENDING_TX = RegField(0, 1, 0x0)  # rw: the transmit FIFO is no longer full
    UART_EV_PENDING_RX = RegField(1, 1, 0x0)  # rw: a byte was received
    UART_EV_ENABLE = 0x014  # Events of the UART.
    UART_EV_ENABLE_TX = RegField(0, 1, 0x0)  # rw: the transmit FIFO is no longer full
    UART_EV_ENABLE_RX = RegField(1, 1, 0x0)  # rw: a byte was received
    UART_TXEMPTY = 0x018  # The transmit FIFO is empty.
    UART_TXEMPTY_EMPTY = RegField(0, 1, 0x0)  # r: empty
    UART_RXFULL = 0x01C  # The receive FIFO is full.
    UART_RXFULL_FULL = RegField(0, 1, 0x0)  # r: full
    TIMER_LOAD = 0x800  # What the timer starts from when TIMER_EN rises. The timer is the watchdog: stopped while the CPU waits in WAIT, loaded when a poll begins; at zero its interrupt leaves the poll. It does not count cycles that a simulation leaves out.
    TIMER_LOAD_CYCLES = RegField(0, 32, 0x0)  # rw: clock cycles
    TIMER_RELOAD = 0x804  # What the timer starts from again at zero; 0: it stays there.
    TIMER_RELOAD_CYCLES = RegField(0, 32, 0x0)  # rw: clock cycles
    TIMER_EN = 0x808  # The timer runs; while it does not, it holds TIMER_LOAD.
    TIMER_EN_RUN = RegField(0, 1, 0x0)  # rw: run
    TIMER_UPDATE_VALUE = 0x80C  # A write copies the timer to TIMER_VALUE.
    TIMER_UPDATE_VALUE_COPY = RegField(0, 1, 0x0)  # rw: copy
    TIMER_VALUE = 0x810  # The timer at the last write of TIMER_UPDATE_VALUE.
    TIMER_VALUE_CYCLES = RegField(0, 32, 0x0)  # r: clock cycles
    TIMER_EV_STATUS = 0x814  # Event of the timer.
    TIMER_EV_STATUS_ZERO = RegField(0, 1, 0x0)  # rw: the timer has reached zero
    TIMER_EV_PENDING = 0x818  # Event of the timer.
    TIMER_EV_PENDING_ZERO = RegField(0, 1, 0x0)  # rw: the timer has reached zero
    TIMER_EV_ENABLE = 0x81C  # Event of the timer.
    TIMER_EV_ENABLE_ZERO = RegField(0, 1, 0x0)  # rw: the timer has reached zero
    TIME_LO = 0x10000  # Cycles since power-on, low half; reading it latches TIME_HI. Cycles that a simulation leaves out count.
    TIME_LO_CYCLES = RegField(0, 32, 0x0)  # r: clock cycles
    TIME_HI = 0x10004  # Cycles since power-on, high half, as TIME_LO was read.
    TIME_HI_CYCLES = RegField(0, 32, 0x0)  # r: clock cycles
    STATE = 0x10008  # What the firmware is doing, for the simulation and for a board's LED.
    STATE_STATE = RegField(0, 2, 0x0)  # rw: state
    WAIT_CYCLES = 0x1000C  # The deadline of a read of WAIT, in cycles from this write on.
    WAIT_CYCLES_CYCLES = RegField(0, 31, 0x0)  # rw: clock cycles until then; read: what is left of them
    WAIT_CYCLES_IDLE = RegField(31, 1, 0x0)  # rw: the firmware waits for nothing but an interrupt: a simulation need let no time pass
    WAIT = 0x10010  # A read is answered when the controller's firmware interrupt is high, when the deadline has passed or when TEMPERATURE or TRIAL has changed since the last answer. No other access takes longer than 65,536 cycles.
    WAIT_IRQ = RegField(0, 1, 0x0)  # r: the interrupt is high
    WAIT_DEADLINE = RegField(1, 1, 0x0)  # r: the deadline has passed
    WAIT_TRIAL = RegField(2, 1, 0x0)  # r: TRIAL is not 0
    TEMPERATURE = 0x10014  # Temperature of the hottest part.
    TEMPERATURE_KELVIN = RegField(0, 16, 0x0)  # r: kelvin; 0: no sensor
    FAULT = 0x10018  # The first access of the CPU that has gone wrong since this register was written, whatever the value. The CPU takes no notice of the bus's errors: the access ends as if it were answered, and the interrupt `fault` is high while `cause` is not 0.
    FAULT_CAUSE = RegField(0, 2, 0x0)  # rw: what is wrong
    FAULT_STORE = RegField(8, 1, 0x0)  # r: it was a store
    FAULT_FETCH = RegField(9, 1, 0x0)  # r: it was the fetch of an instruction
    FAULT_ADDR = 0x1001C  # Where: the word, or the 16 bytes of a store that was lost.
    FAULT_ADDR_ADDRESS = RegField(0, 32, 0x0)  # r: address on the CPU's bus
    TRIAL = 0x10020  # What the firmware shall do wrong, once, so that its crash paths can be tried: pins of the SoC, which a board ties to 0.
    TRIAL_POLL = RegField(0, 3, 0x0)  # r: in its next poll
    TRIAL_LOG = RegField(4, 3, 0x0)  # r: while it writes the crash log of that


class SocState(IntEnum):
    NONE = 0
    STARTING = 1
    RUNNING = 2
    FAILED = 3


class SocFault(IntEnum):
    NONE = 0
    REFUSED = 1
    LATE = 2
    LOST = 3


class SocTrial(IntEnum):
    NONE = 0
    HANG = 1
    ILLEGAL = 2
    LOAD = 3
    STORE = 4
    STACK = 5
    LAST_STORE = 6
