/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.h - takes commands out of the mailbox, one at a time, runs their handlers and posts their completions.
 *
 * A handler is called in each poll until it returns something else than PENDING. What it must remember between two
 * calls is in its `struct command`. HELD: the handler keeps the command and completes it later (completion.h). Any
 * other result becomes the NVMe status of the completion. An error also makes an entry in the error log. A handler
 * says with command_refuse() which field is wrong, unless the result alone tells it (errorlog.c).
 */
#ifndef OPENREMAP_FW_COMMANDS_H
#define OPENREMAP_FW_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "drivers/mailbox.h"
#include "firmware_limits.h"

struct fw;

#define FW_ABORT_LIMIT 4u /* Identify ACL; commands run one at a time anyway */

typedef fw_result_t (*command_handler)(struct fw *fw, struct command *cmd);

struct command_entry {
  uint8_t opcode;
  command_handler run;
  bool changes; /* it changes the namespace or its media: refused while the namespace is write protected */
  bool quiet;   /* it changes nothing at all: no unit has to look when it has ended */
};

/* The command that runs, from mailbox_take() to mailbox_done(). */
struct commands {
  bool finished;  /* `status` is known; the completion waits for its register */
  bool abandoned; /* the controller was disabled: the host is not told */
  bool quiet;     /* of `now`, when it has run */
  uint16_t status;
  struct command now;
};

/* A bit of a dword of the submission entry, in the form of the error log's parameter error location. */
#define COMMAND_FIELD(dword, bit) ((uint16_t)((dword)*4u + (bit) / 8u + ((bit) % 8u << 8)))
#define COMMAND_NSID COMMAND_FIELD(1u, 0u)

/* Ends a command with `r`, for what stands in the field `location` (COMMAND_FIELD). */
static inline fw_result_t command_refuse(struct command *cmd, uint16_t location, fw_result_t r) {
  cmd->location = location;
  return r;
}

/* Selectors in cdw14 of Identify, Get Log Page and Get and Set Features. The controller has no UUID list (CTRATT bit
 * 9), so that every UUID Index but 0 names something that does not exist. */
#define COMMAND_SET_NVM 0u
static inline uint32_t command_uuid(const struct command *cmd) { return cmd->sqe.cdw14 & 0x7Fu; }

/* Start-up and the end of a controller reset: no queues, default features, no events. No command may run. */
void commands_reset(struct fw *fw);

/* Runs the command that was taken, or takes the next one; tells the host of events; ends deletions of queues. */
void commands_poll(struct fw *fw);

/* The first of these alone: for a poll that concerns nothing else. */
void commands_go_on(struct fw *fw);

/* CC.EN fell: the command that runs goes on to its end. It still gets its completion, which the hardware drops
 * together with the queues; this frees its place inside the controller. */
void commands_abandon(struct fw *fw);

/* Aborts held commands and those left in the mailbox. To be called in each poll after commands_abandon() until it
 * is true: no command is held, waits or runs. */
bool commands_drained(struct fw *fw);

/* ---- handlers, by file; those with a state of their unit are in cmd_queues.h, cmd_features.h and cmd_async.h */

/* cmd_identify.c */
FW_MUST_USE fw_result_t cmd_identify(struct fw *fw, struct command *cmd);
/* cmd_format.c */
FW_MUST_USE fw_result_t cmd_format(struct fw *fw, struct command *cmd);
/* cmd_log.c */
FW_MUST_USE fw_result_t cmd_get_log(struct fw *fw, struct command *cmd);
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
