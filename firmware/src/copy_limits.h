/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy_limits.h - how much one Copy command may name (Identify Namespace MSSRL, MCL, MSRC).
 */
#ifndef OPENREMAP_FW_COPY_LIMITS_H
#define OPENREMAP_FW_COPY_LIMITS_H

#include <stdint.h>

#include "device.h"

#define FW_COPY_RANGES ORM_REMAP_RANGES_MAX

/* Pages. An unmapped source costs a journal record for each of its pages, and half the ring is free after a checkpoint.
 */
static inline uint16_t copy_limit_pages(const struct device *d) {
  uint32_t n = d->journal_records / 2u;
  return (uint16_t)(n > 1024u ? 1024u : n);
}

#endif /* OPENREMAP_FW_COPY_LIMITS_H */
