/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hot_time.h - how long the device has been too hot: Warning and Critical Composite Temperature Time of the SMART log
 * (NVMe base specification, SMART / Health Information).
 *
 * Nothing signals a temperature, so the firmware looks in each poll. The time from one look to the next counts with the
 * temperature of the first. Looks are at most FW_POLL_MOST_NS (firmware.h) apart, so each change of temperature is
 * noticed that much too late at most. The start-up does not count: the controller is not operational yet.
 */
#ifndef OPENREMAP_FW_HOT_TIME_H
#define OPENREMAP_FW_HOT_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct fw;

struct hot_time {
  bool looked;      /* since power-on; if so: */
  uint64_t look_ns; /* device time of the last look */
  uint16_t kelvin;  /* and what it saw */
};

/* Looks. To be called in each poll after the start-up. */
void hot_time_poll(struct fw *fw);

/* Minutes with WCTEMP <= temperature < CCTEMP, and with CCTEMP <= temperature, since the device was formatted. */
uint32_t hot_time_warning_minutes(const struct fw *fw);
uint32_t hot_time_critical_minutes(const struct fw *fw);

#endif /* OPENREMAP_FW_HOT_TIME_H */
