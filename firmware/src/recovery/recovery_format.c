/* SPDX-License-Identifier: Apache-2.0 */
/* A start that finds a Format NVM cut short finishes it: the namespace becomes empty, then the FormatWord goes. */
#include "fw.h"
#include "media/format_word.h"

fw_result_t recovery_end_format(struct fw *fw) {
  struct recovery *r = &fw->recovery;
  if (!r->formatting) return FW_OK;
  uint32_t left = r->nsze - r->at, n = left < RECOVERY_REGION_LPNS ? left : RECOVERY_REGION_LPNS;
  hal_dram_fill(fw->p, fw->dev.dram_l2p + 4u * r->at, 0xFF, 4u * n); /* ORM_UNMAPPED */
  r->at += n;
  return r->at < r->nsze ? FW_PENDING : FW_OK;
}

fw_result_t recovery_clear_format_word(struct fw *fw) {
  if (!fw->recovery.formatting) return FW_OK;
  hal_log(fw->p, PLATFORM_LOG_INFO, "finished a format that was cut short");
  format_word_clear(fw);
  return FW_OK;
}
