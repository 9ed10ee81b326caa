/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wear.h - static wear levelling.
 *
 * Data that nobody changes keeps its superblock from being erased, while the others take all erases. So every
 * FW_WEAR_EVERY collections the superblocks are surveyed. If the one with the fewest erases is far behind the mean it
 * is collected, however much of it is valid: its data goes where GC writes, and it joins those that are erased often.
 * The free list of the allocator is a FIFO, so these share their erases evenly.
 */
#ifndef OPENREMAP_FW_WEAR_H
#define OPENREMAP_FW_WEAR_H

#include <stdbool.h>
#include <stdint.h>

struct fw;

/* Collections between two surveys: as many gain room for each collection that gains none. */
#define FW_WEAR_EVERY 2u
/* How far behind the mean is far: FW_WEAR_LEAST erases, or FW_WEAR_PERCENT of the mean, whichever is more. */
#define FW_WEAR_LEAST 4u
#define FW_WEAR_PERCENT 5u

struct wear {
  uint32_t collections; /* since the last survey */
  uint64_t erases;      /* sum over the superblocks that the survey has seen */
  uint32_t seen;        /* superblocks that it has seen */
  uint32_t fewest, sb;  /* the fewest erases among those that can be collected, and whose; UINT32_MAX: none */
};

/* Start-up. */
void wear_begin(struct fw *fw);

/* A collection has freed its victim. */
void wear_collected(struct fw *fw);

/* Whether a survey is due. */
bool wear_is_due(const struct fw *fw);

/* A survey begins; looks at superblock `sb`, which SB_SELECT must name. */
void wear_survey_begin(struct fw *fw);
void wear_survey_look(struct fw *fw, uint32_t sb, bool may_collect);

/* The survey has seen all. Returns the superblock to collect; UINT32_MAX: none is far behind. */
uint32_t wear_survey_end(struct fw *fw);

#endif /* OPENREMAP_FW_WEAR_H */
