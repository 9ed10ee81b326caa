/* SPDX-License-Identifier: Apache-2.0 */
/*
 * traps.h - what the trap entries of start.S call. Each image has a zynq_trap() of its own.
 */
#ifndef OPENREMAP_ZYNQ_TRAPS_H
#define OPENREMAP_ZYNQ_TRAPS_H

#include <stdint.h>

/* Numbers of the entries, by their place among the vectors. */
#define TRAP_UNDEFINED 1u
#define TRAP_SUPERVISOR 2u
#define TRAP_PREFETCH 3u
#define TRAP_DATA 4u
#define TRAP_INTERRUPT 6u

/* The handler, on the stack for traps, with interrupts masked. `pc`: the instruction that trapped; of an interrupt, the
 * one to go on with. Only an interrupt's handler may return. */
void zynq_trap(uint32_t number, uint32_t pc);

/* In words, for the log; as many as CrashLog.file keeps. */
const char *trap_name(uint32_t number);

/* The address that could not be accessed; 0: the trap has none. */
uint32_t trap_address(uint32_t number);

#endif /* OPENREMAP_ZYNQ_TRAPS_H */
