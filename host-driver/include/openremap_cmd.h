/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openremap_cmd.h - fills NVMe commands; sends none of them.
 *
 * Each function writes every field of `c` that the command defines and zeroes the rest; the command identifier and the
 * data pointers are set by openremap_admin and openremap_io, which execute it. Lengths are counts (1-based) even
 * where the wire is 0-based. Pure: no state, no errors; what the wire cannot hold is the caller's to check.
 */
#ifndef OPENREMAP_CMD_H
#define OPENREMAP_CMD_H

#include <string.h>

#include "nvme_spec.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline void nvme_cmd_init(struct nvme_submission_entry *c, uint8_t opcode, uint32_t nsid) {
  memset(c, 0, sizeof(*c));
  c->opcode = opcode;
  c->nsid = nsid;
}

/* Sets CDW10/11 to a starting LBA, as all commands with an LBA range do. */
static inline void nvme_cmd_slba(struct nvme_submission_entry *c, uint64_t slba) {
  c->cdw10 = (uint32_t)slba;
  c->cdw11 = (uint32_t)(slba >> 32);
}

/* Identify (section 5.15): 4096 bytes of data. */
static inline void nvme_cmd_identify(struct nvme_submission_entry *c, uint32_t nsid, uint8_t cns) {
  nvme_cmd_init(c, NVME_ADMIN_OPCODE_IDENTIFY, nsid);
  c->cdw10 = cns;
}

/* Get Log Page (section 5.14): `bytes` and `offset` are multiples of 4, bytes > 0. */
static inline void nvme_cmd_get_log_page(struct nvme_submission_entry *c, uint8_t log_id, uint64_t offset,
                                         uint32_t bytes) {
  const uint32_t numd = bytes / 4 - 1;
  nvme_cmd_init(c, NVME_ADMIN_OPCODE_GET_LOG_PAGE, NVME_NSID_ALL);
  c->cdw10 = log_id | (numd & 0xFFFFu) << 16;
  c->cdw11 = numd >> 16;
  c->cdw12 = (uint32_t)offset;
  c->cdw13 = (uint32_t)(offset >> 32);
}

/* Format NVM (section 5.23) to LBA format `lbaf` (0..63), without metadata; `ses`: secure erase setting. */
static inline void nvme_cmd_format(struct nvme_submission_entry *c, uint32_t nsid, unsigned lbaf,
                                   enum nvme_format_ses ses) {
  nvme_cmd_init(c, NVME_ADMIN_OPCODE_FORMAT_NVM, nsid);
  /* The two high bits of the number are bits 13:12 (base specification 2.0, figure 188). */
  c->cdw10 = (uint32_t)ses << NVME_FORMAT_SES_SHIFT | (lbaf & 0xFu) | (uint32_t)(lbaf >> 4 & 3u) << 12;
}

/* Set Features, Number of Queues (section 5.21.1.7): the same count both ways; the result holds what was granted. */
static inline void nvme_cmd_set_num_queues(struct nvme_submission_entry *c, uint32_t queues) {
  nvme_cmd_init(c, NVME_ADMIN_OPCODE_SET_FEATURES, 0);
  c->cdw10 = NVME_FEATURE_NUMBER_OF_QUEUES;
  c->cdw11 = (queues - 1) | (queues - 1) << 16;
}

/* Create I/O Completion Queue (section 5.3): contiguous, interrupts on through MSI-X vector `vector`. */
static inline void nvme_cmd_create_cq(struct nvme_submission_entry *c, uint16_t qid, uint32_t entries, uint64_t bus,
                                      uint16_t vector) {
  nvme_cmd_init(c, NVME_ADMIN_OPCODE_CREATE_IO_CQ, 0);
  c->prp1 = bus;
  c->cdw10 = qid | (entries - 1) << 16;
  c->cdw11 = (uint32_t)vector << 16 | NVME_QUEUE_INTERRUPTS | NVME_QUEUE_CONTIGUOUS;
}

/* Create I/O Submission Queue (section 5.4): contiguous, completions go to queue `cqid`. */
static inline void nvme_cmd_create_sq(struct nvme_submission_entry *c, uint16_t qid, uint32_t entries, uint64_t bus,
                                      uint16_t cqid) {
  nvme_cmd_init(c, NVME_ADMIN_OPCODE_CREATE_IO_SQ, 0);
  c->prp1 = bus;
  c->cdw10 = qid | (entries - 1) << 16;
  c->cdw11 = (uint32_t)cqid << 16 | NVME_QUEUE_CONTIGUOUS;
}

