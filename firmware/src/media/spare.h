/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spare.h - the superblocks beyond those that the namespace and the allocator need, and what follows when none is left.
 *
 * All figures follow from the size of the namespace and from bad.h. Superblocks that were bad when the device was
 * formatted are not counted: they made the namespace smaller.
 */
#ifndef OPENREMAP_FW_SPARE_H
#define OPENREMAP_FW_SPARE_H

#include <stdint.h>

struct fw;

/* Spare superblocks that are left. */
uint32_t spare_superblocks(const struct fw *fw);

/* The same as percentage of those at the format; 100 while none is lost. */
uint8_t spare_percent(const struct fw *fw);

/* Why nothing can be written: ORM_READ_ONLY_*, or 0 if it can. ORM_READ_ONLY_WORN: the last spare superblock is lost.
 * Such a device goes on collecting, so that what it accepted before finds its place. */
uint32_t spare_write_protected(const struct fw *fw);

#endif /* OPENREMAP_FW_SPARE_H */
