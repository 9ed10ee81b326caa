/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_nvm.h - Format NVM (base specification 1.4, 5.23) on a device that runs. cmd_format.c takes the command and holds
 * it; this is the work, a bounded piece in each poll.
 *
 * 1 no new I/O (Format in Progress), what is inside ends, then collections do. 2 FormatWord into NVRAM: from here on the
 * namespace is empty, whatever happens; a start that finds the word finishes the format. 3 every LPN that is mapped becomes
 * unmapped, by remap engine: a Copy from LPNs that have no data journals the trims and keeps all figures right. 4 with a
 * user data erase each superblock that is closed is collected, which erases it. 5 the word goes, I/O comes back, the
 * command completes.
 *
 * The word goes last: until then no host data is accepted, so a start that empties the namespace loses nothing, and after
 * it all trims are durable, so that nothing comes back.
 *
 * A controller reset does not stop a format (the command is aborted); a shutdown interrupts it until the next enabling, or
 * the next start.
 */
#ifndef OPENREMAP_FW_FORMAT_NVM_H
#define OPENREMAP_FW_FORMAT_NVM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"
#include "core/sb_set.h"

struct fw;

enum format_nvm_phase {
  FORMAT_NVM_IDLE,
  FORMAT_NVM_DRAIN,  /* I/O commands inside end */
  FORMAT_NVM_SETTLE, /* collections end; none is begun */
  FORMAT_NVM_RENEW,  /* a device that can only be read: NVRAM is made anew */
  FORMAT_NVM_SCAN,   /* L2P is looked at for LPNs with data */
  FORMAT_NVM_UNMAP,  /* the remap engine drops them */
  FORMAT_NVM_ROOM,   /* the journal is emptied first */
  FORMAT_NVM_SURVEY, /* which superblocks there are to erase */
  FORMAT_NVM_ERASE,  /* superblocks are erased */
  FORMAT_NVM_END,    /* the word is gone; the completion waits for its register */
  FORMAT_NVM_FAILED  /* the word stays: another format, or the next start, finishes it */
};

struct format_nvm {
  enum format_nvm_phase phase;
  uint8_t ses; /* enum nvme_format_ses */
  bool waited; /* a host waits for the command `cid` */
  uint16_t cid;
  fw_result_t result; /* of the command */

  uint32_t at;    /* next LPN, or superblock */
  uint32_t from;  /* first LPN of what the engine does */
  bool found;     /* this pass over L2P had something to drop */
  uint32_t fulls; /* times in a row that the journal had no room */

  struct sb_set left; /* superblocks to erase */
  uint32_t lefts;
  uint32_t erases; /* that there were at first */
  uint32_t victim; /* being erased, or UINT32_MAX: none */
  bool progress;   /* in this pass over the superblocks */
  bool moves;      /* in this pass one may be taken that holds something */
};

void format_nvm_begin(struct fw *fw);
void format_nvm_poll(struct fw *fw);

/* The command was checked. */
void format_nvm_start(struct fw *fw, uint8_t ses, uint16_t cid);

/* The remap engine and the command buffer are in use. */
bool format_nvm_holds_engine(const struct fw *fw);

/* Percentage that is left to do, for Identify. */
uint8_t format_nvm_remaining(const struct fw *fw);

/* The controller is disabled: aborts the command; true when none is held. */
bool format_nvm_drained(struct fw *fw);

#endif /* OPENREMAP_FW_FORMAT_NVM_H */
