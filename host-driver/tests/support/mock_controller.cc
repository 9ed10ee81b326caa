// SPDX-License-Identifier: Apache-2.0
//
// MockController: life cycle, registers, queues and time. mock_admin.cc and mock_io.cc have the commands, mock_data.cc
// the host memory.
#include "mock_controller.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "orm_regs.h"

namespace openremap {
namespace {

std::map<std::string, std::map<uint64_t, std::shared_ptr<MockController::Page>>> images;

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
    nullptr,
    nullptr,
    nullptr,
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
  if (options->superblocks > kMostSuperblocks) {
    std::snprintf(error, error_len, "superblocks: %u is not from 1 to %u", options->superblocks, kMostSuperblocks);
    errno = EINVAL;
    return nullptr;
  }
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
  if (late_ != 0) {
    --late_;
    host_->msix(host_->ctx, 1);
    return 0;
  }
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
      if (qid != 0) late_ += faults.late_interrupts;
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

}  // namespace openremap
