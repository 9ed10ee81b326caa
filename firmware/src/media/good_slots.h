/* SPDX-License-Identifier: Apache-2.0 */
/*
 * good_slots.h - how many slots of each superblock a later recovery will find readable.
 *
 * The erase intent of a victim names this number (state_write_intent()). A recovery that finds fewer readable slots
 * knows that the erase had begun. Recovery fills the table; collections, and what ends a filling early, keep it true
 * afterwards. Slots whose programs fail are not taken off. It is not durable: each start counts again.
 */
#ifndef OPENREMAP_FW_GOOD_SLOTS_H
#define OPENREMAP_FW_GOOD_SLOTS_H

#include <stdint.h>

#include "firmware_limits.h"

struct fw;

/* Matches no count: the erase of such a superblock always counts as begun. */
#define GOOD_SLOTS_UNKNOWN UINT16_MAX

struct good_slots {
  uint16_t slots[FW_MAX_SUPERBLOCKS];
};

void good_slots_set(struct fw *fw, uint32_t sb, uint32_t slots);

uint16_t good_slots_of(const struct fw *fw, uint32_t sb);

/* Ends the superblock that placement handle `handle` fills (ALLOC_CLOSE), if there is one, and notes how many slots it
 * has. */
void good_slots_end_filling(struct fw *fw, uint32_t handle);

#endif /* OPENREMAP_FW_GOOD_SLOTS_H */
