/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.h - takes commands out of the mailbox, one at a time, runs their handlers and posts completions.
 *
 * A handler is a function that is called until it returns something other than PENDING; what it must remember between
 * calls is in its `struct command`. Every result becomes an NVMe status in one place (finish() in commands.c).
 */
#ifndef OPENREMAP_FW_COMMANDS_H
#define OPENREMAP_FW_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/mailbox.h"
#include "firmware_limits.h"

struct fw;

#define FW_AER_LIMIT 4u   /* Asynchronous Event Requests held at a time */
#define FW_ABORT_LIMIT 4u /* Identify ACL; commands run one at a time anyway */

typedef fw_result_t (*command_handler)(struct fw *fw, struct command *cmd);

struct command_entry {
  uint8_t opcode;
  command_handler run;
  bool changes; /* the namespace, or what it lies on: not while it is write protected */
};

struct io_queue {
  bool sq, cq; /* exist */
  uint8_t cqid;
  bool deleting; /* sq: stopped; the Delete command completes when the last command of the queue has */
  uint16_t deleting_cid;
};

#define FW_FEATURES 16u

/* cmd_queues.c */
struct queues {
  struct io_queue queue[FW_MAX_IO_QUEUES + 1u]; /* by queue identifier; 0 is not used */
  uint32_t deletions;                           /* queues that are `deleting` */
};

/* cmd_features.c */
struct features {
  uint32_t feature[FW_FEATURES]; /* cdw11, by feature identifier */
  uint32_t threshold[2];         /* temperature: over, under; kelvin */
  uint32_t vector_config[FW_MAX_IO_QUEUES + 1u];
};

/* cmd_async.c */
struct async_events {
  uint16_t aer[FW_AER_LIMIT]; /* command identifiers of the requests that are held */
  uint32_t aers;
  bool event_pending; /* an event waits for a request */
  bool event_masked;  /* one was reported, and its log page has not been read since */
  uint32_t event;     /* completion dword 0 */
  bool damage_told;   /* the host was told of damaged or worn media, */
  uint32_t bad_told;  /* when this many superblocks were bad */
};

/* The command that runs, from mailbox_take() to mailbox_done(). */
struct commands {
  bool finished;  /* `status` is known; the completion waits for its register */
  bool abandoned; /* the controller was disabled: the host is not told */
  uint16_t status;
  struct command now;
};

/* Everything as after a controller reset. */
void commands_reset(struct fw *fw);

void commands_poll(struct fw *fw);

/* CC.EN fell: what runs goes on to its end. Every command still gets its completion, which hardware drops together with
 * the queues: that is what gives its place inside the controller back. */
void commands_abandon(struct fw *fw);

/* Aborts what is held and what is left in the mailbox; true when nothing is left or runs any more. */
bool commands_drained(struct fw *fw);

/* Commands of a submission queue inside the controller: fetched and not completed. */
uint32_t queue_inside(const struct fw *fw, uint16_t qid);

/* After a controller reset: no I/O queue exists. */
void queues_reset(struct fw *fw);

/* Completes Delete commands whose queue has run empty. */
void queues_poll(struct fw *fw);

/* ---- handlers, by file */

/* cmd_identify.c */
FW_MUST_USE fw_result_t cmd_identify(struct fw *fw, struct command *cmd);
/* cmd_queues.c */
FW_MUST_USE fw_result_t cmd_create_cq(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_create_sq(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_delete_cq(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_delete_sq(struct fw *fw, struct command *cmd);
/* cmd_features.c */
void features_reset(struct fw *fw);
FW_MUST_USE fw_result_t cmd_get_features(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_set_features(struct fw *fw, struct command *cmd);
/* cmd_format.c */
FW_MUST_USE fw_result_t cmd_format(struct fw *fw, struct command *cmd);
/* cmd_log.c */
FW_MUST_USE fw_result_t cmd_get_log(struct fw *fw, struct command *cmd);
/* cmd_async.c */
FW_MUST_USE fw_result_t cmd_async_event(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_abort(struct fw *fw, struct command *cmd);
void async_event_raise(struct fw *fw, uint32_t event);
void async_event_unmask(struct fw *fw, uint8_t log_page);
void async_event_poll(struct fw *fw);
bool async_events_drained(struct fw *fw);
void async_events_reset(struct fw *fw);
void async_events_abandon(struct fw *fw);
/* cmd_remap.c */
FW_MUST_USE fw_result_t cmd_remap(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_remap_vector(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_copy(struct fw *fw, struct command *cmd);

/* cmd_placement.c */
FW_MUST_USE fw_result_t cmd_io_mgmt_receive(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_io_mgmt_send(struct fw *fw, struct command *cmd);
bool is_placement_feature(uint8_t fid);
FW_MUST_USE fw_result_t get_placement_feature(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t set_placement_feature(struct fw *fw, struct command *cmd);

#endif /* OPENREMAP_FW_COMMANDS_H */
