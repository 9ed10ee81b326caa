// SPDX-License-Identifier: Apache-2.0
#include "merge/block_state.h"

#include <gtest/gtest.h>

#include <vector>

namespace openremap {
namespace {

using E = BlockEvent;
using S = BlockState;

S After(const std::vector<E> &events) {
  BlockStateMachine machine;
  for (E event : events) machine.Apply(event);
  return machine.state();
}

// The events that bring a fresh machine into each state.
const std::vector<E> kToBegin = {E::kBlockStart};
const std::vector<E> kToInProgress = {E::kBlockStart, E::kKvReserved};
const std::vector<E> kToChanged = {E::kBlockStart, E::kKvDropped};
const std::vector<E> kToUnchanged = {E::kBlockStart, E::kKvReserved, E::kBlockEnd};

std::vector<E> Then(std::vector<E> events, E event) {
  events.push_back(event);
  return events;
}

TEST(BlockStateTest, BlockStart) {
  EXPECT_EQ(After({E::kBlockStart}), S::kBegin);
  EXPECT_EQ(After(Then(kToChanged, E::kBlockStart)), S::kBegin);
  EXPECT_EQ(After(Then(kToUnchanged, E::kBlockStart)), S::kBegin);
}

TEST(BlockStateTest, KvReserved) {
  EXPECT_EQ(After(Then(kToBegin, E::kKvReserved)), S::kInProgress);
  EXPECT_EQ(After(Then(kToInProgress, E::kKvReserved)), S::kInProgress);
  EXPECT_EQ(After(Then(kToChanged, E::kKvReserved)), S::kChanged);
}

TEST(BlockStateTest, KvDropped) {
  EXPECT_EQ(After(Then(kToBegin, E::kKvDropped)), S::kChanged);
  EXPECT_EQ(After(Then(kToInProgress, E::kKvDropped)), S::kChanged);
  EXPECT_EQ(After(Then(kToChanged, E::kKvDropped)), S::kChanged);
}

TEST(BlockStateTest, BlockSwitch) {
  EXPECT_EQ(After(Then(kToBegin, E::kBlockSwitch)), S::kChanged);
  EXPECT_EQ(After(Then(kToInProgress, E::kBlockSwitch)), S::kChanged);
  EXPECT_EQ(After(Then(kToChanged, E::kBlockSwitch)), S::kChanged);
  EXPECT_EQ(After(Then(kToUnchanged, E::kBlockSwitch)), S::kUnchanged) << "a decided block is left behind";
}

TEST(BlockStateTest, BlockEnd) {
  EXPECT_EQ(After(Then(kToInProgress, E::kBlockEnd)), S::kUnchanged);
  EXPECT_EQ(After(Then(kToChanged, E::kBlockEnd)), S::kChanged);
}

TEST(BlockStateTest, UndecidedWhileItCanEndUnchanged) {
  BlockStateMachine machine;
  EXPECT_FALSE(machine.undecided()) << "no block yet";
  machine.Apply(E::kBlockStart);
  EXPECT_TRUE(machine.undecided());
  machine.Apply(E::kKvReserved);
  EXPECT_TRUE(machine.undecided());
  machine.Apply(E::kBlockEnd);
  EXPECT_FALSE(machine.undecided());
}

// The example of the paper's figure 7: block A = 15, 26, 30; block B = 30 (older), 46, 80.
TEST(BlockStateTest, PaperFigure7) {
  BlockStateMachine a, b;
  a.Apply(E::kBlockStart);
  a.Apply(E::kKvReserved);  // 15
  a.Apply(E::kKvReserved);  // 26
  a.Apply(E::kKvDropped);   // 30 of A is outdated in the figure
  a.Apply(E::kBlockEnd);
  b.Apply(E::kBlockStart);
  for (int i = 0; i < 3; i++) b.Apply(E::kKvReserved);  // 30, 46, 80
  b.Apply(E::kBlockEnd);
  EXPECT_EQ(a.state(), S::kChanged);
  EXPECT_EQ(b.state(), S::kUnchanged);
}

using BlockStateDeathTest = ::testing::Test;

TEST(BlockStateDeathTest, RefusesImpossibleEvents) {
  EXPECT_DEATH(After(Then(kToInProgress, E::kBlockStart)), "undecided");
  EXPECT_DEATH(After(Then(kToBegin, E::kBlockEnd)), "kBegin");
  EXPECT_DEATH(After(Then(kToUnchanged, E::kKvReserved)), "kUnchanged");
  EXPECT_DEATH(After(Then(kToUnchanged, E::kKvDropped)), "kUnchanged");
}

}  // namespace
}  // namespace openremap
