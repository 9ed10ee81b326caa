// SPDX-License-Identifier: Apache-2.0
//
// The monitor of a NAND port against a port that the test moves by hand: what flash would do passes, all else is found.
#include "nand_monitor.h"

#include <gtest/gtest.h>

#include <cstring>

#include "sim_error.h"

namespace orm {
namespace {

struct Wires {
  bool cmd = false, wdata = false, rdata = false, result = false;  // is taken in this cycle
  NandOp op = NandOp::kRead;
  uint32_t die = 0, page = 0;
  uint8_t word[kBeatBytes] = {};
  bool last = false;
  NandStatus status = NandStatus::kOk;
};

class Pins {
 public:
  explicit Pins(Wires &wires) : w_(wires) {}
  bool cmd_taken() const { return w_.cmd; }
  unsigned cmd_op() const { return unsigned(w_.op); }
  uint32_t cmd_die() const { return w_.die; }
  uint32_t cmd_block() const { return 1; }
  uint32_t cmd_page() const { return w_.page; }
  uint32_t cmd_sub() const { return 0; }
  uint32_t cmd_retry() const { return 0; }
  bool wdata_taken() const { return w_.wdata; }
  void wdata(uint8_t *word) const { std::memcpy(word, w_.word, kBeatBytes); }
  bool rdata_taken() const { return w_.rdata; }
  void rdata(uint8_t *word) const { std::memcpy(word, w_.word, kBeatBytes); }
  bool rdata_last() const { return w_.last; }
  bool result_taken() const { return w_.result; }
  uint32_t result_die() const { return w_.die; }
  unsigned result_status() const { return unsigned(w_.status); }

 private:
  Wires &w_;
};

constexpr NandGeometry kGeometry{1, 2, 2, 4, 64, 32};
constexpr size_t kWords = 6;  // of a page: four of data, two of the spare area
constexpr NandTiming kTiming{};

class NandMonitorTest : public ::testing::Test {
 protected:
  void tick() {
    struct Next {
      ~Next() {
        t.now += 10;
        t.wires = {};
      }
      NandMonitorTest &t;
    } next{*this};
    monitor.sample(now);
  }
  void command(NandOp op, uint32_t die, uint32_t page) {
    wires.cmd = true;
    wires.op = op;
    wires.die = die;
    wires.page = page;
    tick();
  }
  void result(uint32_t die, NandStatus status, uint64_t after_ns) {
    now += after_ns;
    wires.result = true;
    wires.die = die;
    wires.status = status;
    tick();
  }
  void put(uint8_t fill) {
    wires.wdata = true;
    std::memset(wires.word, fill, kBeatBytes);
    tick();
  }
  void get(uint8_t fill, bool last) {
    wires.rdata = true;
    std::memset(wires.word, fill, kBeatBytes);
    wires.last = last;
    tick();
  }
  void program(uint32_t die, uint32_t page) {
    command(NandOp::kProgram, die, page);
    for (size_t i = 0; i < kWords; ++i) put(uint8_t(i + 1));
    result(die, NandStatus::kOk, kTiming.program_ns);
  }

  Wires wires;
  uint64_t now = 1000;
  NandModel model{kGeometry, kTiming, "", 1};
  NandMonitor<Pins> monitor{0, Pins(wires), model};
};

TEST_F(NandMonitorTest, FlashThatIsRightPasses) {
  program(0, 0);
  program(1, 0);
  command(NandOp::kRead, 0, 0);
  command(NandOp::kErase, 1, 0);
  result(0, NandStatus::kOk, kTiming.read_ns + 500);  // DRAM takes longer
  command(NandOp::kTransfer, 0, 0);
  for (size_t i = 0; i < kWords; ++i) get(uint8_t(i + 1), i + 1 == kWords);
  result(1, NandStatus::kOk, kTiming.erase_ns);
  command(NandOp::kProbe, 1, 0);
  result(1, NandStatus::kErased, kTiming.read_ns);
  command(NandOp::kProbe, 0, 0);
  result(0, NandStatus::kOk, kTiming.read_ns);
  command(NandOp::kTransfer, 0, 0);
  get(5, false);
  get(6, true);
  EXPECT_EQ(model.counters().programs, 2u);
  EXPECT_EQ(model.page_state({0, 0, 1, 0}), NandModel::PageState::kProgrammed);
}

TEST_F(NandMonitorTest, ResultsOfSeveralDiesMayComeInAnyOrder) {
  command(NandOp::kErase, 0, 0);
  command(NandOp::kErase, 1, 0);
  result(1, NandStatus::kOk, kTiming.erase_ns);
  result(0, NandStatus::kOk, 0);
}

TEST_F(NandMonitorTest, WhatFlashDoesNotAllowIsFound) {
  EXPECT_THROW(command(NandOp::kRead, 0, 0), NandViolation) << "not programmed";
  EXPECT_THROW(command(NandOp::kProgram, 0, 1), NandViolation) << "out of order";
  command(NandOp::kErase, 0, 0);
  EXPECT_THROW(command(NandOp::kErase, 0, 0), NandViolation) << "busy";
  EXPECT_THROW(command(NandOp(7), 0, 0), NandViolation) << "no operation";
}

TEST_F(NandMonitorTest, AWrongAnswerIsFound) {
  command(NandOp::kErase, 0, 0);
  EXPECT_THROW(result(0, NandStatus::kFailed, kTiming.erase_ns), NandViolation);
  command(NandOp::kErase, 1, 0);
  EXPECT_THROW(result(1, NandStatus::kOk, kTiming.erase_ns - 1000), NandViolation) << "too soon";
}

TEST_F(NandMonitorTest, AWrongWordIsFound) {
  program(0, 0);
  command(NandOp::kRead, 0, 0);
  result(0, NandStatus::kOk, kTiming.read_ns);
  command(NandOp::kTransfer, 0, 0);
  EXPECT_THROW(get(7, false), NandViolation) << "another word";
  command(NandOp::kTransfer, 0, 0);
  EXPECT_THROW(get(1, true), NandViolation) << "last comes later";
}

}  // namespace
}  // namespace orm
