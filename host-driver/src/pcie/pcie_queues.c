/* SPDX-License-Identifier: Apache-2.0 */
#include "pcie/pcie_queues.h"

#include <errno.h>
#include <stdio.h>

#include "pcie/pcie_registers.h"

uint32_t pcie_queue_count(const struct pcie_transport *t) { return 1 + t->base.limits.io_queues; }

struct queue_pair *pcie_queue_at(struct pcie_transport *t, uint32_t index) {
  return index == 0 ? &t->admin : &t->io[index - 1];
}

static int ring_submissions(struct pcie_transport *t, struct queue_pair *qp) {
  if (qp->sq_tail == qp->sq_tail_rung) return 0;
  const int rc = pcie_write32(t, pcie_doorbell(t, qp->id, false), qp->sq_tail);
  if (rc == 0) qp->sq_tail_rung = qp->sq_tail;
  return rc;
}

static int reap(struct pcie_transport *t, struct queue_pair *qp) {
  const int reaped = queue_pair_reap(qp, &t->stats.bounced_bytes);
  if (reaped <= 0) return reaped;
  const int rc = pcie_write32(t, pcie_doorbell(t, qp->id, true), qp->cq_head);
  return rc != 0 ? rc : reaped;
}

/* Tells the device of new commands and takes what has completed, on every queue. */
static int exchange(struct pcie_transport *t) {
  int total = 0;
  for (uint32_t i = 0; i < pcie_queue_count(t); i++) {
    struct queue_pair *qp = pcie_queue_at(t, i);
    int rc = ring_submissions(t, qp);
    if (rc == 0) rc = reap(t, qp);
    if (rc < 0) return rc;
    total += rc;
  }
  return total;
}

/* The controller is lost: stop its DMA, then give every command back with `error`. */
static void lose_controller(struct pcie_transport *t, int error) {
  if (t->lost != 0) return;
  t->lost = error;
  if (error == -EIO && t->why_lost[0] == '\0') {
    snprintf(t->why_lost, sizeof(t->why_lost), "%s", pcie_stopped(t));
  }
  if (pcie_write32(t, ORM_BAR0_CC, 0) == 0) {
    /* A dead simulation cannot be waited for, and needs no waiting. */
    (void)pcie_wait_csts(t, ORM_BAR0_CSTS_RDY_MASK, 0, "disable");
  }
  for (uint32_t i = 0; i < pcie_queue_count(t); i++) queue_pair_abort_all(pcie_queue_at(t, i), error);
}

/* Returns -ETIMEDOUT and says which command is to blame: the first sent of this queue. */
static int timed_out(struct pcie_transport *t, const struct queue_pair *qp, const char *how) {
  const struct transport_command *oldest = queue_pair_oldest(qp);
  snprintf(t->why_lost, sizeof(t->why_lost), "opcode 0x%02x on queue %u was not completed %s",
           oldest != NULL ? oldest->sqe.opcode : 0u, (unsigned)qp->id, how);
  return -ETIMEDOUT;
}

/* The controller is idle and owes completions. */
static int lost_completion(struct pcie_transport *t) {
  uint32_t index = 0;
  while (index + 1 < pcie_queue_count(t) && pcie_queue_at(t, index)->in_flight == 0) index++;
  return timed_out(t, pcie_queue_at(t, index), "by a device that is idle");
}

/* -ETIMEDOUT or -EIO when the commands in flight cannot be waited for any longer. */
static int check_health(struct pcie_transport *t) {
  uint32_t csts = 0;
  const int rc = pcie_read32(t, ORM_BAR0_CSTS, &csts);
  if (rc != 0) return rc;
  if ((csts & ORM_BAR0_CSTS_CFS_MASK) != 0) {
    snprintf(t->why_lost, sizeof(t->why_lost), "controller fatal status (CSTS 0x%x)", csts);
    return -EIO;
  }
  const uint64_t time = pcie_now(t);
  for (uint32_t i = 0; i < pcie_queue_count(t); i++) {
    if (!queue_pair_overdue(pcie_queue_at(t, i), time)) continue;
    char limit[64];
    snprintf(limit, sizeof(limit), "within %.3f s of device time", (double)t->timeout_ns / 1e9);
    return timed_out(t, pcie_queue_at(t, i), limit);
  }
  return 0;
}

static uint32_t in_flight(struct pcie_transport *t) {
  uint32_t total = 0;
  for (uint32_t i = 0; i < pcie_queue_count(t); i++) total += pcie_queue_at(t, i)->in_flight;
  return total;
}

static int poll_once(struct pcie_transport *t, uint64_t max_ns) {
  const uint64_t start = pcie_now(t);
  struct pcie_idle idle = {0};
  for (;;) {
    int rc = exchange(t);
    if (rc != 0) return rc;
    const uint64_t spent = pcie_now(t) - start;
    if (spent >= max_ns) return 0;
    const uint64_t left = max_ns - spent;
    rc = pcie_run(t, left < PCIE_RUN_SLICE_NS ? left : PCIE_RUN_SLICE_NS, &idle);
    if (rc != 0) return rc;
    rc = exchange(t);
    if (rc != 0) return rc;
    rc = check_health(t);
    if (rc != 0) return rc;
    /* An idle device with nothing asked of it is done. One that still owes completions has lost them: no amount of
     * device time brings them, so the time-out is now. */
    if (idle.looks != 0 && in_flight(t) == 0) return 0;
    if (idle.looks > PCIE_IDLE_LOOKS) return lost_completion(t);
  }
}

int pcie_poll(struct pcie_transport *t, uint64_t max_ns) {
  if (t->lost != 0) return t->lost;
  const int rc = poll_once(t, max_ns);
  if (rc < 0) lose_controller(t, rc);
  return rc;
}

int pcie_submit(struct pcie_transport *t, struct transport_command *command) {
  if (t->lost != 0) return t->lost;
  const uint64_t deadline = pcie_now(t) + t->timeout_ns;
  int rc = -EAGAIN;
  if (command->admin) {
    rc = queue_pair_push(&t->admin, command, deadline, &t->stats.bounced_bytes);
  } else {
    for (uint32_t i = 0; rc == -EAGAIN && i < t->base.limits.io_queues; i++) {
      rc = queue_pair_push(&t->io[t->next_queue], command, deadline, &t->stats.bounced_bytes);
      t->next_queue = (t->next_queue + 1) % t->base.limits.io_queues;
    }
  }
  if (rc == 0) t->stats.commands++;
  return rc;
}

void pcie_drop_queues(struct pcie_transport *t) {
  for (uint32_t i = 0; i < pcie_queue_count(t); i++) {
    queue_pair_abort_all(pcie_queue_at(t, i), -ECANCELED);
    queue_pair_destroy(pcie_queue_at(t, i));
  }
  t->base.limits.io_queues = 0;
}
