/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bad.h - superblocks that are out of use for good: a block of theirs was marked bad in the factory, did not erase,
 * or a program in it failed (program_fail.h).
 *
 * BadWords in NVRAM that outlive power cycles and formats. A superblock that joins them holds no data, and nobody writes to it
 * again. Where NVRAM becomes blank, or a word is damaged, the marks are still in flash, and a block that does not erase is
 * found by the next format, or by the recovery that finds the damage. One whose programs fail is used until the next one does.
 */
#ifndef OPENREMAP_FW_BAD_H
#define OPENREMAP_FW_BAD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sb_set.h"

struct fw;

struct bad {
  struct sb_set set;
  struct sb_set unknown; /* those of damaged words: they may be bad, and none of them has been written down since */
  uint32_t damaged;      /* words that did not pass */
  uint32_t count;        /* of the superblocks in use */
  uint32_t at_format;    /* of them: known when the namespace got its size, so they are no loss of spare */
};

/* Reads the words. What is in a damaged one is unknown until bad_settled() or bad_save(). */
void bad_load(struct fw *fw);

/* Nothing is known of this NVRAM: no superblock is bad. Durable. */
void bad_forget(struct fw *fw);

/* Durable when it returns, unless its word is damaged. */
void bad_add(struct fw *fw, uint32_t sb);

/* As bad_forget(), and NVRAM stays as it is. */
void bad_none(struct fw *fw);

/* A mark of the factory was seen; NVRAM stays as it is. */
void bad_note(struct fw *fw, uint32_t sb);

/* All words as they are known. Durable. */
void bad_save(struct fw *fw);

/* All that was unknown has been looked at: damaged words are written anew, in one go, as one that passes is believed. */
void bad_settled(struct fw *fw);

/* The namespace has its size, for which `count` superblocks counted as bad. Not durable: NvHeader keeps it. */
void bad_set_at_format(struct fw *fw, uint32_t count);

bool bad_has(const struct fw *fw, uint32_t sb);
bool bad_is_unknown(const struct fw *fw, uint32_t sb);

#endif /* OPENREMAP_FW_BAD_H */
