// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/coin_ages.h"

#include <gtest/gtest.h>

#include <vector>

#include "bench/workload/keys.h"

namespace openremap {
namespace {

TEST(CoinAgesTest, SharesAreThoseOfTheSource) {
  const CoinAges ages;
  EXPECT_EQ(ages.Share(0), 0);
  EXPECT_NEAR(ages.Share(CoinAges::kDay - 1), 0.80, 1e-9);
  EXPECT_NEAR(ages.Share(CoinAges::kMonth - 1), 0.95, 1e-9);
  EXPECT_EQ(ages.Share(CoinAges::kMost - 1), 1);
  // 12 is the square root of a day.
  EXPECT_NEAR(ages.Share(11), 0.40, 1e-9);
  for (uint64_t x = 1; x < 10000; x++) ASSERT_GT(ages.Share(x), ages.Share(x - 1)) << x;
}

TEST(CoinAgesTest, DrawsFollowTheShares) {
  const CoinAges ages;
  Random64 random(1);
  constexpr int kDraws = 200000;
  std::vector<uint64_t> drawn;
  for (int i = 0; i < kDraws; i++) drawn.push_back(ages.Of(random.Unit()));
  for (uint64_t x : {1, 2, 6, 20, 143, 144, 1000, 4319, 100000, 525599}) {
    int upto = 0;
    for (const uint64_t age : drawn) upto += age <= x;
    EXPECT_NEAR(static_cast<double>(upto) / kDraws, ages.Share(x), 0.005) << x;
  }
  EXPECT_EQ(ages.Of(0), 1u);
  EXPECT_LT(ages.Of(0x1.fffffffffffffp-1), CoinAges::kMost);
}

TEST(CoinAgesTest, UnspentIsTheSumOfWhatSurvives) {
  const CoinAges ages;
  double sum = 0;  // of the coins of each age, in the middle of their block
  uint64_t age = 0;
  for (const uint64_t end : {1, 2, 10, 144, 500, 4320, 20000}) {
    for (; age < end; age++) sum += 1 - (ages.Share(age) + (age == 0 ? 0 : ages.Share(age - 1))) / 2;
    EXPECT_NEAR(ages.Unspent(static_cast<double>(end)), sum, 0.002 * sum + 0.1) << end;
  }
  EXPECT_EQ(ages.Unspent(0), 0);
  EXPECT_NEAR(ages.Unspent(1e9), 5650, 50) << "the mean age";
  EXPECT_EQ(ages.Unspent(1e9), ages.Unspent(CoinAges::kMost));
}

TEST(CoinAgesTest, AllInADay) {
  const CoinAges ages(1, 1);
  Random64 random(1);
  for (int i = 0; i < 10000; i++) ASSERT_LT(ages.Of(random.Unit()), CoinAges::kDay);
}

}  // namespace
}  // namespace openremap
