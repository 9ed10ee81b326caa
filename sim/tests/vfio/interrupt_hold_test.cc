// SPDX-License-Identifier: Apache-2.0
#include "interrupt_hold.h"

#include <gtest/gtest.h>

namespace orm::vfio {
namespace {

/// A host and a device that completes each command at once; times in ns.
class InterruptHoldTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kStep = 1000;  // from one look to the next

  /// Submits one command, which is completed, every `between` ns, `commands` times or until the interrupt is told.
  /// Then the host waits for it. Returns the time that the interrupt was held.
  uint64_t burst(unsigned commands, uint64_t between) {
    uint64_t raised = 0;
    for (unsigned i = 0; i < commands; ++i) {
      hold_.submitted(now_);
      hold_.raised(now_);
      if (i == 0) raised = now_;
      for (const uint64_t next = now_ + between; now_ < next; now_ += kStep) {
        if (tell()) return now_ - raised;
      }
    }
    while (!tell()) now_ += kStep;
    return now_ - raised;
  }
  /// A host that submits a command every `between` ns, interrupted or not. Returns the number of interrupts.
  unsigned goes_on(unsigned commands, uint64_t between) {
    unsigned told = 0;
    for (unsigned i = 0; i < commands; ++i) {
      hold_.submitted(now_);
      hold_.raised(now_);
      for (const uint64_t next = now_ + between; now_ < next; now_ += kStep) told += tell();
    }
    return told;
  }
  bool tell() {
    if (!hold_.due(now_)) return false;
    hold_.told();
    return true;
  }
  /// What a host does after an interrupt.
  void think() { now_ += 200'000; }

  InterruptHold hold_;
  uint64_t now_ = 1'000'000'000;
};

TEST_F(InterruptHoldTest, WithoutAnInterruptNothingIsDue) {
  EXPECT_FALSE(hold_.due(now_));
  hold_.submitted(now_);
  EXPECT_FALSE(hold_.due(now_ + 2 * InterruptHold::kMostNs));
  hold_.raised(now_);
  hold_.told();
  EXPECT_FALSE(hold_.due(now_ + 2 * InterruptHold::kMostNs)) << "it was told";
}

TEST_F(InterruptHoldTest, AHostThatWaitsIsToldAtOnceButForATry) {
  unsigned held = 0;
  constexpr unsigned kRounds = 50 * InterruptHold::kTryEvery;
  for (unsigned i = 0; i < kRounds; ++i) {
    const uint64_t ns = burst(1, kStep);
    EXPECT_LE(ns, InterruptHold::kMostQuietNs + kStep);
    held += ns != 0;
    think();
  }
  EXPECT_EQ(held, kRounds / InterruptHold::kTryEvery);
}

TEST_F(InterruptHoldTest, AHostThatGoesOnIsInterruptedSeldom) {
  constexpr uint64_t kBetween = 20'000;
  goes_on(2 * InterruptHold::kTryEvery, kBetween);
  constexpr unsigned kCommands = 10'000;
  EXPECT_NEAR(goes_on(kCommands, kBetween), double(kCommands * kBetween) / double(InterruptHold::kMostNs + kBetween),
              kCommands / 100);
  // It is held for kMostNs at most, whatever comes.
  hold_.submitted(now_);
  hold_.raised(now_);
  const uint64_t raised = now_;
  for (; !tell(); now_ += kStep) hold_.submitted(now_);
  EXPECT_LE(now_ - raised, InterruptHold::kMostNs);
}

TEST_F(InterruptHoldTest, AHostThatHasGivenAllIsNotKeptWaitingLong) {
  constexpr uint64_t kBetween = 5'000;
  for (unsigned i = 0; i < 2 * InterruptHold::kTryEvery; ++i) {
    burst(8, kBetween);
    think();
  }
  // Twice the time between two commands after the last one.
  const uint64_t ns = burst(8, kBetween);
  EXPECT_GE(ns, 8 * kBetween);
  EXPECT_LE(ns, 10 * kBetween + kStep);
}

TEST_F(InterruptHoldTest, AfterVainHoldsItIsToldAtOnceAgain) {
  for (unsigned i = 0; i < 2 * InterruptHold::kTryEvery; ++i) {
    burst(8, 5'000);
    think();
  }
  for (unsigned i = 0; i < InterruptHold::kMostVain; ++i) {
    EXPECT_NE(burst(1, kStep), 0u) << i;
    think();
  }
  EXPECT_EQ(burst(1, kStep), 0u);
}

TEST_F(InterruptHoldTest, CommandsOfOtherTimesDoNotCount) {
  for (unsigned i = 0; i < 4 * InterruptHold::kTryEvery; ++i) {
    hold_.submitted(now_);  // before the interrupt
    now_ += 10'000;
    hold_.raised(now_);
    while (!tell()) now_ += kStep;
    hold_.submitted(now_);  // after it
    think();
  }
  hold_.raised(now_);
  EXPECT_TRUE(hold_.due(now_)) << "no hold has gained anything";
}

}  // namespace
}  // namespace orm::vfio
