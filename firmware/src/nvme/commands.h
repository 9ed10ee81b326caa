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

#include "core/device.h"
#include "core/result.h"
#include "orm_nvme.h"

struct fw;

#define FW_AER_LIMIT 4u   /* Asynchronous Event Requests held at a time */
#define FW_ABORT_LIMIT 4u /* Identify ACL; commands run one at a time anyway */

/* What runs of one command. */
struct command {
  struct nvme_submission_entry sqe;
  uint8_t qid;
  uint8_t step;        /* the handler's own */
  bool dma;            /* a transfer was started for it */
  uint8_t retries;     /* remap: times that room was made for it */
  uint16_t dma_status; /* of a failed transfer, {DNR, M, CRD, SCT, SC} */
  uint32_t dw0;        /* of the completion */
  uint32_t bytes;      /* of its data */
  uint32_t ranges;     /* remap: in the list */
  bool emptied;        /* remap: a trim checkpoint was begun to make room */
};

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

struct commands {
  bool active;    /* `now` runs or waits to be posted */
  bool finished;  /* `status` is known */
  bool abandoned; /* the controller was disabled: no completion */
  uint16_t status;
  struct command now;

  struct io_queue queue[FW_MAX_IO_QUEUES + 1u];
  uint32_t feature[FW_FEATURES];
  uint32_t threshold[2]; /* temperature: over, under */
  uint32_t vector_config[FW_MAX_IO_QUEUES + 1u];

  uint16_t aer[FW_AER_LIMIT]; /* command identifiers held */
  uint32_t aers;
  uint32_t deletions; /* queues that are `deleting` */
  bool event_pending; /* an event waits for a request */
  bool damage_told;   /* an event has told of it */
  bool event_masked;  /* reported; its log page has not been read yet */
  uint32_t event;     /* completion dword 0 */
};

/* Everything as after a controller reset. */
void commands_reset(struct fw *fw);

void commands_poll(struct fw *fw);

/* No command runs here. */
bool commands_idle(const struct fw *fw);

/* CC.EN fell: what runs goes on to its end. Every command still gets its completion, which hardware drops together with
 * the queues: that is what gives its place inside the controller back. */
void commands_abandon(struct fw *fw);

/* Aborts what is held and what is left in the mailbox; true when nothing is left or runs any more. */
bool commands_drained(struct fw *fw);

/* Commands of a submission queue inside the controller: fetched and not completed. */
uint32_t queue_inside(const struct fw *fw, uint16_t qid);

/* Completes Delete commands whose queue has run empty. */
void queues_poll(struct fw *fw);

/* ---- for handlers */

/* Moves `bytes` (a multiple of 4 to the host, of 16 from it) between the buffer at DRAM_FW and the command's PRPs. Call until it is not PENDING.
 */
FW_MUST_USE fw_result_t command_to_host(struct fw *fw, struct command *cmd, uint32_t bytes);
FW_MUST_USE fw_result_t command_from_host(struct fw *fw, struct command *cmd, uint32_t bytes);

/* The buffer; command_buffer_clear() zeroes `bytes` of it. */
uint8_t *command_buffer(const struct fw *fw);
void command_buffer_clear(const struct fw *fw, uint32_t bytes);

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

/* Whether a completion could be posted now; posts it. */
bool completion_ready(const struct fw *fw);
void completion_post(struct fw *fw, uint8_t qid, uint16_t cid, uint16_t status, uint32_t dw0);

/* Completes an admin command that its handler has held; false: not now, call again. */
bool command_complete_held(struct fw *fw, uint16_t cid, fw_result_t r);

#endif /* OPENREMAP_FW_COMMANDS_H */
