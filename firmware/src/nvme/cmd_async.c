/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous Event Request (5.2) and Abort (5.1). */
#include "nvme/cmd_async.h"

#include <string.h>

#include "fw.h"

/* The admin completion queue is full, which only the host's next doorbell write changes. */
#define ROOM_POLL_NS 100000u

/* A held request reserves no entry of the admin completion queue; it must before it completes. */
static void hold(const struct fw *fw, uint32_t requests) {
  hal_write(fw->p, ORM_FW_ADMIN_HELD, ORM_PUT(ORM_FW_ADMIN_HELD_COUNT, requests));
}

static bool reserve_completion(const struct fw *fw) {
  hold(fw, fw->event_requests.held - 1u);
  if (ORM_GET(hal_read(fw->p, ORM_FW_ADMIN_HELD), ORM_FW_ADMIN_HELD_ROOM)) return true;
  hold(fw, fw->event_requests.held);
  return false;
}

void event_requests_reset(struct fw *fw) { memset(&fw->event_requests, 0, sizeof fw->event_requests); }

fw_result_t cmd_async_event(struct fw *fw, struct command *cmd) {
  struct event_requests *r = &fw->event_requests;
  if (r->held == FW_AER_LIMIT) return FW_AER_FULL;
  r->cid[r->held++] = cmd->sqe.cid;
  hold(fw, r->held);
  return FW_HELD;
}

/* CC.EN fell: the requests are completed, and the hardware drops their completions. */
bool event_requests_drained(struct fw *fw) {
  struct event_requests *r = &fw->event_requests;
  for (; r->held != 0; r->held--) {
    if (!mailbox_can_complete(fw)) return false;
    hold(fw, r->held - 1u);
    mailbox_complete(fw, 0, r->cid[r->held - 1u], fw_result_status(FW_SQ_DELETED), 0);
  }
  return true;
}

void event_requests_poll(struct fw *fw) {
  struct event_requests *r = &fw->event_requests;
  uint32_t event;
  if (quiesce_shuts_down(fw)) return;
  while (r->held != 0 && async_event_next(fw, &event)) {
    if (!mailbox_can_complete(fw)) {
      fw_again_in(fw, FW_COMPLETION_POLL_NS);
      return;
    }
    if (!reserve_completion(fw)) {
      fw_again_in(fw, ROOM_POLL_NS);
      return;
    }
    r->held--;
    mailbox_complete(fw, 0, r->cid[r->held], 0, event);
    async_event_reported(fw, event);
  }
}

/* Only held event requests can be aborted. Firmware's commands run one at a time, so the ones before are over and
 * the ones behind have not left the mailbox; what the engines have under way runs to its end, which "not aborted"
 * allows. */
static bool abort_event_request(struct fw *fw, uint16_t cid) {
  struct event_requests *r = &fw->event_requests;
  for (uint32_t i = 0; i < r->held; i++) {
    if (r->cid[i] != cid) continue;
    if (!reserve_completion(fw)) return false;
    r->cid[i] = r->cid[--r->held];
    mailbox_complete(fw, 0, cid, fw_result_status(FW_ABORTED), 0);
    return true;
  }
  return false;
}

fw_result_t cmd_abort(struct fw *fw, struct command *cmd) {
  uint16_t sqid = (uint16_t)(cmd->sqe.cdw10 & 0xFFFFu);
  uint16_t cid = (uint16_t)(cmd->sqe.cdw10 >> 16);
  if (sqid > fw->dev.io_queues) return command_refuse(cmd, COMMAND_FIELD(10u, 0u), FW_INVALID_FIELD);
  if (!mailbox_can_complete(fw)) {
    fw_again_in(fw, FW_COMPLETION_POLL_NS);
    return FW_PENDING;
  }
  bool aborted = sqid == 0 && abort_event_request(fw, cid);
  cmd->dw0 = aborted ? 0 : 1; /* bit 0: not aborted */
  return FW_OK;
}
