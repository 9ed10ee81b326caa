/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trim_bitmap.h - which LPNs had no data at the last checkpoint: two bitmaps in NVRAM, of which the checkpoint pointer names one.
 * Each is an array of TrimWords, with a CRC of their own, as a flipped bit would take a page away that was acknowledged.
 */
#ifndef OPENREMAP_FW_TRIM_BITMAP_H
#define OPENREMAP_FW_TRIM_BITMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/device.h"
#include "orm_formats.h"

/* `first` is a multiple of ORM_TRIM_WORD_LPNS; bit i of `trimmed` is LPN first + i. */
void trim_bitmap_write(const struct device *d, const struct platform *p, uint32_t bitmap, uint32_t first,
                       uint64_t trimmed);

/* Of the LPNs from `first` on, before `end`, those that L2P in DRAM has unmapped. */
uint64_t trim_bitmap_unmapped(const struct device *d, const struct platform *p, uint32_t first, uint32_t end);

/* The word that has `lpn`. False, and no bit set: it is damaged. */
bool trim_bitmap_read(const struct device *d, const struct platform *p, uint32_t bitmap, uint32_t lpn,
                      uint64_t *trimmed);

#endif /* OPENREMAP_FW_TRIM_BITMAP_H */
