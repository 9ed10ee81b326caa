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
  const trim_region in0{{0, 0x5}, 2, true}, in1{{0, 0xA}, 2, true};
  trim_region_write(&d, mock.port(), 0, 0, &in0);
  trim_region_write(&d, mock.port(), 1, 0, &in1);
  uint64_t word = 0;
  EXPECT_TRUE(trim_bitmap_read(&d, mock.port(), 0, second + 1, &word));
  EXPECT_EQ(word, 0x5u);
  EXPECT_TRUE(trim_bitmap_read(&d, mock.port(), 1, second, &word));
  EXPECT_EQ(word, 0xAu);
  EXPECT_TRUE(trim_bitmap_read(&d, mock.port(), 0, 2 * second, &word)) << "blank";
  EXPECT_EQ(word, 0u);
}

TEST_F(TrimBitmapTest, ADamagedWordTrimsNothing) {
  mock.write_trims(0, 0, 0x7, 1);
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

TEST_F(TrimBitmapTest, EachRegionHasAPointer) {
  const trim_pointer first{3, 1}, second{0xFFFF'FFFF'FFFF, 0};
  trim_pointer_write(&d, mock.port(), 0, &first);
  trim_pointer now{9, 9};
  EXPECT_TRUE(trim_pointer_read(&d, mock.port(), 1, &now)) << "blank";
  EXPECT_EQ(now.seq, 0u);
  EXPECT_EQ(now.bitmap, 0u);
  trim_pointer_write(&d, mock.port(), 1, &second);
  EXPECT_TRUE(trim_pointer_read(&d, mock.port(), 0, &now));
  EXPECT_EQ(now.seq, 3u);
  EXPECT_EQ(now.bitmap, 1u);
  EXPECT_TRUE(trim_pointer_read(&d, mock.port(), 1, &now));
  EXPECT_EQ(now.seq, second.seq);
}

TEST_F(TrimBitmapTest, EachBitOfAPointerCounts) {
  for (uint32_t bit = 0; bit < 64; bit++) {
    const trim_pointer to{0x1234, 1};
    trim_pointer_write(&d, mock.port(), 0, &to);
    mock.nvram[MockDevice::kNvTrimPointers + bit / 8] ^= uint8_t(1u << bit % 8);
    trim_pointer now{9, 9};
    EXPECT_FALSE(trim_pointer_read(&d, mock.port(), 0, &now)) << bit;
    EXPECT_EQ(now.seq, 0u) << bit;
  }
}

TEST_F(TrimBitmapTest, APointerToNoBitmapIsDamage) {
  const trim_pointer to{7, 2};
  trim_pointer_write(&d, mock.port(), 0, &to);
  trim_pointer now{};
  EXPECT_FALSE(trim_pointer_read(&d, mock.port(), 0, &now));
}

TEST_F(TrimBitmapTest, ThePointerOfAnotherRegionIsDamage) {
  const trim_pointer to{7, 0};
  trim_pointer_write(&d, mock.port(), 0, &to);
  std::copy_n(&mock.nvram[MockDevice::kNvTrimPointers], ORM_TRIM_POINTER_BYTES,
              &mock.nvram[MockDevice::kNvTrimPointers + ORM_TRIM_POINTER_BYTES]);
  trim_pointer now{};
  EXPECT_FALSE(trim_pointer_read(&d, mock.port(), 1, &now));
}

TEST_F(TrimBitmapTest, ARegionEndsWithTheNamespace) {
  for (uint32_t lpn = 0; lpn < ORM_TRIM_WORD_LPNS + 3; lpn++)
    orm_put_le(&mock.dram[MockDevice::kL2p + 4 * lpn], lpn % 2 != 0 ? ORM_UNMAPPED : lpn, 4);
  trim_region words{};
  trim_region_scan(&d, mock.port(), 0, ORM_TRIM_WORD_LPNS + 2, &words);
  EXPECT_EQ(words.words, 2u);
  EXPECT_EQ(words.trimmed[0], 0xAA'AAAA'AAAA'AAAAu);
  EXPECT_EQ(words.trimmed[1], 0x2u);
  EXPECT_TRUE(words.any);
  trim_region_scan(&d, mock.port(), 0, 1, &words);
  EXPECT_EQ(words.words, 1u);
  EXPECT_FALSE(words.any);
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
