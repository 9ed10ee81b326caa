/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvme_spec.h - NVMe as a host sees it: the generated codes and records (interfaces/formats/nvme.yaml), and the command
 * fields and rules that are not records. Source: NVM Express Base Specification 1.4, section numbers below.
 */
#ifndef OPENREMAP_NVME_SPEC_H
#define OPENREMAP_NVME_SPEC_H

#include <stddef.h>
#include <stdint.h>

#include "orm_nvme.h"

/* The two low bits of any opcode, standard or vendor, say which way data goes (section 4.2, figure 104). */
enum nvme_data_direction { NVME_DATA_NONE = 0, NVME_DATA_TO_CONTROLLER = 1, NVME_DATA_FROM_CONTROLLER = 2 };
#define NVME_OPCODE_DIRECTION(opcode) ((unsigned)(opcode)&3u)

/* Read, Write, Write Zeroes: CDW12; Dataset Management: CDW11 (sections 6.9, 6.15, 6.17, 6.7). */
#define NVME_RW_FUA (1u << 30)
#define NVME_WZ_DEAC (1u << 25)

/* Write: directive type in CDW12, directive specific value in CDW13. */
#define NVME_WRITE_DTYPE_SHIFT 20
#define NVME_WRITE_DSPEC_SHIFT 16

/* Reclaim Unit Handle Status: descriptors (NVME_RUH_STATUS_BYTES each) behind a header, which counts them in its last
 * two bytes (base specification 2.1, section 7.3.1). */
#define NVME_RUH_STATUS_HEADER_BYTES 16u
#define NVME_RUH_STATUS_COUNT_OFFSET 14u
#define NVME_DSM_DEALLOCATE (1u << 2)
#define NVME_FORMAT_SES_SHIFT 9
#define NVME_DSM_MAX_RANGES 256u

/* Create I/O Completion/Submission Queue: CDW11 (sections 5.3, 5.4). */
#define NVME_QUEUE_CONTIGUOUS (1u << 0)
#define NVME_QUEUE_INTERRUPTS (1u << 1)

/* Identify Controller: ONCS, VWC (section 5.15.2.2). */
#define NVME_ONCS_DSM (1u << 2)
#define NVME_ONCS_WRITE_ZEROES (1u << 3)
#define NVME_ONCS_COPY (1u << 8)
#define NVME_VWC_PRESENT (1u << 0)

/* Identify Namespace: LBADS of an LBA format word (section 5.15.2.1). */
#define NVME_LBAF_LBADS(lbaf) (((lbaf) >> 16) & 0xFFu)

#define NVME_NSID_ALL 0xFFFFFFFFu

/* Status as this library hands it out: SCT << 8 | SC (section 4.6.1). */
#define NVME_STATUS(sct, sc) ((int)((unsigned)(sct) << 8 | (unsigned)(sc)))
#define NVME_STATUS_SCT(status) (((unsigned)(status) >> 8) & 7u)

/* Completion queue entry, last word: phase in bit 0, SC 8:1, SCT 11:9. */
#define NVME_CQE_PHASE 1u
#define NVME_CQE_STATUS(word) ((int)(((unsigned)(word) >> 1) & 0x7FFu))

#endif /* OPENREMAP_NVME_SPEC_H */
