// SPDX-License-Identifier: Apache-2.0
#include "paged_table/block_filter.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "test_seed.h"

namespace openremap {
namespace {

std::string NumberKey(uint64_t n) {
  const std::string digits = std::to_string(n);
  return std::string(16 - digits.size(), '0') + digits;
}

std::string FilterOf(const BlockFilter &policy, const std::vector<std::string> &keys) {
  const std::vector<leveldb::Slice> slices(keys.begin(), keys.end());
  std::string filter = "before";
  policy.CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter);
  EXPECT_EQ(filter.substr(0, 6), "before");
  return filter.substr(6);
}

// Puts `keys` random ones of `near` consecutive keys into each filter. Returns the share of the other keys that match.
double WrongMatches(int bits, size_t keys, uint64_t near, size_t *bytes) {
  const BlockFilter policy(bits);
  std::mt19937_64 random(TestSeed());
  uint64_t wrong = 0, asked = 0;
  for (int round = 0; round < 1000; round++) {
    const uint64_t begin = random() % 1000000;
    std::set<std::string> chosen;
    while (chosen.size() < keys) chosen.insert(NumberKey(begin + random() % near));
    const std::string filter = FilterOf(policy, {chosen.begin(), chosen.end()});
    *bytes = filter.size();
    for (uint64_t n = begin; n < begin + near; n++) {
      const std::string key = NumberKey(n);
      const bool match = policy.KeyMayMatch(key, filter);
      if (chosen.count(key) != 0) {
        EXPECT_TRUE(match) << key;
      } else {
        asked++;
        wrong += match ? 1 : 0;
      }
    }
  }
  return static_cast<double>(wrong) / static_cast<double>(asked);
}

TEST(BlockFilterTest, KnowsItsKeysAndFewOthers) {
  size_t bytes = 0;
  EXPECT_LT(WrongMatches(10, 4, 40, &bytes), 0.03);
  EXPECT_EQ(bytes, 6u);
  EXPECT_LT(WrongMatches(10, 40, 200, &bytes), 0.02);
  EXPECT_EQ(bytes, 51u);
  EXPECT_LT(WrongMatches(10, 1, 20, &bytes), 0.05);
  EXPECT_EQ(bytes, 3u);
  EXPECT_LT(WrongMatches(20, 4, 40, &bytes), 0.005);
  EXPECT_LT(WrongMatches(1, 100, 300, &bytes), 0.7);
}

TEST(BlockFilterTest, OfNoKeysAndOfOddOnes) {
  const BlockFilter policy(10);
  EXPECT_TRUE(policy.KeyMayMatch("a", FilterOf(policy, {}))) << "nobody asks";
  const std::vector<std::string> keys = {"", std::string(5000, 'x'), std::string("\0\xff", 2)};
  const std::string filter = FilterOf(policy, keys);
  for (const std::string &key : keys) EXPECT_TRUE(policy.KeyMayMatch(key, filter));
}

TEST(BlockFilterTest, WhatIsNoFilterMatches) {
  const BlockFilter policy(10);
  for (const std::string &other :
       {std::string(), std::string("\6"), std::string("\0\x1f", 2), std::string("\0\xff", 2)}) {
    EXPECT_TRUE(policy.KeyMayMatch("key", other));
  }
  EXPECT_FALSE(policy.KeyMayMatch("key", std::string("\0\6", 2)));
}

}  // namespace
}  // namespace openremap
