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

bool command_complete_held(struct fw *fw, uint16_t cid, uint32_t nsid, fw_result_t r) {
  if (!mailbox_can_complete(fw)) {
    fw_again_in(fw, FW_COMPLETION_POLL_NS);
    return false;
  }
  uint16_t status = completion_status(r);
  if (r != FW_OK && !fw->commands.abandoned) {
    const struct command cmd = {.sqe = {.cid = cid, .nsid = nsid}, .location = COMMAND_NO_FIELD, .lba = COMMAND_NO_LBA};
    status = errorlog_command(fw, &cmd, r, status);
  }
  mailbox_complete(fw, 0, cid, status, 0);
  return true;
}
