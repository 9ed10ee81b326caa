/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment_reclaim.h - gets segments of the remap table back: by compacting chains, then by destaging cold ones
 * (destage.h), and only when neither gave anything by collecting the superblock with the longest chain.
 *
 * A segment reclaim begins
 *   - for a remap that found no room (segment_reclaim_request()), up to FW_GC_ATTEMPTS times for one remap,
 *   - early, when segments are short and no command waits, so that no remap has to be refused,
 *   - for GC's own reserve, before a collection.
 *
 * Whatever the host waits for, the reserve must be whole: it is what the sharers of any one victim may need. One
 * segment reclaim runs at a time. gc.c runs it, and looks for chains and superblocks on its behalf.
 */
#ifndef OPENREMAP_FW_SEGMENT_RECLAIM_H
#define OPENREMAP_FW_SEGMENT_RECLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sb_set.h"

struct fw;

/* Chains that are compacted at most before a superblock is collected for its segments. A remap that waits for room
 * waits for all of them, each for as long as its chain takes to read. */
#define FW_GC_COMPACTIONS 8u
/* Times that room is made for one remap, each by compactions, destaging or a collection, which take milliseconds. */
#define FW_GC_ATTEMPTS 4u
/* Remap commands between two early segment reclaims when no chain had anything to give back. */
#define FW_GC_FRUITLESS 16u

struct segment_reclaim {
  bool runs;
  bool gave;               /* this one, or the last one, gave something back */
  bool asked;              /* this one, or the last one, is for a remap, which waits until segment_reclaim_seen() */
  bool for_reserve;        /* it is for GC's own reserve */
  bool reserve_tried;      /* there was one for the reserve since a collection succeeded */
  uint32_t compactions;    /* left of this one */
  struct sb_set compacted; /* chains that were compacted since all of them were */
  uint64_t early_from;     /* number of remap commands from which on one may begin early */
};

/* Start-up: none runs. */
void segment_reclaim_begin(struct fw *fw);

/* Asks for segments, for the `attempt`th time (from 1) for one remap: with the first attempt all chains may be
 * compacted again, with the last one a collection is due. It is over when segment_reclaim.runs is false and
 * gc_idle(). Then segment_reclaim.gave tells whether anything was compacted, destaged or collected. */
void segment_reclaim_request(struct fw *fw, uint32_t attempt);

/* The remap that asked has seen that it is over. */
void segment_reclaim_seen(struct fw *fw);

/* ---- for gc.c */

/* Free segments of the remap table. */
uint32_t segment_reclaim_free(const struct fw *fw);

/* Whether fewer segments are free than the sharers of any one victim may need. */
bool segment_reclaim_reserve_is_short(const struct fw *fw);

/* Begins one early if it is due. */
void segment_reclaim_early(struct fw *fw);

/* Begins one for GC's reserve; false: it is not due, or one was tried since a collection succeeded. */
bool segment_reclaim_for_reserve(struct fw *fw);

/* A collection succeeded, or victims may be tried again: so may a reclaim for the reserve. */
void segment_reclaim_retry_reserve(struct fw *fw);

/* One runs and the engine is idle: begins the search for its next chain or superblock, or ends it. `free`:
 * superblocks. */
void segment_reclaim_search(struct fw *fw, uint32_t free);

/* The search for a chain to compact, or to destage, has found that of `sb` (GC_NO_VICTIM: none). */
void segment_reclaim_found_chain(struct fw *fw, uint32_t sb);
void segment_reclaim_found_cold(struct fw *fw, uint32_t sb, uint32_t free);

/* The search for a superblock to collect has ended, and the reclaim with it; `found`: there is one. */
void segment_reclaim_found_superblock(struct fw *fw, bool found);

/* A compaction or destaging has ended; `ok`: segments came back. */
void segment_reclaim_chain_done(struct fw *fw, bool ok);

/* Ends it: a shutdown or a format goes first. */
void segment_reclaim_stop(struct fw *fw);

#endif /* OPENREMAP_FW_SEGMENT_RECLAIM_H */
