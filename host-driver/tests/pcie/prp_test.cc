// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "pcie/prp.h"
}

#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

namespace {

constexpr uint64_t kList = 0x700000000;
constexpr uint64_t kUntouched = 0xDEADBEEFDEADBEEF;

// Reads a PRP pair back as the controller does (NVMe 1.4 section 4.3) into one contiguous length, and checks every
// rule.
uint64_t Walk(uint64_t bus, const prp_pair &prps, const std::vector<uint64_t> &list, size_t bytes) {
  EXPECT_EQ(prps.prp1, bus);
  const uint64_t first = PRP_PAGE_BYTES - bus % PRP_PAGE_BYTES;
  if (bytes <= first) {
    EXPECT_EQ(prps.prp2, 0u);
    return first;
  }
  if (bytes - first <= PRP_PAGE_BYTES) {
    EXPECT_EQ(prps.prp2, bus + first);
    return first + PRP_PAGE_BYTES;
  }
  EXPECT_EQ(prps.prp2, kList);
  uint64_t covered = first;
  for (size_t i = 0; covered < bytes; i++, covered += PRP_PAGE_BYTES) {
    EXPECT_EQ(list.at(i) % PRP_PAGE_BYTES, 0u);
    EXPECT_EQ(list.at(i), bus + covered);
  }
  return covered;
}

TEST(PrpTest, CoversEveryOffsetAndSizeAroundThePageBoundaries) {
  for (uint64_t offset : {0u, 4u, 8u, 2048u, 4088u, 4092u}) {
    for (uint64_t pages : {0u, 1u, 2u, 3u, 31u, 32u, 255u}) {
      for (int64_t delta : {-4, 0, 4, 512}) {
        const auto bytes = static_cast<int64_t>(pages * PRP_PAGE_BYTES) + delta;
        if (bytes <= 0) continue;
        std::vector<uint64_t> list(PRP_LIST_ENTRIES + 1, kUntouched);
        prp_pair prps{};
        const uint64_t bus = 0x123450000 + offset;
        ASSERT_EQ(prp_build(bus, static_cast<size_t>(bytes), list.data(), kList, &prps), 0);
        const uint64_t covered = Walk(bus, prps, list, static_cast<size_t>(bytes));
        EXPECT_GE(covered, static_cast<uint64_t>(bytes));
        EXPECT_LT(covered - static_cast<uint64_t>(bytes), PRP_PAGE_BYTES) << "a PRP too many";
        EXPECT_EQ(list.back(), kUntouched);
      }
    }
  }
}

TEST(PrpTest, LongestTransferFillsTheListExactly) {
  std::vector<uint64_t> list(PRP_LIST_ENTRIES + 1, kUntouched);
  prp_pair prps{};
  ASSERT_EQ(prp_build(0x10000FFC, PRP_MAX_BYTES, list.data(), kList, &prps), 0);
  EXPECT_NE(list[PRP_LIST_ENTRIES - 1], kUntouched);
  EXPECT_EQ(list.back(), kUntouched);
}

TEST(PrpTest, RefusesWhatPrpsCannotSay) {
  uint64_t list[PRP_LIST_ENTRIES];
  prp_pair prps{};
  EXPECT_EQ(prp_build(0x1000, 0, list, kList, &prps), -EINVAL);
  EXPECT_EQ(prp_build(0x1002, 4096, list, kList, &prps), -EINVAL);
  EXPECT_EQ(prp_build(0x1000, PRP_MAX_BYTES + 4, list, kList, &prps), -E2BIG);
}

}  // namespace
