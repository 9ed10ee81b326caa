/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format_nvm.h - the work of Format NVM (base specification 1.4, 5.23) on a device that runs, a bounded piece in each
 * poll. cmd_format.c checks the command; it is held until the format ends.
 *
 * 1. New I/O commands are refused with Format in Progress. Commands inside end, then collections do.
 * 2. FormatWord is written to NVRAM. From here on the namespace counts as empty: a start that finds the word finishes
 *    the format.
 * 3. The remap engine unmaps every LPN that is mapped, by a Copy from LPNs without data. So each trim is in the
 *    journal.
 * 4. With a user data erase, each closed superblock is collected, which erases it.
 * 5. The word is cleared, I/O commands are accepted again, and the command completes.
 *
 * The word goes last. Until then no host data is accepted, so a start that empties the namespace loses nothing; and
 * by then all trims are durable, so nothing comes back.
 *
 * A controller reset aborts the command but not the format. A shutdown interrupts the format until the controller is
 * enabled again, or until the next start.
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
  uint32_t nsid;      /* of the command */
  fw_result_t result; /* of the command */

  uint32_t at;    /* next LPN, or superblock */
  uint32_t from;  /* first LPN of the list that the engine works on */
  bool found;     /* this pass over L2P has found mapped LPNs */
  uint32_t fulls; /* how often in a row the journal had no room */

  struct sb_set left; /* superblocks to erase */
  uint32_t lefts;     /* how many they are */
  uint32_t erases;    /* how many they were at first */
  uint32_t victim;    /* superblock that is being erased; UINT32_MAX: none */
  bool progress;      /* this pass over the superblocks has erased one */
  bool moves;         /* this pass may take a superblock that is not empty */
};

/* Start-up: no format is under way. */
void format_nvm_begin(struct fw *fw);

/* Goes on with the format. */
void format_nvm_poll(struct fw *fw);

/* Begins a format. `ses`: enum nvme_format_ses; `cid`, `nsid`: of the admin command, which the caller holds.
 * No format may be under way. A device that can only be read is always erased. */
void format_nvm_start(struct fw *fw, uint8_t ses, uint16_t cid, uint32_t nsid);

/* Whether the format uses the remap engine and the command buffer: no command may be taken. */
bool format_nvm_holds_engine(const struct fw *fw);

/* Percentage that is left to do (Identify Namespace, FPI). */
uint8_t format_nvm_remaining(const struct fw *fw);

/* The controller is disabled: aborts the held command. True: none is held any more. */
bool format_nvm_drained(struct fw *fw);

#endif /* OPENREMAP_FW_FORMAT_NVM_H */
