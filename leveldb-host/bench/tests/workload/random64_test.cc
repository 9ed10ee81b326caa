// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/random64.h"

#include <gtest/gtest.h>

namespace openremap {
namespace {

// The numbers of the reference implementation for the seed 0.
TEST(Random64Test, NumbersAreThoseOfSplitMix64) {
  Random64 random(0);
  EXPECT_EQ(random.Next(), 0xe220a8397b1dcdafU);
  EXPECT_EQ(random.Next(), 0x6e789e6aa1b965f4U);
  EXPECT_EQ(random.Next(), 0x06c45d188009454fU);
}

TEST(Random64Test, NumbersStayInTheirRanges) {
  Random64 random(1);
  for (int i = 0; i < 1000; i++) {
    EXPECT_LT(random.Below(7), 7U);
    const double unit = random.Unit();
    EXPECT_GE(unit, 0);
    EXPECT_LT(unit, 1);
  }
}

}  // namespace
}  // namespace openremap
