/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interrupts.h - the interrupt controller. Of its inputs only the watchdog's interrupts the processor, while a poll
 * runs. The others end the processor's sleep between polls, with interrupts masked.
 */
#ifndef OPENREMAP_ZYNQ_INTERRUPTS_H
#define OPENREMAP_ZYNQ_INTERRUPTS_H

#include <stdint.h>

#define INTERRUPT_NONE 1023u

void interrupts_begin(void);

/* While a poll runs: the watchdog's interrupt is taken. */
void interrupts_poll_begins(void);
void interrupts_poll_ends(void);

/* Sleeps until an input is pending, and takes it. Returns its number, or INTERRUPT_NONE. Between polls. */
uint32_t interrupts_sleep(void);

/* For the handler: takes the input that interrupts. Returns its number, or INTERRUPT_NONE. */
uint32_t interrupts_take(void);

#endif /* OPENREMAP_ZYNQ_INTERRUPTS_H */
