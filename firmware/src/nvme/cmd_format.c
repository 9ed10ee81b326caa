/* SPDX-License-Identifier: Apache-2.0 */
/* Format NVM (5.23). The command is held until the format has ended, so that others are answered meanwhile. */
#include "core/identity.h"
#include "fw.h"

/* Fields of cdw10. */
static uint32_t lba_format(const struct command *cmd) { return cmd->sqe.cdw10 & 0xFu; }
static uint32_t lba_format_upper(const struct command *cmd) { return cmd->sqe.cdw10 >> 12 & 3u; } /* LBAFU */
static uint32_t metadata(const struct command *cmd) { return cmd->sqe.cdw10 >> 4 & 1u; }
static uint32_t protection(const struct command *cmd) { return cmd->sqe.cdw10 >> 5 & 7u; }
static uint32_t secure_erase(const struct command *cmd) { return cmd->sqe.cdw10 >> 9 & 7u; }
static uint32_t reserved(const struct command *cmd) { return cmd->sqe.cdw10 >> 14; }

fw_result_t cmd_format(struct fw *fw, struct command *cmd) {
  if (cmd->sqe.nsid != FW_NSID && cmd->sqe.nsid != UINT32_MAX) return FW_INVALID_NAMESPACE;
  uint32_t ses = secure_erase(cmd);
  if (reserved(cmd) != 0) return command_refuse(cmd, COMMAND_FIELD(10u, 14u), FW_INVALID_FIELD);
  if (ses != NVME_FORMAT_SES_NONE && ses != NVME_FORMAT_SES_USER_DATA)
    return command_refuse(cmd, COMMAND_FIELD(10u, 9u), FW_INVALID_FIELD);
  /* One format: 4 KiB, no metadata, and so no protection information. */
  if (lba_format(cmd) != 0) return command_refuse(cmd, COMMAND_FIELD(10u, 0u), FW_INVALID_FORMAT);
  if (lba_format_upper(cmd) != 0) return command_refuse(cmd, COMMAND_FIELD(10u, 12u), FW_INVALID_FORMAT);
  if (metadata(cmd) != 0) return command_refuse(cmd, COMMAND_FIELD(10u, 4u), FW_INVALID_FORMAT);
  if (protection(cmd) != 0) return command_refuse(cmd, COMMAND_FIELD(10u, 5u), FW_INVALID_FORMAT);
  if (quiesce_refusal(fw) == FW_FORMATTING || fw->format_nvm.waited) return FW_FORMATTING;
  if (quiesce_shuts_down(fw)) return FW_NOT_READY;
  format_nvm_start(fw, (uint8_t)ses, cmd->sqe.cid, cmd->sqe.nsid);
  return FW_HELD;
}
