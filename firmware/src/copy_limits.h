/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copy_limits.h - how much one Copy command may name (Identify Namespace MSSRL, MCL, MSRC).
 */
#ifndef OPENREMAP_FW_COPY_LIMITS_H
#define OPENREMAP_FW_COPY_LIMITS_H

#include <stdint.h>

#include "device.h"
#include "orm_formats.h"
#include "orm_nvme.h"

/* In either descriptor format: the list of the longer one has to fit into the buffer. At most 256, which is what the
 * fields hold. */
static inline uint32_t copy_limit_ranges(const struct device *d) {
  uint32_t n = device_buffer_bytes(d) / NVME_COPY_RANGE1_BYTES;
  return n > ORM_REMAP_RANGES_MAX ? ORM_REMAP_RANGES_MAX : n;
}

/* Pages. An unmapped source costs a journal record for each of its pages, and half the ring is free after a checkpoint.
 */
static inline uint16_t copy_limit_pages(const struct device *d) {
  uint32_t n = d->journal_records / 2u;
  return (uint16_t)(n > 1024u ? 1024u : n);
}

#endif /* OPENREMAP_FW_COPY_LIMITS_H */
