/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc.h - when to collect, and which superblock. The collection itself is done by the hardware (GcEngine).
 *
 * Collecting starts when fewer than gc.low superblocks are free and goes on until one more is, so that it does not
 * start and stop with every superblock that the host fills. The victim is the closed superblock with the fewest valid
 * slots (greedy). A victim whose sharers may need more segments of the remap table than are free is left for later.
 *
 * Other reasons to collect:
 *   - the remap table runs low on segments (segment_reclaim.h),
 *   - a program has failed (program_fail.h),
 *   - reads are marginal (read_reclaim.h),
 *   - wear is to be levelled (wear.h).
 *
 * A collection begins with GC's reserve of segments whole, which is enough for any victim.
 *
 * The next collection may begin while the last victim is being erased (FW_GC_VICTIMS collections at a time), if a
 * superblock is free for its copies even should that erase fail. It does not begin while a remap waits for room or a
 * shutdown waits: these have their turn between two collections.
 */
#ifndef OPENREMAP_FW_GC_H
#define OPENREMAP_FW_GC_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware_limits.h"
#include "gc/destage.h"
#include "gc/gc_flight.h"
#include "gc/gc_scan.h"
#include "gc/program_fail.h"
#include "gc/read_reclaim.h"
#include "gc/segment_reclaim.h"

struct fw;

/* Free superblocks below which collecting starts: one above what the host stream needs to open its next one. Large
 * devices have a higher mark, for the snapshot of a shutdown (gc.low). */
#define FW_GC_LOW (FW_ALLOC_RESERVE + 2u)

/* Collections for room that gain none, one after the other, after which collecting pauses until the host changes
 * something. Their copies take what they give back, for instance where the chains of the target superblocks have no
 * room for the sharers. */
#define FW_GC_IN_VAIN 16u

struct gc {
  struct gc_flights flights;
  struct gc_scan scan;
  struct segment_reclaim reclaim;
  struct destage destage;
  struct program_fail program_fail;
  struct read_reclaim read_reclaim;
  uint32_t low;           /* free superblocks below which collecting starts */
  bool wanted;            /* between start and stop of the hysteresis */
  uint32_t in_vain;       /* collections for room since there was more room, or the host changed something; */
  uint32_t most_free;     /* the most free superblocks since then, */
  uint64_t changes;       /* and what the host had changed by then (written, trimmed, remapped) */
  uint32_t waits_below;   /* no victim was worth it: waits until fewer are free; 0: does not wait */
  uint64_t blocked_until; /* no victim was worth it although the host waits: not before this time, ns */
};

/* Start-up: nothing is under way. `snapshot_sbs`: superblocks that the snapshot of a shutdown takes at most. Writes
 * FREE_LOW and SEG_LOW. */
void gc_begin(struct fw *fw, uint32_t snapshot_sbs);

/* The namespace has another size: sets gc.low, and writes FREE_LOW. */
void gc_set_low(struct fw *fw, uint32_t snapshot_sbs);

/* Takes the outcome of a collection, or looks for the next victim, 64 superblocks in each poll. */
void gc_poll(struct fw *fw);

/* Whether the interrupt FREE_LOW has something to say. */
bool gc_wants_free_low(const struct fw *fw);

/* Whether nothing is being collected, compacted or destaged. */
bool gc_idle(const struct fw *fw);

/* Collects this superblock, which must be closed, while gc_idle(). gc_idle() again when that has ended, well or
 * not: the state of the superblock then tells. */
void gc_collect(struct fw *fw, uint32_t sb);

#endif /* OPENREMAP_FW_GC_H */
