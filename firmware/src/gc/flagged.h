/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flagged.h - superblocks that the hardware has marked (SB_STATE.failed, SB_STATE.weak): which they are, and when those that could
 * not be collected are tried again.
 *
 * An interrupt says that there are new ones, not which. So all superblocks are looked at, a few in each poll; what the interrupt
 * says meanwhile is for the next look, so that each comes to its end however fast they follow.
 *
 * No event tells when one that is open is closed, or one that could not be collected can be. So after a search in vain the next
 * one waits, twice as long each time, until there is a new one or one was collected.
 */
#ifndef OPENREMAP_FW_FLAGGED_H
#define OPENREMAP_FW_FLAGGED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sb_set.h"

struct fw;

/* Between two looks through all superblocks, and from the first search in vain to the next one. */
#define FW_FLAGGED_NS 10000000u
/* Between two searches in vain at most: so often doubled. */
#define FW_FLAGGED_DOUBLINGS 7u

struct flagged {
  struct sb_set set;
  uint32_t count;
  bool told;          /* since the last look through all superblocks */
  bool looks;         /* it is under way */
  uint32_t at;        /* its next superblock */
  uint64_t look_from; /* ns: when the next one may begin */
  uint64_t try_from;  /* ns: when they may be searched again */
  uint32_t in_vain;   /* searches since one was new or collected */
};

/* `told`: by the interrupt; `mark`: of SB_STATE; `why`: for the console. Whether some are new. */
bool flagged_poll(struct fw *fw, struct flagged *m, bool told, uint32_t mark, const char *why);

/* One that firmware marks by itself; false: it is marked already, or out of use. */
bool flagged_add(struct fw *fw, struct flagged *m, uint32_t sb, const char *why);

/* Whether there are any that may be searched now. When not yet, the firmware is polled when they may. */
bool flagged_may_search(struct fw *fw, const struct flagged *m);

/* None of them can be collected now. */
void flagged_in_vain(struct fw *fw, struct flagged *m);

/* It was collected, or is out of use. */
void flagged_gone(struct flagged *m, uint32_t sb);

#endif /* OPENREMAP_FW_FLAGGED_H */
