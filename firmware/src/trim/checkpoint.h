/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.h - moves the trims of the journal into the trim bitmap while the device runs, so that the journal has
 * room.
 *
 * 1. Choose C, the seq of a journal record. It and all records before it must have taken effect.
 * 2. Scan L2P: mark each unmapped LPN in the bitmap that does not count.
 * 3. Fence: whatever was mapped during the scan becomes durable, so that an unmarked LPN cannot fall back to data
 *    that was trimmed at or before C.
 * 4. Write the checkpoint pointer {C, bitmap}: 8 bytes, atomic.
 * 5. The journal's records up to C may be overwritten.
 *
 * C leaves out the newest record, whose trim may still be taking effect (the trim engine handles one range at a
 * time), and the records of a remap command that has not ended.
 */
#ifndef OPENREMAP_FW_CHECKPOINT_H
#define OPENREMAP_FW_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"

struct fw;

enum checkpoint_phase { CHECKPOINT_IDLE, CHECKPOINT_SCAN, CHECKPOINT_FENCE };

struct checkpoint {
  enum checkpoint_phase phase;
  uint32_t bitmap;       /* number of the bitmap that counts */
  uint64_t trims_before; /* seq of the checkpoint pointer */
  uint64_t seq;          /* C */
  uint32_t tail;         /* first journal record past C */
  uint32_t at;           /* next LPN to scan */
  uint32_t ticket;       /* of the fence */
  bool blocked;          /* the journal is long, but nothing can be dropped yet */
};

/* Start-up, or NVRAM made anew: none is under way. `bitmap` is the bitmap that counts, `trims_before` the seq of the
 * checkpoint pointer. Sets JOURNAL_HIGH. */
void checkpoint_begin(struct fw *fw, uint32_t bitmap, uint64_t trims_before);

/* Goes on with a checkpoint, or starts one if the journal is long. */
void checkpoint_poll(struct fw *fw);

/* Starts one whatever the length of the journal. True also if one is under way. False: no record could be dropped. */
bool checkpoint_request(struct fw *fw);

#endif /* OPENREMAP_FW_CHECKPOINT_H */
