/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_fail.h - superblocks in which a program has failed.
 *
 * The hardware has saved the data of the page (WriteEngine, GcMover), but the block is not to be trusted with more.
 * So the superblock is retired: if the host fills it, it is closed; once closed it is collected before other victims
 * and goes out of use for good (bad.h). A retired superblock gives no room back. So retiring takes one more free
 * superblock than GC and the host need, and a spare superblock beyond the last one (spare.h).
 *
 * Without these the superblock is an ordinary victim, is erased, and is used again. If a program fails in it once
 * more, even the last spare is given up for it: a block whose programs always fail would take more and more room,
 * until commands wait for ever, while a write-protected device says what is wrong.
 *
 * Nothing here is durable. A superblock that was not retired before the power goes is used until the next program
 * fails.
 */
#ifndef OPENREMAP_FW_PROGRAM_FAIL_H
#define OPENREMAP_FW_PROGRAM_FAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "gc/flagged.h"

struct fw;

struct program_fail {
  struct flagged flagged;
  struct sb_set again; /* superblocks that were erased and used again after a failure */
  bool fills;          /* the host may be filling some that are to be closed */
};

/* Looks for newly flagged superblocks when the interrupt says so, and closes those that the host fills. */
void program_fail_poll(struct fw *fw);

/* A program of firmware's own has failed in `sb`. */
void program_fail_add(struct fw *fw, uint32_t sb);

/* Whether a program has failed in `sb` since its last erase, as far as is known. */
bool program_fail_has(const struct fw *fw, uint32_t sb);

/* Whether to search for a superblock that can be retired now. */
bool program_fail_is_due(struct fw *fw, uint32_t free_superblocks);

/* Whether `sb` is to be retired as soon as there is room. */
bool program_fail_is_meant(const struct fw *fw, uint32_t sb);

/* Whether `sb` is to be retired if it is collected now. */
bool program_fail_retires(const struct fw *fw, uint32_t sb, uint32_t free_superblocks);

/* The search has found none that can be collected now. */
void program_fail_in_vain(struct fw *fw);

/* `sb` was collected, and is used again or out of use. */
void program_fail_gone(struct fw *fw, uint32_t sb);

#endif /* OPENREMAP_FW_PROGRAM_FAIL_H */
