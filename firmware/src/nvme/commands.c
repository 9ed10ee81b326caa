/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/commands.h"

#include <string.h>

#include "core/fw.h"

#define MAILBOX_BURST 8u /* commands aborted in one poll */

static const struct command_entry admin_commands[] = {
    {NVME_ADMIN_OPCODE_DELETE_IO_SQ, cmd_delete_sq, false},
    {NVME_ADMIN_OPCODE_CREATE_IO_SQ, cmd_create_sq, false},
    {NVME_ADMIN_OPCODE_GET_LOG_PAGE, cmd_get_log, false},
    {NVME_ADMIN_OPCODE_DELETE_IO_CQ, cmd_delete_cq, false},
    {NVME_ADMIN_OPCODE_CREATE_IO_CQ, cmd_create_cq, false},
    {NVME_ADMIN_OPCODE_IDENTIFY, cmd_identify, false},
    {NVME_ADMIN_OPCODE_ABORT, cmd_abort, false},
    {NVME_ADMIN_OPCODE_SET_FEATURES, cmd_set_features, false},
    {NVME_ADMIN_OPCODE_GET_FEATURES, cmd_get_features, false},
    {NVME_ADMIN_OPCODE_ASYNC_EVENT, cmd_async_event, false},
    {NVME_ADMIN_OPCODE_FORMAT_NVM, cmd_format, false},
};

/* The rest of the I/O commands is the hardware's, and so is Copy as long as there is room: what comes here found none. */
static const struct command_entry io_commands[] = {
    {NVME_IO_OPCODE_IO_MGMT_RECEIVE, cmd_io_mgmt_receive, false}, {NVME_IO_OPCODE_COPY, cmd_copy, true},
    {NVME_IO_OPCODE_IO_MGMT_SEND, cmd_io_mgmt_send, true},        {ORM_VENDOR_OPCODES_REMAP, cmd_remap, true},
    {ORM_VENDOR_OPCODES_REMAP_VECTOR, cmd_remap_vector, true},
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
  return (struct command_entry){opcode, unknown, false};
}

static fw_result_t dispatch(struct fw *fw, struct command *cmd) {
  struct command_entry e = cmd->qid == 0
                               ? find(admin_commands, sizeof admin_commands / sizeof *admin_commands, cmd->sqe.opcode)
                               : find(io_commands, sizeof io_commands / sizeof *io_commands, cmd->sqe.opcode);
  if (cmd->sqe.flags != 0 && e.run != unknown) return FW_INVALID_FIELD; /* no fused commands, no SGLs */
  if (cmd->qid != 0 && e.run != unknown) {
    fw_result_t r = format_nvm_refusal(fw); /* a format begins between commands */
    if (r != FW_OK) return r;
  }
  /* One that runs when the last spare goes has what it needs, and runs to its end. */
  bool begins = cmd->step == 0 && !cmd->dma;
  if (e.changes && begins && health_write_protected(fw) != 0) return FW_READ_ONLY;
  return e.run(fw, cmd);
}

void commands_reset(struct fw *fw) {
  memset(&fw->commands, 0, sizeof fw->commands);
  features_reset(fw);
}

bool commands_idle(const struct fw *fw) { return !fw->commands.active; }

void commands_abandon(struct fw *fw) {
  fw->commands.abandoned = true;
  fw->commands.event_pending = false;
}

static bool mailbox_has_command(const struct fw *fw, uint8_t *qid) {
  uint32_t status = hal_read(fw->p, ORM_FW_MBOX_STATUS);
  *qid = (uint8_t)ORM_GET(status, ORM_FW_MBOX_STATUS_QID);
  return ORM_GET(status, ORM_FW_MBOX_STATUS_VALID);
}

static void mailbox_pop(const struct fw *fw) { hal_write(fw->p, ORM_FW_MBOX_POP, ORM_PUT(ORM_FW_MBOX_POP_POP, 1)); }

/* The command at the head of the mailbox is not begun. */
static void mailbox_abort(struct fw *fw, uint8_t qid) {
  uint16_t cid = (uint16_t)(hal_read(fw->p, ORM_FW_MBOX_SQE(0)) >> 16);
  mailbox_pop(fw);
  completion_post(fw, qid, cid, fw_result_status(FW_SQ_DELETED), 0);
}

