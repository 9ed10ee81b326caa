// SPDX-License-Identifier: Apache-2.0
#include "dram_model.h"

#include <gtest/gtest.h>

namespace orm {
namespace {

TEST(DramModel, ReadsBackAndForgets) {
  DramModel m(64);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(m.data()) % 16, 0u) << "platform.h asks for it";
  uint8_t out[4];
  ASSERT_TRUE(m.read(60, out, 4));
  EXPECT_EQ(out[0], DramModel::kPattern);
  const uint8_t data[4] = {1, 2, 3, 4};
  ASSERT_TRUE(m.write(60, data, nullptr, 4));
  const uint8_t strobe[4] = {0, 1, 0, 0};
  const uint8_t more[4] = {9, 9, 9, 9};
  ASSERT_TRUE(m.write(60, more, strobe, 4));
  ASSERT_TRUE(m.read(60, out, 4));
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 9);
  EXPECT_EQ(out[2], 3);
  m.power_cut();
  ASSERT_TRUE(m.read(60, out, 4));
  for (const uint8_t b : out) EXPECT_EQ(b, DramModel::kPattern);
}

TEST(DramModel, RefusesRangesOutside) {
  DramModel m(64);
  uint8_t buf[16] = {};
  EXPECT_FALSE(m.read(50, buf, 16));
  EXPECT_FALSE(m.write(64, buf, nullptr, 1));
  EXPECT_FALSE(m.write(UINT64_MAX - 3, buf, nullptr, 8));
}

}  // namespace
}  // namespace orm
