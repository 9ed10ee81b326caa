// SPDX-License-Identifier: Apache-2.0
#include "mock_controller.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "orm_regs.h"

namespace openremap {
namespace {

constexpr uint64_t kPage = 4096;

constexpr uint16_t Vendor(unsigned code) { return static_cast<uint16_t>(NVME_STATUS(NVME_STATUS_TYPE_VENDOR, code)); }

std::map<std::string, std::map<uint64_t, std::shared_ptr<MockController::Page>>> images;

void PadCopy(uint8_t *out, size_t size, const char *text) {
  std::memset(out, ' ', size);
  std::memcpy(out, text, std::min(size, std::strlen(text)));
}

uint64_t Slba(const nvme_submission_entry &c) { return static_cast<uint64_t>(c.cdw11) << 32 | c.cdw10; }

}  // namespace

MockConfig MockController::config;
MockController *MockController::instance = nullptr;

const pcie_function_ops MockController::kOps = {
    [](pcie_function *fn, uint64_t offset, unsigned size, uint64_t *value) {
      return FromFunction(fn)->Bar0Read(offset, size, value);
    },
    [](pcie_function *fn, uint64_t offset, unsigned size, uint64_t value) {
      return FromFunction(fn)->Bar0Write(offset, size, value);
    },
    [](pcie_function *fn, uint64_t max_ns) { return FromFunction(fn)->Run(max_ns); },
    [](pcie_function *fn) { return FromFunction(fn)->now_ns_; },
    [](pcie_function *fn) {
      FromFunction(fn)->Reset();
      return 0;
    },
    [](pcie_function *fn) {
      FromFunction(fn)->PowerCut();
      return 0;
    },
    [](pcie_function *fn) {
      FromFunction(fn)->powered_ = true;
      return 0;
    },
    [](pcie_function *, char *buf, size_t len) { return std::snprintf(buf, len, "\"sim_cycles\": 0"); },
    [](pcie_function *fn) {
      MockController *mock = FromFunction(fn);
      if (!mock->image_.empty()) images[mock->image_] = mock->durable_pages;
      if (instance == mock) instance = nullptr;
      delete mock;
    },
};

MockController *MockController::FromFunction(pcie_function *function) {
  return reinterpret_cast<Function *>(function)->owner;
}

MockController::MockController(const pcie_device_options *options, const pcie_host *host)
    : faults(config),
      function_{{&kOps}, this},
      host_(host),
      image_(options->image_dir != nullptr ? options->image_dir : "") {
  if (!image_.empty()) pages = durable_pages = images[image_];
}

pcie_function *MockController::Create(const pcie_device_options *options, const pcie_host *host, char *error,
                                      size_t error_len) {
  if (config.create_fails) {
    std::snprintf(error, error_len, "the mock was told not to start");
    return nullptr;
  }
  instance = new MockController(options, host);
  return &instance->function_.base;
}

void MockController::ForgetImages() { images.clear(); }

// ---- Registers ------------------------------------------------------------------------------------------------------

int MockController::Bar0Read(uint64_t offset, unsigned size, uint64_t *value) {
  if (!powered_) return -ENODEV;
  if (size != 4 || offset % 4 != 0) {
    Violation("register read that is not an aligned dword");
    return -EINVAL;
  }
  // MQES, CQR, TO 30 s; CSS: NVM command set.
  const uint64_t cap = (faults.max_entries - 1) | 1ull << 16 | 60ull << 24 | 1ull << 37;
  switch (offset) {
    case ORM_BAR0_CAP_LO:
      *value = cap & 0xFFFFFFFF;
      return 0;
    case ORM_BAR0_CAP_HI:
      *value = cap >> 32;
      return 0;
    case ORM_BAR0_VS:
      *value = 0x00010400;
      return 0;
    case ORM_BAR0_CC:
      *value = cc_;
      return 0;
    case ORM_BAR0_CSTS:
      *value = csts_;
      return 0;
    default:
      *value = 0;
      return 0;
  }
}

int MockController::Bar0Write(uint64_t offset, unsigned size, uint64_t value) {
  if (!powered_) return -ENODEV;
  if (size != 4 || offset % 4 != 0) {
    Violation("register write that is not an aligned dword");
    return -EINVAL;
  }
  const auto word = static_cast<uint32_t>(value);
  auto low = [word](uint64_t *reg) { *reg = (*reg & ~0xFFFFFFFFull) | word; };
  auto high = [word](uint64_t *reg) { *reg = (*reg & 0xFFFFFFFFull) | static_cast<uint64_t>(word) << 32; };
  switch (offset) {
    case ORM_BAR0_CC:
      WriteConfiguration(word);
      return 0;
    case ORM_BAR0_AQA:
      aqa_ = word;
      return 0;
    case ORM_BAR0_ASQ_LO:
      low(&asq_);
      return 0;
    case ORM_BAR0_ASQ_HI:
      high(&asq_);
      return 0;
    case ORM_BAR0_ACQ_LO:
      low(&acq_);
      return 0;
    case ORM_BAR0_ACQ_HI:
      high(&acq_);
      return 0;
    default:
      break;
  }
  if (offset >= ORM_BAR0_DOORBELL(0)) {
    WriteDoorbell(offset - ORM_BAR0_DOORBELL(0), word);
  } else {
    Violation("write to a register that is not writable");
  }
  return 0;
}

void MockController::WriteConfiguration(uint32_t value) {
  const bool was_enabled = (cc_ & ORM_BAR0_CC_EN_MASK) != 0;
  const bool enabled = (value & ORM_BAR0_CC_EN_MASK) != 0;
  cc_ = value;
  if (was_enabled && !enabled) {
    Reset();
  } else if (!was_enabled && enabled) {
    if ((value >> 16 & 0xFF) != 0x46) Violation("CC.IOCQES/IOSQES are not 4 and 6");
    ready_at_ns_ = now_ns_ + faults.ready_ns;
  }
  if (enabled && ORM_GET(value, ORM_BAR0_CC_SHN) == NVME_SHUTDOWN_NORMAL) {
    durable_pages = pages;
    shut_down = true;
    csts_ = (csts_ & ~ORM_BAR0_CSTS_SHST_MASK) | ORM_PUT(ORM_BAR0_CSTS_SHST, NVME_SHUTDOWN_COMPLETE);
  }
}

void MockController::WriteDoorbell(uint64_t offset, uint32_t value) {
  doorbell_writes++;
  const auto qid = static_cast<uint16_t>(offset / 8);
  const bool completion = offset % 8 != 0;
  auto &queues = completion ? cqs_ : sqs_;
  auto found = queues.find(qid);
  if (found == queues.end() || value >= found->second.entries) {
    Violation("doorbell of a queue that does not exist, or out of the ring");
    return;
  }
  (completion ? found->second.head : found->second.tail) = value;
}

void MockController::Reset() {
  cc_ = csts_ = 0;
  sqs_.clear();
  cqs_.clear();
  running_.clear();
}

void MockController::PowerCut() {
  Reset();
  aqa_ = 0;
  asq_ = acq_ = 0;
  pages = durable_pages;
  powered_ = false;
}

// ---- Time ----------------------------------------------------------------------------------------------------------

int64_t MockController::Run(uint64_t max_ns) {
  if (!powered_) return 0;
  const uint64_t start = now_ns_;
  if ((csts_ & ORM_BAR0_CSTS_CFS_MASK) != 0) return 0;
  if ((cc_ & ORM_BAR0_CC_EN_MASK) != 0 && (csts_ & ORM_BAR0_CSTS_RDY_MASK) == 0) {
    if (faults.never_ready) {
      now_ns_ += max_ns;
    } else if (ready_at_ns_ - start > max_ns) {
      now_ns_ += max_ns;
    } else {
      now_ns_ = std::max(now_ns_, ready_at_ns_);
      csts_ |= ORM_BAR0_CSTS_RDY_MASK;
      sqs_[0] = {true, asq_, (aqa_ & 0xFFF) + 1, 0, 0, 1, 0};
      cqs_[0] = {true, acq_, (aqa_ >> 16 & 0xFFF) + 1, 0, 0, 1, 0};
    }
    return static_cast<int64_t>(now_ns_ - start);
  }
  Fetch();
  if (running_.empty()) return 0;
  const uint64_t due = std::min_element(running_.begin(), running_.end(), [](const Running &a, const Running &b) {
                         return a.due_ns < b.due_ns;
                       })->due_ns;
  if (due > start + max_ns) {
    now_ns_ = start + max_ns;
  } else {
    now_ns_ = std::max(now_ns_, due);
    CompleteDue();
  }
  return static_cast<int64_t>(now_ns_ - start);
}

void MockController::Fetch() {
  for (auto &[qid, sq] : sqs_) {
    while (sq.head != sq.tail) {
      uint8_t entry[NVME_SUBMISSION_ENTRY_BYTES];
      if (host_->dma_read(host_->ctx, sq.base + sq.head * sizeof(entry), entry, sizeof(entry)) != 0) {
        csts_ |= ORM_BAR0_CSTS_CFS_MASK;
        return;
      }
      nvme_submission_entry command;
      nvme_submission_entry_unpack(&command, entry);
      sq.head = (sq.head + 1) % sq.entries;
      for (const Running &other : running_) {
        if (other.sqid == qid && other.command.cid == command.cid) Violation("command identifier used twice");
      }
      const uint64_t due = qid != 0 && command.opcode == faults.hang_opcode ? UINT64_MAX : now_ns_ + faults.command_ns;
      running_.push_back({command, qid, due});
      most_in_flight = std::max(most_in_flight, static_cast<uint32_t>(running_.size()));
    }
  }
  running_.erase(
      std::remove_if(running_.begin(), running_.end(), [](const Running &r) { return r.due_ns == UINT64_MAX; }),
      running_.end());
}

// Executes and completes every command that is due. Returns whether there was one.
bool MockController::CompleteDue() {
  std::vector<Running> due;
  for (auto it = running_.begin(); it != running_.end();) {
    if (it->due_ns <= now_ns_) {
      due.push_back(*it);
      it = running_.erase(it);
    } else {
      ++it;
    }
  }
  if (faults.reverse_order) std::reverse(due.begin(), due.end());
  for (const Running &running : due) {
    if (running.sqid != 0 && running.command.opcode == faults.fatal_opcode) {
      csts_ |= ORM_BAR0_CSTS_CFS_MASK;
      return false;
    }
    Post(running, Execute(running));
  }
  return !due.empty();
}

void MockController::Post(const Running &running, Result result) {
  const Queue &sq = sqs_.at(running.sqid);
  Queue &cq = cqs_.at(sq.partner);
  if ((cq.tail + 1) % cq.entries == cq.head) Violation("completion queue overrun");
  nvme_completion_entry cqe{};
  cqe.dw0 = result.dw0;
  cqe.sqhd = static_cast<uint16_t>(sq.head);
  cqe.sqid = running.sqid;
  cqe.cid = running.command.cid;
  if (running.sqid != 0 && running.command.opcode == faults.wrong_cid_opcode) cqe.cid = 0x7FFF;
  cqe.status = static_cast<uint16_t>(result.status << 1 | cq.phase);
  uint8_t entry[NVME_COMPLETION_ENTRY_BYTES];
  nvme_completion_entry_pack(&cqe, entry);
  if (host_->dma_write(host_->ctx, cq.base + cq.tail * sizeof(entry), entry, sizeof(entry)) != 0) {
    csts_ |= ORM_BAR0_CSTS_CFS_MASK;
    return;
  }
  if (++cq.tail == cq.entries) {
    cq.tail = 0;
    cq.phase ^= 1;
  }
  host_->msix(host_->ctx, cq.partner);
}

// ---- Data
// ------------------------------------------------------------------------------------------------------------

bool MockController::Segments(const nvme_submission_entry &command, uint64_t bytes,
                              std::vector<std::pair<uint64_t, uint64_t>> *out, uint16_t *status) {
  *status = NVME_STATUS_INVALID_PRP_OFFSET;
  if (command.prp1 % 4 != 0) return false;
  const uint64_t first = std::min(bytes, kPage - command.prp1 % kPage);
  out->emplace_back(command.prp1, first);
  uint64_t left = bytes - first;
  if (left == 0) return true;
  if (left <= kPage) {
    if (command.prp2 % kPage != 0) return false;
    out->emplace_back(command.prp2, left);
    return true;
  }
  if (command.prp2 % 8 != 0) return false;
  uint64_t list = command.prp2;
  while (left != 0) {
    uint64_t entry = 0;
    if (host_->dma_read(host_->ctx, list, &entry, sizeof(entry)) != 0) {
      *status = NVME_STATUS_DATA_TRANSFER_ERROR;
      return false;
    }
    if (list % kPage == kPage - 8 && left > kPage) {  // the last entry of a full list page names the next one
      list = entry;
      continue;
    }
    if (entry % kPage != 0) return false;
    const uint64_t piece = std::min(left, kPage);
    out->emplace_back(entry, piece);
    left -= piece;
    list += 8;
  }
  return true;
}

uint16_t MockController::FromHost(const nvme_submission_entry &command, void *data, uint64_t bytes) {
  std::vector<std::pair<uint64_t, uint64_t>> segments;
  uint16_t status = 0;
  if (!Segments(command, bytes, &segments, &status)) return status;
  auto *out = static_cast<uint8_t *>(data);
  for (const auto &[address, length] : segments) {
    if (host_->dma_read(host_->ctx, address, out, length) != 0) return NVME_STATUS_DATA_TRANSFER_ERROR;
    out += length;
  }
  return 0;
}

uint16_t MockController::ToHost(const nvme_submission_entry &command, const void *data, uint64_t bytes) {
  std::vector<std::pair<uint64_t, uint64_t>> segments;
  uint16_t status = 0;
  if (!Segments(command, bytes, &segments, &status)) return status;
  const auto *in = static_cast<const uint8_t *>(data);
  for (const auto &[address, length] : segments) {
    if (host_->dma_write(host_->ctx, address, in, length) != 0) return NVME_STATUS_DATA_TRANSFER_ERROR;
    in += length;
  }
  return 0;
}

// ---- Commands
// --------------------------------------------------------------------------------------------------------

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
    default:
      return {NVME_STATUS_INVALID_OPCODE, 0};
  }
}

