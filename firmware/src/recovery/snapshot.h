/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.h - the mapping in flash, for a start after a shutdown that need not probe what was programmed.
 *
 * A normal shutdown, when all is at rest, programs L2P and what else a start would have to probe for (SnapshotSb) into free
 * superblocks, and FwState, which says that the device is clean, names them. Their spares are zeroes, so that to any start that does
 * not go by the snapshot they are torn pages, which it erases.
 *
 * The superblocks stay on the hardware's list of free ones. So nothing may be written while they hold something: from the first
 * program until they have been erased, which is before the controller is ready again, or in the next start. Before the first
 * erase NVRAM says that there is no snapshot.
 */
#ifndef OPENREMAP_FW_SNAPSHOT_H
#define OPENREMAP_FW_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"
#include "core/state.h"
#include "drivers/nand.h"

struct fw;

struct snapshot {
  enum { SNAPSHOT_NONE, SNAPSHOT_SURVEY, SNAPSHOT_LOOK, SNAPSHOT_WRITE, SNAPSHOT_WRITTEN } phase;
  bool given_up; /* no more slots; what is under way ends */
  bool refused;  /* a start found that it cannot go by it */
  uint32_t used; /* superblocks of `place` that hold something, or may */
  uint32_t cleared;
  bool erasing;
  struct snapshot_place place;
  struct nand_eraser eraser;

  /* progress */
  uint32_t at;   /* superblock, or page of L2P */
  uint32_t done; /* slots that have been in a lane */
  orm_crc32c_t crc;
};

/* Its layout. */
uint32_t snapshot_l2p_pages(const struct device *d);
uint32_t snapshot_head_bytes(const struct fw *fw); /* the records, and the bits of L2P's pages */
uint32_t snapshot_head_slots(const struct fw *fw);
uint32_t snapshot_slot(const struct fw *fw, uint32_t i);
/* Superblocks that it takes when all LPNs are mapped; 0: more than it may take. */
uint32_t snapshot_most_sbs(const struct fw *fw);
/* Bit by page of L2P, behind the records at `head` in DRAM. */
bool snapshot_has_page(const struct fw *fw, uint32_t head, uint32_t page);
orm_crc32c_t snapshot_crc_begin(const struct snapshot_place *place, uint32_t sbs, const uint32_t *gens);

/* ---- a shutdown */
/* Writes one; everything is at rest. OK: it is there, or there is none, because it would have no room, or could not be written. */
void snapshot_begin(struct fw *fw);
FW_MUST_USE fw_result_t snapshot_poll(struct fw *fw);
/* The shutdown was taken back. */
void snapshot_give_up(struct fw *fw);
/* It is being written. */
bool snapshot_is_busy(const struct fw *fw);

/* ---- afterwards */
/* There is none any more, durably; its superblocks are free. PENDING. */
FW_MUST_USE fw_result_t snapshot_clear(struct fw *fw);

#endif /* OPENREMAP_FW_SNAPSHOT_H */
