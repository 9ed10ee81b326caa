/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_reclaim.h - superblocks that are still read well, but only just: in one of their slots ECC has corrected nearly as many bits as
 * it can, or could only at another read-retry level (SB_STATE.weak). Reads of a block disturb it, and wear makes it weak sooner;
 * a program makes its data as good as new. So the superblock is collected in the background, however much of it is valid.
 *
 * Data that is weak as soon as it has been written (the flash is worn out) must not be moved for ever. So read_reclaims are paid for:
 * by FW_READ_RECLAIM_WRITES superblocks that the host and GC have programmed since the last one, or by time, which allows as many as
 * there are superblocks in FW_READ_RECLAIM_PASS_NS, evenly, and FW_READ_RECLAIM_BURST in a row after a quiet time. A collection for another
 * reason makes data as good as new, too, but is no read reclaim.
 *
 * What is known here is forgotten with the power; the next such read tells of it again.
 */
#ifndef OPENREMAP_FW_READ_RECLAIM_H
#define OPENREMAP_FW_READ_RECLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "gc/flagged.h"

struct fw;

#define FW_READ_RECLAIM_WRITES 8u
#define FW_READ_RECLAIM_PASS_NS (30ull * 24u * 3600u * 1000000000u) /* 30 days */
#define FW_READ_RECLAIM_BURST 4u
/* Nothing tells when enough has been programmed: so often it is looked at while one waits. */
#define FW_READ_RECLAIM_LOOK_NS 1000000000u

struct read_reclaim {
  struct flagged flagged;
  uint64_t paid_until; /* ns: when time has paid for all read_reclaims that it allowed */
  uint64_t programs;   /* programmed slots after the last read reclaim */
};

void read_reclaim_begin(struct fw *fw);

/* The interrupt has said that there are new ones; a few superblocks in each poll. */
void read_reclaim_poll(struct fw *fw);

bool read_reclaim_has(const struct fw *fw, uint32_t sb);

/* Whether one should be looked for that can be collected. When not yet, the firmware is polled when it may be. */
bool read_reclaim_is_due(struct fw *fw, uint32_t free_superblocks);

/* None of them can be collected now. */
void read_reclaim_in_vain(struct fw *fw);

/* A collection for this begins, which is paid for whatever becomes of it; it has ended. */
void read_reclaim_begins(struct fw *fw);
void read_reclaim_ends(struct fw *fw, bool ok);

/* It was collected, for whatever reason, or is out of use. */
void read_reclaim_gone(struct fw *fw, uint32_t sb);

#endif /* OPENREMAP_FW_READ_RECLAIM_H */