/* Flush (section 6.8). */
static inline void nvme_cmd_flush(struct nvme_submission_entry *c, uint32_t nsid) {
  nvme_cmd_init(c, NVME_IO_OPCODE_FLUSH, nsid);
}

/* Read (section 6.9). nlb: 1..65536. */
static inline void nvme_cmd_read(struct nvme_submission_entry *c, uint32_t nsid, uint64_t slba, uint32_t nlb) {
  nvme_cmd_init(c, NVME_IO_OPCODE_READ, nsid);
  nvme_cmd_slba(c, slba);
  c->cdw12 = nlb - 1;
}

/* Write (section 6.15). nlb: 1..65536; `fua` non-zero: durable when it completes. */
static inline void nvme_cmd_write(struct nvme_submission_entry *c, uint32_t nsid, uint64_t slba, uint32_t nlb,
                                  int fua) {
  nvme_cmd_init(c, NVME_IO_OPCODE_WRITE, nsid);
  nvme_cmd_slba(c, slba);
  c->cdw12 = (nlb - 1) | (fua ? NVME_RW_FUA : 0u);
}

/* Makes a Write carry a placement identifier (Data Placement directive, base specification 2.1, section 8.1.8.4). */
static inline void nvme_cmd_place(struct nvme_submission_entry *c, uint16_t identifier) {
  c->cdw12 |= (uint32_t)NVME_DIRECTIVE_DATA_PLACEMENT << NVME_WRITE_DTYPE_SHIFT;
  c->cdw13 = (uint32_t)identifier << NVME_WRITE_DSPEC_SHIFT;
}

/* I/O Management Receive, Reclaim Unit Handle Status (base specification 2.1, section 7.3): `bytes` is a multiple of 4,
 * above 0. */
static inline void nvme_cmd_ruh_status(struct nvme_submission_entry *c, uint32_t nsid, uint32_t bytes) {
  nvme_cmd_init(c, NVME_IO_OPCODE_IO_MGMT_RECEIVE, nsid);
  c->cdw10 = NVME_IO_MGMT_RUH;
  c->cdw11 = bytes / 4 - 1;
}

/* I/O Management Send, Reclaim Unit Handle Update (section 7.4): `identifiers` (1..65536) of 2 bytes each are the
 * data. */
static inline void nvme_cmd_ruh_update(struct nvme_submission_entry *c, uint32_t nsid, uint32_t identifiers) {
  nvme_cmd_init(c, NVME_IO_OPCODE_IO_MGMT_SEND, nsid);
  c->cdw10 = NVME_IO_MGMT_RUH | (identifiers - 1) << 16;
}

/* Write Zeroes (section 6.17). nlb: 1..65536; `deallocate` non-zero: the blocks lose their flash. */
static inline void nvme_cmd_write_zeroes(struct nvme_submission_entry *c, uint32_t nsid, uint64_t slba, uint32_t nlb,
                                         int deallocate) {
  nvme_cmd_init(c, NVME_IO_OPCODE_WRITE_ZEROES, nsid);
  nvme_cmd_slba(c, slba);
  c->cdw12 = (nlb - 1) | (deallocate ? NVME_WZ_DEAC : 0u);
}

/* Dataset Management with Deallocate (section 6.7): `ranges` (1..256) range descriptors are the data. */
static inline void nvme_cmd_deallocate(struct nvme_submission_entry *c, uint32_t nsid, uint32_t ranges) {
  nvme_cmd_init(c, NVME_IO_OPCODE_DATASET_MANAGEMENT, nsid);
  c->cdw10 = ranges - 1;
  c->cdw11 = NVME_DSM_DEALLOCATE;
}

/* Copy (NVM command set 1.0, 3.2.2) to `sdlba`: `ranges` (1..256) source descriptors of format 0 are the data. */
static inline void nvme_cmd_copy(struct nvme_submission_entry *c, uint32_t nsid, uint64_t sdlba, uint32_t ranges) {
  nvme_cmd_init(c, NVME_IO_OPCODE_COPY, nsid);
  nvme_cmd_slba(c, sdlba);
  c->cdw12 = ranges - 1;
}

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_CMD_H */
