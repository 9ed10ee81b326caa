/* SPDX-License-Identifier: Apache-2.0 */
/*
 * marked.h - superblocks that the hardware has marked (SB_STATE.failed, SB_STATE.weak): which they are, and when those that could
 * not be collected are tried again.
 *
 * An interrupt says that there are new ones, not which. So all superblocks are looked at, a few in each poll; what the interrupt
 * says meanwhile is for the next look, so that each comes to its end however fast they follow.
 *
 * No event tells when one that is open is closed, or one that could not be collected can be. So after a search in vain the next
 * one waits, twice as long each time, until there is a new one or one was collected.
 */
#ifndef OPENREMAP_FW_MARKED_H
#define OPENREMAP_FW_MARKED_H

#include <stdbool.h>
#include <stdint.h>

#include "sb_set.h"

struct fw;

/* Between two looks through all superblocks, and from the first search in vain to the next one. */
#define FW_MARKED_NS 10000000u
/* Between two searches in vain at most: so often doubled. */
#define FW_MARKED_DOUBLINGS 7u

struct marked {
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
bool marked_poll(struct fw *fw, struct marked *m, bool told, uint32_t mark, const char *why);

/* One that firmware marks by itself; false: it is marked already, or out of use. */
bool marked_add(struct fw *fw, struct marked *m, uint32_t sb, const char *why);

/* Whether there are any that may be searched now. When not yet, the firmware is polled when they may. */
bool marked_may_search(struct fw *fw, const struct marked *m);

/* None of them can be collected now. */
void marked_in_vain(struct fw *fw, struct marked *m);

/* It was collected, or is out of use. */
void marked_gone(struct marked *m, uint32_t sb);

#endif /* OPENREMAP_FW_MARKED_H */
