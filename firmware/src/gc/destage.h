/* SPDX-License-Identifier: Apache-2.0 */
/*
 * destage.h - which chains of the remap table go to flash, and when (docs/design/remap.md, "Cold chains: destaging"). A part
 * of the segment reclaim: gc.c calls it after the compactions and before a collection.
 *
 * A chain is cold when it has not grown between two surveys. A survey is made when a segment reclaim begins to look at chains, but
 * not more often than every FW_DESTAGE_SURVEY remap commands: segment reclaims may follow each other closely, and in between any
 * chain would seem cold. The longest cold one is destaged first: it gives most segments for its slots.
 */
#ifndef OPENREMAP_FW_DESTAGE_H
#define OPENREMAP_FW_DESTAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/device.h"
#include "core/sb_set.h"

struct fw;

#define FW_DESTAGE_SHORTEST 2u /* segments; one alone gains too little for a slot */
#define FW_DESTAGE_MOST 4u     /* chains in one segment reclaim: the remap that waits for room waits for these */
#define FW_DESTAGE_SURVEY 16u  /* remap commands between two surveys, at least */
/* All destaged chains together take at most this part of the slots that the namespace does not offer. */
#define FW_DESTAGE_BUDGET_DIVISOR 8u

/* What SB_CHAIN, SB_DESTAGED and SB_STATE say about a chain. */
struct destage_chain {
  uint32_t segments;        /* in NVRAM */
  uint32_t slots, in_flash; /* of the destaged part, and the segments that its entries would fill */
  bool in_use;              /* its superblock is open or closed */
};

struct destage {
  bool running;         /* the engine destages a chain */
  bool begun;           /* this segment reclaim has come to destaging */
  uint32_t left;        /* that this segment reclaim may still do */
  bool always;          /* also when segments are not short */
  bool surveying;       /* the scan that runs is a survey as well */
  uint32_t surveyed;    /* superblocks, so far: a scan may be broken off and begun again */
  bool survey_wanted;   /* the next scan of chains is to be one */
  uint64_t survey_from; /* remap commands */
  uint32_t slots;       /* of all destaged chains, as far as the scan has come */
  struct destage_chain best;
  uint16_t seen[FW_MAX_SUPERBLOCKS]; /* length at the last survey */
  struct sb_set cold;                /* had not grown then */
  struct sb_set tried;               /* could not be destaged: left alone until a superblock was collected */
};

/* A segment reclaim begins: unasked (0), or for the `attempt`th time for one remap. */
void destage_reclaim_begin(struct fw *fw, uint32_t attempt);

/* A scan of all chains, for a compaction or a destaging, begins; one of them; all were looked at. */
void destage_survey_begin(struct fw *fw);
void destage_survey_look(struct fw *fw, uint32_t sb, uint32_t segments);
void destage_survey_end(struct fw *fw);

/* Whether the segment reclaim is to go on with destaging; whether it could. */
bool destage_is_due(const struct fw *fw, bool short_of_segments);
bool destage_can(const struct fw *fw, uint32_t free_superblocks);

/* The scan for a chain to destage begins; whether one is better than the best so far; whether there is room in flash for the
 * best when all were looked at. */
void destage_scan_begin(struct fw *fw);
bool destage_scan_look(struct fw *fw, uint32_t sb, struct destage_chain chain);
bool destage_fits(const struct fw *fw);

void destage_start(struct fw *fw, uint32_t sb);

/* This segment reclaim destages nothing more. */
void destage_no_more(struct fw *fw);

/* The engine is done: whether segments came back. */
bool destage_finish(struct fw *fw, uint32_t sb, uint32_t status);

/* A superblock was collected. */
void destage_retry(struct fw *fw);

#endif /* OPENREMAP_FW_DESTAGE_H */
