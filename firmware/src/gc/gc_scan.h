/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_scan.h - looks through all superblocks for the one to collect, or whose chain to compact or destage.
 *
 * A scan looks at 64 superblocks in each poll. Its result is scan.victim. A scan that is no longer of use is stopped.
 * How full a victim may be is not decided here: gc.c passes that threshold as `limit`.
 */
#ifndef OPENREMAP_FW_GC_SCAN_H
#define OPENREMAP_FW_GC_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct fw;

#define GC_NO_VICTIM UINT32_MAX

enum gc_search {
  GC_NO_SEARCH,
  GC_FOR_SPACE,        /* the closed superblock with the fewest valid slots */
  GC_FOR_SEGMENTS,     /* the closed superblock with the longest chain */
  GC_FOR_CHAIN,        /* the longest chain that was not compacted in this pass */
  GC_FOR_COLD,         /* the longest cold chain (destage.h) */
  GC_FOR_WEAR,         /* the closed superblock with the fewest erases (wear.h) */
  GC_FOR_PROGRAM_FAIL, /* one in which a program has failed (program_fail.h) */
  GC_FOR_READ_RECLAIM  /* one with marginal reads (read_reclaim.h) */
};

struct gc_scan {
  enum gc_search what;
  uint32_t at;     /* next superblock */
  uint32_t best;   /* figure of the best superblock so far: valid slots, or segments */
  uint32_t victim; /* the best superblock so far; GC_NO_VICTIM: none */
  uint32_t small;  /* length of the shortest chain among the superblocks that may not find room, in segments */
  uint32_t spare;  /* the superblock with that chain; GC_NO_VICTIM: none */
};

/* Begins a scan, in place of one that is under way. `limit`: a victim must have fewer valid slots, or a chain more
 * segments. */
void gc_scan_begin(struct fw *fw, enum gc_search what, uint32_t limit);

/* Goes on with the scan. True: all superblocks were looked at. `room`: free segments of the remap table; a
 * superblock whose sharers may need more is no victim. */
bool gc_scan_poll(struct fw *fw, uint32_t room);

/* Gives up the scan that is under way, if there is one. */
void gc_scan_stop(struct fw *fw);

#endif /* OPENREMAP_FW_GC_SCAN_H */
