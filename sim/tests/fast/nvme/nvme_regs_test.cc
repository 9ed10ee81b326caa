// SPDX-License-Identifier: Apache-2.0
#include "nvme/nvme_regs.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "orm_regs.h"

namespace orm::fast {
namespace {

constexpr uint32_t kOn = ORM_BAR0_CC_EN_MASK;
constexpr uint32_t kReady = ORM_FW_NVME_CSTS_RDY_MASK, kFatal = ORM_FW_NVME_CSTS_CFS_MASK;

class FastNvmeRegs : public ::testing::Test {
 protected:
  FastNvmeRegs() {
    regs_.link(
        {[this](const SqConfig &sq, const CqConfig &) { admin_.push_back(sq.enable); }, [this] { ++changes_; }, {}});
    regs_.write(ORM_BAR0_AQA, 7u << 16 | 7u);
  }
  void cc(uint32_t value) { regs_.write(ORM_BAR0_CC, value); }
  uint32_t csts() const { return regs_.read(ORM_BAR0_CSTS); }
  /// Whether the admin queues were created or deleted, in this order, since the last call.
  std::vector<bool> admin() { return std::exchange(admin_, {}); }
  /// The host takes back an enabling, and enables again.
  void again(bool by_function_reset) {
    if (by_function_reset) {
      regs_.function_reset();
      regs_.write(ORM_BAR0_AQA, 7u << 16 | 7u);
    } else {
      cc(0);
    }
    cc(kOn);
  }

  const Params p_;
  NvmeRegs regs_{p_};
  std::vector<bool> admin_;
  int changes_ = 0;
};
using Turns = std::vector<bool>;

TEST_F(FastNvmeRegs, EnablingIsAnsweredByFirmware) {
  cc(kOn);
  EXPECT_EQ(regs_.read_cc(), kOn);
  EXPECT_EQ(csts(), 0u);
  EXPECT_EQ(admin(), Turns{}) << "no doorbell counts before RDY";
  regs_.set_csts(kReady);
  EXPECT_EQ(admin(), Turns{true});
  EXPECT_EQ(csts(), uint32_t(ORM_BAR0_CSTS_RDY_MASK));
  cc(0);
  EXPECT_EQ(admin(), Turns{false});
  EXPECT_EQ(regs_.read_cc(), 0u);
  EXPECT_EQ(csts(), uint32_t(ORM_BAR0_CSTS_RDY_MASK)) << "until firmware has ended everything";
  regs_.set_csts(0);
  EXPECT_EQ(csts(), 0u);
}

TEST_F(FastNvmeRegs, SecondEnablingWaitsForFirmware) {
  for (const bool by_function_reset : {false, true}) {
    SCOPED_TRACE(by_function_reset);
    cc(kOn);
    EXPECT_EQ(regs_.read_cc(), kOn);
    regs_.set_csts(kReady);
    admin();
    again(by_function_reset);
    EXPECT_EQ(admin(), Turns{false});
    EXPECT_EQ(csts(), by_function_reset ? 0 : uint32_t(ORM_BAR0_CSTS_RDY_MASK));
    changes_ = 0;
    EXPECT_EQ(regs_.read_cc(), 0u);
    EXPECT_EQ(admin(), Turns{}) << "firmware knows, but has not cleared RDY";
    EXPECT_EQ(changes_, 0);
    regs_.set_csts(0);
    EXPECT_EQ(changes_, 1);
    EXPECT_EQ(regs_.read_cc(), kOn);
    EXPECT_EQ(admin(), Turns{});
    regs_.set_csts(kReady);
    EXPECT_EQ(admin(), Turns{true});
    cc(0);
    regs_.read_cc();
    regs_.set_csts(0);
    admin();
  }
}

// Firmware has read an enabling, but answers it only when the host has taken it back. With a CPU's time the fuzzer saw
// CSTS.CFS of an enabling with a bad CC at the next one, whose CC was good.
TEST_F(FastNvmeRegs, AnswerToAnEnablingThatWasTakenBackIsHidden) {
  for (const bool by_function_reset : {false, true}) {
    SCOPED_TRACE(by_function_reset);
    cc(kOn);
    EXPECT_EQ(regs_.read_cc(), kOn);
    again(by_function_reset);
    for (const uint32_t answer : {0u, kReady | kFatal, 0u, kReady}) {
      regs_.set_csts(answer);
      EXPECT_EQ(csts(), 0u);
      EXPECT_EQ(admin(), Turns{});
    }
    EXPECT_EQ(regs_.read_cc(), 0u);
    EXPECT_EQ(csts(), 0u) << "firmware knows, and has not yet cleared its answer";
    regs_.set_csts(0);
    EXPECT_EQ(regs_.read_cc(), kOn);
    EXPECT_EQ(admin(), Turns{});
    regs_.set_csts(kReady);
    EXPECT_EQ(admin(), Turns{true});
    EXPECT_EQ(csts(), uint32_t(ORM_BAR0_CSTS_RDY_MASK));
    cc(0);
    regs_.read_cc();
    regs_.set_csts(0);
    admin();
  }
}

// Firmware had nothing to answer: it only learns that the controller was off for a while.
TEST_F(FastNvmeRegs, EnablingThatFirmwareNeverSawStillWaits) {
  cc(kOn);
  again(false);
  changes_ = 0;
  EXPECT_EQ(regs_.read_cc(), 0u);
  EXPECT_EQ(changes_, 1);
  EXPECT_EQ(regs_.read_cc(), kOn);
  EXPECT_EQ(admin(), Turns{});
  regs_.set_csts(kReady);
  EXPECT_EQ(admin(), Turns{true}) << "the only queues that there were";
}

TEST_F(FastNvmeRegs, FailedStartUpShowsThroughEverything) {
  regs_.set_csts(kFatal | ORM_FW_NVME_CSTS_DEAD_MASK);
  for (const bool by_function_reset : {false, true, false}) {
    cc(kOn);
    again(by_function_reset);
    EXPECT_EQ(csts(), uint32_t(ORM_BAR0_CSTS_CFS_MASK));
    cc(0);
  }
}

}  // namespace
}  // namespace orm::fast
