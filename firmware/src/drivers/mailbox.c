/* SPDX-License-Identifier: Apache-2.0 */
#include "drivers/mailbox.h"

#include <string.h>

#include "fw.h"

static void set_taken(struct fw *fw, bool taken) {
  fw->mailbox.taken = taken;
  quiesce_set_command(fw, taken);
}

bool mailbox_head(const struct fw *fw, uint8_t *qid) {
  uint32_t status = hal_read(fw->p, ORM_FW_MBOX_STATUS);
  *qid = (uint8_t)ORM_GET(status, ORM_FW_MBOX_STATUS_QID);
  return ORM_GET(status, ORM_FW_MBOX_STATUS_VALID);
}

static void pop(const struct fw *fw) { hal_write(fw->p, ORM_FW_MBOX_POP, ORM_PUT(ORM_FW_MBOX_POP_POP, 1)); }

void mailbox_take(struct fw *fw, uint8_t qid, struct command *cmd) {
  uint8_t raw[NVME_SUBMISSION_ENTRY_BYTES] = {0};
  fw_work(fw->p, FW_WORK_COMMAND, 1u);
  for (uint32_t at = 0; at < sizeof raw; at += 4u) {
    if (at == NVME_SUBMISSION_ENTRY_CDW2_OFFSET) at = NVME_SUBMISSION_ENTRY_PRP1_OFFSET;
    orm_put_le(raw + at, hal_read(fw->p, ORM_FW_MBOX_SQE(at / 4u)), 4);
  }
  pop(fw);
  memset(cmd, 0, sizeof *cmd);
  nvme_submission_entry_unpack(&cmd->sqe, raw);
  cmd->qid = qid;
  cmd->location = COMMAND_NO_FIELD;
  cmd->lba = COMMAND_NO_LBA;
  set_taken(fw, true);
}

void mailbox_abort(struct fw *fw, uint8_t qid) {
  uint16_t cid = (uint16_t)(hal_read(fw->p, ORM_FW_MBOX_SQE(0)) >> 16);
  pop(fw);
  mailbox_complete(fw, qid, cid, fw_result_status(FW_SQ_DELETED), 0);
}

void mailbox_done(struct fw *fw) { set_taken(fw, false); }

bool mailbox_idle(const struct fw *fw) { return !fw->mailbox.taken; }

bool mailbox_can_complete(const struct fw *fw) {
  return ORM_GET(hal_read(fw->p, ORM_FW_CPL_QUEUE), ORM_FW_CPL_QUEUE_READY);
}

void mailbox_complete(struct fw *fw, uint8_t qid, uint16_t cid, uint16_t status, uint32_t dw0) {
  hal_write(fw->p, ORM_FW_CPL_QUEUE, ORM_PUT(ORM_FW_CPL_QUEUE_QID, qid));
  hal_write(fw->p, ORM_FW_CPL_DW0, dw0);
  hal_write(fw->p, ORM_FW_CPL_POST, ORM_PUT(ORM_FW_CPL_POST_CID, cid) | ORM_PUT(ORM_FW_CPL_POST_STATUS, status));
}

uint8_t *mailbox_buffer(const struct fw *fw) { return hal_dram(fw->p, fw->dev.dram_fw); }

void mailbox_buffer_clear(const struct fw *fw, uint32_t bytes) {
  fw_work(fw->p, FW_WORK_BYTES, (bytes + 15u) / 16u);
  memset(mailbox_buffer(fw), 0, bytes);
}

static void start_transfer(const struct fw *fw, const struct command *cmd, uint32_t bytes, bool to_host) {
  const struct platform *p = fw->p;
  /* Also where the host's data comes in: a dirty line, of whatever stood here, could be written back over it. */
  hal_clean(p, fw->dev.dram_fw, bytes);
  hal_write(p, ORM_FW_DMA_PRP1_LO, (uint32_t)cmd->sqe.prp1);
  hal_write(p, ORM_FW_DMA_PRP1_HI, (uint32_t)(cmd->sqe.prp1 >> 32));
  hal_write(p, ORM_FW_DMA_PRP2_LO, (uint32_t)cmd->sqe.prp2);
  hal_write(p, ORM_FW_DMA_PRP2_HI, (uint32_t)(cmd->sqe.prp2 >> 32));
  hal_write(p, ORM_FW_DMA_DRAM, fw->dev.dram_fw);
  hal_write(p, ORM_FW_DMA_GO, ORM_PUT(ORM_FW_DMA_GO_BYTES, bytes) | ORM_PUT(ORM_FW_DMA_GO_TO_HOST, to_host));
}

static fw_result_t transfer(struct fw *fw, struct command *cmd, uint32_t bytes, bool to_host) {
  if (!cmd->dma) {
    if (!lanes_lend(fw)) return FW_PENDING;
    start_transfer(fw, cmd, bytes, to_host);
    cmd->dma = true;
    return FW_PENDING;
  }
  uint32_t status = hal_read(fw->p, ORM_FW_DMA_STATUS);
  if (ORM_GET(status, ORM_FW_DMA_STATUS_BUSY)) return FW_PENDING;
  cmd->dma = false;
  lanes_return(fw);
  if (quiesce_summary_runs(fw)) fw_again_in(fw, 0);            /* it may have waited for the DMA */
  if (!to_host) hal_invalidate(fw->p, fw->dev.dram_fw, bytes); /* a failed one may have moved a part, too */
  cmd->dma_status = (uint16_t)ORM_GET(status, ORM_FW_DMA_STATUS_STATUS);
  return cmd->dma_status != 0 ? FW_TRANSFER : FW_OK;
}

#define UNIT_BYTES 16u

uint32_t mailbox_widen(struct command *cmd, uint32_t bytes) {
  uint32_t before = cmd->sqe.prp1 % UNIT_BYTES;
  cmd->sqe.prp1 -= before;
  cmd->bytes = (before + bytes + UNIT_BYTES - 1u) / UNIT_BYTES * UNIT_BYTES;
  return before;
}

fw_result_t mailbox_to_host(struct fw *fw, struct command *cmd, uint32_t bytes) {
  return transfer(fw, cmd, bytes, true);
}

fw_result_t mailbox_from_host(struct fw *fw, struct command *cmd, uint32_t bytes) {
  return transfer(fw, cmd, bytes, false);
}
