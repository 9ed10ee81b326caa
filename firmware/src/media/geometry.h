/* SPDX-License-Identifier: Apache-2.0 */
/*
 * geometry.h - the sizes that the device is formatted with: those that NvHeader has, or that media initialization has
 * chosen and will write there.
 *
 * The functions change the context only. media_init_header() makes the sizes durable.
 */
#ifndef OPENREMAP_FW_GEOMETRY_H
#define OPENREMAP_FW_GEOMETRY_H

#include <stdint.h>

#include "orm_formats.h"

struct fw;

struct geometry {
  uint32_t superblocks;  /* in use */
  uint32_t nsze;         /* size of the namespace, logical pages */
  uint32_t handles;      /* placement handles of the namespace */
  uint32_t format_count; /* times that the device was formatted */
};

/* Takes all four from a header that has been checked. Handles that the hardware does not have are left out. */
void geometry_load(struct fw *fw, const struct orm_nv_header *header);

void geometry_set_superblocks(struct fw *fw, uint32_t superblocks);

/* Sets the size of the namespace (logical pages) and the number of its placement handles. */
void geometry_set_namespace(struct fw *fw, uint32_t nsze, uint32_t handles);

/* The namespace has at least `nsze` logical pages: written pages were found up to there. It never shrinks here. */
void geometry_reach(struct fw *fw, uint32_t nsze);

/* The header of one more format has been written. */
void geometry_formatted(struct fw *fw);

/* Nothing says how often the device was formatted: counting begins at 0. */
void geometry_forget_formats(struct fw *fw);

#endif /* OPENREMAP_FW_GEOMETRY_H */
