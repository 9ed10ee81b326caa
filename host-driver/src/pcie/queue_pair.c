/* SPDX-License-Identifier: Apache-2.0 */
#include "pcie/queue_pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pcie/prp.h"

#define NO_SLOT UINT32_MAX
/* Completion entries that are pulled together: what fits a packet of a link. */
#define PULLED_ENTRIES 7u

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
  /* The device's copy must have no phase of the first round. */
  const int rc = dma_arena_push(arena, qp->cq, (size_t)entries * NVME_COMPLETION_ENTRY_BYTES);
  if (rc != 0) {
    queue_pair_destroy(qp);
    return rc;
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

/* Where the command's data is in DMA memory. */
static void *dma_data(const struct queue_slot *slot) {
  return slot->bounce != NULL ? slot->bounce : slot->command->data;
}

/* Copies to the device what it will read: data, or the memory that it may leave parts of as it is, and the list. */
static int push_data(const struct queue_pair *qp, const struct queue_slot *slot, uint64_t prp1) {
  const struct transport_command *command = slot->command;
  const bool all_filled = !command->admin && command->sqe.opcode == NVME_IO_OPCODE_READ;
  const int rc = all_filled ? 0 : dma_arena_push(qp->arena, dma_data(slot), command->bytes);
  const size_t pages = (prp1 % PRP_PAGE_BYTES + command->bytes + PRP_PAGE_BYTES - 1) / PRP_PAGE_BYTES;
  if (rc != 0 || pages <= 2) return rc;
  return dma_arena_push(qp->arena, slot->prp_list, (pages - 1) * sizeof(uint64_t));
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
  return push_data(qp, slot, prps.prp1);
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
  uint8_t *entry = qp->sq + (size_t)qp->sq_tail * NVME_SUBMISSION_ENTRY_BYTES;
  int rc = command->data != NULL ? map_data(qp, slot, &sqe, bounced) : 0;
  if (rc == 0) {
    nvme_submission_entry_pack(&sqe, entry);
    rc = dma_arena_push(qp->arena, entry, NVME_SUBMISSION_ENTRY_BYTES);
  }
  if (rc != 0) {
    release_slot(qp, slot);
    return rc;
  }
  slot->deadline_ns = deadline_ns;
  if (qp->in_flight == 0 || deadline_ns < qp->none_due_before) qp->none_due_before = deadline_ns;
  qp->sq_tail = (qp->sq_tail + 1) % qp->entries;
  qp->in_flight++;
  return 0;
}

/* How many entries at the head of the completion ring may be looked at, which a shared ring is copied for; a negative
 * errno. Words are copied one after the other, so the device may complete a command between two of an entry. The phase
 * decides which entries are whole, and those are copied once more. */
static int pull_entries(struct queue_pair *qp) {
  if (qp->arena->shared_with == NULL) return (int)qp->entries;
  uint32_t most = qp->in_flight < PULLED_ENTRIES ? qp->in_flight : PULLED_ENTRIES;
  if (most > qp->entries - qp->cq_head) most = qp->entries - qp->cq_head;
  uint8_t *head = qp->cq + (size_t)qp->cq_head * NVME_COMPLETION_ENTRY_BYTES;
  int rc = dma_arena_pull(qp->arena, head, (size_t)most * NVME_COMPLETION_ENTRY_BYTES);
  uint32_t whole = 0;
  for (; rc == 0 && whole < most; whole++) {
    struct nvme_completion_entry cqe;
    nvme_completion_entry_unpack(&cqe, head + (size_t)whole * NVME_COMPLETION_ENTRY_BYTES);
    if ((cqe.status & NVME_CQE_PHASE) != qp->phase) break;
  }
  if (rc == 0) rc = dma_arena_pull(qp->arena, head, (size_t)whole * NVME_COMPLETION_ENTRY_BYTES);
  return rc != 0 ? rc : (int)whole;
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

/* Copies from the device what a command has filled. */
static int pull_data(const struct queue_pair *qp, const struct queue_slot *slot, int status) {
  const struct transport_command *command = slot->command;
  if (command->data == NULL || status != 0) return 0;
  if (NVME_OPCODE_DIRECTION(command->sqe.opcode) != NVME_DATA_FROM_CONTROLLER) return 0;
  return dma_arena_pull(qp->arena, dma_data(slot), command->bytes);
}

int queue_pair_reap(struct queue_pair *qp, uint64_t *bounced) {
  int reaped = 0;
  int whole = 0;
  for (;; whole--) {
    if (whole == 0) whole = pull_entries(qp);
    if (whole <= 0) return whole < 0 ? whole : reaped;
    struct nvme_completion_entry cqe;
    nvme_completion_entry_unpack(&cqe, qp->cq + (size_t)qp->cq_head * NVME_COMPLETION_ENTRY_BYTES);
    if ((cqe.status & NVME_CQE_PHASE) != qp->phase) return reaped;
    if (cqe.sqid != qp->id || cqe.cid >= qp->entries - 1 || qp->slots[cqe.cid].command == NULL) return -EPROTO;
    if (++qp->cq_head == qp->entries) {
      qp->cq_head = 0;
      qp->phase ^= NVME_CQE_PHASE;
    }
    reaped++;
    const int rc = pull_data(qp, &qp->slots[cqe.cid], NVME_CQE_STATUS(cqe.status));
    if (rc != 0) return rc;
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
