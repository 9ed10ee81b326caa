/* SPDX-License-Identifier: Apache-2.0 */
#include "timers.h"

#include "orm_zynq.h"
#include "ps.h"

#define SECOND 1000000000u /* ns */

/* Of the private timer and of the watchdog, which is a timer with bit 3 clear. */
#define CONTROL_RUN 1u
#define CONTROL_INTERRUPT 4u
/* Written one after the other, they leave the watchdog's other mode, which resets the system. */
#define WATCHDOG_LEAVE_1 0x12345678u
#define WATCHDOG_LEAVE_2 0x87654321u

static uint32_t rate;

void timers_begin(uint32_t hz) {
  rate = hz != 0 ? hz : ORM_ZYNQ_TIMER_HZ;
  timers_alarm_stop();
  ps_write(PS_WATCHDOG_DISABLE, WATCHDOG_LEAVE_1);
  ps_write(PS_WATCHDOG_DISABLE, WATCHDOG_LEAVE_2);
  timers_watchdog_stop();
  ps_write(PS_GLOBAL_CONTROL, 0);
  ps_write(PS_GLOBAL_LOW, 0);
  ps_write(PS_GLOBAL_HIGH, 0);
  ps_write(PS_GLOBAL_CONTROL, CONTROL_RUN);
}

uint64_t timers_ticks(void) {
  uint32_t high = ps_read(PS_GLOBAL_HIGH);
  for (;;) {
    uint32_t low = ps_read(PS_GLOBAL_LOW), again = ps_read(PS_GLOBAL_HIGH);
    if (again == high) return (uint64_t)high << 32 | low;
    high = again;
  }
}

uint64_t timers_ns(void) {
  uint64_t ticks = timers_ticks();
  return ticks / rate * SECOND + ticks % rate * SECOND / rate;
}

uint32_t timers_ticks_of(uint32_t ns) { return (uint32_t)((uint64_t)ns * rate / SECOND); }

void timers_alarm(uint32_t ticks) {
  ps_write(PS_TIMER_CONTROL, 0);
  ps_write(PS_TIMER_STATUS, 1);
  ps_write(PS_TIMER_LOAD, ticks);
  ps_write(PS_TIMER_CONTROL, CONTROL_RUN | CONTROL_INTERRUPT);
}

void timers_alarm_stop(void) {
  ps_write(PS_TIMER_CONTROL, 0);
  ps_write(PS_TIMER_STATUS, 1);
}

void timers_watchdog(uint32_t ticks) {
  ps_write(PS_WATCHDOG_CONTROL, 0);
  ps_write(PS_WATCHDOG_STATUS, 1);
  ps_write(PS_WATCHDOG_LOAD, ticks);
  ps_write(PS_WATCHDOG_CONTROL, CONTROL_RUN | CONTROL_INTERRUPT);
}

void timers_watchdog_stop(void) {
  ps_write(PS_WATCHDOG_CONTROL, 0);
  ps_write(PS_WATCHDOG_STATUS, 1);
}
