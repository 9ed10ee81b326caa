/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wear.h - static wear levelling: data that nobody changes keeps its superblock from being erased, while the others take the
 * erases. Now and then the superblocks are surveyed, and when the one with the fewest erases is far behind the mean it is
 * collected, however much of it is valid: its data goes where GC writes, and it joins those that are erased often. (The allocator's
 * free list is a FIFO, so those share their erases.)
 */
#ifndef OPENREMAP_FW_WEAR_H
#define OPENREMAP_FW_WEAR_H

#include <stdbool.h>
#include <stdint.h>

struct fw;

/* Collections between two surveys: so many gain room for each one that gains none. */
#define FW_WEAR_EVERY 2u
/* Erases behind the mean that are far, and the share of the mean, in percent, that is once the mean is large. */
#define FW_WEAR_LEAST 4u
#define FW_WEAR_PERCENT 5u

struct wear {
  uint32_t collections; /* since the last survey */
  uint64_t erases;      /* of the superblocks that the survey has seen */
  uint32_t seen;
  uint32_t fewest, sb; /* of those that could be collected; UINT32_MAX: none */
};

void wear_begin(struct fw *fw);

/* A collection has ended well. */
void wear_collected(struct fw *fw);

/* Whether a survey is due. */
bool wear_is_due(const struct fw *fw);

void wear_survey_begin(struct fw *fw);
void wear_survey_look(struct fw *fw, uint32_t sb, bool may_collect);

/* The superblock to collect, UINT32_MAX: none is far behind. */
uint32_t wear_survey_end(struct fw *fw);

#endif /* OPENREMAP_FW_WEAR_H */
