/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.h - slots on their way between DRAM and flash, through firmware's page buffers: into free flash pages (a
 * snapshot, a summary), or out of them (a start). Flash works on many of them side by side, the DMA moves one after
 * the other.
 *
 * There is one user at a time: nothing else has NAND operations of firmware's under way. Commands share the DMA with
 * it.
 */
#ifndef OPENREMAP_FW_LANES_H
#define OPENREMAP_FW_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware_limits.h"

struct fw;

/* The buffers of a flash page that is being written, or of one slot that is read. */
struct lane {
  enum { LANE_FREE, LANE_FILLING, LANE_FLASH, LANE_FILLED } use; /* FILLED: by flash, and not in DRAM yet */
  uint32_t slot;                                                 /* of the flash, the first one of a page */
  uint32_t dram;                                                 /* where what is read goes to */
};

struct lanes {
  struct lane lane[FW_MAX_DIES];
  uint32_t filling; /* lane whose page is being filled */
  uint32_t filled;  /* slots of it */
  bool reads;       /* flash to DRAM */
  bool moving;      /* the DMA is under way, for lane `mover` */
  uint32_t mover;
  bool wanted; /* a command waits for the DMA: nothing more is moved before it has had it */
  bool lent;   /* a command has the DMA */
  bool worn;   /* flash failed */
  bool failed; /* something was not programmed, read or moved, or the user has given up: nothing more is begun */
};

void lanes_begin(struct fw *fw, bool reads);

/* Takes what flash and the DMA have done, and begins what follows from it. Before any of the next ones in a poll. */
void lanes_poll(struct fw *fw);

/* Whether the next slot can be moved to its page, which may have to wait for a page before it. */
bool lanes_room(struct fw *fw);

/* Moves 4 KiB of DRAM toward the flash slot; there was room. Slots come in the order of their numbers, from the
 * first one of a page on. The page is programmed when it is full. */
void lanes_write(struct fw *fw, uint32_t slot, uint32_t dram);

/* Reads the flash slot to DRAM; false: no lane, or the die is busy. */
bool lanes_read(struct fw *fw, uint32_t slot, uint32_t dram);

/* Programs the page that is not full, if there is one. True: nothing is under way any more, all is where it should
 * be or `failed`. */
bool lanes_rest(struct fw *fw);

/* The user gives up, or has found something wrong: nothing more is begun. lanes_rest() is still to be waited for. */
void lanes_give_up(struct fw *fw);

/* ---- the DMA, for a command's data (mailbox.h) */

/* Takes the DMA for a command. False: a lane has it; no lane takes it again before the command has had it. */
bool lanes_lend(struct fw *fw);

/* The command's transfer has ended. */
void lanes_return(struct fw *fw);

/* The command has ended, perhaps without the transfer it waited for. */
void lanes_command_ended(struct fw *fw);

#endif /* OPENREMAP_FW_LANES_H */
