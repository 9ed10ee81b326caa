// SPDX-License-Identifier: Apache-2.0
#include "replay_target.h"

#include <gtest/gtest.h>

namespace openremap {
namespace {

TEST(ReplayTargetTest, FiguresAreJsonNumbers) {
  EXPECT_EQ(FigureOf(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(FigureOf(0.0), "0");
  EXPECT_EQ(FigureOf(1.25), "1.25");
  EXPECT_EQ(FigureOf(1234567.0), "1.23457e+06");
}

}  // namespace
}  // namespace openremap
