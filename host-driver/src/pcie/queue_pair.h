/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_pair.h - one submission queue and its completion queue in DMA memory, and the commands in flight on them.
 *
 * Knows the rings (NVMe 1.4 section 4.1: tail, head, phase) and nothing of registers: the owner writes the doorbells.
 */
#ifndef OPENREMAP_QUEUE_PAIR_H
#define OPENREMAP_QUEUE_PAIR_H

#include "base/transport.h"
#include "nvme_spec.h"
#include "pcie/dma_arena.h"

struct queue_slot {
  struct transport_command *command; /* NULL: free */
  void *bounce;                      /* DMA memory that stands in for command->data, or NULL */
  uint64_t *prp_list;                /* one page, the slot's own */
  uint64_t deadline_ns;
  uint32_t next_free;
};

struct queue_pair {
  uint16_t id; /* of both queues, and the MSI-X vector */
  uint32_t entries;
  struct dma_arena *arena;
  uint8_t *sq; /* rings, as on the wire */
  uint8_t *cq;
  uint8_t *lists;           /* the slots' PRP list pages */
  struct queue_slot *slots; /* entries - 1: a full ring keeps one entry empty (section 4.1.2) */
  uint32_t free_head;
  uint32_t in_flight;
  uint32_t sq_tail;
  uint32_t sq_tail_rung; /* tail that the device was last told */
  uint32_t cq_head;
  uint16_t phase;
  uint64_t none_due_before; /* no command in flight has an earlier deadline */
};

/* entries >= 2. -ENOMEM; -EIO: the arena's link has failed. */
int queue_pair_init(struct queue_pair *qp, struct dma_arena *arena, uint16_t id, uint32_t entries);
void queue_pair_destroy(struct queue_pair *qp);

/*
 * Writes the command into the ring. -EAGAIN: no free slot, or no DMA memory for its data. -EINVAL: data that PRPs
 * cannot describe. -EIO: the arena's link has failed. `bounced` grows by the bytes copied.
 */
int queue_pair_push(struct queue_pair *qp, struct transport_command *command, uint64_t deadline_ns, uint64_t *bounced);

/*
 * Takes every completion that has arrived and calls its command's `done`. Returns how many, or -EPROTO when an entry
 * names no command in flight here, or -EIO when the arena's link has failed. The caller then writes qp->cq_head to the
 * doorbell.
 */
int queue_pair_reap(struct queue_pair *qp, uint64_t *bounced);

/* Completes all commands in flight with `error`; only when the device can no longer touch their memory. */
void queue_pair_abort_all(struct queue_pair *qp, int error);

/* Whether the deadline of a command in flight has come. Looks at all of them only now and then. */
bool queue_pair_overdue(struct queue_pair *qp, uint64_t now_ns);

/* The command in flight that was sent first; NULL: there is none. */
const struct transport_command *queue_pair_oldest(const struct queue_pair *qp);

#endif /* OPENREMAP_QUEUE_PAIR_H */
