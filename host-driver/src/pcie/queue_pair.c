/* SPDX-License-Identifier: Apache-2.0 */
#include "pcie/queue_pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pcie/prp.h"

#define NO_SLOT UINT32_MAX

int queue_pair_init(struct queue_pair *qp, struct dma_arena *arena, uint16_t id, uint32_t entries) {
  memset(qp, 0, sizeof(*qp));
  qp->id = id;
  qp->entries = entries;
  qp->arena = arena;
  qp->phase = 1; /* the first round of completions carries phase 1 over zeroed memory */
  qp->sq = dma_arena_alloc(arena, (size_t)entries * NVME_SUBMISSION_ENTRY_BYTES);
  qp->cq = dma_arena_alloc(arena, (size_t)entries * NVME_COMPLETION_ENTRY_BYTES);
  qp->lists = dma_arena_alloc(arena, (size_t)(entries - 1) * PRP_PAGE_BYTES);
  qp->slots = calloc(entries - 1, sizeof(*qp->slots));
  if (qp->sq == NULL || qp->cq == NULL || qp->lists == NULL || qp->slots == NULL) {
    queue_pair_destroy(qp);
    return -ENOMEM;
  }
  for (uint32_t i = 0; i < entries - 1; i++) {
    qp->slots[i].prp_list = (uint64_t *)(void *)(qp->lists + (size_t)i * PRP_PAGE_BYTES);
    qp->slots[i].next_free = i + 1 < entries - 1 ? i + 1 : NO_SLOT;
  }
  return 0;
}

void queue_pair_destroy(struct queue_pair *qp) {
  if (qp->arena == NULL) return;
  dma_arena_free(qp->arena, qp->sq);
  dma_arena_free(qp->arena, qp->cq);
  dma_arena_free(qp->arena, qp->lists);
  free(qp->slots);
  memset(qp, 0, sizeof(*qp));
}

/* Fills in PRPs for the command's data, by way of DMA memory where the caller's is not. */
static int map_data(struct queue_pair *qp, struct queue_slot *slot, struct nvme_submission_entry *sqe,
                    uint64_t *bounced) {
  const struct transport_command *command = slot->command;
  void *buffer = command->data;
  if (!dma_arena_holds(qp->arena, buffer, command->bytes) || (uintptr_t)buffer % sizeof(uint32_t) != 0) {
    const bool writes = NVME_OPCODE_DIRECTION(sqe->opcode) == NVME_DATA_TO_CONTROLLER;
    /* What a device does not fill of a read's memory must not be another command's data. */
    buffer = slot->bounce =
        writes ? dma_arena_take(qp->arena, command->bytes) : dma_arena_alloc(qp->arena, command->bytes);
    if (buffer == NULL) return -EAGAIN;
    if (writes) {
      memcpy(buffer, command->data, command->bytes);
      *bounced += command->bytes;
    }
  }
  struct prp_pair prps;
  const int rc = prp_build(dma_arena_bus(qp->arena, buffer), command->bytes, slot->prp_list,
                           dma_arena_bus(qp->arena, slot->prp_list), &prps);
  if (rc != 0) return -EINVAL;
  sqe->prp1 = prps.prp1;
  sqe->prp2 = prps.prp2;
  return 0;
}

static void release_slot(struct queue_pair *qp, struct queue_slot *slot) {
  dma_arena_free(qp->arena, slot->bounce);
  slot->bounce = NULL;
  slot->command = NULL;
  slot->next_free = qp->free_head;
  qp->free_head = (uint32_t)(slot - qp->slots);
}

int queue_pair_push(struct queue_pair *qp, struct transport_command *command, uint64_t deadline_ns, uint64_t *bounced) {
  if (qp->free_head == NO_SLOT) return -EAGAIN;
  const uint32_t index = qp->free_head;
  struct queue_slot *slot = &qp->slots[index];
  qp->free_head = slot->next_free;
  slot->command = command;

  struct nvme_submission_entry sqe = command->sqe;
  sqe.cid = (uint16_t)index;
  const int rc = command->data != NULL ? map_data(qp, slot, &sqe, bounced) : 0;
  if (rc != 0) {
    release_slot(qp, slot);
    return rc;
  }
  slot->deadline_ns = deadline_ns;
  if (qp->in_flight == 0 || deadline_ns < qp->none_due_before) qp->none_due_before = deadline_ns;
  nvme_submission_entry_pack(&sqe, qp->sq + (size_t)qp->sq_tail * NVME_SUBMISSION_ENTRY_BYTES);
  qp->sq_tail = (qp->sq_tail + 1) % qp->entries;
  qp->in_flight++;
  return 0;
}

/* Gives the slot back before calling `done`, so that `done` can push the next command into it. */
static void finish(struct queue_pair *qp, struct queue_slot *slot, int status, uint32_t result, uint64_t *bounced) {
  struct transport_command *command = slot->command;
  if (slot->bounce != NULL && status == 0 && NVME_OPCODE_DIRECTION(command->sqe.opcode) == NVME_DATA_FROM_CONTROLLER) {
    memcpy(command->data, slot->bounce, command->bytes);
    *bounced += command->bytes;
  }
  release_slot(qp, slot);
  qp->in_flight--;
  command->done(command, status, result);
}

int queue_pair_reap(struct queue_pair *qp, uint64_t *bounced) {
  int reaped = 0;
  for (;;) {
    struct nvme_completion_entry cqe;
    nvme_completion_entry_unpack(&cqe, qp->cq + (size_t)qp->cq_head * NVME_COMPLETION_ENTRY_BYTES);
    if ((cqe.status & NVME_CQE_PHASE) != qp->phase) return reaped;
    if (cqe.sqid != qp->id || cqe.cid >= qp->entries - 1 || qp->slots[cqe.cid].command == NULL) return -EPROTO;
    if (++qp->cq_head == qp->entries) {
      qp->cq_head = 0;
      qp->phase ^= NVME_CQE_PHASE;
    }
    reaped++;
    finish(qp, &qp->slots[cqe.cid], NVME_CQE_STATUS(cqe.status), cqe.dw0, bounced);
  }
}

void queue_pair_abort_all(struct queue_pair *qp, int error) {
  uint64_t none = 0;
  for (uint32_t i = 0; qp->slots != NULL && i < qp->entries - 1; i++) {
    if (qp->slots[i].command != NULL) finish(qp, &qp->slots[i], error, 0, &none);
  }
}

const struct transport_command *queue_pair_oldest(const struct queue_pair *qp) {
  const struct queue_slot *oldest = NULL;
  for (uint32_t i = 0; qp->slots != NULL && i < qp->entries - 1; i++) {
    const struct queue_slot *slot = &qp->slots[i];
    if (slot->command != NULL && (oldest == NULL || slot->deadline_ns < oldest->deadline_ns)) oldest = slot;
  }
  return oldest != NULL ? oldest->command : NULL;
}

bool queue_pair_overdue(struct queue_pair *qp, uint64_t now_ns) {
  if (qp->in_flight == 0 || now_ns < qp->none_due_before) return false;
  qp->none_due_before = UINT64_MAX;
  for (uint32_t i = 0; i < qp->entries - 1; i++) {
    const struct queue_slot *slot = &qp->slots[i];
    if (slot->command != NULL && slot->deadline_ns < qp->none_due_before) qp->none_due_before = slot->deadline_ns;
  }
  return now_ns >= qp->none_due_before;
}
