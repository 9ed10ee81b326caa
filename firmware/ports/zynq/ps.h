/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ps.h - registers of the Zynq's processing system that the port uses, by their addresses (UG585, appendix B; ARM DDI
 * 0407 for the private peripherals, DDI 0246 for the level 2 cache).
 */
#ifndef OPENREMAP_ZYNQ_PS_H
#define OPENREMAP_ZYNQ_PS_H

#include <stdint.h>

static inline uint32_t ps_read(uint32_t address) { return *(const volatile uint32_t *)address; }
static inline void ps_write(uint32_t address, uint32_t value) { *(volatile uint32_t *)address = value; }

/* UART 1 */
#define PS_UART_CONTROL 0xE0001000u
#define PS_UART_MODE 0xE0001004u
#define PS_UART_BAUD_GENERATOR 0xE0001018u
#define PS_UART_STATUS 0xE000102Cu
#define PS_UART_FIFO 0xE0001030u
#define PS_UART_BAUD_DIVIDER 0xE0001034u

/* System level control */
#define PS_SLCR_LOCK 0xF8000004u
#define PS_SLCR_LOCK_KEY 0x767Bu
#define PS_SLCR_UNLOCK 0xF8000008u
#define PS_SLCR_UNLOCK_KEY 0xDF0Du
#define PS_SLCR_L2_RAM 0xF8000A1Cu

/* Interrupt controller, the interface of a CPU */
#define PS_GIC_CPU_CONTROL 0xF8F00100u
#define PS_GIC_CPU_MASK 0xF8F00104u
#define PS_GIC_CPU_ACKNOWLEDGE 0xF8F0010Cu
#define PS_GIC_CPU_END 0xF8F00110u

/* Global timer */
#define PS_GLOBAL_LOW 0xF8F00200u
#define PS_GLOBAL_HIGH 0xF8F00204u
#define PS_GLOBAL_CONTROL 0xF8F00208u

/* Private timer */
#define PS_TIMER_LOAD 0xF8F00600u
#define PS_TIMER_COUNTER 0xF8F00604u
#define PS_TIMER_CONTROL 0xF8F00608u
#define PS_TIMER_STATUS 0xF8F0060Cu

/* Private watchdog */
#define PS_WATCHDOG_LOAD 0xF8F00620u
#define PS_WATCHDOG_COUNTER 0xF8F00624u
#define PS_WATCHDOG_CONTROL 0xF8F00628u
#define PS_WATCHDOG_STATUS 0xF8F0062Cu
#define PS_WATCHDOG_DISABLE 0xF8F00634u

/* Interrupt distributor */
#define PS_GIC_CONTROL 0xF8F01000u
#define PS_GIC_ENABLE(irq) (0xF8F01100u + 4u * ((irq) / 32u))
#define PS_GIC_PENDING_SET(irq) (0xF8F01200u + 4u * ((irq) / 32u))
#define PS_GIC_PENDING_CLEAR(irq) (0xF8F01280u + 4u * ((irq) / 32u))
#define PS_GIC_PRIORITY(irq) (0xF8F01400u + (irq)) /* bytes */
#define PS_GIC_TARGET(irq) (0xF8F01800u + (irq))   /* bytes */
#define PS_GIC_BIT(irq) (1u << ((irq) % 32u))

/* Level 2 cache */
#define PS_L2_ID 0xF8F02000u /* not 0; QEMU's machine lacks this cache, and reads 0 there */
#define PS_L2_CONTROL 0xF8F02100u
#define PS_L2_TAG_LATENCY 0xF8F02108u
#define PS_L2_DATA_LATENCY 0xF8F0210Cu
#define PS_L2_INTERRUPT_CLEAR 0xF8F02220u
#define PS_L2_SYNC 0xF8F02730u
#define PS_L2_INVALIDATE_LINE 0xF8F02770u
#define PS_L2_INVALIDATE_WAY 0xF8F0277Cu
#define PS_L2_CLEAN_LINE 0xF8F027B0u

#endif /* OPENREMAP_ZYNQ_PS_H */
