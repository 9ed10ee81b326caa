/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_flight.h - collections under way: from the erase intent to the outcome that the engine reports.
 *
 * gc.c decides what to collect and calls in here. The engine works on up to FW_GC_VICTIMS superblocks, and reports
 * them in the order in which they were started. A victim that could not be emptied stays closed and is left alone for
 * a while. A victim whose erase failed, or which is to be retired, becomes bad (bad.h).
 *
 * A compaction or destaging of a chain is a flight, too, and then the only one.
 */
#ifndef OPENREMAP_FW_GC_FLIGHT_H
#define OPENREMAP_FW_GC_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sb_set.h"
#include "gc/gc_scan.h"

struct fw;

/* Collections that may be under way: while one victim is erased the next one is moved. */
#define FW_GC_VICTIMS 2u

/* One superblock that the engine works on. */
struct gc_flight {
  uint32_t victim;
  uint32_t intent;        /* place of its intent in NVRAM; FW_GC_VICTIMS: its chain alone, which needs none */
  uint32_t valid;         /* valid slots at the start */
  bool retire;            /* it goes out of use afterwards: a program in it has failed */
  bool read_reclaim;      /* it is collected because its reads are marginal */
  bool wear;              /* it is collected to level wear */
  uint64_t program_fails; /* slots whose program had failed, in the whole device, at the start */
};

struct gc_flights {
  uint32_t count;
  struct gc_flight list[FW_GC_VICTIMS]; /* the oldest one first */
  /* Victims without valid slots that stayed: they are collected once more, to see whether they erase. */
  uint32_t doubts;
  uint16_t doubt[FW_GC_VICTIMS];
  /* Slots that were left when the last collection of a superblock ended without emptying it. A superblock is stuck
   * when a second collection has moved none of them (they cannot be read): it is no victim until a slot loses its
   * sharers. */
  uint16_t left[FW_MAX_SUPERBLOCKS];
  struct sb_set stuck;
  struct sb_set retired; /* out of use: the hardware calls those whose erase failed closed until the next start */
  struct sb_set skip;    /* collection failed: no victim until another collection succeeds, or until `skip_until` */
  bool skips;            /* `skip` is not empty */
  uint64_t skip_until;   /* ns */
};

/* What became of the oldest flight. */
struct gc_outcome {
  bool chain; /* a compaction or destaging */
  bool ok;    /* the superblock is free; of a chain: segments came back */
};

/* Whether the engine works on this superblock. */
bool gc_in_flight(const struct fw *fw, uint32_t sb);

/* Whether the engine takes another collection now. */
bool gc_flight_has_room(const struct fw *fw);

/* Writes the erase intent of a closed superblock, durably, and starts its collection. There must be room. */
void gc_flight_collect(struct fw *fw, uint32_t victim, enum gc_search what);

/* The engine was told to compact or destage the chain of `sb`. No other flight is under way. */
void gc_flight_add_chain(struct fw *fw, uint32_t sb);

/* Takes the outcome of the oldest flight; `status` is GC_STATUS, with VALID set. */
struct gc_outcome gc_flight_finish(struct fw *fw, uint32_t status);

/* Whether the erase of this superblock has failed, and is to be tried once more. */
bool gc_flight_is_in_doubt(const struct fw *fw, uint32_t sb);

/* Starts the next collection of a victim in doubt when there is room and no summary is being written for it. True while
 * there are any: they come before all other victims, whose intents could take the place of theirs. */
bool gc_flight_end_doubt(struct fw *fw);

/* Makes the victims that were left alone (`skip`) candidates again. */
void gc_flight_forget_skips(struct fw *fw);

/* Whether the time has come to try them again (`skip_until`). */
bool gc_flight_skips_are_over(const struct fw *fw);

#endif /* OPENREMAP_FW_GC_FLIGHT_H */
