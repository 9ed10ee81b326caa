/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mailbox.h - the command mailbox, the completion register and the host DMA: how a command reaches firmware, moves its
 * data and is answered.
 *
 * Firmware runs one command at a time. mailbox_take() begins it, mailbox_done() ends it. A command that its handler
 * holds (FW_HELD) is done in this sense and is completed later by its command identifier.
 *
 * No call waits. Where the hardware is busy the call says so and the caller tries again in a later poll.
 */
#ifndef OPENREMAP_FW_MAILBOX_H
#define OPENREMAP_FW_MAILBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"
#include "orm_nvme.h"

struct fw;

/* Interval at which to look at the completion register again: it frees itself within a few cycles, without an
 * interrupt. */
#define FW_COMPLETION_POLL_NS 200u

/* An error that is of no field of its command, or of no LBA. */
#define COMMAND_NO_FIELD UINT16_MAX
#define COMMAND_NO_LBA UINT64_MAX

/* A command that runs in firmware. */
struct command {
  struct nvme_submission_entry sqe;
  uint8_t qid;
  uint8_t step;        /* free for the handler; 0 at first */
  bool dma;            /* a transfer is under way */
  uint8_t retries;     /* remap: times that room was made for it */
  uint16_t dma_status; /* of a transfer that failed, {DNR, M, CRD, SCT, SC} */
  uint32_t dw0;        /* of the completion */
  uint32_t bytes;      /* of its data */
  uint32_t ranges;     /* remap: in the list */
  bool emptied;        /* remap: a trim checkpoint was begun to make room */
  uint16_t location;   /* the field that is refused: byte of the submission entry 7:0, bit 10:8 */
  uint64_t lba;        /* the first one that an error concerns */
};

struct mailbox {
  bool taken; /* a command was taken and is not done */
};

/* ---- commands */

/* Whether a command waits in the mailbox; `qid` becomes the queue it came from. */
bool mailbox_head(const struct fw *fw, uint8_t *qid);

/* Takes the command that waits (mailbox_head() was true) into `cmd`, everything else of which becomes zero, the
 * location and the LBA of an error none. Dwords 2 to 5 are not read: no command uses them. */
void mailbox_take(struct fw *fw, uint8_t qid, struct command *cmd);

/* Removes the command that waits and completes it with Command Aborted due to SQ Deletion. mailbox_can_complete() must
 * be true. */
void mailbox_abort(struct fw *fw, uint8_t qid);

/* The command that was taken has been completed, or is held. */
void mailbox_done(struct fw *fw);

/* Whether no command runs in firmware. One that waits in the mailbox does not count. */
bool mailbox_idle(const struct fw *fw);

/* ---- completions */

/* Whether a completion can be posted now. */
bool mailbox_can_complete(const struct fw *fw);

/* Posts one; mailbox_can_complete() must be true. `status`: {DNR, M, CRD, SCT, SC}. */
void mailbox_complete(struct fw *fw, uint8_t qid, uint16_t cid, uint16_t status, uint32_t dw0);

/* ---- data */

/* The buffer of the command that runs: device_buffer_bytes() bytes at DRAM_FW. */
uint8_t *mailbox_buffer(const struct fw *fw);

/* Zeroes the first `bytes` of it. */
void mailbox_buffer_clear(const struct fw *fw, uint32_t bytes);

/* For `bytes` from the host at any dword: transfers come in units of 16 bytes, so PRP1 goes back to the last multiple
 * of 16, and cmd->bytes covers whole units. They lie in the same pages of the host. Returns where the data begin. */
uint32_t mailbox_widen(struct command *cmd, uint32_t bytes);

/* Moves `bytes` (a multiple of 4 to the host, of 16 from it) between the buffer and the PRPs of the command. To be
 * called with the same arguments until the result is not PENDING. TRANSFER: host memory did not answer;
 * cmd->dma_status is the status to complete with. */
FW_MUST_USE fw_result_t mailbox_to_host(struct fw *fw, struct command *cmd, uint32_t bytes);
FW_MUST_USE fw_result_t mailbox_from_host(struct fw *fw, struct command *cmd, uint32_t bytes);

#endif /* OPENREMAP_FW_MAILBOX_H */
