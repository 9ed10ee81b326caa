/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/hot_time.h"

#include "core/identity.h"
#include "fw.h"

#define MINUTE_NS (60u * 1000000000ull)

void hot_time_poll(struct fw *fw) {
  struct hot_time *h = &fw->hot_time;
  uint64_t now = hal_time(fw->p), since = h->looked ? now - h->look_ns : 0;
  if (h->kelvin >= FW_CRITICAL_KELVIN)
    state_was_critical(&fw->state, since);
  else if (h->kelvin >= FW_WARNING_KELVIN)
    state_was_warm(&fw->state, since);
  h->looked = true;
  h->look_ns = now;
  h->kelvin = health_temperature(fw);
}

uint32_t hot_time_warning_minutes(const struct fw *fw) { return (uint32_t)(fw->state.warning_ns / MINUTE_NS); }

uint32_t hot_time_critical_minutes(const struct fw *fw) { return (uint32_t)(fw->state.critical_ns / MINUTE_NS); }
