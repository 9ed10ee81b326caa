/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcie_registers.h - BAR0 of the function, and waiting for what it says. All of these return 0 or a negative errno of
 * the function (-EIO: the simulation stopped, or the board's link did, -ENODEV: power is off), where nothing else is
 * said.
 */
#ifndef OPENREMAP_PCIE_REGISTERS_H
#define OPENREMAP_PCIE_REGISTERS_H

#include "orm_regs.h"
#include "pcie/pcie_controller.h"

/* How long the device may run between two looks at CSTS, so that a fatal status is seen long before a time-out. */
#define PCIE_RUN_SLICE_NS 10000000ull
/* Looks at an idle device before concluding that nothing more will come from it. */
#define PCIE_IDLE_LOOKS 3u

/* Puts the words where openremap_open explains itself, unless an earlier cause stands there. Returns `rc`. */
__attribute__((format(printf, 3, 4))) int pcie_fail(struct pcie_transport *t, int rc, const char *format, ...);

/* What -EIO of the function means. */
static inline const char *pcie_stopped(const struct pcie_transport *t) {
  return t->arena.shared_with != NULL ? "the board does not answer" : "the simulation stopped";
}

/* Device time, ns. */
static inline uint64_t pcie_now(struct pcie_transport *t) { return t->fn->ops->now_ns(t->fn); }

int pcie_read32(struct pcie_transport *t, uint64_t offset, uint32_t *value);
int pcie_write32(struct pcie_transport *t, uint64_t offset, uint32_t value);
/* 64-bit registers go as two halves, the low one first. Every controller must take that; 8-byte accesses are optional
 * (NVMe 1.4, section 3.1). */
int pcie_write64(struct pcie_transport *t, uint64_t offset, uint64_t value);

/* Offset of the doorbell of queue `qid`: the completion queue's head, or the submission queue's tail (section
 * 3.1.24). */
uint64_t pcie_doorbell(const struct pcie_transport *t, uint16_t qid, bool completion);

/* Entries of the longest queue that the controller takes (CAP.MQES). */
uint32_t pcie_max_entries(const struct pcie_transport *t);

/* What the last looks at a running device saw. Zero before the first. */
struct pcie_idle {
  unsigned looks;      /* in a row, at which no time had passed and no interrupt had come */
  uint64_t interrupts; /* until the last of them */
};
/* Lets the device run for at most `max_ns` and looks. A device that interrupts is not idle, though no time passed: each
 * interrupt of a completion that was found before it came ends a run at its beginning. */
int pcie_run(struct pcie_transport *t, uint64_t max_ns, struct pcie_idle *idle);

/* Lets the device run until (CSTS & mask) == value, for at most the ready time-out. `what` names the step in the
 * explanation. -ETIMEDOUT; -EIO also on CSTS.CFS. */
int pcie_wait_csts(struct pcie_transport *t, uint32_t mask, uint32_t value, const char *what);

/* Lets the device run until CAP reads back, and keeps it. After power-on the function answers only once its firmware is
 * up. -ETIMEDOUT. */
int pcie_wait_cap(struct pcie_transport *t);

#endif /* OPENREMAP_PCIE_REGISTERS_H */
