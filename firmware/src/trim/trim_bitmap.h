/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trim_bitmap.h - which LPNs had no data at the last checkpoint: two bitmaps in NVRAM, of which the checkpoint
 * pointer names one. A bitmap is an array of TrimWords, each with its CRC: a flipped bit would take an acknowledged
 * page away.
 */
#ifndef OPENREMAP_FW_TRIM_BITMAP_H
#define OPENREMAP_FW_TRIM_BITMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/device.h"
#include "orm_formats.h"

/* Writes a word of bitmap `bitmap`, durably. Bit i of `trimmed` is LPN `first` + i; `first` is a multiple of
 * ORM_TRIM_WORD_LPNS. */
void trim_bitmap_write(const struct device *d, const struct platform *p, uint32_t bitmap, uint32_t first,
                       uint64_t trimmed);

/* The word for the LPNs from `first` on that are below `end`: those that L2P in DRAM does not map. */
uint64_t trim_bitmap_unmapped(const struct device *d, const struct platform *p, uint32_t first, uint32_t end);

/* Reads the word that has `lpn`. False: it is damaged, and `trimmed` becomes 0. */
bool trim_bitmap_read(const struct device *d, const struct platform *p, uint32_t bitmap, uint32_t lpn,
                      uint64_t *trimmed);

#endif /* OPENREMAP_FW_TRIM_BITMAP_H */
