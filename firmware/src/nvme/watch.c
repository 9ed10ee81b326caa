/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/watch.h"

#include <string.h>

#include "fw.h"

static const struct {
  uint32_t condition; /* enum health_condition */
  uint32_t enabled;   /* bit of feature 0Bh: that of the critical warning */
  uint32_t event;
} conditions[] = {
    {HEALTH_SPARE, NVME_CRITICAL_WARNING_SPARE, NVME_ASYNC_EVENT_SMART_SPARE},
    {HEALTH_OVER_TEMPERATURE, NVME_CRITICAL_WARNING_TEMPERATURE, NVME_ASYNC_EVENT_SMART_TEMPERATURE},
    {HEALTH_UNDER_TEMPERATURE, NVME_CRITICAL_WARNING_TEMPERATURE, NVME_ASYNC_EVENT_SMART_TEMPERATURE},
    {HEALTH_RELIABILITY, NVME_CRITICAL_WARNING_RELIABILITY, NVME_ASYNC_EVENT_SMART_RELIABILITY},
    {HEALTH_READ_ONLY, NVME_CRITICAL_WARNING_READ_ONLY, NVME_ASYNC_EVENT_SMART_RELIABILITY},
};

#define CONDITIONS (sizeof conditions / sizeof *conditions)

void watch_reset(struct fw *fw) { memset(&fw->watch, 0, sizeof fw->watch); }

static uint32_t enabled_conditions(uint32_t config) {
  uint32_t mask = 0;
  for (size_t i = 0; i < CONDITIONS; i++) mask |= (config & conditions[i].enabled) != 0 ? conditions[i].condition : 0u;
  return mask;
}

/* Whether one of the conditions in `mask` is told with `event`. */
static bool has_event(uint32_t mask, uint32_t event) {
  for (size_t i = 0; i < CONDITIONS; i++) {
    if ((mask & conditions[i].condition) != 0 && conditions[i].event == event) return true;
  }
  return false;
}

static void watch_health(struct fw *fw) {
  struct watch *w = &fw->watch;
  uint32_t config = fw->features.feature[NVME_FEATURE_ASYNC_EVENT_CONFIG];
  if (config == w->config && !w->any) return; /* nothing is enabled, and nothing was */
  uint32_t enabled = enabled_conditions(config);
  w->config = config;
  w->any = enabled != 0;
  for (size_t i = 0; i < CONDITIONS; i++) {
    if (!has_event(enabled, conditions[i].event)) async_event_withdraw(fw, conditions[i].event);
  }
  uint32_t hold = enabled != 0 ? health_conditions(fw) & enabled : 0;
  uint32_t begun = hold & ~w->told;
  w->told = hold;
  for (size_t i = 0; i < CONDITIONS; i++) {
    if ((begun & conditions[i].condition) != 0) async_event_raise(fw, conditions[i].event);
  }
}

/* What the host finds when it enables the controller is no change. */
static void watch_namespace(struct fw *fw) {
  struct watch *w = &fw->watch;
  uint32_t nsze = fw->geometry.nsze;
  bool write_protected = spare_write_protected(fw) != 0, formatting = format_nvm_remaining(fw) != 0;
  bool changed = w->known && (nsze != w->nsze || write_protected != w->write_protected || formatting != w->formatting);
  w->known = true;
  w->nsze = nsze;
  w->write_protected = write_protected;
  w->formatting = formatting;
  if (changed && fw->controller.phase == CONTROLLER_ON) async_event_raise(fw, NVME_ASYNC_EVENT_NAMESPACE_CHANGED);
}

void watch_poll(struct fw *fw) {
  watch_health(fw);
  watch_namespace(fw);
}

void watch_again(struct fw *fw, uint32_t changed) { fw->watch.told &= ~changed; }
