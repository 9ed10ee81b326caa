/* SPDX-License-Identifier: Apache-2.0 */
/* pcie_queues.h - commands through the queue pairs: the admin queue and those for I/O, in turns. */
#ifndef OPENREMAP_PCIE_QUEUES_H
#define OPENREMAP_PCIE_QUEUES_H

#include "pcie/pcie_controller.h"

/* Queue pairs there are: 0 is the admin queue, then the I/O queues. */
uint32_t pcie_queue_count(const struct pcie_transport *t);
struct queue_pair *pcie_queue_at(struct pcie_transport *t, uint32_t index);

/* As transport_ops.submit. The device is told at the next poll. */
int pcie_submit(struct pcie_transport *t, struct transport_command *command);

/* As transport_ops.poll. -ETIMEDOUT: a command has taken longer than t->timeout_ns, or the device is idle and owes
 * completions; -EIO: controller fatal status, or the simulation stopped; -EPROTO: a completion of no command. The
 * controller is lost then: it is disabled, and every command in flight has completed with that errno. */
int pcie_poll(struct pcie_transport *t, uint64_t max_ns);

/* Completes every command in flight with -ECANCELED and frees the queues' memory. The device must not use it any
 * more. */
void pcie_drop_queues(struct pcie_transport *t);

#endif /* OPENREMAP_PCIE_QUEUES_H */
