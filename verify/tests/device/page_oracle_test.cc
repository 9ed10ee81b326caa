// SPDX-License-Identifier: Apache-2.0
// The oracle of overlapping commands: it must accept every correct result, and find every wrong one.
#include "device/page_oracle.h"

#include <gtest/gtest.h>

namespace orm {
namespace {

using Set = std::set<Version>;

class PageOracleTest : public ::testing::Test {
 protected:
  void write(uint64_t lpn, Version v) { EXPECT_TRUE(oracle_.done(oracle_.set(lpn, v))); }
  bool reads(uint64_t lpn, Version v) { return oracle_.saw(oracle_.look(lpn), v); }
  /// What somebody who looks now may see.
  Set now(uint64_t lpn) {
    const View view = oracle_.look(lpn);
    const Set set = oracle_.may_see(view);
    oracle_.drop(view);
    return set;
  }

  PageOracle oracle_{4};
};

TEST_F(PageOracleTest, OneAfterTheOtherThereIsOneAnswer) {
  EXPECT_TRUE(reads(0, 0));
  EXPECT_FALSE(reads(0, 1));
  write(0, 1);
  write(1, 2);
  EXPECT_EQ(now(0), Set{1});
  EXPECT_EQ(now(1), Set{2});
  write(0, 0);
  EXPECT_EQ(now(0), Set{0});
}

TEST_F(PageOracleTest, AReadSeesWhatOverlapsIt) {
  write(0, 1);
  const Change before = oracle_.set(0, 2);
  const View view = oracle_.look(0);
  const Change during = oracle_.set(0, 3);
  EXPECT_TRUE(oracle_.done(during));
  EXPECT_EQ(oracle_.may_see(view), (Set{1, 2, 3}))
      << "what has completed since does not take away what it may have seen";
  EXPECT_EQ(now(0), (Set{2, 3})) << "1 was there before 3 began";
  EXPECT_TRUE(oracle_.done(before));
  EXPECT_EQ(now(0), (Set{2, 3})) << "either may have been the last";
  EXPECT_TRUE(oracle_.saw(view, 1));
  const Change after = oracle_.set(0, 4);
  EXPECT_FALSE(oracle_.saw(view, 4)) << "issued after its completion";
  EXPECT_TRUE(oracle_.done(after));
  EXPECT_EQ(now(0), Set{4});
}

TEST_F(PageOracleTest, WhatOneHasSeenNextOnesSee) {
  const Change a = oracle_.set(0, 1), b = oracle_.set(0, 2);
  EXPECT_TRUE(reads(0, 1));
  EXPECT_EQ(now(0), (Set{1, 2})) << "the other one may still come; what was there before is gone";
  EXPECT_TRUE(oracle_.done(a));
  EXPECT_TRUE(oracle_.done(b));
  EXPECT_EQ(now(0), (Set{1, 2}));
  EXPECT_TRUE(reads(0, 2));
  EXPECT_FALSE(reads(0, 1));
  EXPECT_TRUE(reads(0, 2));
}

TEST_F(PageOracleTest, ACopyGivesWhatItsSourceHadMeanwhile) {
  write(0, 1);
  write(1, 2);
  const Change copy = oracle_.copy(oracle_.look(0), 1, true);
  EXPECT_EQ(now(1), (Set{1, 2}));
  const Change write = oracle_.set(0, 3);
  EXPECT_EQ(now(1), (Set{1, 2, 3}));
  EXPECT_TRUE(oracle_.done(copy));
  EXPECT_EQ(now(1), (Set{1, 3}));
  EXPECT_TRUE(oracle_.done(write));
  EXPECT_TRUE(reads(1, 1));
  EXPECT_EQ(now(1), Set{1});
  EXPECT_EQ(now(0), Set{3});
}

TEST_F(PageOracleTest, AMoveDoesNotCopyItsOwnTrace) {
  write(0, 1);
  const View from = oracle_.look(0);
  const Change moved = oracle_.copy(from, 1, false), gone = oracle_.set(0, 0, from);
  EXPECT_TRUE(oracle_.done(moved));
  EXPECT_TRUE(oracle_.done(gone));
  EXPECT_EQ(now(0), Set{0});
  EXPECT_EQ(now(1), Set{1});
}

TEST_F(PageOracleTest, CopiesInACircle) {
  write(0, 1);
  write(1, 2);
  const Change a = oracle_.copy(oracle_.look(0), 1, true), b = oracle_.copy(oracle_.look(1), 0, true);
  EXPECT_EQ(now(0), (Set{1, 2}));
  EXPECT_TRUE(oracle_.done(a));
  EXPECT_TRUE(oracle_.done(b));
  EXPECT_TRUE(reads(0, 2));
  EXPECT_EQ(now(1), (Set{1, 2}));
}

TEST_F(PageOracleTest, ACopyOfNothingCannotSucceed) {
  EXPECT_FALSE(oracle_.done(oracle_.copy(oracle_.look(0), 1, true)));
  EXPECT_TRUE(oracle_.done(oracle_.copy(oracle_.look(2), 1, false)));
  EXPECT_EQ(now(1), Set{0});
}

TEST_F(PageOracleTest, RefusedHasNeverHappened) {
  write(0, 1);
  const Change change = oracle_.set(0, 2);
  const View view = oracle_.look(0);
  oracle_.refused(change);
  EXPECT_EQ(oracle_.may_see(view), Set{1});
  EXPECT_EQ(now(0), Set{1});
}

TEST_F(PageOracleTest, ForgottenMayHaveHappened) {
  write(0, 1);
  oracle_.forgotten(oracle_.set(0, 2));
  EXPECT_EQ(now(0), (Set{1, 2}));
  EXPECT_TRUE(reads(0, 1));
  EXPECT_EQ(now(0), Set{1}) << "it cannot happen any more";
  oracle_.forgotten(oracle_.set(0, 3));
  write(0, 4);
  EXPECT_EQ(now(0), Set{4});
}

}  // namespace
}  // namespace orm
