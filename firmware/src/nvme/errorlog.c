/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/errorlog.h"

#include "fw.h"

void errorlog_add(struct fw *fw, uint16_t sqid, uint16_t cid, uint16_t status, uint32_t nsid, uint64_t lba) {
  struct errorlog *e = &fw->errorlog;
  e->entry[e->next] = (struct nvme_error_log_entry){
      .error_count = state_error(&fw->state),
      .sqid = sqid,
      .cid = cid,
      .status = (uint16_t)(status << 1),
      .location = 0xFFFF, /* no particular field */
      .lba = lba,
      .nsid = nsid,
  };
  e->next = (e->next + 1u) % FW_ERROR_ENTRIES;
}

void errorlog_pack(const struct fw *fw, uint32_t i, uint8_t out[NVME_ERROR_LOG_ENTRY_BYTES]) {
  const struct errorlog *e = &fw->errorlog;
  nvme_error_log_entry_pack(&e->entry[(e->next + FW_ERROR_ENTRIES - 1u - i) % FW_ERROR_ENTRIES], out);
}
