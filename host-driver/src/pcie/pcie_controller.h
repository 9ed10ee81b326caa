/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcie_controller.h - the state that the parts of the user-space NVMe driver share. Each part may use those below it:
 *
 *   pcie_transport.c   the transport's calls, and what the device asks of the host
 *   pcie_start.c       start-up and shutdown of the controller
 *   pcie_queues.c      submission, completion, loss of the controller
 *   pcie_registers.c   BAR0, and waiting for what it says
 *   queue_pair.c, prp.c, dma_arena.c   rings, data pointers, memory that the device may touch
 */
#ifndef OPENREMAP_PCIE_CONTROLLER_H
#define OPENREMAP_PCIE_CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/transport.h"
#include "pcie/dma_arena.h"
#include "pcie/queue_pair.h"
#include "pcie_function.h"

#define PCIE_MAX_IO_QUEUES 16u

struct pcie_transport {
  struct transport base; /* first: the transport's pointer is ours */
  struct pcie_function *fn;
  struct pcie_host host;
  struct dma_arena arena;
  struct queue_pair admin;
  struct queue_pair io[PCIE_MAX_IO_QUEUES]; /* the first base.limits.io_queues are in use */
  uint32_t next_queue;                      /* the next I/O command goes there: round robin */
  uint32_t cap_low;                         /* register CAP, once read */
  uint32_t cap_high;
  uint32_t wanted_queues; /* as the options say; the controller may grant less */
  uint32_t wanted_depth;
  uint64_t timeout_ns;       /* device time that a command may take */
  uint64_t ready_timeout_ns; /* device time that enabling, disabling and shutdown may take */
  int lost;                  /* negative errno once the controller failed; 0: it has not */
  char why_lost[128];        /* one line about that; empty: unknown */
  struct transport_stats stats;
  char *error; /* where open explains itself; NULL later */
  size_t error_len;
};

#endif /* OPENREMAP_PCIE_CONTROLLER_H */
