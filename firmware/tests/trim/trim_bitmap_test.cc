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

/// A bit for each LPN of a word, whatever its neighbours are; the largest slot that there can be is mapped, too.
TEST_F(TrimBitmapTest, EachBitIsOfItsLpn) {
  const uint32_t first = ORM_TRIM_WORD_LPNS;
  for (const uint64_t pattern : {0x0ull, 0x1ull, 0x80'0000'0000'0000ull, 0xAA'AAAA'AAAA'AAAAull, 0xF0'0F00'8001'7FFEull,
                                 (1ull << ORM_TRIM_WORD_LPNS) - 1}) {
    for (uint32_t i = 0; i < ORM_TRIM_WORD_LPNS; i++)
      orm_put_le(&mock.dram[MockDevice::kL2p + 4 * (first + i)],
                 pattern >> i & 1 ? ORM_UNMAPPED
                 : i % 2 != 0     ? ORM_FW_NAND_STATUS_SLOT_MASK
                                  : i,
                 4);
    EXPECT_EQ(trim_bitmap_unmapped(&d, mock.port(), first, first + ORM_TRIM_WORD_LPNS), pattern);
    for (const uint32_t lpns : {1u, 31u, 32u, 33u, 55u})
      EXPECT_EQ(trim_bitmap_unmapped(&d, mock.port(), first, first + lpns), pattern & ((1ull << lpns) - 1)) << lpns;
  }
}

}  // namespace
}  // namespace orm_test
