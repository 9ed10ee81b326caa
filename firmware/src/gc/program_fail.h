/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_fail.h - superblocks in which a program has failed. The hardware has saved what was in the page (WriteEngine, GcMover); its
 * block is not to be trusted with more. So a superblock that the host fills is ended, and a closed one is collected before other
 * victims and then out of use for good (bad.h), as long as it is not the last one to spare, without which nothing can be written,
 * and a superblock more is free than GC and the host need, since it gives none back. Without, it is collected for the room in it
 * as any other, erased, and used again. When a program fails in it once more the last one to spare is given for it: a block whose programs
 * always fail would take more and more room, and at last commands would wait for ever; a device that can only be read says so.
 *
 * What is known here is forgotten with the power: a superblock that was not retired until then is used until the next program
 * in it fails.
 */
#ifndef OPENREMAP_FW_PROGRAM_FAIL_H
#define OPENREMAP_FW_PROGRAM_FAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "gc/flagged.h"

struct fw;

struct program_fail {
  struct flagged flagged;
  struct sb_set again; /* they were used again */
  bool fills;          /* the host may fill some of them that are to be ended */
};

/* The interrupt has said that there are new ones; a few superblocks in each poll. */
void program_fail_poll(struct fw *fw);

/* A program of firmware's own has failed in it. */
void program_fail_add(struct fw *fw, uint32_t sb);

bool program_fail_has(const struct fw *fw, uint32_t sb);

/* Whether one should be looked for that can be retired now. */
bool program_fail_is_due(struct fw *fw, uint32_t free_superblocks);

/* Whether this one is to be retired, when there is room. */
bool program_fail_is_meant(const struct fw *fw, uint32_t sb);

/* Whether this one, when it is collected now, is to be retired. */
bool program_fail_retires(const struct fw *fw, uint32_t sb, uint32_t free_superblocks);

/* None of them can be collected now. */
void program_fail_in_vain(struct fw *fw);

/* It was collected, and is used again or out of use. */
void program_fail_gone(struct fw *fw, uint32_t sb);

#endif /* OPENREMAP_FW_PROGRAM_FAIL_H */
