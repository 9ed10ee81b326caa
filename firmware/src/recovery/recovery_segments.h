/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recovery_segments.h - working table of recovery: what is known of each segment of the remap table, in DRAM. Shared by
 * recovery_chains.c and recovery_mend.c.
 */
#ifndef OPENREMAP_FW_RECOVERY_SEGMENTS_H
#define OPENREMAP_FW_RECOVERY_SEGMENTS_H

#include <stdint.h>
#include <string.h>

#include "fw.h"

/* 8 bytes in DRAM. */
struct seg {
  uint16_t sb, index, prev;
  uint8_t used; /* entries up to the last one that counts */
  uint8_t flags;
};
#define SEG_HEADER 1u  /* its header is good and of the owner's generation and epoch */
#define SEG_LINKED 2u  /* it is in a chain */
#define SEG_OTHER 4u   /* of the owner's generation, but another epoch: a compaction that a power cut ended */
#define SEG_BAD 8u     /* its header does not pass, but is not empty */
#define SEG_MENDED 16u /* so was this one's; its place in a chain was found all the same */
#define SEG_ROUGH 32u  /* an entry before the last one that counts does not pass, but is not empty */
#define SEG_NAMED 64u  /* with SEG_BAD: the header of another segment names it as the one before; sb and index follow */
#define SEG_UNDUE 64u  /* with SEG_LINKED: good entries of it do not count */
#define SEG_FRAYED 128u /* an entry behind the last one that counts does not pass, but is not empty */

_Static_assert(sizeof(struct seg) == 8, "recovery.segs has 8 bytes a segment");

static inline struct seg seg_get(const struct fw *fw, uint32_t i) {
  struct seg s;
  fw_work(fw->p, FW_WORK_SEGMENT, 1u);
  memcpy(&s, hal_dram_words(fw->p, fw->recovery.segs + 8u * i), sizeof s);
  return s;
}

static inline void seg_put(const struct fw *fw, uint32_t i, struct seg s) {
  memcpy(hal_dram_words(fw->p, fw->recovery.segs + 8u * i), &s, sizeof s);
}

static inline uint32_t seg_addr(const struct fw *fw, uint32_t i) {
  return fw->dev.nv_segments + i * fw->dev.segment_bytes;
}

/* All headers were read: finds the chain, and the place in it, of each segment whose header is damaged. PENDING: call
 * again. */
FW_MUST_USE fw_result_t recovery_find_places(struct fw *fw);

#endif /* OPENREMAP_FW_RECOVERY_SEGMENTS_H */
