/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/commands.h"

#include <string.h>

#include "fw.h"

#define MAILBOX_BURST 8u /* commands aborted in one poll */

static const struct command_entry admin_commands[] = {
    {NVME_ADMIN_OPCODE_DELETE_IO_SQ, cmd_delete_sq, false, false},
    {NVME_ADMIN_OPCODE_CREATE_IO_SQ, cmd_create_sq, false, false},
    {NVME_ADMIN_OPCODE_GET_LOG_PAGE, cmd_get_log, false, false},
    {NVME_ADMIN_OPCODE_DELETE_IO_CQ, cmd_delete_cq, false, false},
    {NVME_ADMIN_OPCODE_CREATE_IO_CQ, cmd_create_cq, false, false},
    {NVME_ADMIN_OPCODE_IDENTIFY, cmd_identify, false, true},
    {NVME_ADMIN_OPCODE_ABORT, cmd_abort, false, false},
    {NVME_ADMIN_OPCODE_SET_FEATURES, cmd_set_features, false, false},
    {NVME_ADMIN_OPCODE_GET_FEATURES, cmd_get_features, false, true},
    {NVME_ADMIN_OPCODE_ASYNC_EVENT, cmd_async_event, false, false},
    {NVME_ADMIN_OPCODE_FORMAT_NVM, cmd_format, false, false},
};

/* The hardware runs all other I/O commands, and remaps and Copies that are usual: those that come here are not. */
static const struct command_entry io_commands[] = {
    {NVME_IO_OPCODE_IO_MGMT_RECEIVE, cmd_io_mgmt_receive, false, true},
    {NVME_IO_OPCODE_COPY, cmd_copy, true, false},
    {NVME_IO_OPCODE_IO_MGMT_SEND, cmd_io_mgmt_send, true, false},
    {ORM_VENDOR_OPCODES_REMAP, cmd_remap, true, false},
    {ORM_VENDOR_OPCODES_REMAP_VECTOR, cmd_remap_vector, true, false},
};

static fw_result_t unknown(struct fw *fw, struct command *cmd) {
  (void)fw;
  (void)cmd;
  return FW_INVALID_OPCODE;
}

static struct command_entry find(const struct command_entry *table, size_t entries, uint8_t opcode) {
  for (size_t i = 0; i < entries; i++) {
    if (table[i].opcode == opcode) return table[i];
  }
  return (struct command_entry){opcode, unknown, false, false};
}

/* No fused commands (FUSE), no SGLs (PSDT). */
static fw_result_t refuse_flags(struct command *cmd) {
  uint32_t bit = 8;
  while (!((uint32_t)cmd->sqe.flags >> (bit - 8u) & 1u)) bit++;
  return command_refuse(cmd, COMMAND_FIELD(0u, bit), FW_INVALID_FIELD);
}

static fw_result_t dispatch(struct fw *fw, struct command *cmd) {
  struct command_entry e = cmd->qid == 0
                               ? find(admin_commands, sizeof admin_commands / sizeof *admin_commands, cmd->sqe.opcode)
                               : find(io_commands, sizeof io_commands / sizeof *io_commands, cmd->sqe.opcode);
  fw->commands.quiet = e.quiet;
  if (cmd->sqe.flags != 0 && e.run != unknown) return refuse_flags(cmd);
  if (cmd->qid != 0 && e.run != unknown) {
    fw_result_t r = quiesce_refusal(fw); /* a format begins between commands */
    if (r != FW_OK) return r;
  }
  /* A command that runs when the last spare superblock is lost has what it needs, and runs to its end. */
  bool begins = cmd->step == 0 && !cmd->dma;
  if (e.changes && begins && spare_write_protected(fw) != 0) return FW_READ_ONLY;
  return e.run(fw, cmd);
}

void commands_reset(struct fw *fw) {
  memset(&fw->commands, 0, sizeof fw->commands);
  queues_reset(fw);
  event_requests_reset(fw);
  async_events_reset(fw);
  watch_reset(fw);
  features_reset(fw);
}

void commands_abandon(struct fw *fw) { fw->commands.abandoned = true; }

