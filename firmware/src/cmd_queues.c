/* SPDX-License-Identifier: Apache-2.0 */
/* Create and Delete I/O Completion and Submission Queue (5.3 to 5.6). */
#include "fw.h"

#define FLAG_PC 1u  /* cdw11: physically contiguous */
#define FLAG_IEN 2u /* cdw11, CQ: interrupts enabled */

enum kind { SQ, CQ };

static uint16_t qid_of(const struct command *cmd) { return (uint16_t)(cmd->sqe.cdw10 & 0xFFFFu); }

static bool names_a_queue(const struct fw *fw, uint16_t qid) { return qid >= 1 && qid <= fw->dev.io_queues; }

static void set_queue(struct fw *fw, enum kind kind, uint32_t id_word, const struct command *cmd, bool define) {
  const struct platform *p = fw->p;
  hal_write(p, ORM_FW_QUEUE_ID, id_word);
  hal_write(p, ORM_FW_QUEUE_BASE_LO, (uint32_t)cmd->sqe.prp1);
  hal_write(p, ORM_FW_QUEUE_BASE_HI, (uint32_t)(cmd->sqe.prp1 >> 32));
  hal_write(p, ORM_FW_QUEUE_ENTRIES, define ? (cmd->sqe.cdw10 >> 16) + 1u : 0);
  hal_write(p, ORM_FW_QUEUE_GO,
            ORM_PUT(ORM_FW_QUEUE_GO_SQ, kind == SQ) | ORM_PUT(ORM_FW_QUEUE_GO_CQ, kind == CQ) |
                ORM_PUT(ORM_FW_QUEUE_GO_ENABLE, define));
}

/* What both kinds of creation check. */
static fw_result_t check_creation(const struct fw *fw, const struct command *cmd, bool exists) {
  uint32_t last = cmd->sqe.cdw10 >> 16; /* zero-based size */
  if (exists) return FW_QID;
  if (last == 0 || last >= fw->dev.queue_entries) return FW_QUEUE_SIZE;
  if (!(cmd->sqe.cdw11 & FLAG_PC)) return FW_INVALID_FIELD; /* CAP.CQR */
  if (cmd->sqe.prp1 & 0xFFFu) return FW_PRP_OFFSET;
  return FW_OK;
}

fw_result_t cmd_create_cq(struct fw *fw, struct command *cmd) {
  uint16_t qid = qid_of(cmd);
  uint32_t vector = cmd->sqe.cdw11 >> 16;
  if (!names_a_queue(fw, qid)) return FW_QID;
  struct io_queue *q = &fw->commands.queue[qid];
  fw_result_t r = check_creation(fw, cmd, q->cq);
  if (r != FW_OK) return r;
  if (vector > fw->dev.io_queues) return FW_VECTOR;
  set_queue(fw, CQ,
            ORM_PUT(ORM_FW_QUEUE_ID_QID, qid) | ORM_PUT(ORM_FW_QUEUE_ID_VECTOR, vector) |
                ORM_PUT(ORM_FW_QUEUE_ID_IEN, (cmd->sqe.cdw11 & FLAG_IEN) != 0),
            cmd, true);
  q->cq = true;
  return FW_OK;
}

fw_result_t cmd_create_sq(struct fw *fw, struct command *cmd) {
  uint16_t qid = qid_of(cmd);
  uint32_t cqid = cmd->sqe.cdw11 >> 16;
  if (!names_a_queue(fw, qid)) return FW_QID;
  struct io_queue *q = &fw->commands.queue[qid];
  if (cqid == 0) return FW_CQ; /* the admin queue pair keeps to itself */
  if (cqid > fw->dev.io_queues) return FW_QID;
  if (!fw->commands.queue[cqid].cq) return FW_CQ;
  fw_result_t r = check_creation(fw, cmd, q->sq);
  if (r != FW_OK) return r;
  set_queue(fw, SQ, ORM_PUT(ORM_FW_QUEUE_ID_QID, qid) | ORM_PUT(ORM_FW_QUEUE_ID_CQID, cqid), cmd, true);
  q->sq = true;
  q->cqid = (uint8_t)cqid;
  return FW_OK;
}

fw_result_t cmd_delete_sq(struct fw *fw, struct command *cmd) {
  uint16_t qid = qid_of(cmd);
  if (!names_a_queue(fw, qid) || !fw->commands.queue[qid].sq) return FW_QID;
  set_queue(fw, SQ, ORM_PUT(ORM_FW_QUEUE_ID_QID, qid) | ORM_PUT(ORM_FW_QUEUE_ID_CQID, fw->commands.queue[qid].cqid),
            cmd, false);
  fw->commands.queue[qid].sq = false;
  return FW_OK;
}

fw_result_t cmd_delete_cq(struct fw *fw, struct command *cmd) {
  uint16_t qid = qid_of(cmd);
  if (!names_a_queue(fw, qid) || !fw->commands.queue[qid].cq) return FW_QID;
  for (uint32_t i = 1; i <= fw->dev.io_queues; i++) {
    if (fw->commands.queue[i].sq && fw->commands.queue[i].cqid == qid) return FW_QUEUE_DELETION;
  }
  set_queue(fw, CQ, ORM_PUT(ORM_FW_QUEUE_ID_QID, qid), cmd, false);
  fw->commands.queue[qid].cq = false;
  return FW_OK;
}
