/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/errorlog.h"

#include "fw.h"

void errorlog_add(struct fw *fw, const struct nvme_error_log_entry *entry) {
  struct errorlog *e = &fw->errorlog;
  e->entry[e->next] = *entry;
  e->entry[e->next].error_count = state_error(&fw->state);
  e->next = (e->next + 1u) % FW_ERROR_ENTRIES;
}

/* The field that a result is about, whatever the command; a handler that knows better has set its own. */
static uint16_t location(const struct command *cmd, fw_result_t r) {
  if (cmd->location != COMMAND_NO_FIELD) return cmd->location;
  switch (r) {
    case FW_INVALID_OPCODE:
      return COMMAND_FIELD(0u, 0u);
    case FW_INVALID_NAMESPACE:
    case FW_NOT_NAMESPACED:
      return COMMAND_NSID;
    case FW_PRP_OFFSET:
      return COMMAND_FIELD(6u, 0u);
    case FW_QID:
    case FW_QUEUE_DELETION:
    case FW_LOG_PAGE:
      return COMMAND_FIELD(10u, 0u);
    case FW_QUEUE_SIZE:
      return COMMAND_FIELD(10u, 16u);
    case FW_NOT_SAVEABLE:
      return COMMAND_FIELD(10u, 31u);
    case FW_NOT_CHANGEABLE:
      return COMMAND_FIELD(11u, 0u);
    case FW_CQ:
    case FW_VECTOR:
      return COMMAND_FIELD(11u, 16u);
    default:
      return COMMAND_NO_FIELD;
  }
}

uint16_t errorlog_command(struct fw *fw, const struct command *cmd, fw_result_t r, uint16_t status) {
  uint16_t shown = status | NVME_STATUS_FLAG_MORE;
  errorlog_add(fw, &(struct nvme_error_log_entry){.sqid = cmd->qid,
                                                  .cid = cmd->sqe.cid,
                                                  .status = (uint16_t)(shown << 1),
                                                  .location = location(cmd, r),
                                                  .lba = cmd->lba,
                                                  .nsid = cmd->sqe.nsid});
  return shown;
}

void errorlog_pack(const struct fw *fw, uint32_t i, uint8_t out[NVME_ERROR_LOG_ENTRY_BYTES]) {
  const struct errorlog *e = &fw->errorlog;
  nvme_error_log_entry_pack(&e->entry[(e->next + FW_ERROR_ENTRIES - 1u - i) % FW_ERROR_ENTRIES], out);
}
