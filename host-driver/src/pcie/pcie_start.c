/* SPDX-License-Identifier: Apache-2.0 */
/* Start-up of the controller as in NVMe 1.4 section 7.6.1, and its shutdown. */
#include "pcie/pcie_start.h"

#include <errno.h>

#include "openremap.h"
#include "openremap_cmd.h"
#include "pcie/pcie_queues.h"
#include "pcie/pcie_registers.h"
#include "pcie/prp.h"

#define ADMIN_ENTRIES 32u
/* CC.IOSQES, CC.IOCQES */
#define SQE_LOG2 6u
#define CQE_LOG2 4u
_Static_assert(NVME_SUBMISSION_ENTRY_BYTES == 1u << SQE_LOG2, "ring entries are what CC says");
_Static_assert(NVME_COMPLETION_ENTRY_BYTES == 1u << CQE_LOG2, "ring entries are what CC says");
/* Cap on one command even where MDTS allows more: with 1 MiB pieces, 16 of them fill half of the default arena. */
#define MAX_TRANSFER_BYTES (1u << 20)

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
  int rc = pcie_submit(t, &sync.command);
  while (rc == 0 && !sync.finished) {
    const int polled = pcie_poll(t, t->timeout_ns);
    if (polled < 0) rc = polled;
  }
  if (rc == 0) rc = sync.status;
  if (result != NULL) *result = sync.result;
  if (rc != 0) {
    char words[96];
    return pcie_fail(t, rc, "%s: %s", what, openremap_describe(rc, words, sizeof(words)));
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
    return pcie_fail(t, -ENOTSUP, "queue entries of 64 and 16 bytes are not supported by this controller");
  }
  uint64_t bytes = id.mdts == 0 || id.mdts > 19 ? MAX_TRANSFER_BYTES : (uint64_t)PRP_PAGE_BYTES << id.mdts;
  if (bytes > MAX_TRANSFER_BYTES) bytes = MAX_TRANSFER_BYTES;
  t->base.limits.max_transfer_bytes = (uint32_t)bytes;
  return 0;
}

static int create_io_queue(struct pcie_transport *t, uint16_t qid, uint32_t entries) {
  struct queue_pair *qp = &t->io[qid - 1];
  int rc = queue_pair_init(qp, &t->arena, qid, entries);
  if (rc == -ENOMEM) return pcie_fail(t, rc, "no DMA memory for I/O queue %u of %u entries", qid, entries);
  if (rc != 0) return pcie_fail(t, rc, "%s", pcie_stopped(t));
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
  if (entries > pcie_max_entries(t)) entries = pcie_max_entries(t);

  for (uint32_t i = 0; i < queues; i++) {
    rc = create_io_queue(t, (uint16_t)(i + 1), entries);
    t->base.limits.io_queues = i + 1; /* the queue's memory is now ours to give back, whatever rc says */
    if (rc != 0) return rc;
  }
  t->base.limits.queue_depth = entries - 1;
  t->next_queue = 0;
  return 0;
}

int pcie_start(struct pcie_transport *t) {
  int rc = pcie_wait_cap(t);
  if (rc != 0) return rc;
  if (ORM_GET(t->cap_high, ORM_BAR0_CAP_HI_MPSMIN) != 0 || (ORM_GET(t->cap_high, ORM_BAR0_CAP_HI_CSS) & 1) == 0) {
    return pcie_fail(t, -ENOTSUP, "controller without 4 KiB memory pages or without the NVM command set (CAP 0x%x%08x)",
                     t->cap_high, t->cap_low);
  }
  rc = pcie_write32(t, ORM_BAR0_CC, 0);
  if (rc == 0) rc = pcie_wait_csts(t, ORM_BAR0_CSTS_RDY_MASK, 0, "disable");
  if (rc != 0) return rc;

  uint32_t entries = ADMIN_ENTRIES;
  if (entries > pcie_max_entries(t)) entries = pcie_max_entries(t);
  rc = queue_pair_init(&t->admin, &t->arena, 0, entries);
  if (rc == -ENOMEM) return pcie_fail(t, rc, "no DMA memory for the admin queue");
  if (rc != 0) return pcie_fail(t, rc, "%s", pcie_stopped(t));
  rc = pcie_write32(t, ORM_BAR0_AQA, ORM_PUT(ORM_BAR0_AQA_ASQS, entries - 1) | ORM_PUT(ORM_BAR0_AQA_ACQS, entries - 1));
  if (rc == 0) rc = pcie_write64(t, ORM_BAR0_ASQ_LO, dma_arena_bus(&t->arena, t->admin.sq));
  if (rc == 0) rc = pcie_write64(t, ORM_BAR0_ACQ_LO, dma_arena_bus(&t->arena, t->admin.cq));
  if (rc == 0)
    rc = pcie_write32(
        t, ORM_BAR0_CC,
        ORM_PUT(ORM_BAR0_CC_IOSQES, SQE_LOG2) | ORM_PUT(ORM_BAR0_CC_IOCQES, CQE_LOG2) | ORM_BAR0_CC_EN_MASK);
  if (rc == 0) rc = pcie_wait_csts(t, ORM_BAR0_CSTS_RDY_MASK, ORM_BAR0_CSTS_RDY_MASK, "enable");
  if (rc == 0) rc = read_limits(t);
  if (rc == 0) rc = create_io_queues(t);
  return rc;
}

int pcie_shut_down(struct pcie_transport *t) {
  if (t->lost != 0) return t->lost;
  uint32_t cc = 0;
  int rc = pcie_read32(t, ORM_BAR0_CC, &cc);
  if (rc == 0)
    rc = pcie_write32(t, ORM_BAR0_CC, (cc & ~ORM_BAR0_CC_SHN_MASK) | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_NORMAL));
  if (rc == 0)
    rc = pcie_wait_csts(t, ORM_BAR0_CSTS_SHST_MASK, ORM_PUT(ORM_BAR0_CSTS_SHST, NVME_SHUTDOWN_COMPLETE), "shutdown");
  return rc;
}
