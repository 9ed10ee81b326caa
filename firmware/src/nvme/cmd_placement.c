/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flexible Data Placement: I/O Management Receive and Send (base specification 2.1, sections 7.3 and 7.4), and the
 * features of FDP (5.1.25.1.20, .21).
 */
#include "core/identity.h"
#include "fw.h"
#include "nvme/placement.h"

#define STATUS_HEADER_BYTES 16u /* of Reclaim Unit Handle Status; its last two bytes count the descriptors */
#define STATUS_COUNT_OFFSET 14u

enum step { CHECK, TRANSFER };

static uint32_t operation(const struct command *cmd) { return cmd->sqe.cdw10 & 0xFFu; }

static void build_status(const struct fw *fw, uint8_t *out) {
  orm_put_le(out + STATUS_COUNT_OFFSET, fw->geometry.handles, 2);
  for (uint32_t h = 0; h < fw->geometry.handles; h++) {
    struct nvme_ruh_status s = {
        .identifier = (uint16_t)h,
        .handle = (uint16_t)h,
        .blocks_left = placement_blocks_left(fw, h),
    };
    nvme_ruh_status_pack(&s, out + STATUS_HEADER_BYTES + h * NVME_RUH_STATUS_BYTES);
  }
}

fw_result_t cmd_io_mgmt_receive(struct fw *fw, struct command *cmd) {
  if (cmd->step == CHECK) {
    if (cmd->sqe.nsid != FW_NSID) return FW_INVALID_NAMESPACE;
    if (operation(cmd) == NVME_IO_MGMT_NONE) return FW_OK;
    if (operation(cmd) != NVME_IO_MGMT_RUH) return command_refuse(cmd, COMMAND_FIELD(10u, 0u), FW_INVALID_FIELD);
    uint64_t asked = ((uint64_t)cmd->sqe.cdw11 + 1u) * 4u;
    uint32_t all = STATUS_HEADER_BYTES + fw->geometry.handles * NVME_RUH_STATUS_BYTES;
    if (asked > device_buffer_bytes(&fw->dev)) return command_refuse(cmd, COMMAND_FIELD(11u, 0u), FW_INVALID_FIELD);
    cmd->bytes = (uint32_t)asked;
    mailbox_buffer_clear(fw, cmd->bytes > all ? cmd->bytes : all);
    build_status(fw, mailbox_buffer(fw));
    cmd->step = TRANSFER;
  }
  return mailbox_to_host(fw, cmd, cmd->bytes);
}

static uint32_t identifiers(const struct command *cmd) { return (cmd->sqe.cdw10 >> 16) + 1u; }

/* All of them are checked before any is updated. */
static fw_result_t update(struct fw *fw, const uint8_t *list, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (orm_get_le(list + 2u * i, 2) >= fw->geometry.handles) return FW_INVALID_FIELD;
  }
  for (uint32_t i = 0; i < n; i++) good_slots_end_filling(fw, (uint32_t)orm_get_le(list + 2u * i, 2));
  return FW_OK;
}

fw_result_t cmd_io_mgmt_send(struct fw *fw, struct command *cmd) {
  if (cmd->step == CHECK) {
    if (cmd->sqe.nsid != FW_NSID) return FW_INVALID_NAMESPACE;
    if (operation(cmd) == NVME_IO_MGMT_NONE) return FW_OK;
    if (operation(cmd) != NVME_IO_MGMT_RUH) return command_refuse(cmd, COMMAND_FIELD(10u, 0u), FW_INVALID_FIELD);
    if (identifiers(cmd) > fw->geometry.handles) return command_refuse(cmd, COMMAND_FIELD(10u, 16u), FW_INVALID_FIELD);
    if (cmd->sqe.prp1 % 4u != 0) return FW_PRP_OFFSET;
    cmd->ranges = mailbox_widen(cmd, identifiers(cmd) * 2u);
    cmd->step = TRANSFER;
  }
  fw_result_t r = mailbox_from_host(fw, cmd, cmd->bytes);
  if (r != FW_OK) return r;
  return update(fw, mailbox_buffer(fw) + cmd->ranges, identifiers(cmd));
}

bool is_placement_feature(uint8_t fid) { return fid == NVME_FEATURE_PLACEMENT || fid == NVME_FEATURE_PLACEMENT_EVENTS; }

static uint8_t feature(const struct command *cmd) { return (uint8_t)(cmd->sqe.cdw10 & 0xFFu); }

/* FDP names an endurance group, its events a placement handle of the namespace. */
static fw_result_t check_scope(const struct fw *fw, struct command *cmd) {
  bool fdp = feature(cmd) == NVME_FEATURE_PLACEMENT;
  bool anyone = cmd->sqe.nsid == 0 || cmd->sqe.nsid == UINT32_MAX;
  uint16_t scope = (uint16_t)(cmd->sqe.cdw11 & 0xFFFFu);
  if (cmd->sqe.nsid != FW_NSID && !(fdp && anyone)) return FW_INVALID_NAMESPACE;
  if (fdp ? scope == FW_ENDURANCE_GROUP : scope < fw->geometry.handles) return FW_OK;
  return command_refuse(cmd, COMMAND_FIELD(11u, 0u), FW_INVALID_FIELD);
}

/* Enabled with configuration 0. Of the events none is supported, so no descriptor is returned. */
fw_result_t get_placement_feature(struct fw *fw, struct command *cmd) {
  uint32_t select = (cmd->sqe.cdw10 >> 8) & 7u;
  fw_result_t r = check_scope(fw, cmd);
  if (r != FW_OK) return r;
  if (select > NVME_FEATURE_SELECT_CAPABILITIES) return command_refuse(cmd, COMMAND_FIELD(10u, 8u), FW_INVALID_FIELD);
  bool fdp = feature(cmd) == NVME_FEATURE_PLACEMENT;
  if (select == NVME_FEATURE_SELECT_CAPABILITIES) /* neither changeable nor saveable */
    cmd->dw0 = fdp ? 0 : NVME_FEATURE_FLAG_NAMESPACED;
  else
    cmd->dw0 = fdp ? NVME_PLACEMENT_ENABLED : 0;
  return FW_OK;
}

/* FDP can be switched only while the endurance group has no namespace, and ours always has its one. */
fw_result_t set_placement_feature(struct fw *fw, struct command *cmd) {
  fw_result_t r = check_scope(fw, cmd);
  if (r != FW_OK) return r;
  if (cmd->sqe.cdw10 & NVME_FEATURE_FLAG_SAVE) return FW_NOT_SAVEABLE;
  if (feature(cmd) == NVME_FEATURE_PLACEMENT) return FW_SEQUENCE;
  uint32_t events = (cmd->sqe.cdw11 >> 16) & 0xFFu;
  return events == 0 ? FW_OK : command_refuse(cmd, COMMAND_FIELD(11u, 16u), FW_INVALID_FIELD); /* no such event */
}
