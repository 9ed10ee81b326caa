/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from interfaces/registers/zynq.yaml. Do not edit: run python interfaces/generate.py */
/* clang-format off */
/*
 * The memory map of the Zynq port. ORM_ZYNQ_<REGION>_BASE and _SIZE: bytes.
 */
#ifndef OPENREMAP_ORM_ZYNQ_H
#define OPENREMAP_ORM_ZYNQ_H

/* the image: code, constants; its first word is its first instruction */
#define ORM_ZYNQ_CODE_BASE 0x00100000u
#define ORM_ZYNQ_CODE_SIZE 0x00100000u
/* the image's variables and stacks */
#define ORM_ZYNQ_DATA_BASE 0x00200000u
#define ORM_ZYNQ_DATA_SIZE 0x00100000u
/* NVRAM from its address 0 on */
#define ORM_ZYNQ_NVRAM_BASE 0x03000000u
#define ORM_ZYNQ_NVRAM_SIZE 0x06F00000u
/* what others write for the firmware */
#define ORM_ZYNQ_SHARED_BASE 0x09F00000u
#define ORM_ZYNQ_SHARED_SIZE 0x00100000u
/* SocBoard: identity and options of this device */
#define ORM_ZYNQ_BOARD_BASE 0x09F00000u
#define ORM_ZYNQ_BOARD_SIZE 0x00000040u
/* where a simulation puts a RemoteMailbox */
#define ORM_ZYNQ_MAILBOX_BASE 0x09F01000u
#define ORM_ZYNQ_MAILBOX_SIZE 0x00002000u
/* the controller's DRAM from its address 0 on */
#define ORM_ZYNQ_DRAM_BASE 0x0A000000u
#define ORM_ZYNQ_DRAM_SIZE 0x36000000u
/* the controller's firmware window (openremap.rdl), behind the port M_AXI_GP0 */
#define ORM_ZYNQ_FW_BASE 0x43C00000u
#define ORM_ZYNQ_FW_SIZE 0x00100000u
/* I/O peripherals: UART */
#define ORM_ZYNQ_IO_BASE 0xE0000000u
#define ORM_ZYNQ_IO_SIZE 0x00100000u
/* system control, private peripherals of the CPUs, level 2 cache controller */
#define ORM_ZYNQ_SYSTEM_BASE 0xF8000000u
#define ORM_ZYNQ_SYSTEM_SIZE 0x01000000u

/* X(NAME, base, size, memory, access): the regions that are mapped; nothing else is. memory: CACHED, UNCACHED, DEVICE;
 * access: RX, RW. */
#define ORM_ZYNQ_SECTIONS(X) \
  X(CODE, 0x00100000u, 0x00100000u, CACHED, RX) \
  X(DATA, 0x00200000u, 0x00100000u, CACHED, RW) \
  X(NVRAM, 0x03000000u, 0x06F00000u, UNCACHED, RW) \
  X(SHARED, 0x09F00000u, 0x00100000u, UNCACHED, RW) \
  X(DRAM, 0x0A000000u, 0x36000000u, CACHED, RW) \
  X(FW, 0x43C00000u, 0x00100000u, DEVICE, RW) \
  X(IO, 0xE0000000u, 0x00100000u, DEVICE, RW) \
  X(SYSTEM, 0xF8000000u, 0x01000000u, DEVICE, RW)

/* Inputs of the interrupt controller */
#define ORM_ZYNQ_IRQ_TIMER 29u /* private timer: the end of a wait */
#define ORM_ZYNQ_IRQ_WATCHDOG 30u /* private watchdog, used as a timer */
#define ORM_ZYNQ_IRQ_CONTROLLER 61u /* the controller's firmware interrupt (IRQ_F2P[0]) */

#define ORM_ZYNQ_TIMER_HZ 333333333u /* rate of global timer, private timer and watchdog: half of a CPU clock of 667 MHz */
#define ORM_ZYNQ_UART_HZ 100000000u /* reference clock of the UARTs */

#endif /* OPENREMAP_ORM_ZYNQ_H */
