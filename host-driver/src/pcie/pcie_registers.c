/* SPDX-License-Identifier: Apache-2.0 */
#include "pcie/pcie_registers.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int pcie_fail(struct pcie_transport *t, int rc, const char *format, ...) {
  if (t->error != NULL && t->error_len != 0) {
    va_list args;
    va_start(args, format);
    vsnprintf(t->error, t->error_len, format, args);
    va_end(args);
    t->error = NULL; /* the first cause is the one to report */
  }
  return rc;
}

int pcie_read32(struct pcie_transport *t, uint64_t offset, uint32_t *value) {
  uint64_t wide = 0;
  const int rc = t->fn->ops->bar0_read(t->fn, offset, 4, &wide);
  *value = (uint32_t)wide;
  return rc;
}

int pcie_write32(struct pcie_transport *t, uint64_t offset, uint32_t value) {
  return t->fn->ops->bar0_write(t->fn, offset, 4, value);
}

int pcie_write64(struct pcie_transport *t, uint64_t offset, uint64_t value) {
  const int rc = pcie_write32(t, offset, (uint32_t)value);
  return rc != 0 ? rc : pcie_write32(t, offset + 4, (uint32_t)(value >> 32));
}

uint64_t pcie_doorbell(const struct pcie_transport *t, uint16_t qid, bool completion) {
  /* Section 3.1.24; the generated map knows stride 0 only, CAP says what this controller has. */
  const uint64_t index = 2ull * qid + (completion ? 1 : 0);
  return ORM_BAR0_DOORBELL(0) + (index << (2 + ORM_GET(t->cap_high, ORM_BAR0_CAP_HI_DSTRD)));
}

uint32_t pcie_max_entries(const struct pcie_transport *t) { return ORM_GET(t->cap_low, ORM_BAR0_CAP_LO_MQES) + 1; }

int pcie_run(struct pcie_transport *t, uint64_t max_ns, struct pcie_idle *idle) {
  const int64_t ran = t->fn->ops->run(t->fn, max_ns);
  if (ran < 0) return (int)ran;
  idle->looks = ran == 0 && t->stats.interrupts == idle->interrupts ? idle->looks + 1 : 0;
  idle->interrupts = t->stats.interrupts;
  return 0;
}

int pcie_wait_csts(struct pcie_transport *t, uint32_t mask, uint32_t value, const char *what) {
  const uint64_t start = pcie_now(t);
  uint32_t csts = 0;
  struct pcie_idle idle = {0};
  for (;;) {
    int rc = pcie_read32(t, ORM_BAR0_CSTS, &csts);
    if (rc != 0) return pcie_fail(t, rc, "%s: the function does not answer", what);
    if ((csts & mask) == value) return 0;
    if ((csts & ORM_BAR0_CSTS_CFS_MASK) != 0 && (mask & ORM_BAR0_CSTS_CFS_MASK) == 0) {
      return pcie_fail(t, -EIO, "%s: controller fatal status (CSTS 0x%x)", what, csts);
    }
    if (pcie_now(t) - start >= t->ready_timeout_ns || idle.looks > PCIE_IDLE_LOOKS) {
      return pcie_fail(t, -ETIMEDOUT, "%s: time-out after %.3f s of device time (CSTS 0x%x)", what,
                       (double)(pcie_now(t) - start) / 1e9, csts);
    }
    rc = pcie_run(t, PCIE_RUN_SLICE_NS, &idle);
    if (rc != 0) return pcie_fail(t, rc, "%s: %s", what, pcie_stopped(t));
  }
}

int pcie_wait_cap(struct pcie_transport *t) {
  const uint64_t start = pcie_now(t);
  struct pcie_idle idle = {0};
  for (;;) {
    int rc = pcie_read32(t, ORM_BAR0_CAP_LO, &t->cap_low);
    if (rc == 0) rc = pcie_read32(t, ORM_BAR0_CAP_HI, &t->cap_high);
    if (rc != 0) return pcie_fail(t, rc, "the function does not answer");
    if (t->cap_low != 0 && t->cap_low != UINT32_MAX) return 0;
    if (pcie_now(t) - start >= t->ready_timeout_ns || idle.looks > PCIE_IDLE_LOOKS) {
      return pcie_fail(t, -ETIMEDOUT, "no controller: CAP reads 0x%x%08x", t->cap_high, t->cap_low);
    }
    rc = pcie_run(t, PCIE_RUN_SLICE_NS, &idle);
    if (rc != 0) return pcie_fail(t, rc, "%s", pcie_stopped(t));
  }
}
