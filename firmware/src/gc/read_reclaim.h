/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read_reclaim.h - read reclaim: moves data whose reads have become marginal before it is lost.
 *
 * A superblock is marginal (SB_STATE.weak) when ECC has corrected nearly as many bits of a slot as it can, or when a
 * slot could be read only at another read-retry level. Reads disturb a block, and wear makes it weak sooner;
 * programming the data anew makes it as good as new. So such a superblock is collected in the background, however
 * much of it is valid.
 *
 * On worn flash data may be marginal as soon as it is written, and must not be moved for ever. So read reclaims are
 * paid for, in one of two ways: by FW_READ_RECLAIM_WRITES superblocks programmed by the host and GC since the last
 * one, or by time. Time pays for one read reclaim of each superblock in FW_READ_RECLAIM_PASS_NS, evenly spread, with
 * up to FW_READ_RECLAIM_BURST in a row after a quiet time. A collection for another reason needs no payment.
 *
 * Nothing here is durable; the next marginal read flags the superblock again.
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
/* Interval at which to look whether enough has been programmed, while a superblock waits: no event tells. */
#define FW_READ_RECLAIM_LOOK_NS 1000000000u

struct read_reclaim {
  struct flagged flagged;
  uint64_t paid_until; /* ns: when time will have paid for all read reclaims that it allowed so far */
  uint64_t programs;   /* programmed slots of the device when the last read reclaim ended */
};

/* Start-up: no superblock is known to be marginal. */
void read_reclaim_begin(struct fw *fw);

/* Looks for newly flagged superblocks when the interrupt says so. */
void read_reclaim_poll(struct fw *fw);

/* Whether `sb` is known to be marginal. */
bool read_reclaim_has(const struct fw *fw, uint32_t sb);

/* Whether to search for one that can be collected: there is one, there is room, and it is paid for. If it is too early,
 * asks to be polled when it may be. */
bool read_reclaim_is_due(struct fw *fw, uint32_t free_superblocks);

/* The search has found none that can be collected now. */
void read_reclaim_in_vain(struct fw *fw);

/* A read reclaim begins, and is paid for whatever becomes of it; it has ended. */
void read_reclaim_begins(struct fw *fw);
void read_reclaim_ends(struct fw *fw, bool ok);

/* `sb` was collected, for whatever reason, or is out of use. */
void read_reclaim_gone(struct fw *fw, uint32_t sb);

#endif /* OPENREMAP_FW_READ_RECLAIM_H */
