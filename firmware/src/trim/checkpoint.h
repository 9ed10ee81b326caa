/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.h - empties the trim journal into the trim bitmap while the device runs.
 *
 * 1 choose C, the seq of a journal record that has taken effect, and so have all before it. 2 scan L2P: an LPN that is
 * unmapped is marked in the bitmap that does not count. 3 fence: whatever was mapped during the scan is now durable, so
 * that an unmarked LPN cannot fall back to data that was trimmed at or before C. 4 checkpoint pointer {C, bitmap}: 8
 * bytes, atomic. 5 the journal's records up to C may be overwritten.
 *
 * C leaves out the newest record (its trim may still be taking effect: the trim engine handles one range at a time) and
 * the records of a remap command that has not ended.
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
  uint32_t bitmap;       /* number of the one that counts */
  uint64_t trims_before; /* checkpoint pointer's seq */
  uint64_t seq;          /* C */
  uint32_t tail;         /* first journal record past C */
  uint32_t at;           /* next LPN to scan */
  uint32_t ticket;
  bool blocked; /* the journal is long, but nothing can be dropped yet */
};

/* Start-up, or NVRAM made anew: none is under way. `bitmap` is the bitmap that counts, `trims_before` the seq of the
 * checkpoint pointer. Sets JOURNAL_HIGH. */
void checkpoint_begin(struct fw *fw, uint32_t bitmap, uint64_t trims_before);

/* Starts one if the journal is long; goes on with one. */
void checkpoint_poll(struct fw *fw);

/* Starts one whatever the journal's length; false when there is nothing it could drop. */
bool checkpoint_request(struct fw *fw);

#endif /* OPENREMAP_FW_CHECKPOINT_H */
