/* SPDX-License-Identifier: Apache-2.0 */
/* remap_wire.h - this library's view of the generated vendor formats (interfaces/formats/formats.yaml). */
#ifndef OPENREMAP_REMAP_WIRE_H
#define OPENREMAP_REMAP_WIRE_H

#include <stddef.h>
#include <string.h>

#include "nvme_spec.h"
#include "orm_formats.h"

/* Most ranges of one REMAP VECTOR command. */
static inline uint32_t remap_wire_max_ranges(uint32_t max_transfer_bytes) {
  const uint32_t by_transfer = max_transfer_bytes / ORM_REMAP_RANGE_BYTES;
  return by_transfer < ORM_REMAP_RANGES_MAX ? by_transfer : ORM_REMAP_RANGES_MAX;
}

/* REMAP: one range in the command, no data. */
static inline void remap_wire_remap(struct nvme_submission_entry *c, uint32_t nsid, uint64_t src, uint64_t dst,
                                    uint32_t pages, uint32_t flags) {
  memset(c, 0, sizeof(*c));
  c->opcode = ORM_VENDOR_OPCODES_REMAP;
  c->nsid = nsid;
  c->cdw10 = (uint32_t)src;
  c->cdw11 = (uint32_t)(src >> 32);
  c->cdw12 = (uint32_t)dst;
  c->cdw13 = (uint32_t)(dst >> 32);
  c->cdw14 = pages;
  c->cdw15 = flags;
}

/* REMAP VECTOR: `ranges` descriptors (struct orm_remap_range) are the data. */
static inline void remap_wire_vector(struct nvme_submission_entry *c, uint32_t nsid, uint32_t ranges, uint32_t flags) {
  memset(c, 0, sizeof(*c));
  c->opcode = ORM_VENDOR_OPCODES_REMAP_VECTOR;
  c->nsid = nsid;
  c->cdw10 = ranges;
  c->cdw15 = flags;
}

#endif /* OPENREMAP_REMAP_WIRE_H */
