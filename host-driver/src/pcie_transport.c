/* SPDX-License-Identifier: Apache-2.0 */
#include "pcie_transport.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dma_arena.h"
#include "openremap_cmd.h"
#include "orm_regs.h"
#include "prp.h"
#include "queue_pair.h"

#define ADMIN_ENTRIES 32u
/* CC.IOSQES, CC.IOCQES */
#define SQE_LOG2 6u
#define CQE_LOG2 4u
_Static_assert(NVME_SUBMISSION_ENTRY_BYTES == 1u << SQE_LOG2, "ring entries are what CC says");
_Static_assert(NVME_COMPLETION_ENTRY_BYTES == 1u << CQE_LOG2, "ring entries are what CC says");
#define DEFAULT_QUEUE_DEPTH 64u
#define DEFAULT_TIMEOUT_NS 2000000000ull
#define DEFAULT_READY_TIMEOUT_NS 60000000000ull
#define DEFAULT_DMA_BYTES (32u << 20)
#define MAX_IO_QUEUES 16u
/* Cap on one command even where MDTS allows more: with 1 MiB pieces, 16 of them fill half of the default arena. */
#define MAX_TRANSFER_BYTES (1u << 20)
/* How long the device may run between two looks at CSTS, so that a fatal status is seen long before a time-out. */
#define RUN_SLICE_NS 10000000ull
/* Looks at an idle device before concluding that nothing more will come from it. */
#define IDLE_LOOKS 3u

