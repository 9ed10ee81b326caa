// SPDX-License-Identifier: Apache-2.0
//
// The NAND port against pins that the test moves by hand.
#include "nand_port.h"

#include <gtest/gtest.h>

#include <cstring>

#include "sim_error.h"
#include "test_seed.h"

namespace orm {
namespace {

struct Wires {
  bool cmd_valid = false, cmd_ready = false;
  NandOp op = NandOp::kRead;
  uint32_t die = 0, block = 0, page = 0, sub = 0, retry = 0;
  bool wdata_valid = false, wdata_ready = false, wdata_last = false;
  uint8_t wdata[kBeatBytes] = {}, rdata[kBeatBytes] = {};
  bool rdata_valid = false, rdata_ready = false, rdata_last = false;
  bool result_valid = false, result_ready = true;
  uint32_t result_die = 0;
  unsigned result_status = 0;
  bool result_weak = false;
  unsigned raw_op = 0;
};

class Pins {
 public:
  explicit Pins(Wires &wires) : w_(wires) {}
  bool cmd_valid() const { return w_.cmd_valid; }
  unsigned cmd_op() const { return w_.raw_op != 0 ? w_.raw_op : unsigned(w_.op); }
  uint32_t cmd_die() const { return w_.die; }
  uint32_t cmd_block() const { return w_.block; }
  uint32_t cmd_page() const { return w_.page; }
  uint32_t cmd_sub() const { return w_.sub; }
  uint32_t cmd_retry() const { return w_.retry; }
  void set_cmd_ready(bool v) { w_.cmd_ready = v; }
  bool wdata_valid() const { return w_.wdata_valid; }
  void wdata(uint8_t *word) const { std::memcpy(word, w_.wdata, kBeatBytes); }
  bool wdata_last() const { return w_.wdata_last; }
  void set_wdata_ready(bool v) { w_.wdata_ready = v; }
  void drive_rdata(bool valid, const uint8_t *word, bool last) {
    w_.rdata_valid = valid;
    std::memcpy(w_.rdata, word, kBeatBytes);
    w_.rdata_last = last;
  }
  bool rdata_ready() const { return w_.rdata_ready; }
  void drive_result(bool valid, uint32_t die, unsigned status, bool weak) {
    w_.result_weak = weak;
    w_.result_valid = valid;
    w_.result_die = die;
    w_.result_status = status;
  }
  bool result_ready() const { return w_.result_ready; }

 private:
  Wires &w_;
};

constexpr NandGeometry kGeometry{1, 2, 2, 4, 64, 32};  // six words a page keep the tests short
constexpr size_t kWords = 6;
constexpr NandGeometry kWide{1, 2, 2, 4, 64, 32, 4};

class NandPortTest : public ::testing::Test {
 protected:
  explicit NandPortTest(const NandGeometry &geometry = kGeometry, const BusStalls &stalls = BusStalls(),
                        const NandFaultOptions &faults = {})
      : model(geometry, NandTiming(), "", 1, faults), port(0, Pins(wires), model, stalls) {
    port.reset();
  }
  void tick() {
    port.sample(now);
    port.drive();
    now += 10;
  }
  void command(NandOp op, uint32_t die, uint32_t page) {
    wires.op = op;
    wires.die = die;
    wires.page = page;
    wires.cmd_valid = true;
    while (!wires.cmd_ready) tick();
    tick();
    wires.cmd_valid = false;
  }
  void program(uint32_t die, uint32_t page, uint8_t fill) {
    command(NandOp::kProgram, die, page);
    const size_t words = kWords * model.geometry().slots_per_page;
    for (size_t i = 0; i < words; ++i) {
      ASSERT_TRUE(wires.wdata_ready);
      EXPECT_FALSE(wires.cmd_ready) << "the bus is busy";
      wires.wdata_valid = true;
      wires.wdata_last = i + 1 == words;
      std::memset(wires.wdata, fill + int(i), kBeatBytes);
      tick();
    }
    wires.wdata_valid = false;
  }
  void result(uint32_t die, NandStatus status) {
    while (!wires.result_valid) {
      ASSERT_LT(now, 10'000'000u);
      tick();
    }
    EXPECT_EQ(wires.result_die, die);
    EXPECT_EQ(wires.result_status, unsigned(status));
    tick();
    EXPECT_FALSE(wires.result_valid);
  }

