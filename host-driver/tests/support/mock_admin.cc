// SPDX-License-Identifier: Apache-2.0
//
// MockController: admin commands.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "mock_controller.h"

namespace openremap {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint16_t kEnduranceGroup = 3;

void PadCopy(uint8_t *out, size_t size, const char *text) {
  std::memset(out, ' ', size);
  std::memcpy(out, text, std::min(size, std::strlen(text)));
}

}  // namespace

MockController::Result MockController::Execute(const Running &running) {
  if (running.sqid == 0) return ExecuteAdmin(running.command);
  log.push_back(running.command);
  const auto forced = faults.status_of_opcode.find(running.command.opcode);
  if (forced != faults.status_of_opcode.end()) return {forced->second, 0};
  if (faults.fail_after_commands == 0) return {NVME_STATUS_INTERNAL_ERROR, 0};
  if (faults.fail_after_commands > 0) faults.fail_after_commands--;
  return ExecuteIo(running.command);
}

MockController::Result MockController::ExecuteAdmin(const nvme_submission_entry &command) {
  admin_log.push_back(command);
  switch (command.opcode) {
    case NVME_ADMIN_OPCODE_IDENTIFY:
      return Identify(command);
    case NVME_ADMIN_OPCODE_GET_LOG_PAGE:
      return GetLog(command);
    case NVME_ADMIN_OPCODE_CREATE_IO_CQ:
      return CreateQueue(command, true);
    case NVME_ADMIN_OPCODE_CREATE_IO_SQ:
      return CreateQueue(command, false);
    case NVME_ADMIN_OPCODE_SET_FEATURES:
      if ((command.cdw10 & 0xFF) != NVME_FEATURE_NUMBER_OF_QUEUES) return {NVME_STATUS_INVALID_FIELD, 0};
      return {0, static_cast<uint32_t>((faults.io_queues_granted - 1) | (faults.io_queues_granted - 1) << 16)};
    case NVME_ADMIN_OPCODE_FORMAT_NVM:
      formats.push_back(command.cdw10);
      if (faults.format_status == 0) pages.clear();
      if (faults.format_status == 0) durable_pages.clear();
      return {faults.format_status, 0};
    default:
      return {NVME_STATUS_INVALID_OPCODE, 0};
  }
}

MockController::Result MockController::Identify(const nvme_submission_entry &command) {
  if ((command.cdw10 & 0xFF) == NVME_CNS_CONTROLLER) {
    nvme_identify_controller id{};
    PadCopy(id.sn, sizeof(id.sn), "MOCK0001");
    PadCopy(id.mn, sizeof(id.mn), faults.model.c_str());
    id.vid = faults.vid;
    id.lpa = faults.has_effects_log ? NVME_LPA_EFFECTS_LOG : 0;
    std::memcpy(id.subnqn, "nqn.mock", sizeof("nqn.mock"));
    uint8_t revision[8];
    PadCopy(revision, sizeof(revision), "1.0");
    id.fr = orm_get_le(revision, sizeof(revision));
    id.mdts = faults.mdts;
    id.ver = 0x00010400;
    id.sqes = 0x66;
    id.cqes = 0x44;
    id.nn = 1;
    id.oncs = NVME_ONCS_DSM | NVME_ONCS_WRITE_ZEROES | NVME_ONCS_COPY;
    id.vwc = 1;
    id.board = faults.board;
    uint8_t page[NVME_IDENTIFY_CONTROLLER_BYTES];
    nvme_identify_controller_pack(&id, page);
    return {ToHost(command, page, sizeof(page)), 0};
  }
  if ((command.cdw10 & 0xFF) == NVME_CNS_NAMESPACE && command.nsid == 1) {
    nvme_identify_namespace ns{};
    ns.nsze = ns.ncap = faults.pages;
    ns.nuse = pages.size();
    ns.eui64 = 0x0706050403020102;  // the first byte is the most significant one
    ns.nguid[0] = 0xA0;
    ns.nguid[15] = 0xAF;
    ns.nsfeat = faults.npwg != 0 ? NVME_NSFEAT_OPTIMAL_SIZES : 0;
    ns.npwg = faults.npwg;
    ns.lbaf0 = static_cast<uint32_t>(faults.lbads) << 16;
    ns.flbas = faults.flbas;
    if (!faults.block_formats.empty()) ns.nlbaf = static_cast<uint8_t>(faults.block_formats.size() - 1);
    ns.dlfeat = 0x9;
    ns.endgid = kEnduranceGroup;
    ns.mssrl = 64;
    ns.mcl = 64;
    uint8_t page[NVME_IDENTIFY_NAMESPACE_BYTES];
    nvme_identify_namespace_pack(&ns, page);
    for (size_t i = 0; i < faults.block_formats.size(); i++) orm_put_le(page + 128 + 4 * i, faults.block_formats[i], 4);
    return {ToHost(command, page, sizeof(page)), 0};
  }
  return {NVME_STATUS_INVALID_FIELD, 0};
}

