/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/completion.h"

#include "fw.h"

/* Errors that the same command would meet again. */
static bool is_permanent(fw_result_t r) {
  return r != FW_TRANSFER && r != FW_ABORTED && r != FW_NOT_READY && r != FW_REMAP_FULL && r != FW_INTERNAL &&
         r != FW_FORMATTING && r != FW_NAND;
}

uint16_t completion_status(fw_result_t r) {
  if (r == FW_OK) return 0;
  return (uint16_t)(fw_result_status(r) | (is_permanent(r) ? NVME_STATUS_FLAG_DO_NOT_RETRY : 0));
}

bool command_complete_held(struct fw *fw, uint16_t cid, fw_result_t r) {
  if (!mailbox_can_complete(fw)) {
    fw_again_in(fw, FW_COMPLETION_POLL_NS);
    return false;
  }
  if (r != FW_OK && !fw->commands.abandoned) errorlog_add(fw, 0, cid, fw_result_status(r), 0, 0);
  mailbox_complete(fw, 0, cid, completion_status(r), 0);
  return true;
}
