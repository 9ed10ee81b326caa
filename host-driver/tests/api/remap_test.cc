// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "device_fixture.h"

namespace openremap {
namespace {

constexpr int kOutOfRange = NVME_STATUS(0, 0x80);
constexpr int kOverlap = NVME_STATUS(7, ORM_VENDOR_STATUS_REMAP_OVERLAP);
constexpr int kUnmapped = NVME_STATUS(7, ORM_VENDOR_STATUS_REMAP_UNMAPPED);
constexpr int kSharers = NVME_STATUS(7, ORM_VENDOR_STATUS_REMAP_SHARER_LIMIT);
constexpr int kZeroLength = NVME_STATUS(7, ORM_VENDOR_STATUS_REMAP_ZERO_LENGTH);

class RemapTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    Open();
    data_ = Pattern(16, 1);
    ASSERT_EQ(openremap_write(dev_, 0, 16, data_.data(), false), 0);
  }
  std::vector<uint8_t> Read(uint64_t lpn, uint64_t pages) {
    std::vector<uint8_t> data(pages * OPENREMAP_PAGE_BYTES);
    EXPECT_EQ(openremap_read(dev_, lpn, pages, data.data()), 0);
    return data;
  }
  std::vector<uint8_t> data_;
};

TEST_F(RemapTest, ShareKeepsTheSourceAndMoveDoesNot) {
  ASSERT_EQ(openremap_remap(dev_, 0, 100, 8, OPENREMAP_SHARE), 0);
  EXPECT_EQ(Read(100, 8), Read(0, 8));
  ASSERT_EQ(openremap_remap(dev_, 8, 200, 8, OPENREMAP_MOVE), 0);
  EXPECT_EQ(Read(200, 8), std::vector<uint8_t>(data_.begin() + 8 * 4096, data_.end()));
  EXPECT_EQ(Read(8, 8), std::vector<uint8_t>(8 * 4096, 0));
}

TEST_F(RemapTest, VectorIsOneCommandOfManyRanges) {
  mock()->log.clear();
  std::vector<openremap_remap_range> ranges;
  for (uint64_t i = 0; i < 16; i++) ranges.push_back({i, 300 + 15 - i, 1});
  ASSERT_EQ(openremap_remap_vector(dev_, ranges.data(), ranges.size(), OPENREMAP_SHARE), 0);
  EXPECT_EQ(mock()->log.size(), 1u);
  for (uint64_t i = 0; i < 16; i++) EXPECT_EQ(Read(315 - i, 1), Read(i, 1));
}

TEST_F(RemapTest, EachRuleHasItsOwnStatusAndChangesNothing) {
  const auto before = mock()->pages;
  EXPECT_EQ(openremap_remap(dev_, 0, 4095, 2, 0), kOutOfRange);
  EXPECT_EQ(openremap_remap(dev_, 4095, 100, 2, 0), kOutOfRange);
  EXPECT_EQ(openremap_remap(dev_, 0, 1, 2, 0), kOverlap);
  EXPECT_EQ(openremap_remap(dev_, 14, 100, 4, 0), kUnmapped);
  EXPECT_EQ(openremap_remap(dev_, 0, 100, 0, 0), kZeroLength);
  const openremap_remap_range ranges[] = {{0, 100, 1}, {1, 100, 1}};
  EXPECT_EQ(openremap_remap_vector(dev_, ranges, 2, 0), kOverlap);
  EXPECT_EQ(mock()->pages, before);
}

TEST_F(RemapTest, SharerLimitAsksForAWrite) {
  mock()->faults.sharer_limit = 3;
  EXPECT_EQ(openremap_remap(dev_, 0, 100, 1, 0), 0);
  EXPECT_EQ(openremap_remap(dev_, 0, 101, 1, 0), 0);
  const int refused = openremap_remap(dev_, 0, 102, 1, 0);
  EXPECT_EQ(refused, kSharers);
  EXPECT_TRUE(openremap_should_write_instead(refused));
  EXPECT_TRUE(openremap_should_write_instead(NVME_STATUS(7, ORM_VENDOR_STATUS_REMAP_NVRAM_FULL)));
  EXPECT_FALSE(openremap_should_write_instead(kOverlap));
  EXPECT_FALSE(openremap_should_write_instead(0));
  EXPECT_FALSE(openremap_should_write_instead(-EIO));
}

TEST_F(RemapTest, WhatTheWireCannotSayIsRefusedHere) {
  mock()->log.clear();
  const std::vector<openremap_remap_range> many(ORM_REMAP_RANGES_MAX + 1, {0, 100, 1});
  EXPECT_EQ(openremap_remap_vector(dev_, many.data(), many.size(), 0), -E2BIG);
  EXPECT_EQ(openremap_remap_vector(dev_, many.data(), 0, 0), -EINVAL);
  EXPECT_EQ(openremap_remap(dev_, 0, UINT64_MAX, 2, 0), -EINVAL);
  EXPECT_EQ(openremap_remap(dev_, 0, 100, 1ull << 32, 0), -EINVAL);
  EXPECT_TRUE(mock()->log.empty());
}

}  // namespace
}  // namespace openremap
