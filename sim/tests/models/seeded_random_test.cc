// SPDX-License-Identifier: Apache-2.0
#include "seeded_random.h"

#include <gtest/gtest.h>

namespace orm {
namespace {

TEST(SeededRandom, IsSplitMix64) {
  // First outputs for seed 1234567, as published with the reference implementation.
  SeededRandom random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317ull);
  EXPECT_EQ(random.next(), 3203168211198807973ull);
  EXPECT_EQ(random.next(), 9817491932198370423ull);
}

TEST(SeededRandom, BelowAndCoinCoverTheirRange) {
  SeededRandom random(1);
  unsigned seen[5] = {};
  unsigned heads = 0;
  for (int i = 0; i < 5000; ++i) {
    const uint64_t n = random.below(5);
    ASSERT_LT(n, 5u);
    ++seen[n];
    heads += random.coin();
  }
  for (const unsigned count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_NEAR(heads, 2500, 250);
}

}  // namespace
}  // namespace orm
