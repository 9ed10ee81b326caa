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
  hold(fw, fw->async_events.aers - 1u);
  if (ORM_GET(hal_read(fw->p, ORM_FW_ADMIN_HELD), ORM_FW_ADMIN_HELD_ROOM)) return true;
  hold(fw, fw->async_events.aers);
  return false;
}

void async_events_reset(struct fw *fw) { memset(&fw->async_events, 0, sizeof fw->async_events); }

void async_events_abandon(struct fw *fw) { fw->async_events.event_pending = false; }

fw_result_t cmd_async_event(struct fw *fw, struct command *cmd) {
  struct async_events *c = &fw->async_events;
  if (c->aers == FW_AER_LIMIT) return FW_AER_FULL;
  c->aer[c->aers++] = cmd->sqe.cid;
  hold(fw, c->aers);
  return FW_HELD;
}

/* CC.EN fell: the requests are completed, and the hardware drops their completions. */
bool async_events_drained(struct fw *fw) {
  struct async_events *c = &fw->async_events;
  for (; c->aers != 0; c->aers--) {
    if (!mailbox_can_complete(fw)) return false;
    hold(fw, c->aers - 1u);
    mailbox_complete(fw, 0, c->aer[c->aers - 1u], fw_result_status(FW_SQ_DELETED), 0);
  }
  return true;
}

/* An event is reported once; the next of its kind only after the host has read the log page that it names. */
void async_event_raise(struct fw *fw, uint32_t event) {
  struct async_events *c = &fw->async_events;
  if (c->event_masked || c->event_pending) return;
  c->event = event;
  c->event_pending = true;
}

void async_event_unmask(struct fw *fw, uint8_t log_page) {
  if ((fw->async_events.event >> 16 & 0xFFu) == log_page) fw->async_events.event_masked = false;
}

/* Another superblock has gone bad since the host was told, and no spare one is left. */
static bool has_worn_out(const struct fw *fw) {
  return spare_write_protected(fw) == ORM_READ_ONLY_WORN && fw->bad.count > fw->async_events.bad_told;
}

/* Once for each enabling, and once more for each superblock that goes bad when no spare is left, to a host that has
 * asked for this kind (Asynchronous Event Configuration). */
static void tell_of_damage(struct fw *fw) {
  struct async_events *c = &fw->async_events;
  bool protected = spare_write_protected(fw) != 0;
  uint32_t kinds = NVME_CRITICAL_WARNING_RELIABILITY | (protected ? NVME_CRITICAL_WARNING_READ_ONLY : 0u);
  if ((c->damage_told && !has_worn_out(fw)) || c->event_masked || c->event_pending || (!damage_known(fw) && !protected))
    return;
  if (!(fw->features.feature[NVME_FEATURE_ASYNC_EVENT_CONFIG] & kinds)) return;
  c->damage_told = true;
  c->bad_told = fw->bad.count;
  async_event_raise(fw, NVME_ASYNC_EVENT_SMART_RELIABILITY);
}

void async_event_poll(struct fw *fw) {
  struct async_events *c = &fw->async_events;
  tell_of_damage(fw);
  if (!c->event_pending || c->aers == 0) return;
  if (!mailbox_can_complete(fw)) {
    fw_again_in(fw, FW_COMPLETION_POLL_NS);
    return;
  }
  if (!reserve_completion(fw)) {
    fw_again_in(fw, ROOM_POLL_NS);
    return;
  }
  c->aers--;
  mailbox_complete(fw, 0, c->aer[c->aers], 0, c->event);
  c->event_pending = false;
  c->event_masked = true;
}

/* Only held event requests can be aborted. Firmware's commands run one at a time, so the ones before are over and
 * the ones behind have not left the mailbox; what the engines have under way runs to its end, which "not aborted"
 * allows. */
static bool abort_event_request(struct fw *fw, uint16_t cid) {
  struct async_events *c = &fw->async_events;
  for (uint32_t i = 0; i < c->aers; i++) {
    if (c->aer[i] != cid) continue;
    if (!reserve_completion(fw)) return false;
    c->aer[i] = c->aer[--c->aers];
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
