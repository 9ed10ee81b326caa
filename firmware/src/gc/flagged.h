/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flagged.h - superblocks that the hardware has flagged (SB_STATE.failed, SB_STATE.weak): which ones they are, and
 * when to try again those that could not be collected.
 *
 * Users are program_fail.h and read_reclaim.h, each with its own struct flagged.
 *
 * The interrupt says that there are new ones, but not which. So all superblocks are looked at, a few in each poll.
 * What the interrupt says meanwhile counts for the next look: each look comes to its end, however fast interrupts
 * follow.
 *
 * No event tells when an open superblock is closed, or when one that could not be collected can be. So a search in
 * vain is followed by a pause, which doubles each time, until a superblock is newly flagged or one is collected.
 */
#ifndef OPENREMAP_FW_FLAGGED_H
#define OPENREMAP_FW_FLAGGED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sb_set.h"

struct fw;

/* Pause between two looks through all superblocks, and after the first search in vain. */
#define FW_FLAGGED_NS 10000000u
/* How many times the pause after a search in vain is doubled at most. */
#define FW_FLAGGED_DOUBLINGS 7u

struct flagged {
  struct sb_set set;
  uint32_t count;
  uint32_t at;        /* next superblock of the look */
  bool told;          /* the interrupt came since the last look began */
  bool looks;         /* a look is under way */
  uint64_t look_from; /* ns: not before this time may the next look begin */
  uint64_t try_from;  /* ns: not before this time may a victim be searched */
  uint32_t in_vain;   /* searches in vain since one was newly flagged or collected */
};

/* Goes on with a look, or begins one. `told`: the interrupt is there; `mark`: mask of the flag in SB_STATE; `why`: text
 * for the log. True: some superblocks are new. */
bool flagged_poll(struct fw *fw, struct flagged *m, bool told, uint32_t mark, const char *why);

/* Flags a superblock on firmware's own account. False: it is flagged already, or bad. */
bool flagged_add(struct fw *fw, struct flagged *m, uint32_t sb, const char *why);

/* Whether a victim among them may be searched now. If it is too early, asks to be polled when it may. */
bool flagged_may_search(struct fw *fw, const struct flagged *m);

/* The search has found none that can be collected now. */
void flagged_in_vain(struct fw *fw, struct flagged *m);

/* The superblock was collected, or is out of use. */
void flagged_gone(struct flagged *m, uint32_t sb);

#endif /* OPENREMAP_FW_FLAGGED_H */