MockController::Result MockController::Identify(const nvme_submission_entry &command) {
  if ((command.cdw10 & 0xFF) == NVME_CNS_CONTROLLER) {
    nvme_identify_controller id{};
    PadCopy(id.sn, sizeof(id.sn), "MOCK0001");
    PadCopy(id.mn, sizeof(id.mn), "OpenRemap mock");
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
    uint8_t page[NVME_IDENTIFY_CONTROLLER_BYTES];
    nvme_identify_controller_pack(&id, page);
    return {ToHost(command, page, sizeof(page)), 0};
  }
  if ((command.cdw10 & 0xFF) == NVME_CNS_NAMESPACE && command.nsid == 1) {
    nvme_identify_namespace ns{};
    ns.nsze = ns.ncap = faults.pages;
    ns.nuse = pages.size();
    ns.lbaf0 = static_cast<uint32_t>(faults.lbads) << 16;
    ns.dlfeat = 0x9;
    ns.mssrl = 64;
    ns.mcl = 64;
    uint8_t page[NVME_IDENTIFY_NAMESPACE_BYTES];
    nvme_identify_namespace_pack(&ns, page);
    return {ToHost(command, page, sizeof(page)), 0};
  }
  return {NVME_STATUS_INVALID_FIELD, 0};
}

