/* SPDX-License-Identifier: Apache-2.0 */
/* Create and Delete I/O Completion and Submission Queue (5.3 to 5.6). */
#include "nvme/cmd_queues.h"

#include <string.h>

#include "fw.h"

/* No interrupt tells when a queue has run empty. */
#define EMPTY_POLL_NS 5000u

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
static fw_result_t check_creation(const struct fw *fw, struct command *cmd, bool exists) {
  uint32_t last = cmd->sqe.cdw10 >> 16; /* zero-based size */
  if (exists) return FW_QID;
  if (last == 0 || last >= fw->dev.queue_entries) return FW_QUEUE_SIZE;
  if (!(cmd->sqe.cdw11 & NVME_QUEUE_FLAG_CONTIGUOUS)) /* CAP.CQR */
    return command_refuse(cmd, COMMAND_FIELD(11u, 0u), FW_INVALID_FIELD);
  if (cmd->sqe.prp1 & 0xFFFu) return FW_PRP_OFFSET;
  return FW_OK;
}

fw_result_t cmd_create_cq(struct fw *fw, struct command *cmd) {
  uint16_t qid = qid_of(cmd);
  uint32_t vector = cmd->sqe.cdw11 >> 16;
  if (!names_a_queue(fw, qid)) return FW_QID;
  struct io_queue *q = &fw->queues.queue[qid];
  fw_result_t r = check_creation(fw, cmd, q->cq);
  if (r != FW_OK) return r;
  if (vector > fw->dev.io_queues) return FW_VECTOR;
  set_queue(fw, CQ,
            ORM_PUT(ORM_FW_QUEUE_ID_QID, qid) | ORM_PUT(ORM_FW_QUEUE_ID_VECTOR, vector) |
                ORM_PUT(ORM_FW_QUEUE_ID_IEN, (cmd->sqe.cdw11 & NVME_QUEUE_FLAG_INTERRUPTS) != 0),
            cmd, true);
  q->cq = true;
  return FW_OK;
}

fw_result_t cmd_create_sq(struct fw *fw, struct command *cmd) {
  uint16_t qid = qid_of(cmd);
  uint32_t cqid = cmd->sqe.cdw11 >> 16;
  if (!names_a_queue(fw, qid)) return FW_QID;
  struct io_queue *q = &fw->queues.queue[qid];
  if (cqid == 0 || cqid > fw->dev.io_queues) /* 0: the admin queue pair keeps to itself */
    return command_refuse(cmd, COMMAND_FIELD(11u, 16u), FW_QID);
  if (!fw->queues.queue[cqid].cq) return FW_CQ;
  fw_result_t r = check_creation(fw, cmd, q->sq);
  if (r != FW_OK) return r;
  set_queue(fw, SQ, ORM_PUT(ORM_FW_QUEUE_ID_QID, qid) | ORM_PUT(ORM_FW_QUEUE_ID_CQID, cqid), cmd, true);
  q->sq = true;
  q->cqid = (uint8_t)cqid;
  return FW_OK;
}

void queues_reset(struct fw *fw) { memset(&fw->queues, 0, sizeof fw->queues); }

uint32_t queue_inside(const struct fw *fw, uint16_t qid) {
  hal_write(fw->p, ORM_FW_QUEUE_ID, ORM_PUT(ORM_FW_QUEUE_ID_QID, qid));
  return ORM_GET(hal_read(fw->p, ORM_FW_QUEUE_INSIDE), ORM_FW_QUEUE_INSIDE_VALUE);
}

/* Fetching ends at once. What the engines have begun runs to its end, what still waits for firmware is aborted (take()
 * in commands.c); only then does the command complete and may the host take its memory back. Until then the queue
 * exists, so that its completions find their way. */
fw_result_t cmd_delete_sq(struct fw *fw, struct command *cmd) {
  uint16_t qid = qid_of(cmd);
  if (!names_a_queue(fw, qid)) return FW_QID;
  struct io_queue *q = &fw->queues.queue[qid];
  if (!q->sq || q->deleting) return FW_QID;
  set_queue(fw, SQ, ORM_PUT(ORM_FW_QUEUE_ID_QID, qid) | ORM_PUT(ORM_FW_QUEUE_ID_CQID, q->cqid), cmd, false);
  q->deleting = true;
  q->deleting_cid = cmd->sqe.cid;
  fw->queues.deletions++;
  return FW_HELD;
}

void queues_poll(struct fw *fw) {
  struct queues *c = &fw->queues;
  for (uint16_t qid = 1; qid <= fw->dev.io_queues; qid++) {
    struct io_queue *q = &c->queue[qid];
    if (!q->deleting || queue_inside(fw, qid) != 0) continue;
    if (!mailbox_can_complete(fw)) {
      fw_again_in(fw, FW_COMPLETION_POLL_NS);
      return;
    }
    mailbox_complete(fw, 0, q->deleting_cid, fw_result_status(FW_OK), 0);
    q->sq = q->deleting = false;
    c->deletions--;
  }
  if (c->deletions != 0) fw_again_in(fw, EMPTY_POLL_NS);
}

fw_result_t cmd_delete_cq(struct fw *fw, struct command *cmd) {
  uint16_t qid = qid_of(cmd);
  if (!names_a_queue(fw, qid) || !fw->queues.queue[qid].cq) return FW_QID;
  for (uint32_t i = 1; i <= fw->dev.io_queues; i++) {
    if (fw->queues.queue[i].sq && fw->queues.queue[i].cqid == qid) return FW_QUEUE_DELETION;
  }
  set_queue(fw, CQ, ORM_PUT(ORM_FW_QUEUE_ID_QID, qid), cmd, false);
  fw->queues.queue[qid].cq = false;
  return FW_OK;
}
