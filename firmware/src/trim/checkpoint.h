/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.h - moves the trims of the journal into the trim bitmap while the device runs, so that the journal has
 * room.
 *
 * 1. Walk the journal from its oldest record on, up to C, the seq of the last record that has taken effect as all
 *    before it have. Scan L2P in each region of the trim bitmap that a record touches: mark each unmapped LPN in the
 *    bitmap that does not count for the region.
 * 2. Fence: whatever was mapped during the scan becomes durable, so that an unmarked LPN cannot fall back to data
 *    that was trimmed at or before C.
 * 3. Walk the same records again: write {C, bitmap} into the pointer of each region. A power cut leaves some of them
 *    written. Each is right by itself, and the records, which still count, say the same once more.
 * 4. Write the checkpoint pointer C: 8 bytes, atomic.
 * 5. The journal's records up to C may be overwritten.
 *
 * Records in use are durable. So one that cannot be read is damaged, and counts as one that touches all regions, if a
 * good one follows it.
 *
 * A region that no record touches keeps its pointer: what had no data at its seq and was mapped since has larger seqs.
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

enum checkpoint_phase { CHECKPOINT_IDLE, CHECKPOINT_SCAN, CHECKPOINT_FENCE, CHECKPOINT_POINTERS };

/* Records of neighbouring pages touch one region many times. Region n is remembered at place n % CHECKPOINT_SEEN. */
#define CHECKPOINT_SEEN 64u

/* A walk along the journal, region by region. */
struct checkpoint_walk {
  uint32_t at;                    /* index of the next record, */
  uint32_t left;                  /* of which so many may be taken */
  uint32_t lpn, end;              /* LPNs of the record before it that are left: none if they are equal */
  uint32_t seen[CHECKPOINT_SEEN]; /* region + 1; 0: none */
};

struct checkpoint {
  enum checkpoint_phase phase;
  uint64_t trims_before; /* seq of the checkpoint pointer */
  uint64_t settled;      /* records below it have taken effect */
  uint64_t seq;          /* C, as far as the scan has come */
  uint64_t pointed;      /* seq of the record whose regions got their pointers last */
  uint32_t tail;         /* the journal's first record */
  bool all;              /* all regions are looked at: a record cannot be read */
  struct checkpoint_walk walk;
  uint32_t ticket; /* of the fence */
  bool blocked;    /* the journal is long, but nothing can be dropped yet */
};

/* Start-up, or NVRAM made anew: none is under way. `trims_before` is the seq of the checkpoint pointer. Sets
 * JOURNAL_HIGH. */
void checkpoint_begin(struct fw *fw, uint64_t trims_before);

/* Goes on with a checkpoint, or starts one if the journal is long. */
void checkpoint_poll(struct fw *fw);

/* Starts one whatever the length of the journal. True also if one is under way. False: no record could be dropped. */
bool checkpoint_request(struct fw *fw);

#endif /* OPENREMAP_FW_CHECKPOINT_H */
