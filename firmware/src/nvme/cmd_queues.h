/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_queues.h - Create and Delete I/O Completion and Submission Queue (NVMe base specification 5.3 to 5.6), and which
 * I/O queues exist.
 */
#ifndef OPENREMAP_FW_CMD_QUEUES_H
#define OPENREMAP_FW_CMD_QUEUES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"
#include "drivers/mailbox.h"
#include "firmware_limits.h"

struct fw;

struct io_queue {
  bool sq, cq;           /* which of the two exist */
  uint8_t cqid;          /* completion queue of the submission queue */
  bool deleting;         /* the submission queue is stopped; Delete completes when its last command has */
  uint16_t deleting_cid; /* command identifier of that Delete */
};

struct queues {
  struct io_queue queue[FW_MAX_IO_QUEUES + 1u]; /* by queue identifier; 0 is not used */
  uint32_t deletions;                           /* queues that are `deleting` */
};

/* After a controller reset: no I/O queue exists. */
void queues_reset(struct fw *fw);

/* Completes the Delete commands whose queue has run empty. */
void queues_poll(struct fw *fw);

/* How many commands of a submission queue were fetched and are not completed (reads QUEUE_INSIDE). */
uint32_t queue_inside(const struct fw *fw, uint16_t qid);

/* ---- handlers (commands.h) */

FW_MUST_USE fw_result_t cmd_create_cq(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_create_sq(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_delete_cq(struct fw *fw, struct command *cmd);
/* HELD: queues_poll() completes the command when the last one of its queue has completed. */
FW_MUST_USE fw_result_t cmd_delete_sq(struct fw *fw, struct command *cmd);

#endif /* OPENREMAP_FW_CMD_QUEUES_H */
