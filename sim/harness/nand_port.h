// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_NAND_PORT_H
#define OPENREMAP_NAND_PORT_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "axi_rules.h"
#include "bus_stalls.h"
#include "nand_model.h"
#include "rtl_core.h"

namespace orm {

/// Flash side of one channel's NAND port (NandPort in hw/src/nand/NandPort.scala): commands and data of the controller
/// become operations of the NandModel. A word moves each cycle (but for `stalls`); while one does, no command is taken
/// (the bus of the channel is busy).
///
/// Each cycle is `sample` before the clock edge, on settled signals, then `drive` after it.
template <class Pins>
class NandPort {
 public:
  NandPort(uint32_t channel, Pins pins, NandModel &model, const BusStalls &stalls = BusStalls())
      : pins_(pins),
        model_(model),
        stalls_(stalls),
        channel_(channel),
        buffer_(model.geometry().page_bytes() + model.geometry().page_spare_bytes()) {}

  void reset() {
    pins_.set_cmd_ready(true);
    pins_.set_wdata_ready(false);
    pins_.drive_rdata(false, buffer_.data(), false);
    pins_.drive_result(false, 0, 0, false);
  }

  void sample(uint64_t now_ns) {
    const uint64_t cycle = now_ns / kPeriodNs;
    const bool word_valid = word_valid_;  // as the controller sees it in this cycle
    if (pins_.cmd_valid()) {
      const Command command{
          pins_.cmd_op(),
          {channel_, pins_.cmd_die(), pins_.cmd_block(), pins_.cmd_page(), pins_.cmd_sub(), pins_.cmd_retry()}};
      cmd_checker_.present(command, cmd_ready_);
      if (cmd_ready_) accept(command, now_ns);
    } else {
      cmd_checker_.absent();
    }
    if (wdata_ready_ && pins_.wdata_valid()) take_word(now_ns);
    if (word_valid && pins_.rdata_ready()) give_word();
    if (phase_ == Phase::kRead && !word_valid_ && !stalls_.holds(BusStalls::kReadData, cycle)) {
      word_valid_ = true;
      dirty_ = true;
    }
    if (result_valid_ && pins_.result_ready()) {
      result_valid_ = false;
      dirty_ = true;
    }
    if (!result_valid_ && model_.has_result(channel_, now_ns) && !stalls_.holds(BusStalls::kAnswer, cycle)) {
      result_valid_ = model_.take_result(channel_, now_ns, &result_);
      dirty_ = true;
    }
    if (stalls_.on()) {
      cmd_held_ = stalls_.holds(BusStalls::kAddress, cycle);
      wdata_held_ = stalls_.holds(BusStalls::kWriteData, cycle);
      dirty_ = true;
    }
  }

  void drive() {
    if (!dirty_) return;
    dirty_ = false;
    cmd_ready_ = phase_ == Phase::kCommand && !cmd_held_;
    wdata_ready_ = phase_ == Phase::kWrite && !wdata_held_;
    pins_.set_cmd_ready(cmd_ready_);
    pins_.set_wdata_ready(wdata_ready_);
    pins_.drive_rdata(word_valid_, buffer_.data() + (word_valid_ ? word_ * kBeatBytes : 0),
                      word_valid_ && word_ + 1 == words_);
    pins_.drive_result(result_valid_, result_.die, unsigned(result_.status), result_.weak);
  }

  /// No data phase under way, no result to show. (An array operation may be under way: NandModel::next_end_ns.)
  bool idle(uint64_t now_ns) const {
    return phase_ == Phase::kCommand && !result_valid_ && !model_.has_result(channel_, now_ns);
  }
  bool silent() const { return !pins_.cmd_valid() && !pins_.wdata_valid(); }

 private:
  enum class Phase : uint8_t { kCommand, kWrite, kRead };

  struct Command {
    unsigned op;
    NandAddress at;  // sub: of a transfer, too
    bool operator==(const Command &o) const {
      return op == o.op && at.die == o.at.die && at.block == o.at.block && at.page == o.at.page && at.sub == o.at.sub &&
             at.retry == o.at.retry;
    }
  };

  void accept(const Command &command, uint64_t now_ns) {
    const NandAddress &at = command.at;
    switch (NandOp(command.op)) {
      case NandOp::kRead:
        model_.start_read(at, now_ns);
        return;
      case NandOp::kProbe:
        model_.start_probe(at, now_ns);
        return;
      case NandOp::kErase:
        model_.start_erase(at, now_ns);
        return;
      case NandOp::kTransfer:
        fetch(at.die, at.sub);
        return;
      case NandOp::kProgram:
        model_.accept_program(at);
        program_die_ = at.die;
        enter(Phase::kWrite, buffer_.size() / kBeatBytes);
        return;
    }
    throw NandViolation("unknown operation " + std::to_string(command.op) + " on channel " + std::to_string(channel_));
  }

  void fetch(uint32_t die, uint32_t sub) {
    const NandModel::Transfer transfer = model_.transfer(channel_, die, sub);
    std::memcpy(buffer_.data(), transfer.bytes, transfer.len);
    enter(Phase::kRead, transfer.len / kBeatBytes);
  }

  void enter(Phase phase, size_t words = 0) {
    phase_ = phase;
    words_ = words;
    word_ = 0;
    dirty_ = true;
  }

  void take_word(uint64_t now_ns) {
    pins_.wdata(buffer_.data() + word_ * kBeatBytes);
    ++word_;
    if (pins_.wdata_last() != (word_ == words_)) {
      throw NandViolation("program data: last is wrong at word " + std::to_string(word_) + " of " +
                          std::to_string(words_) + " on channel " + std::to_string(channel_));
    }
    if (word_ != words_) return;
    model_.start_program(channel_, program_die_, buffer_.data(), now_ns);
    enter(Phase::kCommand);
  }

  void give_word() {
    dirty_ = true;
    word_valid_ = false;
    if (++word_ == words_) enter(Phase::kCommand);
  }

  Pins pins_;
  NandModel &model_;
  BusStalls stalls_;
  StableChecker<Command> cmd_checker_{"nand", "cmd"};
  uint32_t channel_;
  size_t words_ = 0;  // of the data phase under way
  size_t word_ = 0;
  Phase phase_ = Phase::kCommand;
  uint32_t program_die_ = 0;
  NandResult result_{};
  bool cmd_ready_ = true;
  bool wdata_ready_ = false;
  bool word_valid_ = false;  // a word of a transfer is on the pins
  bool cmd_held_ = false;
  bool wdata_held_ = false;
  bool result_valid_ = false;
  bool dirty_ = false;
  std::vector<uint8_t> buffer_;
};

}  // namespace orm
#endif  // OPENREMAP_NAND_PORT_H
