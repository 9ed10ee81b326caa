// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/table_levels.h"

#include <gtest/gtest.h>

namespace openremap {
namespace {

TEST(TableLevelsTest, CountsTablesAndBytesOfEachLevel) {
  const auto levels = ParseTableLevels(
      "--- level 0 ---\n 7:100['a' @ 1 : 1 .. 'b' @ 2 : 1]\n 9:20['c:4' @ 1 : 1 .. 'd' @ 2 : 1]\n--- level 1 ---\n"
      "--- level 2 ---\n 3:5['a' @ 1 : 1 .. 'b' @ 2 : 1]",
      3);
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[0].files, 2u);
  EXPECT_EQ(levels[0].bytes, 120u);
  EXPECT_EQ(levels[1].files, 0u);
  EXPECT_EQ(levels[2].bytes, 5u);
}

TEST(TableLevelsTest, WhatIsNoTableOfALevelIsLeftOut) {
  const auto levels = ParseTableLevels(" 1:10[]\n--- level 5 ---\n 2:10[]\n--- level 0 ---\nnothing\n", 2);
  ASSERT_EQ(levels.size(), 2u);
  for (const TableLevel &level : levels) {
    EXPECT_EQ(level.files, 0u);
    EXPECT_EQ(level.bytes, 0u);
  }
  EXPECT_TRUE(ParseTableLevels("", 0).empty());
}

}  // namespace
}  // namespace openremap
