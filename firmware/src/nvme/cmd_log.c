/* SPDX-License-Identifier: Apache-2.0 */
/* Get Log Page (5.14). */
#include <string.h>

#include "core/identity.h"
#include "fw.h"
#include "nvme/logs.h"

enum step { SURVEY, BUILD, SEND };

static uint64_t asked_bytes(const struct command *cmd) {
  uint64_t dwords = (cmd->sqe.cdw10 >> 16) | (uint64_t)(cmd->sqe.cdw11 & 0xFFFFu) << 16;
  return (dwords + 1u) * 4u;
}

static bool nsid_is_fine(uint32_t nsid) { return nsid == 0 || nsid == FW_NSID || nsid == UINT32_MAX; }

static uint64_t offset_of(const struct command *cmd) { return cmd->sqe.cdw12 | (uint64_t)cmd->sqe.cdw13 << 32; }

static uint8_t page_of(const struct command *cmd) { return (uint8_t)(cmd->sqe.cdw10 & 0xFFu); }

/* Log Specific Identifier */
static uint16_t lsi_of(const struct command *cmd) { return (uint16_t)(cmd->sqe.cdw11 >> 16); }

static fw_result_t check(const struct fw *fw, const struct command *cmd) {
  if (!nsid_is_fine(cmd->sqe.nsid)) return FW_INVALID_NAMESPACE;
  if (asked_bytes(cmd) > device_buffer_bytes(&fw->dev) || offset_of(cmd) % 4u != 0) return FW_INVALID_FIELD;
  return FW_OK;
}

/* The page from `offset` on at the start of the buffer, then zeroes up to what was asked for: what stands past the end
 * of a page is undefined, an offset past it is an error. */
static fw_result_t build(struct fw *fw, struct command *cmd) {
  uint64_t offset = offset_of(cmd);
  uint32_t asked = (uint32_t)asked_bytes(cmd);
  uint8_t id = page_of(cmd);
  uint32_t bytes = 0;
  uint32_t clear = asked > LOG_PAGE_MAX_BYTES ? asked : LOG_PAGE_MAX_BYTES;
  mailbox_buffer_clear(fw, clear);
  uint8_t *out = mailbox_buffer(fw);
  fw_result_t r = logs_build(fw, id, lsi_of(cmd), out, &bytes);
  if (r != FW_OK) return r;
  if (offset > bytes) return FW_INVALID_FIELD;
  memmove(out, out + offset, bytes - offset);
  memset(out + (bytes - offset), 0, offset);
  cmd->bytes = asked;
  async_events_page_built(fw);
  return FW_OK;
}

fw_result_t cmd_get_log(struct fw *fw, struct command *cmd) {
  if (cmd->step == SURVEY) {
    fw_result_t r = check(fw, cmd);
    if (r != FW_OK) return r;
    health_begin(fw);
    cmd->step = BUILD;
  }
  if (cmd->step == BUILD) {
    if (logs_need_health(page_of(cmd)) && health_poll(fw) == FW_PENDING) return FW_PENDING;
    fw_result_t r = build(fw, cmd);
    if (r != FW_OK) return r;
    cmd->step = SEND;
  }
  fw_result_t r = mailbox_to_host(fw, cmd, cmd->bytes);
  if (r == FW_OK && !(cmd->sqe.cdw10 & NVME_LOG_FLAG_RETAIN_EVENT)) async_events_page_read(fw, page_of(cmd));
  return r;
}
