// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "test_seed.h"

extern "C" {
#include "nvme/clash.h"
}

namespace orm_test {
namespace {

using Ranges = std::vector<orm_remap_range>;

uint32_t first_clash(const Ranges &ranges) {
  const auto c = std::make_unique<clash>();
  clash_clear(c.get());
  for (const orm_remap_range &r : ranges) clash_add(c.get(), &r);
  return clash_first(c.get());
}

bool overlap(uint64_t a, uint64_t a_n, uint64_t b, uint64_t b_n) { return a < b + b_n && b < a + a_n; }

// The rule literally: compares each target with every source and every other target.
uint32_t each_with_each(const Ranges &ranges) {
  for (size_t i = 0; i < ranges.size(); i++) {
    const orm_remap_range &a = ranges[i];
    for (size_t k = 0; k < ranges.size(); k++) {
      const orm_remap_range &b = ranges[k];
      if (overlap(a.dst, a.nlb, b.src, b.nlb) || (k != i && overlap(a.dst, a.nlb, b.dst, b.nlb)))
        return static_cast<uint32_t>(i);
    }
  }
  return static_cast<uint32_t>(ranges.size());
}

orm_remap_range range(uint64_t src, uint64_t dst, uint32_t nlb) { return {src, dst, nlb, 0, 0}; }

TEST(Clash, NothingClashesWithNothing) { EXPECT_EQ(first_clash({}), 0u); }

TEST(Clash, OneRange) {
  EXPECT_EQ(first_clash({range(5, 8, 3)}), 1u) << "they only touch";
  EXPECT_EQ(first_clash({range(8, 5, 3)}), 1u);
  EXPECT_EQ(first_clash({range(5, 7, 3)}), 0u);
  EXPECT_EQ(first_clash({range(7, 5, 3)}), 0u);
  EXPECT_EQ(first_clash({range(5, 5, 1)}), 0u);
}

TEST(Clash, SourcesMayRepeat) { EXPECT_EQ(first_clash({range(0, 10, 4), range(0, 20, 4), range(2, 30, 1)}), 3u); }

TEST(Clash, TheFirstOfSeveralInTheOrderOfTheCommand) {
  EXPECT_EQ(first_clash({range(0, 90, 1), range(1, 40, 4), range(2, 43, 1)}), 1u) << "both clash";
  EXPECT_EQ(first_clash({range(0, 90, 1), range(1, 43, 1), range(2, 40, 4)}), 1u);
  EXPECT_EQ(first_clash({range(30, 80, 4), range(0, 31, 1)}), 1u) << "the target, not the source";
  EXPECT_EQ(first_clash({range(0, 31, 1), range(30, 80, 4)}), 0u);
}

TEST(Clash, ALongTargetReachesOverItsNeighbour) {
  EXPECT_EQ(first_clash({range(500, 10, 100), range(700, 90, 1), range(800, 20, 1)}), 0u);
  EXPECT_EQ(first_clash({range(800, 200, 1), range(10, 300, 100), range(20, 400, 1), range(900, 90, 1)}), 3u)
      << "a long source that begins before a short one";
}

TEST(Clash, UpToTheLastPage) {
  constexpr uint32_t kEnd = UINT32_MAX;
  EXPECT_EQ(first_clash({range(0, kEnd - 4, 4), range(kEnd - 8, 8, 4)}), 2u);
  EXPECT_EQ(first_clash({range(0, kEnd - 4, 4), range(kEnd - 8, 8, 5)}), 0u);
}

TEST(Clash, LikeEachWithEach) {
  std::mt19937_64 random(openremap::TestSeed());
  uint32_t fine = 0, bad = 0;
  for (int round = 0; round < 20000; round++) {
    // From crowded to so wide that few meet.
    const uint64_t pages = 4ull << random() % 16;
    const uint32_t longest = 1u << random() % 4;
    const uint64_t most = random() % 8 == 0 ? ORM_REMAP_RANGES_MAX : 8;
    Ranges ranges(1 + random() % most);
    for (orm_remap_range &r : ranges)
      r = range(random() % pages, random() % 2 * pages + random() % pages,
                1 + static_cast<uint32_t>(random() % longest));
    const uint32_t expected = each_with_each(ranges);
    ASSERT_EQ(first_clash(ranges), expected) << "round " << round << ", " << ranges.size() << " ranges";
    ++(expected == ranges.size() ? fine : bad);
  }
  EXPECT_GT(fine, 2000u);
  EXPECT_GT(bad, 2000u);
}

}  // namespace
}  // namespace orm_test
