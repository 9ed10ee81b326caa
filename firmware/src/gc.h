/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc.h - when to collect and which superblock. The collection itself is the hardware's (GcEngine).
 *
 * Starts when fewer than `low` superblocks are free, goes on until `low` + 1 are, so that it does not start and stop
 * with every superblock the host fills. The victim is the closed one with the fewest valid slots (greedy), unless the
 * remap table runs low on segments: then the one that gives most of them back.
 */
#ifndef OPENREMAP_FW_GC_H
#define OPENREMAP_FW_GC_H

#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "result.h"

struct fw;

/* Free superblocks below which collecting starts: one above what the host stream needs to open its next one. */
#define FW_GC_LOW (FW_ALLOC_RESERVE + 2u)

struct gc {
  bool running; /* the engine works on `victim` */
  bool wanted;  /* between start and stop of the hysteresis */
  uint32_t victim;
  uint32_t waits_below;                  /* no victim was worth it: until fewer than this are free; 0: not waiting */
  uint64_t blocked_until;                /* nor with the host waiting: not before this time, ns */
  uint32_t victims;                      /* collected since power-on */
  uint8_t skip[FW_MAX_SUPERBLOCKS / 8u]; /* collection failed: left alone until the next start */
  bool squeeze;                          /* collect for segments, once */
  uint32_t squeeze_victim;               /* chosen by gc_squeeze() */
  uint64_t squeezed_at;                  /* remap commands when it was last done early */
};

void gc_begin(struct fw *fw);
void gc_poll(struct fw *fw);

/* Whether the interrupt FREE_LOW has something to say. */
bool gc_wants_free_low(const struct fw *fw);

/* Whether nothing is being collected. */
bool gc_idle(const struct fw *fw);

/* Asks for the collection that frees most remap table segments; false when none would. Its end shows in gc.victims. */
bool gc_squeeze(struct fw *fw);

#endif /* OPENREMAP_FW_GC_H */