MockController::Result MockController::GetLog(const nvme_submission_entry &command) {
  const uint64_t bytes = ((command.cdw10 >> 16 | (command.cdw11 & 0xFFFFull) << 16) + 1) * 4;
  const uint64_t offset = static_cast<uint64_t>(command.cdw13) << 32 | command.cdw12;
  std::vector<uint8_t> page(512, 0);
  if ((command.cdw10 & 0xFF) == ORM_VENDOR_LOG_PAGES_REMAP_LOG) {
    counters_.version = 1;
    counters_.sharer_limit = faults.sharer_limit;
    counters_.device_ns = now_ns_;
    orm_remap_log_pack(&counters_, page.data());
  } else if ((command.cdw10 & 0xFF) != NVME_LOG_PAGE_SMART &&
             (command.cdw10 & 0xFF) != NVME_LOG_PAGE_ERROR_INFORMATION) {
    return {NVME_STATUS_LOG_PAGE_INVALID, 0};
  }
  page.resize(std::max<uint64_t>(512, offset + bytes), 0);
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

MockController::Result MockController::ExecuteIo(const nvme_submission_entry &command) {
  if (command.nsid != 1) return {NVME_STATUS_INVALID_NAMESPACE, 0};
  switch (command.opcode) {
    case NVME_IO_OPCODE_FLUSH:
      durable_pages = pages;
      return {0, 0};
    case NVME_IO_OPCODE_WRITE:
      return Transfer(command, true);
    case NVME_IO_OPCODE_READ:
      return Transfer(command, false);
    case NVME_IO_OPCODE_WRITE_ZEROES:
      return WriteZeroes(command);
    case NVME_IO_OPCODE_DATASET_MANAGEMENT:
      return Deallocate(command);
    case NVME_IO_OPCODE_COPY:
      return Copy(command);
    case ORM_VENDOR_OPCODES_REMAP_VECTOR:
      return RemapVector(command);
    case ORM_VENDOR_OPCODES_REMAP: {
      orm_remap_range range{};
      range.src = Slba(command);
      range.dst = static_cast<uint64_t>(command.cdw13) << 32 | command.cdw12;
      range.nlb = command.cdw14;
      return Remap({range}, (command.cdw15 & ORM_VENDOR_FLAGS_MOVE) != 0);
    }
    default:
      return {NVME_STATUS_INVALID_OPCODE, 0};
  }
}

MockController::Result MockController::Transfer(const nvme_submission_entry &command, bool write) {
  const uint64_t nlb = (command.cdw12 & 0xFFFF) + 1;
  const uint64_t slba = Slba(command);
  if (nlb * kPage > kPage << faults.mdts) return {NVME_STATUS_INVALID_FIELD, 0};
  if (!InRange(slba, nlb)) return {NVME_STATUS_LBA_OUT_OF_RANGE, 0};
  std::vector<uint8_t> data(nlb * kPage);
  if (!write) {
    for (uint64_t i = 0; i < nlb; i++) {
      const auto found = pages.find(slba + i);
      if (found != pages.end()) std::memcpy(&data[i * kPage], found->second->data(), kPage);
    }
    counters_.host_read_pages += nlb;
    return {ToHost(command, data.data(), data.size()), 0};
  }
  const uint16_t status = FromHost(command, data.data(), data.size());
  if (status != 0) return {status, 0};
  for (uint64_t i = 0; i < nlb; i++) {
    auto page = std::make_shared<Page>();
    std::memcpy(page->data(), &data[i * kPage], kPage);
    pages[slba + i] = page;
    if ((command.cdw12 & NVME_RW_FUA) != 0) durable_pages[slba + i] = page;
  }
  counters_.host_write_pages += nlb;
  counters_.nand_program_host += nlb;
  return {0, 0};
}

MockController::Result MockController::WriteZeroes(const nvme_submission_entry &command) {
  const uint64_t nlb = (command.cdw12 & 0xFFFF) + 1;
  if (!InRange(Slba(command), nlb)) return {NVME_STATUS_LBA_OUT_OF_RANGE, 0};
  for (uint64_t i = 0; i < nlb; i++) pages.erase(Slba(command) + i);
  return {0, 0};
}

MockController::Result MockController::Deallocate(const nvme_submission_entry &command) {
  std::vector<nvme_dsm_range> ranges((command.cdw10 & 0xFF) + 1);
  std::vector<uint8_t> wire(ranges.size() * NVME_DSM_RANGE_BYTES);
  const uint16_t status = FromHost(command, wire.data(), wire.size());
  for (size_t i = 0; i < ranges.size(); i++) nvme_dsm_range_unpack(&ranges[i], &wire[i * NVME_DSM_RANGE_BYTES]);
  if (status != 0) return {status, 0};
  if ((command.cdw11 & NVME_DSM_DEALLOCATE) == 0) return {0, 0};
  for (const nvme_dsm_range &range : ranges) {
    if (!InRange(range.slba, range.nlb)) return {NVME_STATUS_LBA_OUT_OF_RANGE, 0};
  }
  for (const nvme_dsm_range &range : ranges) {
    for (uint64_t i = 0; i < range.nlb; i++) {
      pages.erase(range.slba + i);
      durable_pages.erase(range.slba + i);
    }
    counters_.host_trim_pages += range.nlb;
  }
  return {0, 0};
}

MockController::Result MockController::Copy(const nvme_submission_entry &command) {
  std::vector<nvme_copy_range> ranges((command.cdw12 & 0xFF) + 1);
  std::vector<uint8_t> wire(ranges.size() * NVME_COPY_RANGE_BYTES);
  const uint16_t status = FromHost(command, wire.data(), wire.size());
  for (size_t i = 0; i < ranges.size(); i++) nvme_copy_range_unpack(&ranges[i], &wire[i * NVME_COPY_RANGE_BYTES]);
  if (status != 0) return {status, 0};
  uint64_t target = Slba(command);
  for (const nvme_copy_range &range : ranges) {
    const uint64_t nlb = range.nlb + 1ull;
    if (nlb > 64) return {NVME_STATUS_COPY_SIZE_LIMIT, 0};
    if (!InRange(range.slba, nlb) || !InRange(target, nlb)) return {NVME_STATUS_LBA_OUT_OF_RANGE, 0};
    for (uint64_t i = 0; i < nlb; i++, target++) {
      const auto found = pages.find(range.slba + i);
      if (found == pages.end()) {
        pages.erase(target);
        durable_pages.erase(target);
      } else {
        pages[target] = durable_pages[target] = found->second;
      }
    }
  }
  return {0, 0};
}

MockController::Result MockController::RemapVector(const nvme_submission_entry &command) {
  if (command.cdw10 > ORM_REMAP_RANGES_MAX) return {NVME_STATUS_INVALID_FIELD, 0};
  std::vector<orm_remap_range> ranges(command.cdw10);
  if (ranges.empty()) return {Vendor(ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH), 0};
  std::vector<uint8_t> wire(ranges.size() * ORM_REMAP_RANGE_BYTES);
  const uint16_t status = FromHost(command, wire.data(), wire.size());
  for (size_t i = 0; i < ranges.size(); i++) orm_remap_range_unpack(&ranges[i], &wire[i * ORM_REMAP_RANGE_BYTES]);
  return status != 0 ? Result{status, 0} : Remap(ranges, (command.cdw15 & ORM_VENDOR_FLAGS_MOVE) != 0);
}

MockController::Result MockController::Remap(const std::vector<orm_remap_range> &ranges, bool move) {
  std::map<uint64_t, std::shared_ptr<Page>> targets;
  for (const orm_remap_range &range : ranges) {
    if (range.nlb == 0) return {Vendor(ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH), 0};
    if (!InRange(range.src, range.nlb) || !InRange(range.dst, range.nlb)) return {NVME_STATUS_LBA_OUT_OF_RANGE, 0};
    for (uint64_t i = 0; i < range.nlb; i++) {
      if (!targets.emplace(range.dst + i, nullptr).second) return {Vendor(ORM_VENDOR_STATUS_REMAP_OVERLAP), 0};
    }
  }
  for (const orm_remap_range &range : ranges) {
    for (uint64_t i = 0; i < range.nlb; i++) {
      if (targets.count(range.src + i) != 0) return {Vendor(ORM_VENDOR_STATUS_REMAP_OVERLAP), 0};
      const auto found = pages.find(range.src + i);
      if (found == pages.end()) return {Vendor(ORM_VENDOR_STATUS_REMAP_UNMAPPED), 0};
      // One reference is this map's, one may be the durable map's per LPN: count names, not references.
      const auto sharers =
          std::count_if(pages.begin(), pages.end(), [&](const auto &entry) { return entry.second == found->second; });
      if (static_cast<uint32_t>(sharers) >= faults.sharer_limit)
        return {Vendor(ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT), 0};
      targets[range.dst + i] = found->second;
    }
  }
  for (const auto &[lpn, page] : targets) pages[lpn] = durable_pages[lpn] = page;
  for (const orm_remap_range &range : ranges) {
    for (uint64_t i = 0; move && i < range.nlb; i++) {
      pages.erase(range.src + i);
      durable_pages.erase(range.src + i);
    }
    counters_.remap_pages += range.nlb;
  }
  counters_.remap_commands++;
  return {0, 0};
}

}  // namespace openremap