  Wires wires;
  /// The words of a transfer begin with `first` and count up.
  void words(uint8_t first, size_t n) {
    wires.rdata_ready = true;
    for (size_t i = 0; i < n; ++i) {
      ASSERT_TRUE(wires.rdata_valid);
      EXPECT_EQ(wires.rdata[0], first + i);
      EXPECT_EQ(wires.rdata_last, i + 1 == n);
      tick();
    }
    EXPECT_FALSE(wires.rdata_valid);
    wires.rdata_ready = false;
  }

  NandModel model;
  NandPort<Pins> port;
  uint64_t now = 0;
};

TEST_F(NandPortTest, ProgramThenReadBackWithBackPressure) {
  program(1, 0, 10);
  EXPECT_FALSE(wires.wdata_ready);
  result(1, NandStatus::kOk);
  command(NandOp::kRead, 1, 0);
  result(1, NandStatus::kOk);
  command(NandOp::kTransfer, 1, 0);
  for (size_t i = 0; i < kWords; ++i) {
    tick();
    ASSERT_TRUE(wires.rdata_valid);
    EXPECT_EQ(wires.rdata[0], 10 + i);
    EXPECT_EQ(wires.rdata[15], 10 + i);
    EXPECT_EQ(wires.rdata_last, i + 1 == kWords);
    EXPECT_FALSE(wires.cmd_ready);
    wires.rdata_ready = true;
    tick();
    wires.rdata_ready = false;
  }
  EXPECT_FALSE(wires.rdata_valid);
  EXPECT_TRUE(wires.cmd_ready);
}

TEST_F(NandPortTest, ResultsOfTwoDiesWaitForReady) {
  wires.result_ready = false;
  command(NandOp::kProbe, 0, 0);
  command(NandOp::kProbe, 1, 0);
  for (int i = 0; i < 5000; ++i) tick();
  ASSERT_TRUE(wires.result_valid);
  EXPECT_EQ(wires.result_die, 0u);
  EXPECT_FALSE(port.idle(now));
  wires.result_ready = true;
  tick();
  ASSERT_TRUE(wires.result_valid) << "the second follows at once";
  EXPECT_EQ(wires.result_die, 1u);
  EXPECT_EQ(wires.result_status, unsigned(NandStatus::kErased));
  tick();
  EXPECT_FALSE(wires.result_valid);
  EXPECT_TRUE(port.idle(now));
}

TEST_F(NandPortTest, TheLevelOfAReadRetryReachesTheFlash) {
  program(1, 0, 10);
  result(1, NandStatus::kOk);
  model.faults().spoil(model.slot_number({0, 1, 0, 0}), EccResult::kLost, EccResult::kGood, 1);
  command(NandOp::kRead, 1, 0);
  result(1, NandStatus::kUncorrectable);
  wires.retry = 1;
  command(NandOp::kRead, 1, 0);
  result(1, NandStatus::kOk);
  EXPECT_EQ(model.counters().retries, 1u);
}

class WornNandPortTest : public NandPortTest {
 protected:
  static NandFaultOptions worn() {
    NandFaultOptions o;
    o.bit_errors = 24;
    return o;
  }
  WornNandPortTest() : NandPortTest(kGeometry, BusStalls(), worn()) {}
};

TEST_F(WornNandPortTest, AReadThatNearlyFailsSaysSo) {
  uint64_t weak = 0, strong = 0;
  for (uint32_t page = 0; page < kGeometry.pages_per_block; ++page) {
    for (uint32_t die = 0; die < kGeometry.dies_per_channel; ++die) {
      program(die, page, 10);
      result(die, NandStatus::kOk);
      const uint64_t before = model.counters().weak;
      command(NandOp::kRead, die, page);
      while (!wires.result_valid) tick();
      EXPECT_EQ(wires.result_weak, model.counters().weak > before);
      ++(wires.result_weak ? weak : strong);
      tick();
    }
  }
  EXPECT_GT(weak, 0u);
  EXPECT_GT(strong, 0u);
}

TEST_F(NandPortTest, AProbeTransfersTheSpareOnly) {
  program(0, 0, 10);
  result(0, NandStatus::kOk);
  command(NandOp::kProbe, 0, 0);
  result(0, NandStatus::kOk);
  command(NandOp::kTransfer, 0, 0);
  wires.rdata_ready = true;
  for (uint8_t i = 4; i < kWords; ++i) {
    ASSERT_TRUE(wires.rdata_valid);
    EXPECT_EQ(wires.rdata[0], 10 + i);
    EXPECT_EQ(wires.rdata_last, i + 1 == kWords);
    tick();
  }
  EXPECT_FALSE(wires.rdata_valid);
}

class WideNandPortTest : public NandPortTest {
 protected:
  WideNandPortTest() : NandPortTest(kWide) {}
  void transfer(uint32_t die, uint32_t sub) {
    wires.sub = sub;
    command(NandOp::kTransfer, die, 0);
    wires.sub = 0;
  }
};

TEST_F(WideNandPortTest, AProgramTakesAllSlotsAndATransferGivesOne) {
  program(1, 0, 10);
  EXPECT_FALSE(wires.wdata_ready);
  result(1, NandStatus::kOk);
  command(NandOp::kRead, 1, 0);
  result(1, NandStatus::kOk);
  for (uint32_t sub : {2u, 0u, 3u, 3u}) {
    transfer(1, sub);
    words(uint8_t(10 + sub * kWords), kWords);
  }
  command(NandOp::kProbe, 1, 0);
  result(1, NandStatus::kOk);
  for (uint32_t sub : {0u, 1u}) {
    transfer(1, sub);
    words(uint8_t(10 + sub * kWords + 4), 2);
  }
}

TEST_F(WideNandPortTest, LastBeforeTheLastSlotIsAViolation) {
  command(NandOp::kProgram, 0, 0);
  wires.wdata_valid = true;
  for (size_t i = 0; i + 1 < kWords; ++i) tick();
  wires.wdata_last = true;
  EXPECT_THROW(tick(), NandViolation);
}

TEST_F(WideNandPortTest, ASlotThatThePageDoesNotHaveIsAViolation) {
  program(0, 0, 10);
  result(0, NandStatus::kOk);
  command(NandOp::kRead, 0, 0);
  result(0, NandStatus::kOk);
  EXPECT_THROW(transfer(0, 4), NandViolation);
}

class StalledNandPortTest : public NandPortTest {
 protected:
  StalledNandPortTest() : NandPortTest(kGeometry, BusStalls(openremap::TestSeed(), 0)) {}
  void program(uint32_t page) {
    command(NandOp::kProgram, 0, page);
    wires.wdata_valid = true;
    for (size_t i = 0; i < kWords; tick()) {
      wires.wdata_last = i + 1 == kWords;
      std::memset(wires.wdata, int(page + i), kBeatBytes);
      held += !wires.wdata_ready;
      i += wires.wdata_ready;
    }
    wires.wdata_valid = false;
  }
  void read(uint32_t page) {
    command(NandOp::kRead, 0, page);
    result(0, NandStatus::kOk);
    command(NandOp::kTransfer, 0, page);
    wires.rdata_ready = true;
    for (size_t i = 0; i < kWords; tick()) {
      gaps += !wires.rdata_valid;
      if (!wires.rdata_valid) continue;
      EXPECT_EQ(wires.rdata[0], page + i) << i;
      EXPECT_EQ(wires.rdata_last, ++i == kWords);
    }
    EXPECT_FALSE(wires.rdata_valid);
    wires.rdata_ready = false;
  }
  unsigned held = 0, gaps = 0;
};

TEST_F(StalledNandPortTest, KeepsEveryWord) {
  for (uint32_t block = 0; block < 2; ++block) {
    wires.block = block;
    for (uint32_t page = 0; page < kGeometry.pages_per_block; ++page) {
      program(page);
      result(0, NandStatus::kOk);
      for (int i = 0; i < 4; ++i) read(page);
    }
  }
  EXPECT_GT(held, 5u);
  EXPECT_GT(gaps, 20u);
  EXPECT_TRUE(port.idle(now));
}

TEST_F(NandPortTest, ACommandMustHoldWhileTheBusIsBusy) {
  command(NandOp::kProgram, 0, 0);
  wires.op = NandOp::kErase;
  wires.die = 1;
  wires.cmd_valid = true;
  tick();
  wires.block = 1;
  EXPECT_THROW(tick(), SimError);
}

TEST_F(NandPortTest, AWrongLastIsAViolation) {
  command(NandOp::kProgram, 0, 0);
  wires.wdata_valid = true;
  wires.wdata_last = true;
  EXPECT_THROW(tick(), NandViolation);
}

TEST_F(NandPortTest, AMissingLastIsAViolation) {
  command(NandOp::kProgram, 0, 0);
  wires.wdata_valid = true;
  for (size_t i = 0; i + 1 < kWords; ++i) tick();
  EXPECT_THROW(tick(), NandViolation);
}

TEST_F(NandPortTest, AnUnknownOperationIsAViolation) {
  wires.raw_op = 7;
  wires.cmd_valid = true;
  EXPECT_THROW(tick(), NandViolation);
}

}  // namespace
}  // namespace orm
