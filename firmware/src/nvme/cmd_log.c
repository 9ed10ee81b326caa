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

static uint64_t offset_of(const struct command *cmd) { return cmd->sqe.cdw12 | (uint64_t)cmd->sqe.cdw13 << 32; }

static uint8_t page_of(const struct command *cmd) { return (uint8_t)(cmd->sqe.cdw10 & 0xFFu); }

/* Command Set Identifier */
static uint32_t command_set(const struct command *cmd) { return cmd->sqe.cdw14 >> 24; }

static uint32_t group_of(const struct command *cmd) { return cmd->sqe.cdw11 >> 16; }

/* No page is a namespace's own: LPA says so of SMART. */
static fw_result_t check_nsid(struct command *cmd) {
  uint32_t nsid = cmd->sqe.nsid;
  if (nsid == 0 || nsid == UINT32_MAX) return FW_OK;
  return command_refuse(cmd, COMMAND_NSID, nsid == FW_NSID ? FW_INVALID_FIELD : FW_INVALID_NAMESPACE);
}

/* What does not exist is refused: another's page would be taken for its page. Fields that a page does not use are
 * reserved, and not looked at. */
static fw_result_t check(const struct fw *fw, struct command *cmd, const struct log_page *page) {
  fw_result_t r = check_nsid(cmd);
  if (r != FW_OK) return r;
  if (page->scope == LOG_OF_GROUP && group_of(cmd) != FW_ENDURANCE_GROUP)
    return command_refuse(cmd, COMMAND_FIELD(11u, 16u), FW_INVALID_FIELD);
  if (page->scope == LOG_OF_COMMAND_SET && command_set(cmd) != COMMAND_SET_NVM)
    return command_refuse(cmd, COMMAND_FIELD(14u, 24u), FW_INVALID_FIELD);
  if (command_uuid(cmd) != 0) return command_refuse(cmd, COMMAND_FIELD(14u, 0u), FW_INVALID_FIELD);
  if (cmd->sqe.cdw14 & NVME_LOG_OFFSET_INDEX) return command_refuse(cmd, COMMAND_FIELD(14u, 23u), FW_INVALID_FIELD);
  if (offset_of(cmd) % 4u != 0) return command_refuse(cmd, COMMAND_FIELD(12u, 0u), FW_INVALID_FIELD);
  if (asked_bytes(cmd) > device_buffer_bytes(&fw->dev))
    return command_refuse(cmd, COMMAND_FIELD(10u, 16u), FW_INVALID_FIELD);
  return FW_OK;
}

/* The page from `offset` on at the start of the buffer, then zeroes up to what was asked for: what stands past the end
 * of a page is undefined, an offset past it is an error. */
static fw_result_t build(struct fw *fw, struct command *cmd, const struct log_page *page) {
  uint64_t offset = offset_of(cmd);
  uint32_t asked = (uint32_t)asked_bytes(cmd);
  uint32_t clear = asked > LOG_PAGE_MAX_BYTES ? asked : LOG_PAGE_MAX_BYTES;
  mailbox_buffer_clear(fw, clear);
  uint8_t *out = mailbox_buffer(fw);
  uint32_t bytes = logs_build(fw, page, out);
  if (offset > bytes) return command_refuse(cmd, COMMAND_FIELD(12u, 0u), FW_INVALID_FIELD);
  size_t skipped = (size_t)offset;
  memmove(out, out + skipped, bytes - skipped);
  memset(out + (bytes - skipped), 0, skipped);
  cmd->bytes = asked;
  async_events_page_built(fw);
  return FW_OK;
}

fw_result_t cmd_get_log(struct fw *fw, struct command *cmd) {
  const struct log_page *page = logs_page(page_of(cmd));
  if (page == NULL) return FW_LOG_PAGE;
  if (cmd->step == SURVEY) {
    fw_result_t r = check(fw, cmd, page);
    if (r != FW_OK) return r;
    health_begin(fw);
    cmd->step = BUILD;
  }
  if (cmd->step == BUILD) {
    if (page->health && health_poll(fw) == FW_PENDING) return FW_PENDING;
    fw_result_t r = build(fw, cmd, page);
    if (r != FW_OK) return r;
    cmd->step = SEND;
  }
  fw_result_t r = mailbox_to_host(fw, cmd, cmd->bytes);
  if (r == FW_OK && !(cmd->sqe.cdw10 & NVME_LOG_FLAG_RETAIN_EVENT)) async_events_page_read(fw, page_of(cmd));
  return r;
}
