// SPDX-License-Identifier: Apache-2.0
#include "nvme/irq_coalescer.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "orm_bytes.h"
#include "orm_regs.h"

namespace orm::fast {
namespace {

class FastIrqCoalescer : public ::testing::Test {
 protected:
  FastIrqCoalescer() {
    irq_.link([this](uint32_t vector) { raised_.push_back(vector); });
  }
  void set(uint32_t threshold, uint32_t time) {
    irq_.set(ORM_PUT(ORM_FW_INT_COALESCING_THRESHOLD, threshold) | ORM_PUT(ORM_FW_INT_COALESCING_TIME, time));
  }
  void pass(uint64_t until_ns) {
    while (sim_.next() <= until_ns) sim_.step();
    sim_.pass(until_ns);
  }
  std::vector<uint32_t> taken() { return std::exchange(raised_, {}); }

  const Params p_;
  Simulation sim_{0};
  IrqCoalescer irq_{sim_, p_};
  std::vector<uint32_t> raised_;
};
using Vectors = std::vector<uint32_t>;

TEST_F(FastIrqCoalescer, OffEveryEntryInterrupts) {
  for (const auto &[threshold, time] : {std::pair(0, 0), std::pair(5, 0), std::pair(0, 5)}) {
    set(uint32_t(threshold), uint32_t(time));
    irq_.raise(1, false);
    irq_.raise(1, false);
    EXPECT_EQ(taken(), (Vectors{1, 1}));
  }
}

TEST_F(FastIrqCoalescer, EntriesAreCountedPerVector) {
  set(2, 100);
  for (int i = 0; i < 2; ++i) irq_.raise(1, false), irq_.raise(2, false);
  EXPECT_EQ(taken(), Vectors{});
  irq_.raise(2, false);
  EXPECT_EQ(taken(), Vectors{2});
  irq_.raise(0, true);
  EXPECT_EQ(taken(), Vectors{0}) << "the admin queue's are not held back";
  irq_.set_direct(1, true);
  irq_.raise(1, false);
  EXPECT_EQ(taken(), Vectors{1});
}

TEST_F(FastIrqCoalescer, TimeEndsTheWaiting) {
  set(100, 3);
  irq_.raise(1, false);
  pass(299'999);
  irq_.raise(2, false);
  EXPECT_EQ(taken(), Vectors{});
  pass(300'000);
  EXPECT_EQ(taken(), Vectors{1});
  pass(599'999);
  EXPECT_EQ(taken(), Vectors{2});
  pass(2'000'000);
  EXPECT_EQ(taken(), Vectors{});
}

TEST_F(FastIrqCoalescer, AnEarlierTimeDoesNotEndALaterWaiting) {
  set(1, 3);
  irq_.raise(1, false);
  irq_.raise(1, false);  // fired: the first one's time means nothing any more
  EXPECT_EQ(taken(), Vectors{1});
  pass(100'000);
  irq_.raise(1, false);
  pass(350'000);
  EXPECT_EQ(taken(), Vectors{});
  pass(400'000);
  EXPECT_EQ(taken(), Vectors{1});
}

TEST_F(FastIrqCoalescer, ChangesEndTheWaitingAndAResetForgets) {
  set(9, 9);
  irq_.raise(1, false);
  set(8, 9);
  EXPECT_EQ(taken(), Vectors{1});
  irq_.raise(1, false);
  irq_.clear();
  set(0, 0);
  pass(10'000'000);
  EXPECT_EQ(taken(), Vectors{});
}

}  // namespace
}  // namespace orm::fast
