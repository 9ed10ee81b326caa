/* SPDX-License-Identifier: Apache-2.0 */
/*
 * snapshot.h - the mapping in flash, so that a start after a shutdown need not probe every slot.
 *
 * A normal shutdown, when all is at rest, programs L2P and a record of each superblock (SnapshotSb) into free
 * superblocks. FwState, which says that the device is clean, names them. Their spare areas are zero: to a start that
 * does not go by the snapshot they are torn pages, which it erases.
 *
 * These superblocks stay on the free list of the hardware. So nothing may be written from the first program until
 * they have been erased (quiesce.h), which happens before the controller is ready again, or in the next start. Before
 * the first erase NVRAM says that there is no snapshot.
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
  bool given_up;    /* no more slots are programmed; what is under way ends */
  bool refused;     /* a start has found that it cannot go by it */
  uint32_t used;    /* superblocks of `place` that may hold something */
  uint32_t cleared; /* how many of these were erased */
  bool erasing;     /* the next one is being erased */
  struct snapshot_place place;
  struct nand_eraser eraser;

  /* progress */
  uint32_t at;   /* superblock, or page of L2P */
  uint32_t done; /* slots that have been in a lane */
  orm_crc32c_t crc;
};

/* ---- layout */

uint32_t snapshot_l2p_pages(const struct device *d);
uint32_t snapshot_head_bytes(const struct fw *fw); /* the records, and the bits of L2P's pages */
/* Slots of the head. */
uint32_t snapshot_head_slots(const struct fw *fw);
/* Flash slot that holds slot `i` of the snapshot. */
uint32_t snapshot_slot(const struct fw *fw, uint32_t i);
/* Superblocks that it takes if all LPNs are mapped; 0: more than it may take. */
uint32_t snapshot_most_sbs(const struct fw *fw);
/* Whether the snapshot has this page of L2P, according to the head at DRAM address `head`. */
bool snapshot_has_page(const struct fw *fw, uint32_t head, uint32_t page);
/* Begins its CRC, with the superblocks it is in and their generations. */
orm_crc32c_t snapshot_crc_begin(const struct snapshot_place *place, uint32_t sbs, const uint32_t *gens);

/* ---- a shutdown */
/* Begins one. Everything must be at rest. */
void snapshot_begin(struct fw *fw);
/* PENDING: call again. OK: it is written, or there is none: it had no room, could not be programmed or was given up. */
FW_MUST_USE fw_result_t snapshot_poll(struct fw *fw);
/* The shutdown was taken back: ends it early. snapshot_poll() is still to be called until it is OK. */
void snapshot_give_up(struct fw *fw);
/* Whether one is being written. */
bool snapshot_is_busy(const struct fw *fw);

/* ---- afterwards */
/* Erases it, after NVRAM says that there is none. PENDING: call again. OK: its superblocks are free. */
FW_MUST_USE fw_result_t snapshot_clear(struct fw *fw);

#endif /* OPENREMAP_FW_SNAPSHOT_H */
