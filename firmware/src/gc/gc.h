/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc.h - when to collect and which superblock. The collection itself is the hardware's (GcEngine).
 *
 * Starts when fewer than gc.low superblocks are free, goes on until one more is, so that it does not start and stop
 * with every superblock the host fills. The victim is the closed one with the fewest valid slots (greedy), unless the
 * remap table runs low on segments: then first chains are compacted, longest first, which drops their stale entries and moves
 * no data, then cold ones are destaged to flash (destage.h), and only when that gives nothing back the superblock with the
 * longest chain is collected. A victim whose sharers may need more segments than are free is left for later.
 *
 * A victim whose chain was destaged gives no segments back for those that its sharers take in NVRAM again. So a collection
 * begins with GC's reserve whole, which is enough for any victim: where it is not, chains are compacted and destaged first,
 * cold or not, whatever the host waits for.
 *
 * While one victim is erased the next one is begun (FW_GC_VICTIMS), as long as a superblock is free for its copies whatever
 * becomes of that erase. Between two collections everybody else gets a turn: a remap that waits for room, a shutdown; then
 * none is begun beside the one that is under way.
 */
#ifndef OPENREMAP_FW_GC_H
#define OPENREMAP_FW_GC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/device.h"
#include "core/result.h"
#include "gc/destage.h"
#include "gc/gc_scan.h"
#include "gc/program_fail.h"
#include "gc/read_reclaim.h"

struct fw;

/* Free superblocks below which collecting starts: one above what the host stream needs to open its next one. In large devices more,
 * for the snapshot of a shutdown (gc.low). */
#define FW_GC_LOW (FW_ALLOC_RESERVE + 2u)

/* Chains that are compacted at most before a superblock is collected for its segments: the remap that waits for room
 * waits for these, each as long as reading the chain takes. */
#define FW_GC_COMPACTIONS 8u
/* Collections that may be under way: while one victim is erased the next one is moved. */
#define FW_GC_VICTIMS 2u
/* Times that room is made for one remap, each by compactions, destaging or a collection, which take milliseconds. */
#define FW_GC_ATTEMPTS 4u
/* Remap commands after which segments are looked for unasked again, when no chain had anything to give back. */
#define FW_GC_FRUITLESS 16u

/* So many collections for room that gain none, while the host changes nothing, are enough: their copies take what they give back, for instance
 * where the chains of the superblocks that they go to have no room for the sharers. */
#define FW_GC_IN_VAIN 16u

/* What the engine works on. */
struct gc_flight {
  uint32_t victim;
  uint32_t intent;        /* place of its intent in NVRAM */
  uint32_t valid;         /* slots when it began */
  bool retire;            /* programs in it have failed: out of use from then on */
  bool read_reclaim;      /* it is collected because it is read with many errors */
  uint64_t program_fails; /* slots whose program had failed when it began */
};

struct gc {
  uint32_t flights; /* collections under way, or a compaction; the oldest one first */
  struct gc_flight flight[FW_GC_VICTIMS];
  uint32_t doubts; /* victims without data that stayed: whether they erase is tried once more */
  uint16_t doubt[FW_GC_VICTIMS];
  uint32_t low;     /* free superblocks below which collecting starts */
  bool wanted;      /* between start and stop of the hysteresis */
  uint32_t in_vain; /* collections for room since there was more of it, or the host has changed something: */
  uint32_t most_free;
  uint64_t changes;
  struct gc_scan scan;
  uint32_t waits_below;   /* no victim was worth it: until fewer than this are free; 0: not waiting */
  uint64_t blocked_until; /* nor with the host waiting: not before this time, ns */
  struct sb_set skip;     /* collection failed: left alone until another one succeeds, or `skip_until` */
  /* By superblock: slots that were left when its last collection ended with some that could not be moved. When the next one has
   * moved none of them either, as they cannot be read, they are not tried again until one has lost its sharers. */
  uint16_t left[FW_MAX_SUPERBLOCKS];
  struct sb_set stuck;
  struct sb_set retired; /* out of use: the hardware calls those whose erase failed closed until the next start */
  bool skips;
  uint64_t skip_until;     /* ns */
  bool asked;              /* the segment reclaim, or the last one, is for a remap, which waits until it goes on */
  bool for_reserve;        /* the segment reclaim is for GC's own reserve */
  bool reserve_tried;      /* there was one since a collection succeeded, or `skip_until` */
  bool reclaiming;         /* segments are wanted: compact, destage, or collect once */
  uint32_t compactions;    /* left of this segment reclaim */
  bool reclaimed;          /* this segment reclaim, or the last one, gave something back */
  struct sb_set compacted; /* chains looked at since all were */
  uint64_t reclaim_from;   /* remap commands until segments may be looked for unasked */
  struct destage destage;
  struct program_fail program_fail;
  struct read_reclaim read_reclaim;
};

void gc_begin(struct fw *fw);
void gc_poll(struct fw *fw);

/* Whether the interrupt FREE_LOW has something to say. */
bool gc_wants_free_low(const struct fw *fw);

/* Whether nothing is being collected. */
bool gc_idle(const struct fw *fw);

/* Collects this superblock, which is closed; nothing else is under way. gc_idle() again when that has ended, well or not. */
void gc_collect(struct fw *fw, uint32_t sb);

/* Asks for remap table segments, for the `attempt`th time (from 1) for one remap: first all chains are to be had again, in
 * the end a collection is due. It is over when gc.reclaiming is false and gc_idle(); gc.reclaimed then tells whether there was
 * anything to compact, destage or collect. */
void gc_reclaim_segments(struct fw *fw, uint32_t attempt);

/* The remap has seen that it is over. */
void gc_reclaim_seen(struct fw *fw);

#endif /* OPENREMAP_FW_GC_H */
