/* SPDX-License-Identifier: Apache-2.0 */
/*
 * errorlog.h - the Error Information log (base specification 1.4, figure 194): the FW_ERROR_ENTRIES newest errors since
 * power-on. The number of errors outlives power cycles (state.h); the entries do not.
 */
#ifndef OPENREMAP_FW_ERRORLOG_H
#define OPENREMAP_FW_ERRORLOG_H

#include <stdint.h>

#include "orm_nvme.h"

#define FW_ERROR_ENTRIES 16u

struct fw;

struct errorlog {
  struct nvme_error_log_entry entry[FW_ERROR_ENTRIES]; /* ring; [next - 1] is the newest */
  uint32_t next;
};

/* Adds an entry. `sqid`, `cid`: FFFFh if the error belongs to no command. `status`: {SCT, SC}. */
void errorlog_add(struct fw *fw, uint16_t sqid, uint16_t cid, uint16_t status, uint32_t nsid, uint64_t lba);

/* Packs entry `i`; 0 is the newest. All zero where there is none. */
void errorlog_pack(const struct fw *fw, uint32_t i, uint8_t out[NVME_ERROR_LOG_ENTRY_BYTES]);

#endif /* OPENREMAP_FW_ERRORLOG_H */
