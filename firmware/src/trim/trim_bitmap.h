/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trim_bitmap.h - which LPNs had no data at a checkpoint: two bitmaps in NVRAM. A bitmap is an array of TrimWords, each
 * with its CRC: a flipped bit would take an acknowledged page away. A region is ORM_TRIM_REGION_WORDS of them. Its
 * TrimPointer says in which of the bitmaps they count, and up to which seq.
 */
#ifndef OPENREMAP_FW_TRIM_BITMAP_H
#define OPENREMAP_FW_TRIM_BITMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/device.h"
#include "orm_formats.h"

#define TRIM_REGION_LPNS (ORM_TRIM_REGION_WORDS * ORM_TRIM_WORD_LPNS) /* a multiple of 16: whole lines of L2P */

/* Where the words of a region count. */
struct trim_pointer {
  uint64_t seq;    /* of events up to it; 0: none */
  uint32_t bitmap; /* 0 or 1 */
};

/* Reads the pointer of a region. False: it is damaged, and becomes {0, 0}. */
bool trim_pointer_read(const struct device *d, const struct platform *p, uint32_t region, struct trim_pointer *out);

/* Writes it, durably. */
void trim_pointer_write(const struct device *d, const struct platform *p, uint32_t region,
                        const struct trim_pointer *to);

/* Words of a region, of which the last may have fewer. Bit i of word n is LPN n * ORM_TRIM_WORD_LPNS + i of it. */
struct trim_region {
  uint64_t trimmed[ORM_TRIM_REGION_WORDS];
  uint32_t words;
  bool any; /* a bit is set */
};

/* The region as L2P in DRAM has it now: LPNs below `nsze` that are not mapped. It begins below `nsze`. */
void trim_region_scan(const struct device *d, const struct platform *p, uint32_t region, uint32_t nsze,
                      struct trim_region *out);

/* Writes its words into bitmap `bitmap`, durably. */
void trim_region_write(const struct device *d, const struct platform *p, uint32_t bitmap, uint32_t region,
                       const struct trim_region *words);

/* The word for the LPNs from `first` on that are below `end`: those that L2P in DRAM does not map. */
uint64_t trim_bitmap_unmapped(const struct device *d, const struct platform *p, uint32_t first, uint32_t end);

/* Reads the word that has `lpn`. False: it is damaged, and `trimmed` becomes 0. */
bool trim_bitmap_read(const struct device *d, const struct platform *p, uint32_t bitmap, uint32_t lpn,
                      uint64_t *trimmed);

#endif /* OPENREMAP_FW_TRIM_BITMAP_H */