struct pcie_transport {
  struct transport base;
  struct pcie_function *fn;
  struct pcie_host host;
  struct dma_arena arena;
  struct queue_pair admin;
  struct queue_pair io[MAX_IO_QUEUES];
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

static struct pcie_transport *from_base(struct transport *transport) { return (struct pcie_transport *)transport; }

__attribute__((format(printf, 3, 4))) static int fail_with(struct pcie_transport *t, int rc, const char *format, ...) {
  if (t->error != NULL && t->error_len != 0) {
    va_list args;
    va_start(args, format);
    vsnprintf(t->error, t->error_len, format, args);
    va_end(args);
    t->error = NULL; /* the first cause is the one to report */
  }
  return rc;
}

/* ---- What the device asks of us -------------------------------------------------------------------------------- */

static int host_dma_read(void *ctx, uint64_t addr, void *buf, size_t len) {
  const struct pcie_transport *t = ctx;
  const void *memory = dma_arena_at(&t->arena, addr, len);
  if (memory == NULL) return -EFAULT;
  memcpy(buf, memory, len);
  return 0;
}

static int host_dma_write(void *ctx, uint64_t addr, const void *buf, size_t len) {
  const struct pcie_transport *t = ctx;
  void *memory = dma_arena_at(&t->arena, addr, len);
  if (memory == NULL) return -EFAULT;
  memcpy(memory, buf, len);
  return 0;
}

/* Completions are found by their phase bits; the interrupt only ends the device's `run` early. */
static void host_msix(void *ctx, unsigned vector) {
  struct pcie_transport *t = ctx;
  (void)vector;
  t->stats.interrupts++;
}

/* ---- Registers -------------------------------------------------------------------------------------------------- */

static int read32(struct pcie_transport *t, uint64_t offset, uint32_t *value) {
  uint64_t wide = 0;
  const int rc = t->fn->ops->bar0_read(t->fn, offset, 4, &wide);
  *value = (uint32_t)wide;
  return rc;
}

static int write32(struct pcie_transport *t, uint64_t offset, uint32_t value) {
  return t->fn->ops->bar0_write(t->fn, offset, 4, value);
}

/* 64-bit registers go as two halves, low first: section 3.1 asks that of every controller, 8-byte access is optional.
 */
static int write64(struct pcie_transport *t, uint64_t offset, uint64_t value) {
  const int rc = write32(t, offset, (uint32_t)value);
  return rc != 0 ? rc : write32(t, offset + 4, (uint32_t)(value >> 32));
}

static uint64_t doorbell(const struct pcie_transport *t, uint16_t qid, bool completion) {
  /* Section 3.1.24; the generated map knows stride 0 only, CAP says what this controller has. */
  const uint64_t index = 2ull * qid + (completion ? 1 : 0);
  return ORM_BAR0_DOORBELL(0) + (index << (2 + ORM_GET(t->cap_high, ORM_BAR0_CAP_HI_DSTRD)));
}

/* Longest queue the controller takes. */
static uint32_t max_entries(const struct pcie_transport *t) { return ORM_GET(t->cap_low, ORM_BAR0_CAP_LO_MQES) + 1; }

static uint64_t now(struct pcie_transport *t) { return t->fn->ops->now_ns(t->fn); }

/* ---- Waiting for the controller ---------------------------------------------------------------------------------- */

/* Lets the device run until (CSTS & mask) == value, for at most the ready time-out. */
static int wait_csts(struct pcie_transport *t, uint32_t mask, uint32_t value, const char *what) {
  const uint64_t start = now(t);
  uint32_t csts = 0;
  unsigned idle = 0;
  for (;;) {
    int rc = read32(t, ORM_BAR0_CSTS, &csts);
    if (rc != 0) return fail_with(t, rc, "%s: the function does not answer", what);
    if ((csts & mask) == value) return 0;
    if ((csts & ORM_BAR0_CSTS_CFS_MASK) != 0 && (mask & ORM_BAR0_CSTS_CFS_MASK) == 0) {
      return fail_with(t, -EIO, "%s: controller fatal status (CSTS 0x%x)", what, csts);
    }
    if (now(t) - start >= t->ready_timeout_ns || idle > IDLE_LOOKS) {
      return fail_with(t, -ETIMEDOUT, "%s: time-out after %.3f s of device time (CSTS 0x%x)", what,
                       (double)(now(t) - start) / 1e9, csts);
    }
    const int64_t ran = t->fn->ops->run(t->fn, RUN_SLICE_NS);
    if (ran < 0) return fail_with(t, (int)ran, "%s: the simulation stopped", what);
    idle = ran == 0 ? idle + 1 : 0;
  }
}

/* After power-on the function answers only once its firmware is up: CAP then reads back. */
static int wait_cap(struct pcie_transport *t) {
  const uint64_t start = now(t);
  unsigned idle = 0;
  for (;;) {
    int rc = read32(t, ORM_BAR0_CAP_LO, &t->cap_low);
    if (rc == 0) rc = read32(t, ORM_BAR0_CAP_HI, &t->cap_high);
    if (rc != 0) return fail_with(t, rc, "the function does not answer");
    if (t->cap_low != 0 && t->cap_low != UINT32_MAX) return 0;
    if (now(t) - start >= t->ready_timeout_ns || idle > IDLE_LOOKS) {
      return fail_with(t, -ETIMEDOUT, "no controller: CAP reads 0x%x%08x", t->cap_high, t->cap_low);
    }
    const int64_t ran = t->fn->ops->run(t->fn, RUN_SLICE_NS);
    if (ran < 0) return fail_with(t, (int)ran, "the simulation stopped");
    idle = ran == 0 ? idle + 1 : 0;
  }
}

/* ---- Submission and completion ------------------------------------------------------------------------------------
 */

static int ring_submissions(struct pcie_transport *t, struct queue_pair *qp) {
  if (qp->sq_tail == qp->sq_tail_rung) return 0;
  const int rc = write32(t, doorbell(t, qp->id, false), qp->sq_tail);
  if (rc == 0) qp->sq_tail_rung = qp->sq_tail;
  return rc;
}

static int reap(struct pcie_transport *t, struct queue_pair *qp) {
  const int reaped = queue_pair_reap(qp, &t->stats.bounced_bytes);
  if (reaped <= 0) return reaped;
  const int rc = write32(t, doorbell(t, qp->id, true), qp->cq_head);
  return rc != 0 ? rc : reaped;
}

static struct queue_pair *queue_at(struct pcie_transport *t, uint32_t index) {
  return index == 0 ? &t->admin : &t->io[index - 1];
}

static uint32_t queue_count(const struct pcie_transport *t) { return 1 + t->base.limits.io_queues; }

/* Tells the device of new commands and takes what has completed, on every queue. */
static int exchange(struct pcie_transport *t) {
  int total = 0;
  for (uint32_t i = 0; i < queue_count(t); i++) {
    struct queue_pair *qp = queue_at(t, i);
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
  if (write32(t, ORM_BAR0_CC, 0) == 0) {
    /* A dead simulation cannot be waited for, and needs no waiting. */
    (void)wait_csts(t, ORM_BAR0_CSTS_RDY_MASK, 0, "disable");
  }
  for (uint32_t i = 0; i < queue_count(t); i++) queue_pair_abort_all(queue_at(t, i), error);
}

/* -ETIMEDOUT or -EIO when the commands in flight cannot be waited for any longer. */
static int check_health(struct pcie_transport *t) {
  uint32_t csts = 0;
  const int rc = read32(t, ORM_BAR0_CSTS, &csts);
  if (rc != 0) return rc;
  if ((csts & ORM_BAR0_CSTS_CFS_MASK) != 0) return -EIO;
  const uint64_t time = now(t);
  for (uint32_t i = 0; i < queue_count(t); i++) {
    if (time >= queue_pair_next_deadline(queue_at(t, i))) return -ETIMEDOUT;
  }
  return 0;
}

static uint32_t in_flight(struct pcie_transport *t) {
  uint32_t total = 0;
  for (uint32_t i = 0; i < queue_count(t); i++) total += queue_at(t, i)->in_flight;
  return total;
}

static int poll_once(struct pcie_transport *t, uint64_t max_ns) {
  const uint64_t start = now(t);
  unsigned idle = 0;
  for (;;) {
    int rc = exchange(t);
    if (rc != 0) return rc;
    const uint64_t spent = now(t) - start;
    if (spent >= max_ns) return 0;
    const uint64_t left = max_ns - spent;
    const int64_t ran = t->fn->ops->run(t->fn, left < RUN_SLICE_NS ? left : RUN_SLICE_NS);
    if (ran < 0) return (int)ran;
    rc = exchange(t);
    if (rc != 0) return rc;
    rc = check_health(t);
    if (rc != 0) return rc;
    /* An idle device with nothing asked of it is done. One that still owes completions has lost them: no amount of
     * device time brings them, so the time-out is now. */
    idle = ran == 0 ? idle + 1 : 0;
    if (idle != 0 && in_flight(t) == 0) return 0;
    if (idle > IDLE_LOOKS) return -ETIMEDOUT;
  }
}

static int pcie_poll(struct transport *transport, uint64_t max_ns) {
  struct pcie_transport *t = from_base(transport);
  if (t->lost != 0) return t->lost;
  const int rc = poll_once(t, max_ns);
  if (rc < 0) lose_controller(t, rc);
  return rc;
}

static int pcie_submit(struct transport *transport, struct transport_command *command) {
  struct pcie_transport *t = from_base(transport);
  if (t->lost != 0) return t->lost;
  const uint64_t deadline = now(t) + t->timeout_ns;
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

/* ---- Start-up -------------------------------------------------------------------------------------------------------
 */

struct sync_command {
  struct transport_command command;
  bool finished;
  int status;
  uint32_t result;
};

static void sync_done(struct transport_command *command, int status, uint32_t result) {
  struct sync_command *sync = (struct sync_command *)command;
  sync->finished = true;
  sync->status = status;
  sync->result = result;
}

static int admin_sync(struct pcie_transport *t, const struct nvme_submission_entry *sqe, void *data, size_t bytes,
                      uint32_t *result, const char *what) {
  struct sync_command sync = {.command = {.sqe = *sqe, .admin = true, .data = data, .bytes = bytes, .done = sync_done}};
  int rc = pcie_submit(&t->base, &sync.command);
  while (rc == 0 && !sync.finished) {
    const int polled = pcie_poll(&t->base, t->timeout_ns);
    if (polled < 0) rc = polled;
  }
  if (rc == 0) rc = sync.status;
  if (result != NULL) *result = sync.result;
  if (rc != 0) {
    char words[96];
    return fail_with(t, rc, "%s: %s", what, openremap_describe(rc, words, sizeof(words)));
  }
  return 0;
}

static int read_limits(struct pcie_transport *t) {
  uint8_t page[NVME_IDENTIFY_CONTROLLER_BYTES];
  struct nvme_identify_controller id;
  struct nvme_submission_entry sqe;
  nvme_cmd_identify(&sqe, 0, NVME_CNS_CONTROLLER);
  const int rc = admin_sync(t, &sqe, page, sizeof(page), NULL, "Identify Controller");
  if (rc != 0) return rc;
  nvme_identify_controller_unpack(&id, page);
  if ((id.sqes & 0xF) > SQE_LOG2 || (id.cqes & 0xF) > CQE_LOG2) {
    return fail_with(t, -ENOTSUP, "queue entries of 64 and 16 bytes are not supported by this controller");
  }
  uint64_t bytes = id.mdts == 0 || id.mdts > 19 ? MAX_TRANSFER_BYTES : (uint64_t)PRP_PAGE_BYTES << id.mdts;
  if (bytes > MAX_TRANSFER_BYTES) bytes = MAX_TRANSFER_BYTES;
  t->base.limits.max_transfer_bytes = (uint32_t)bytes;
  return 0;
}

static int create_io_queue(struct pcie_transport *t, uint16_t qid, uint32_t entries) {
  struct queue_pair *qp = &t->io[qid - 1];
  int rc = queue_pair_init(qp, &t->arena, qid, entries);
  if (rc != 0) return fail_with(t, rc, "no DMA memory for I/O queue %u of %u entries", qid, entries);
  struct nvme_submission_entry sqe;
  nvme_cmd_create_cq(&sqe, qid, entries, dma_arena_bus(&t->arena, qp->cq), qid);
  rc = admin_sync(t, &sqe, NULL, 0, NULL, "Create I/O Completion Queue");
  if (rc != 0) return rc;
  nvme_cmd_create_sq(&sqe, qid, entries, dma_arena_bus(&t->arena, qp->sq), qid);
  return admin_sync(t, &sqe, NULL, 0, NULL, "Create I/O Submission Queue");
}

static int create_io_queues(struct pcie_transport *t) {
  struct nvme_submission_entry sqe;
  uint32_t granted = 0;
  nvme_cmd_set_num_queues(&sqe, t->wanted_queues);
  int rc = admin_sync(t, &sqe, NULL, 0, &granted, "Set Features, Number of Queues");
  if (rc != 0) return rc;
  uint32_t queues = t->wanted_queues;
  if (queues > (granted & 0xFFFF) + 1) queues = (granted & 0xFFFF) + 1;
  if (queues > (granted >> 16) + 1) queues = (granted >> 16) + 1;
  uint32_t entries = t->wanted_depth + 1; /* a full ring keeps one entry empty */
  if (entries > max_entries(t)) entries = max_entries(t);

  for (uint32_t i = 0; i < queues; i++) {
    rc = create_io_queue(t, (uint16_t)(i + 1), entries);
    t->base.limits.io_queues = i + 1; /* the queue's memory is now ours to give back, whatever rc says */
    if (rc != 0) return rc;
  }
  t->base.limits.queue_depth = entries - 1;
  t->next_queue = 0;
  return 0;
}

/* Section 7.6.1, controller initialization. */
static int start_controller(struct pcie_transport *t) {
  int rc = wait_cap(t);
  if (rc != 0) return rc;
  if (ORM_GET(t->cap_high, ORM_BAR0_CAP_HI_MPSMIN) != 0 || (ORM_GET(t->cap_high, ORM_BAR0_CAP_HI_CSS) & 1) == 0) {
    return fail_with(t, -ENOTSUP, "controller without 4 KiB memory pages or without the NVM command set (CAP 0x%x%08x)",
                     t->cap_high, t->cap_low);
  }
  rc = write32(t, ORM_BAR0_CC, 0);
  if (rc == 0) rc = wait_csts(t, ORM_BAR0_CSTS_RDY_MASK, 0, "disable");
  if (rc != 0) return rc;

  uint32_t entries = ADMIN_ENTRIES;
  if (entries > max_entries(t)) entries = max_entries(t);
  rc = queue_pair_init(&t->admin, &t->arena, 0, entries);
  if (rc != 0) return fail_with(t, rc, "no DMA memory for the admin queue");
  rc = write32(t, ORM_BAR0_AQA, ORM_PUT(ORM_BAR0_AQA_ASQS, entries - 1) | ORM_PUT(ORM_BAR0_AQA_ACQS, entries - 1));
  if (rc == 0) rc = write64(t, ORM_BAR0_ASQ_LO, dma_arena_bus(&t->arena, t->admin.sq));
  if (rc == 0) rc = write64(t, ORM_BAR0_ACQ_LO, dma_arena_bus(&t->arena, t->admin.cq));
  if (rc == 0)
    rc = write32(t, ORM_BAR0_CC,
                 ORM_PUT(ORM_BAR0_CC_IOSQES, SQE_LOG2) | ORM_PUT(ORM_BAR0_CC_IOCQES, CQE_LOG2) | ORM_BAR0_CC_EN_MASK);
  if (rc == 0) rc = wait_csts(t, ORM_BAR0_CSTS_RDY_MASK, ORM_BAR0_CSTS_RDY_MASK, "enable");
  if (rc == 0) rc = read_limits(t);
  if (rc == 0) rc = create_io_queues(t);
  return rc;
}

static void drop_queues(struct pcie_transport *t) {
  for (uint32_t i = 0; i < queue_count(t); i++) {
    queue_pair_abort_all(queue_at(t, i), -ECANCELED);
    queue_pair_destroy(queue_at(t, i));
  }
  t->base.limits.io_queues = 0;
}

/* ---- The ops --------------------------------------------------------------------------------------------------------
 */

/* The device is quiet (reset, or without power): forget what was under way and start again. */
static int restart(struct pcie_transport *t) {
  t->lost = -ECANCELED; /* commands given back below must not come straight in again */
  drop_queues(t);
  t->lost = 0;
  const int rc = start_controller(t);
  if (rc != 0) t->lost = rc < 0 ? rc : -EIO;
  return rc;
}

static int pcie_reset(struct transport *transport) {
  struct pcie_transport *t = from_base(transport);
  const int rc = t->fn->ops->reset(t->fn);
  return rc != 0 ? rc : restart(t);
}

static int pcie_power_cycle(struct transport *transport) {
  struct pcie_transport *t = from_base(transport);
  int rc = t->fn->ops->power_cut(t->fn);
  if (rc == 0) rc = t->fn->ops->power_on(t->fn);
  return rc != 0 ? rc : restart(t);
}

static int shut_down(struct pcie_transport *t) {
  if (t->lost != 0) return t->lost;
  uint32_t cc = 0;
  int rc = read32(t, ORM_BAR0_CC, &cc);
  if (rc == 0)
    rc = write32(t, ORM_BAR0_CC, (cc & ~ORM_BAR0_CC_SHN_MASK) | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_NORMAL));
  if (rc == 0)
    rc = wait_csts(t, ORM_BAR0_CSTS_SHST_MASK, ORM_PUT(ORM_BAR0_CSTS_SHST, NVME_SHUTDOWN_COMPLETE), "shutdown");
  return rc;
}

static int pcie_close(struct transport *transport) {
  struct pcie_transport *t = from_base(transport);
  int rc = 0;
  if (t->fn != NULL) {
    rc = shut_down(t);
    t->lost = -ECANCELED;
    drop_queues(t);
    t->fn->ops->close(t->fn);
  }
  dma_arena_destroy(&t->arena);
  free(t);
  return rc;
}

static uint64_t pcie_now_ns(struct transport *transport) { return now(from_base(transport)); }

static void *pcie_dma_alloc(struct transport *transport, size_t bytes) {
  return dma_arena_alloc(&from_base(transport)->arena, bytes);
}

static void pcie_dma_free(struct transport *transport, void *memory) {
  dma_arena_free(&from_base(transport)->arena, memory);
}

static void pcie_get_stats(struct transport *transport, struct transport_stats *stats) {
  *stats = from_base(transport)->stats;
}

static const struct transport_ops pcie_ops = {
    .submit = pcie_submit,
    .poll = pcie_poll,
    .now_ns = pcie_now_ns,
    .reset = pcie_reset,
    .power_cycle = pcie_power_cycle,
    .dma_alloc = pcie_dma_alloc,
    .dma_free = pcie_dma_free,
    .get_stats = pcie_get_stats,
    .close = pcie_close,
};

struct pcie_function *pcie_transport_function(struct transport *transport) {
  return transport->ops == &pcie_ops ? from_base(transport)->fn : NULL;
}

int pcie_transport_open(const struct openremap_options *options, struct transport **out, char *error,
                        size_t error_len) {
  *out = NULL;
  struct pcie_transport *t = calloc(1, sizeof(*t));
  if (t == NULL) return -ENOMEM;
  t->base.ops = &pcie_ops;
  t->error = error;
  t->error_len = error_len;
  t->wanted_queues = options->io_queues != 0 ? options->io_queues : 1;
  if (t->wanted_queues > MAX_IO_QUEUES) t->wanted_queues = MAX_IO_QUEUES;
  t->wanted_depth = options->queue_depth != 0 ? options->queue_depth : DEFAULT_QUEUE_DEPTH;
  if (t->wanted_depth > 65535) t->wanted_depth = 65535;
  t->timeout_ns = options->timeout_ns != 0 ? options->timeout_ns : DEFAULT_TIMEOUT_NS;
  t->ready_timeout_ns = options->ready_timeout_ns != 0 ? options->ready_timeout_ns : DEFAULT_READY_TIMEOUT_NS;
  t->host = (struct pcie_host){.ctx = t, .dma_read = host_dma_read, .dma_write = host_dma_write, .msix = host_msix};

  int rc = dma_arena_init(&t->arena, options->dma_bytes != 0 ? options->dma_bytes : DEFAULT_DMA_BYTES);
  if (rc != 0) {
    fail_with(t, rc, "no memory for DMA");
    free(t);
    return rc;
  }
  t->fn = options->create(&options->device, &t->host, error, error_len);
  if (t->fn == NULL) {
    pcie_close(&t->base);
    return -ENODEV;
  }
  rc = start_controller(t);
  if (rc != 0) {
    t->lost = rc < 0 ? rc : -EIO; /* no orderly shutdown of what did not start */
    pcie_close(&t->base);
    return rc;
  }
  t->error = NULL;
  *out = &t->base;
  return 0;
}