bool commands_drained(struct fw *fw) {
  uint8_t qid;
  if (!async_events_drained(fw) || !format_nvm_drained(fw)) return false;
  for (uint32_t n = 0; n < MAILBOX_BURST && mailbox_has_command(fw, &qid); n++) {
    if (!completion_ready(fw)) return false;
    mailbox_abort(fw, qid);
  }
  return !fw->commands.active && fw->commands.deletions == 0 && !mailbox_has_command(fw, &qid);
}

static void take(struct fw *fw) {
  struct commands *c = &fw->commands;
  uint8_t qid;
  for (uint32_t n = 0;; n++) {
    if (!mailbox_has_command(fw, &qid)) return;
    FW_ASSERT(fw, qid <= fw->dev.io_queues);
    if (!c->queue[qid].deleting) break;
    if (n == MAILBOX_BURST || !completion_ready(fw)) {
      fw_again_in(fw, FW_COMPLETION_POLL_NS);
      return;
    }
    mailbox_abort(fw, qid);
  }
  uint8_t raw[NVME_SUBMISSION_ENTRY_BYTES] = {0};
  for (uint32_t at = 0; at < sizeof raw; at += 4u) {
    if (at == NVME_SUBMISSION_ENTRY_CDW2_OFFSET) at = NVME_SUBMISSION_ENTRY_PRP1_OFFSET; /* no command has them */
    orm_put_le(raw + at, hal_read(fw->p, ORM_FW_MBOX_SQE(at / 4u)), 4);
  }
  mailbox_pop(fw);
  memset(&c->now, 0, sizeof c->now);
  nvme_submission_entry_unpack(&c->now.sqe, raw);
  c->now.qid = qid;
  crash_note(fw, qid, &c->now.sqe);
  c->active = true;
  c->finished = false;
}

bool completion_ready(const struct fw *fw) {
  return ORM_GET(hal_read(fw->p, ORM_FW_CPL_QUEUE), ORM_FW_CPL_QUEUE_READY);
}

void completion_post(struct fw *fw, uint8_t qid, uint16_t cid, uint16_t status, uint32_t dw0) {
  hal_write(fw->p, ORM_FW_CPL_QUEUE, ORM_PUT(ORM_FW_CPL_QUEUE_QID, qid));
  hal_write(fw->p, ORM_FW_CPL_DW0, dw0);
  hal_write(fw->p, ORM_FW_CPL_POST, ORM_PUT(ORM_FW_CPL_POST_CID, cid) | ORM_PUT(ORM_FW_CPL_POST_STATUS, status));
}

/* Errors that the same command would meet again. */
static bool is_permanent(fw_result_t r) {
  return r != FW_TRANSFER && r != FW_ABORTED && r != FW_NOT_READY && r != FW_REMAP_FULL && r != FW_INTERNAL &&
         r != FW_FORMATTING && r != FW_NAND;
}

/* The one place where a result becomes an NVMe status. */
static uint16_t status_of(fw_result_t r) {
  if (r == FW_OK) return 0;
  return (uint16_t)(fw_result_status(r) | (is_permanent(r) ? NVME_STATUS_FLAG_DO_NOT_RETRY : 0));
}

bool command_complete_held(struct fw *fw, uint16_t cid, fw_result_t r) {
  if (!completion_ready(fw)) {
    fw_again_in(fw, FW_COMPLETION_POLL_NS);
    return false;
  }
  if (r != FW_OK && !fw->commands.abandoned) errorlog_add(fw, 0, cid, fw_result_status(r), 0, 0);
  completion_post(fw, 0, cid, status_of(r), 0);
  return true;
}

static void finish(struct fw *fw, fw_result_t r) {
  struct commands *c = &fw->commands;
  uint16_t status = r == FW_TRANSFER && c->now.dma_status != 0 ? c->now.dma_status : status_of(r);
  if (r != FW_OK && !c->abandoned)
    errorlog_add(fw, c->now.qid, c->now.sqe.cid, status & 0x7FFu, c->now.sqe.nsid, c->now.sqe.cdw10);
  c->status = status;
  c->finished = true;
}

