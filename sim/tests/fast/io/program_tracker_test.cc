// SPDX-License-Identifier: Apache-2.0
//
// Fences, and what their owner may do beside them.
#include "io/program_tracker.h"

#include <gtest/gtest.h>

#include "lib/invariant.h"

namespace orm::fast {
namespace {

class FastFence : public ::testing::Test {
 protected:
  void run() {
    while (sim_.next() != Simulation::kNever) sim_.step();
  }
  Process listen() {
    for (;;) {
      co_await news_.wait();
      ++told_;
    }
  }
  Simulation sim_{0};
  ProgramTracker tracker_{sim_};
  Signal news_{sim_};
  FenceWatch fence_{sim_, tracker_, news_};
  uint32_t told_ = 0;
};

TEST_F(FastFence, AWatchedFenceEndsWithTheProgramsBeforeIt) {
  Process listener = listen();
  listener.start(sim_);
  run();
  const bool first = tracker_.issued();
  fence_.begin();
  EXPECT_TRUE(fence_.pending()) << "at once";
  run();
  EXPECT_TRUE(fence_.pending());
  EXPECT_EQ(told_, 0u);
  const bool later = tracker_.issued();
  EXPECT_NE(first, later);
  tracker_.landed(first);
  run();
  EXPECT_FALSE(fence_.pending()) << "what was issued later does not count";
  EXPECT_EQ(told_, 1u);
  EXPECT_FALSE(tracker_.none());
  tracker_.landed(later);
  EXPECT_TRUE(tracker_.none());
  EXPECT_EQ(told_, 1u);
}

TEST_F(FastFence, AWatchedFenceCanBeginAgain) {
  for (int round = 0; round < 3; ++round) {
    fence_.begin();
    run();
    ASSERT_FALSE(fence_.pending()) << "nothing is under way, round " << round;
    const bool epoch = tracker_.issued();
    fence_.begin();
    run();
    ASSERT_TRUE(fence_.pending()) << round;
    tracker_.landed(epoch);
    run();
    ASSERT_FALSE(fence_.pending()) << round;
  }
}

TEST_F(FastFence, NothingLandsTwice) {
  const bool epoch = tracker_.issued();
  tracker_.landed(epoch);
  EXPECT_THROW(tracker_.landed(epoch), ModelStopped);
}

}  // namespace
}  // namespace orm::fast
