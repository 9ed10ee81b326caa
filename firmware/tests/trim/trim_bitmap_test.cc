// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "trim/trim_bitmap.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class TrimBitmapTest : public ::testing::Test {
 protected:
  MockDevice mock;
  device d{};
  void SetUp() override { ASSERT_EQ(device_probe(&d, mock.port()), FW_OK); }
};

TEST_F(TrimBitmapTest, EachBitmapKeepsItsWords) {
  const uint32_t second = ORM_TRIM_WORD_LPNS;
  trim_bitmap_write(&d, mock.port(), 0, second, 0x5);
  trim_bitmap_write(&d, mock.port(), 1, second, 0xA);
  uint64_t word = 0;
  EXPECT_TRUE(trim_bitmap_read(&d, mock.port(), 0, second + 1, &word));
  EXPECT_EQ(word, 0x5u);
  EXPECT_TRUE(trim_bitmap_read(&d, mock.port(), 1, second, &word));
  EXPECT_EQ(word, 0xAu);
  EXPECT_TRUE(trim_bitmap_read(&d, mock.port(), 0, 0, &word)) << "blank";
  EXPECT_EQ(word, 0u);
}

TEST_F(TrimBitmapTest, ADamagedWordTrimsNothing) {
  trim_bitmap_write(&d, mock.port(), 0, 0, 0x7);
  mock.nvram[MockDevice::kNvBitmap] ^= 0x10;
  uint64_t word = 1;
  EXPECT_FALSE(trim_bitmap_read(&d, mock.port(), 0, 0, &word));
  EXPECT_EQ(word, 0u);
}

TEST_F(TrimBitmapTest, UnmappedPagesAreThoseOfL2p) {
  for (uint32_t lpn = 0; lpn < 8; lpn++) orm_put_le(&mock.dram[MockDevice::kL2p + 4 * lpn], ORM_UNMAPPED, 4);
  orm_put_le(&mock.dram[MockDevice::kL2p + 4 * 2], 9, 4);
  EXPECT_EQ(trim_bitmap_unmapped(&d, mock.port(), 0, 8), 0xFBu);
  EXPECT_EQ(trim_bitmap_unmapped(&d, mock.port(), 0, 2), 0x3u) << "the namespace ends";
}

}  // namespace
}  // namespace orm_test
