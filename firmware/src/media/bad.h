/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bad.h - superblocks that are out of use for good: a block was marked bad in the factory, a block did not erase, or
 * a program failed (program_fail.h).
 *
 * They are kept in NVRAM as BadWords, which outlive power cycles and formats. A superblock must hold no data when it
 * becomes bad, and is never written again.
 *
 * If NVRAM becomes blank or a word is damaged, the factory marks are still in flash, and a block that does not erase
 * is found by the next format, or by the recovery that finds the damage. A superblock whose programs fail is used
 * until the next one fails.
 */
#ifndef OPENREMAP_FW_BAD_H
#define OPENREMAP_FW_BAD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sb_set.h"

struct fw;

struct bad {
  struct sb_set set;
  struct sb_set unknown; /* superblocks of damaged words: they may be bad; NVRAM does not say */
  uint32_t damaged;      /* words that failed their check */
  uint32_t count;        /* bad superblocks among those in use */
  uint32_t at_format;    /* how many were bad when the namespace got its size: they are no loss of spare */
};

/* Reads the words. Superblocks of a damaged word are unknown until bad_settled() or bad_save(). */
void bad_load(struct fw *fw);

/* No superblock is bad. Durable. */
void bad_forget(struct fw *fw);

/* `sb` is bad. Durable on return, unless its word is damaged: then bad_settled() writes it. */
void bad_add(struct fw *fw, uint32_t sb);

/* No superblock is bad, as far as is known. NVRAM stays as it is. */
void bad_none(struct fw *fw);

/* `sb` has a factory mark. NVRAM stays as it is. */
void bad_note(struct fw *fw, uint32_t sb);

/* Writes all words. Durable. */
void bad_save(struct fw *fw);

/* All unknown superblocks have been looked at: writes damaged words anew. Not before: a word that passes is
 * believed. */
void bad_settled(struct fw *fw);

/* The namespace has its size, for which `count` superblocks counted as bad. Not durable: NvHeader keeps it. */
void bad_set_at_format(struct fw *fw, uint32_t count);

/* Whether `sb` is bad, or may be. */
bool bad_has(const struct fw *fw, uint32_t sb);
bool bad_is_unknown(const struct fw *fw, uint32_t sb);

#endif /* OPENREMAP_FW_BAD_H */
