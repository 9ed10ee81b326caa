/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - raises the events that nothing in the device signals: a critical warning of SMART has come, Identify
 * Namespace has changed (NVMe base specification 2.0, 5.2, 5.27.1.8).
 *
 * A critical warning that the host has enabled in feature 0Bh is told once each time it comes: when its condition
 * begins, when the host enables it while the condition holds, and when the host changes a temperature threshold so
 * that the temperature is past the new one. The conditions are those of the log page (health.h).
 */
#ifndef OPENREMAP_FW_WATCH_H
#define OPENREMAP_FW_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct fw;

struct watch {
  uint32_t config; /* feature 0Bh when they were looked at last, */
  bool any;        /* and whether it enabled one */
  uint32_t told;   /* enum health_condition: hold and are enabled; an event was raised for each */
  /* Identify Namespace as it was at the last poll, without NUSE, which no event tells of. */
  bool known; /* there was one since the controller reset */
  uint32_t nsze;
  bool write_protected;
  bool formatting; /* FPI is not 0 */
};

/* After a controller reset: no condition was told. */
void watch_reset(struct fw *fw);

/* Compares what holds now with what was told. To be called when all units look: so after each command that may have
 * changed some of it, before the next. */
void watch_poll(struct fw *fw);

/* The threshold of the conditions `changed` (enum health_condition) has another value: if they hold they are told
 * again. */
void watch_again(struct fw *fw, uint32_t changed);

#endif /* OPENREMAP_FW_WATCH_H */
