/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lanes.h - moves many slots between DRAM and flash through firmware's page buffers.
 *
 * A lane is a page buffer and the slot or page it is used for. Flash works on many lanes side by side; the DMA moves
 * one slot at a time. Writers are the snapshot and the summaries, readers are the steps of a start.
 *
 * There is one user at a time, from lanes_begin() until lanes_rest() is true. Meanwhile nothing else may have NAND
 * operations of firmware's under way. Commands share the DMA (see the end of this file).
 *
 * A poll of the user calls lanes_poll() first, then lanes_write() or lanes_read() as long as there is room, and
 * lanes_rest() when it has no more slots. After a failure, nothing more is begun and lanes.failed is set.
 */
#ifndef OPENREMAP_FW_LANES_H
#define OPENREMAP_FW_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware_limits.h"

struct fw;

/* The buffers of a flash page that is being written, or of one slot that is read. */
struct lane {
  enum { LANE_FREE, LANE_FILLING, LANE_FLASH, LANE_FILLED } use; /* FILLED: flash has filled it; not in DRAM yet */
  uint32_t slot;                                                 /* of the flash; the first one of a page */
  uint32_t dram;                                                 /* where the data of a read goes */
};

struct lanes {
  struct lane lane[FW_MAX_DIES];
  uint32_t filling; /* lane whose page is being filled */
  uint32_t filled;  /* slots of it that were moved */
  bool reads;       /* from flash to DRAM */
  bool moving;      /* the DMA is under way, for lane `mover` */
  uint32_t mover;
  bool wanted; /* a command waits for the DMA: no lane takes it before */
  bool lent;   /* a command has the DMA */
  bool worn;   /* a flash operation failed */
  bool failed; /* a flash operation or a move failed, or the user gave up */
};

/* Begins a use: forgets the state of the last one. `reads`: from flash to DRAM. */
void lanes_begin(struct fw *fw, bool reads);

/* Takes the results of flash and DMA, and begins what follows from them. */
void lanes_poll(struct fw *fw);

/* Whether lanes_write() may be called now. Programs a full page first. */
bool lanes_room(struct fw *fw);

/* Moves 4 KiB from DRAM address `dram` toward flash slot `slot`. lanes_room() must have been true. Slots come in
 * the order of their numbers, and the first one begins a page. A page is programmed when it is full. */
void lanes_write(struct fw *fw, uint32_t slot, uint32_t dram);

/* Reads flash slot `slot` to DRAM address `dram`. False: no lane is free, or the die is busy; try again. */
bool lanes_read(struct fw *fw, uint32_t slot, uint32_t dram);

/* Programs the last page even if it is not full. True: nothing is under way any more. Unless lanes.failed is set,
 * all data is where it should be. */
bool lanes_rest(struct fw *fw);

/* The user gives up, or has found something wrong: nothing more is begun. lanes_rest() is still to be waited for. */
void lanes_give_up(struct fw *fw);

/* ---- the DMA, for the data of commands (mailbox.h) */

/* Takes the DMA for a command. False: a lane has it. No lane takes it again before the command has had it. */
bool lanes_lend(struct fw *fw);

/* The transfer of the command has ended. */
void lanes_return(struct fw *fw);

/* The command has ended, perhaps without the transfer it waited for. */
void lanes_command_ended(struct fw *fw);

#endif /* OPENREMAP_FW_LANES_H */
