/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timers.h - the CPU's timers: time since the start, the end of a wait, the watchdog. All run at one rate.
 */
#ifndef OPENREMAP_ZYNQ_TIMERS_H
#define OPENREMAP_ZYNQ_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

/* Stops all three, and starts time at 0. `hz`: their rate; 0: ORM_ZYNQ_TIMER_HZ. */
void timers_begin(uint32_t hz);

/* Ticks since timers_begin(), and the same in ns. */
uint64_t timers_ticks(void);
uint64_t timers_ns(void);

/* Ticks of a time of at most a second. */
uint32_t timers_ticks_of(uint32_t ns);

/* The private timer: raises its interrupt after `ticks`, at least 1. */
void timers_alarm(uint32_t ticks);
void timers_alarm_stop(void);

/* The watchdog, used as a timer: raises its interrupt `ticks` after the last call. */
void timers_watchdog(uint32_t ticks);
void timers_watchdog_stop(void);

#endif /* OPENREMAP_ZYNQ_TIMERS_H */
