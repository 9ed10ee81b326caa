// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_NAND_MONITOR_H
#define OPENREMAP_NAND_MONITOR_H

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "axi_rules.h"
#include "nand_model.h"

namespace orm {

/// Watches a NAND port with flash in RTL behind it (NandInDram), and does the same with the NandModel: each command
/// must be one that the model allows, and each answer and word the model's. The flash may take longer than the model,
/// but not less. So the model also holds what the flash holds, for checkers.
///
/// `Pins` only shows: see SeenPins in dram_flash_side.h.
template <class Pins>
class NandMonitor {
 public:
  NandMonitor(uint32_t channel, Pins pins, NandModel &model)
      : pins_(pins),
        model_(model),
        channel_(channel),
        results_(model.geometry().dies_per_channel),
        page_(model.geometry().page_bytes() + model.geometry().page_spare_bytes()) {}

  /// Before the clock edge, on settled signals.
  void sample(uint64_t now_ns) {
    if (pins_.result_taken()) compare_result(now_ns);
    if (pins_.cmd_taken()) accept(now_ns);
    if (pins_.wdata_taken()) take_word(now_ns);
    if (pins_.rdata_taken()) compare_word();
  }

 private:
  void accept(uint64_t now_ns) {
    const NandAddress at{channel_,         pins_.cmd_die(), pins_.cmd_block(),
                         pins_.cmd_page(), pins_.cmd_sub(), pins_.cmd_retry()};
    switch (NandOp(pins_.cmd_op())) {
      case NandOp::kRead:
        model_.start_read(at, now_ns);
        return;
      case NandOp::kProbe:
        model_.start_probe(at, now_ns);
        return;
      case NandOp::kErase:
        model_.start_erase(at, now_ns);
        return;
      case NandOp::kProgram:
        model_.accept_program(at);
        program_die_ = at.die;
        put_ = 0;
        return;
      case NandOp::kTransfer:
        const NandModel::Transfer transfer = model_.transfer(channel_, at.die, at.sub);
        wanted_.assign(transfer.bytes, transfer.bytes + transfer.len);
        got_ = 0;
        return;
    }
    wrong("a command with the unknown operation " + std::to_string(unsigned(pins_.cmd_op())));
  }

  void take_word(uint64_t now_ns) {
    if (put_ == page_.size()) wrong("words behind the last one of a program");
    pins_.wdata(page_.data() + put_);
    put_ += kBeatBytes;
    if (put_ == page_.size()) model_.start_program(channel_, program_die_, page_.data(), now_ns);
  }

  void compare_word() {
    uint8_t word[kBeatBytes];
    pins_.rdata(word);
    if (got_ == wanted_.size()) wrong("words behind the last one of a transfer");
    if (std::memcmp(word, wanted_.data() + got_, kBeatBytes) != 0)
      wrong("another word " + std::to_string(got_ / kBeatBytes) + " of a transfer than the model has");
    got_ += kBeatBytes;
    if (pins_.rdata_last() != (got_ == wanted_.size())) wrong("last is wrong in a transfer");
  }

  void compare_result(uint64_t now_ns) {
    NandResult found{};
    while (model_.has_result(channel_, now_ns) && model_.take_result(channel_, now_ns, &found))
      results_[found.die] = found.status;
    std::optional<NandStatus> &model = results_[pins_.result_die()];
    const auto status = NandStatus(pins_.result_status());
    if (!model) wrong("die " + std::to_string(pins_.result_die()) + " ends sooner than flash does");
    if (status != *model)
      wrong("die " + std::to_string(pins_.result_die()) + " ends with " + std::to_string(unsigned(status)) +
            ", the model with " + std::to_string(unsigned(*model)));
    model.reset();
  }

  [[noreturn]] void wrong(const std::string &what) const {
    throw NandViolation("channel " + std::to_string(channel_) + ", flash in DRAM: " + what);
  }

  Pins pins_;
  NandModel &model_;
  uint32_t channel_;
  uint32_t program_die_ = 0;
  std::vector<std::optional<NandStatus>> results_;  // by die: the model's, which the flash has not given yet
  std::vector<uint8_t> page_;                       // under programming
  size_t put_ = 0;                                  // bytes of it that have come
  std::vector<uint8_t> wanted_;                     // by a transfer
  size_t got_ = 0;
};

}  // namespace orm
#endif  // OPENREMAP_NAND_MONITOR_H