static void run(struct fw *fw) {
  struct commands *c = &fw->commands;
  if (!c->finished) {
    fw_result_t r = dispatch(fw, &c->now);
    if (r == FW_PENDING) return;
    fw->lanes.wanted = false; /* it may have ended without what it waited for */
    if (r == FW_HELD) {
      c->active = false;
      fw_again_in(fw, 0);
      return;
    }
    finish(fw, r);
  }
  if (!completion_ready(fw)) {
    fw_again_in(fw, FW_COMPLETION_POLL_NS);
    return;
  }
  completion_post(fw, c->now.qid, c->now.sqe.cid, c->status, c->now.dw0);
  c->active = false;
  fw_again_in(fw, 0); /* the next one may have come while CMD_AVAIL was masked */
}

static void bad_doorbell(struct fw *fw, uint32_t event) {
  errorlog_add(fw, 0xFFFF, 0xFFFF, NVME_STATUS_INVALID_FIELD, 0, 0); /* of no queue, of no command */
  async_event_raise(fw, event);
}

void commands_poll(struct fw *fw) {
  struct commands *c = &fw->commands;
  if (ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_BAD_DOORBELL)) bad_doorbell(fw, NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE);
  if (ORM_GET(fw->irq, ORM_FW_IRQ_STATUS_ABSENT_DOORBELL)) bad_doorbell(fw, NVME_ASYNC_EVENT_BAD_DOORBELL_REGISTER);
  if (!c->abandoned) async_event_poll(fw);
  bool held = format_nvm_holds_engine(fw) || snapshot_is_busy(fw); /* who has the remap engine, or the DMA */
  if (!c->active && !c->abandoned && !held) take(fw);
  if (c->active) run(fw);
  if (c->deletions != 0) queues_poll(fw);
}

uint8_t *command_buffer(const struct fw *fw) { return hal_dram(fw->p, fw->dev.dram_fw); }

void command_buffer_clear(const struct fw *fw, uint32_t bytes) { memset(command_buffer(fw), 0, bytes); }

static fw_result_t transfer(struct fw *fw, struct command *cmd, uint32_t bytes, bool to_host) {
  const struct platform *p = fw->p;
  if (!cmd->dma) {
    fw->lanes.wanted = fw->lanes.moving; /* its end wakes this up */
    if (fw->lanes.moving) return FW_PENDING;
    if (to_host) hal_clean(p, fw->dev.dram_fw, bytes);
    hal_write(p, ORM_FW_DMA_PRP1_LO, (uint32_t)cmd->sqe.prp1);
    hal_write(p, ORM_FW_DMA_PRP1_HI, (uint32_t)(cmd->sqe.prp1 >> 32));
    hal_write(p, ORM_FW_DMA_PRP2_LO, (uint32_t)cmd->sqe.prp2);
    hal_write(p, ORM_FW_DMA_PRP2_HI, (uint32_t)(cmd->sqe.prp2 >> 32));
    hal_write(p, ORM_FW_DMA_DRAM, fw->dev.dram_fw);
    hal_write(p, ORM_FW_DMA_GO, ORM_PUT(ORM_FW_DMA_GO_BYTES, bytes) | ORM_PUT(ORM_FW_DMA_GO_TO_HOST, to_host));
    cmd->dma = true;
    return FW_PENDING;
  }
  uint32_t status = hal_read(p, ORM_FW_DMA_STATUS);
  if (ORM_GET(status, ORM_FW_DMA_STATUS_BUSY)) return FW_PENDING;
  cmd->dma = false;
  fw_again_in(fw, 0); /* a summary may have waited for it */
  cmd->dma_status = (uint16_t)ORM_GET(status, ORM_FW_DMA_STATUS_STATUS);
  if (cmd->dma_status != 0) return FW_TRANSFER;
  if (!to_host) hal_invalidate(p, fw->dev.dram_fw, bytes);
  return FW_OK;
}

fw_result_t command_to_host(struct fw *fw, struct command *cmd, uint32_t bytes) {
  return transfer(fw, cmd, bytes, true);
}

fw_result_t command_from_host(struct fw *fw, struct command *cmd, uint32_t bytes) {
  return transfer(fw, cmd, bytes, false);
}