MockController::Result MockController::GetLog(const nvme_submission_entry &command) {
  const uint64_t bytes = ((command.cdw10 >> 16 | (command.cdw11 & 0xFFFFull) << 16) + 1) * 4;
  const uint64_t offset = static_cast<uint64_t>(command.cdw13) << 32 | command.cdw12;
  std::vector<uint8_t> page(4096, 0);
  const auto forced = faults.log_status.find(static_cast<uint8_t>(command.cdw10));
  if (forced != faults.log_status.end()) return {forced->second, 0};
  if ((command.cdw10 & 0xFF) == NVME_LOG_PAGE_COMMANDS_SUPPORTED) {
    for (const uint8_t opcode : {ORM_VENDOR_OPCODES_REMAP, ORM_VENDOR_OPCODES_REMAP_VECTOR}) {
      if (faults.unlisted.count(opcode) == 0) page[1024 + 4 * opcode] = NVME_EFFECT_SUPPORTED;
    }
  } else if ((command.cdw10 & 0xFF) == ORM_VENDOR_LOG_PAGES_REMAP_LOG) {
    counters_.version = faults.remap_log_version;
    counters_.sharer_limit = faults.sharer_limit;
    counters_.device_ns = now_ns_;
    orm_remap_log_pack(&counters_, page.data());
  } else if ((command.cdw10 & 0xFF) == ORM_VENDOR_LOG_PAGES_CRASH_LOG) {
    if (faults.crash.count != 0) orm_crash_log_seal(&faults.crash, page.data());
  } else if ((command.cdw10 & 0xFF) == NVME_LOG_PAGE_ENDURANCE_GROUP) {
    if (command.cdw11 >> 16 != kEnduranceGroup) return {NVME_STATUS_INVALID_FIELD, 0};
    page[3] = 100;  // available spare
  } else if ((command.cdw10 & 0xFF) == NVME_LOG_PAGE_PLACEMENT_CONFIGURATIONS) {
    if (command.cdw11 >> 16 != kEnduranceGroup) return {NVME_STATUS_INVALID_FIELD, 0};
    nvme_placement_configurations configurations{};
    configurations.unit_bytes = kUnitPages * kPage;
    nvme_placement_configurations_pack(&configurations, page.data());
  } else if ((command.cdw10 & 0xFF) != NVME_LOG_PAGE_SMART &&
             (command.cdw10 & 0xFF) != NVME_LOG_PAGE_ERROR_INFORMATION) {
    return {NVME_STATUS_LOG_PAGE_INVALID, 0};
  }
  page.resize(std::max<uint64_t>(page.size(), offset + bytes), 0);
  return {ToHost(command, page.data() + offset, bytes), 0};
}

MockController::Result MockController::CreateQueue(const nvme_submission_entry &command, bool completion) {
  const auto qid = static_cast<uint16_t>(command.cdw10);
  const uint32_t entries = (command.cdw10 >> 16) + 1;
  auto &queues = completion ? cqs_ : sqs_;
  if (qid == 0 || qid > faults.io_queues_granted || queues.count(qid) != 0) return {NVME_STATUS_QID_INVALID, 0};
  if (entries < 2 || entries > faults.max_entries) return {NVME_STATUS_QUEUE_SIZE_INVALID, 0};
  if ((command.cdw11 & 1) == 0 || command.prp1 % kPage != 0) return {NVME_STATUS_INVALID_FIELD, 0};
  const auto partner = static_cast<uint16_t>(command.cdw11 >> 16);
  if (completion && (command.cdw11 & 2) == 0) Violation("completion queue without interrupts");
  if (!completion && cqs_.count(partner) == 0) return {NVME_STATUS_CQ_INVALID, 0};
  queues[qid] = {true, command.prp1, entries, 0, 0, 1, partner};
  return {0, 0};
}

}  // namespace openremap
