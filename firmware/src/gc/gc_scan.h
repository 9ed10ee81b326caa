/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_scan.h - which superblock to collect, or whose chain to compact or destage: all are looked at, a few in each poll.
 */
#ifndef OPENREMAP_FW_GC_SCAN_H
#define OPENREMAP_FW_GC_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct fw;

#define GC_NO_VICTIM UINT32_MAX

enum gc_search {
  GC_NO_SEARCH,
  GC_FOR_SPACE,
  GC_FOR_SEGMENTS,
  GC_FOR_CHAIN,
  GC_FOR_COLD,
  GC_FOR_WEAR,
  GC_FOR_PROGRAM_FAIL,
  GC_FOR_READ_RECLAIM
};

struct gc_scan {
  enum gc_search what;
  uint32_t at;           /* next superblock */
  uint32_t best, victim; /* figure of the best one so far; GC_NO_VICTIM: none */
  uint32_t small, spare; /* shortest chain among those that may not find room, and whose it is */
};

/* `limit`: valid slots that a victim must have fewer of, or segments that a chain must have more of. */
void gc_scan_begin(struct fw *fw, enum gc_search what, uint32_t limit);

/* True when all superblocks were looked at; the result is in fw->gc.scan. `room`: free segments of the remap table. */
bool gc_scan_poll(struct fw *fw, uint32_t room);

/* Gives up the search that is under way, if there is one. */
void gc_scan_stop(struct fw *fw);

#endif /* OPENREMAP_FW_GC_SCAN_H */