bool commands_drained(struct fw *fw) {
  uint8_t qid;
  if (!event_requests_drained(fw) || !format_nvm_drained(fw)) return false;
  for (uint32_t n = 0; n < MAILBOX_BURST && mailbox_head(fw, &qid); n++) {
    if (!mailbox_can_complete(fw)) return false;
    mailbox_abort(fw, qid);
  }
  return mailbox_idle(fw) && fw->queues.deletions == 0 && !mailbox_head(fw, &qid);
}

static void take(struct fw *fw) {
  struct commands *c = &fw->commands;
  uint8_t qid;
  for (uint32_t n = 0;; n++) {
    if (!mailbox_head(fw, &qid)) return;
    FW_ASSERT(fw, qid <= fw->dev.io_queues);
    if (!fw->queues.queue[qid].deleting) break;
    if (n == MAILBOX_BURST || !mailbox_can_complete(fw)) {
      fw_again_in(fw, FW_COMPLETION_POLL_NS);
      return;
    }
    mailbox_abort(fw, qid);
  }
  mailbox_take(fw, qid, &c->now);
  crash_note(fw, qid, &c->now.sqe);
  c->finished = false;
}

static void finish(struct fw *fw, fw_result_t r) {
  struct commands *c = &fw->commands;
  uint16_t status = r == FW_TRANSFER && c->now.dma_status != 0 ? c->now.dma_status : completion_status(r);
  c->status = r != FW_OK && !c->abandoned ? errorlog_command(fw, &c->now, r, status) : status;
  c->finished = true;
}

/* Whether somebody may have waited until no command runs, or has the DMA. */
static bool is_waited_for(const struct fw *fw) {
  return quiesce_summary_runs(fw) || !gc_idle(fw) || fw->gc.reclaim.runs || quiesce_shuts_down(fw) ||
         quiesce_refusal(fw) != FW_OK || fw->controller.phase != CONTROLLER_ON;
}

static void run(struct fw *fw) {
  struct commands *c = &fw->commands;
  if (!c->finished) {
    fw_result_t r = dispatch(fw, &c->now);
    if (r == FW_PENDING) return;
    lanes_command_ended(fw); /* it may have ended without what it waited for */
    if (r == FW_HELD) {
      mailbox_done(fw);
      fw_again_in(fw, 0);
      return;
    }
    finish(fw, r);
  }
  if (!mailbox_can_complete(fw)) {
    fw_again_in(fw, FW_COMPLETION_POLL_NS);
    return;
  }
  mailbox_complete(fw, c->now.qid, c->now.sqe.cid, c->status, c->now.dw0);
  mailbox_done(fw);
  /* CMD_AVAIL tells of the next one. */
  if (!c->quiet || is_waited_for(fw)) fw_again_in(fw, 0);
}

static void bad_doorbell(struct fw *fw, uint32_t event) {
  errorlog_add(fw, &(struct nvme_error_log_entry){.sqid = UINT16_MAX, /* of no command */
                                                  .cid = UINT16_MAX,
                                                  .status = NVME_STATUS_INVALID_FIELD << 1,
                                                  .location = COMMAND_NO_FIELD,
                                                  .lba = COMMAND_NO_LBA,
                                                  .nsid = UINT32_MAX});
  async_event_raise(fw, event);
}

void commands_go_on(struct fw *fw) {
  bool held = format_nvm_holds_engine(fw) || snapshot_is_busy(fw); /* who has the remap engine, or the DMA */
  if (mailbox_idle(fw) && !fw->commands.abandoned && !held) take(fw);
  if (!mailbox_idle(fw)) run(fw);
}

void commands_poll(struct fw *fw) {
  if (ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_BAD_DOORBELL)) bad_doorbell(fw, NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE);
  if (ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_ABSENT_DOORBELL)) bad_doorbell(fw, NVME_ASYNC_EVENT_BAD_DOORBELL_REGISTER);
  watch_poll(fw);
  if (!fw->commands.abandoned) event_requests_poll(fw);
  commands_go_on(fw);
  if (fw->queues.deletions != 0) queues_poll(fw);
}
