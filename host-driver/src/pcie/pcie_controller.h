/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user-space NVMe driver, shared by its parts: registers and waiting (pcie_registers.c), start-up and shutdown
 * (pcie_start.c), queues and the transport's calls (pcie_transport.c).
 */
#ifndef OPENREMAP_PCIE_CONTROLLER_H
#define OPENREMAP_PCIE_CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

#include "api/transport.h"
#include "orm_regs.h"
#include "pcie/dma_arena.h"
#include "pcie/queue_pair.h"
#include "pcie_function.h"

#define PCIE_MAX_IO_QUEUES 16u
/* How long the device may run between two looks at CSTS, so that a fatal status is seen long before a time-out. */
#define PCIE_RUN_SLICE_NS 10000000ull
/* Looks at an idle device before concluding that nothing more will come from it. */
#define PCIE_IDLE_LOOKS 3u

struct pcie_transport {
  struct transport base;
  struct pcie_function *fn;
  struct pcie_host host;
  struct dma_arena arena;
  struct queue_pair admin;
  struct queue_pair io[PCIE_MAX_IO_QUEUES];
  uint32_t next_queue; /* the next I/O command goes there: round robin */
  uint32_t cap_low;
  uint32_t cap_high;
  uint32_t wanted_queues;
  uint32_t wanted_depth;
  uint64_t timeout_ns;
  uint64_t ready_timeout_ns;
  int lost; /* negative errno once the controller failed */
  struct transport_stats stats;
  char *error; /* where open explains itself; NULL later */
  size_t error_len;
};

/* Puts the words where openremap_open explains itself, unless an earlier cause stands there; returns rc. */
__attribute__((format(printf, 3, 4))) int pcie_fail(struct pcie_transport *t, int rc, const char *format, ...);

static inline uint64_t pcie_now(struct pcie_transport *t) { return t->fn->ops->now_ns(t->fn); }

/* ---- Registers: 0 or a negative errno */

int pcie_read32(struct pcie_transport *t, uint64_t offset, uint32_t *value);
int pcie_write32(struct pcie_transport *t, uint64_t offset, uint32_t value);
/* 64-bit registers go as two halves, low first: section 3.1 asks that of every controller, 8-byte access is optional. */
int pcie_write64(struct pcie_transport *t, uint64_t offset, uint64_t value);
uint64_t pcie_doorbell(const struct pcie_transport *t, uint16_t qid, bool completion);
/* Longest queue the controller takes. */
uint32_t pcie_max_entries(const struct pcie_transport *t);

/* What the last looks at a running device saw. */
struct pcie_idle {
  unsigned looks;      /* in a row, at which no time had passed and no interrupt had come */
  uint64_t interrupts; /* until the last of them */
};
/* Lets the device run for at most `max_ns` and looks. A device that interrupts is not idle, though no time passed: interrupts
 * of completions that were found before they came each end a run at its beginning. */
int pcie_run(struct pcie_transport *t, uint64_t max_ns, struct pcie_idle *idle);

/* Lets the device run until (CSTS & mask) == value, for at most the ready time-out: -ETIMEDOUT, -EIO on CSTS.CFS. */
int pcie_wait_csts(struct pcie_transport *t, uint32_t mask, uint32_t value, const char *what);
/* After power-on the function answers only once its firmware is up: CAP then reads back. */
int pcie_wait_cap(struct pcie_transport *t);

/* ---- Queues: 0 is the admin queue, then the I/O queues */

static inline struct queue_pair *pcie_queue_at(struct pcie_transport *t, uint32_t index) {
  return index == 0 ? &t->admin : &t->io[index - 1];
}

static inline uint32_t pcie_queue_count(const struct pcie_transport *t) { return 1 + t->base.limits.io_queues; }

/* As transport_ops.submit and .poll. */
int pcie_submit(struct transport *transport, struct transport_command *command);
int pcie_poll(struct transport *transport, uint64_t max_ns);

/* ---- Start-up and shutdown */

/* NVMe 1.4 section 7.6.1, up to the I/O queues. 0, a negative errno, or an NVMe status. */
int pcie_start(struct pcie_transport *t);
/* Gives back every command and the queues' memory. The device must not use them any more. */
void pcie_drop_queues(struct pcie_transport *t);
/* Normal shutdown (CC.SHN): cached writes reach flash. */
int pcie_shut_down(struct pcie_transport *t);

#endif /* OPENREMAP_PCIE_CONTROLLER_H */
