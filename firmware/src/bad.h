/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bad.h - superblocks that are out of use for good: a block of theirs was marked bad in the factory, or did not erase.
 *
 * A bitmap in NVRAM that outlives power cycles and formats. A superblock that joins it holds no data, and nobody writes to it
 * again. Where NVRAM becomes blank the marks are still in flash, and a block that does not erase is found by the next format.
 */
#ifndef OPENREMAP_FW_BAD_H
#define OPENREMAP_FW_BAD_H

#include <stdbool.h>
#include <stdint.h>

#include "sb_set.h"

struct fw;

struct bad {
  struct sb_set set;
  uint32_t count;     /* of the superblocks in use */
  uint32_t at_format; /* of them: known when the namespace got its size, so they are no loss of spare */
};

/* Reads the bitmap. */
void bad_load(struct fw *fw);

/* Nothing is known of this NVRAM: no superblock is bad. Durable. */
void bad_forget(struct fw *fw);

/* Durable when it returns. */
void bad_add(struct fw *fw, uint32_t sb);

/* As bad_forget(), and NVRAM stays as it is. */
void bad_none(struct fw *fw);

/* A mark of the factory was seen; NVRAM stays as it is. For a device that can only be read. */
void bad_note(struct fw *fw, uint32_t sb);

/* The bitmap as it is known. Durable. */
void bad_save(struct fw *fw);

bool bad_has(const struct fw *fw, uint32_t sb);

#endif /* OPENREMAP_FW_BAD_H */
