/* SPDX-License-Identifier: Apache-2.0 */
/* Get Log Page (5.14). */
#include <string.h>

#include "fw.h"
#include "logs.h"

#define LOG_PAGE_MAX 4096u
#define RETAIN_EVENT (1u << 15)

static uint64_t asked_bytes(const struct command *cmd) {
  uint64_t dwords = (cmd->sqe.cdw10 >> 16) | (uint64_t)(cmd->sqe.cdw11 & 0xFFFFu) << 16;
  return (dwords + 1u) * 4u;
}

static bool nsid_is_fine(uint32_t nsid) { return nsid == 0 || nsid == 1 || nsid == UINT32_MAX; }

/* The page at the start of the buffer, then zeroes up to what was asked for; `offset` bytes of it are left out. */
static fw_result_t prepare(struct fw *fw, struct command *cmd) {
  uint64_t offset = cmd->sqe.cdw12 | (uint64_t)cmd->sqe.cdw13 << 32;
  uint64_t asked = asked_bytes(cmd);
  uint8_t id = (uint8_t)(cmd->sqe.cdw10 & 0xFFu);
  uint32_t bytes = 0;
  if (!nsid_is_fine(cmd->sqe.nsid)) return FW_INVALID_NAMESPACE;
  /* The DMA engine moves words of 16 bytes. */
  if (asked > device_buffer_bytes(&fw->dev) || asked % 16u != 0 || offset % 4u != 0) return FW_INVALID_FIELD;
  uint32_t clear = asked > LOG_PAGE_MAX ? (uint32_t)asked : LOG_PAGE_MAX;
  command_buffer_clear(fw, clear);
  uint8_t *out = command_buffer(fw);
  fw_result_t r = logs_build(fw, id, out, &bytes);
  if (r != FW_OK) return r;
  if (offset > bytes) return FW_INVALID_FIELD;
  memmove(out, out + offset, bytes - offset);
  memset(out + (bytes - offset), 0, offset);
  cmd->bytes = (uint32_t)asked;
  if (!(cmd->sqe.cdw10 & RETAIN_EVENT)) async_event_unmask(fw, id);
  return FW_OK;
}

fw_result_t cmd_get_log(struct fw *fw, struct command *cmd) {
  if (cmd->step == 0) {
    fw_result_t r = prepare(fw, cmd);
    if (r != FW_OK) return r;
    cmd->step = 1;
  }
  return command_to_host(fw, cmd, cmd->bytes);
}
