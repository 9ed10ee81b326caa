// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/live_coins.h"

#include <gtest/gtest.h>

#include <set>

#include "bench/workload/keys.h"

namespace openremap {
namespace {

TEST(LiveCoinsTest, TheNewestUpToACoin) {
  LiveCoins coins;
  EXPECT_EQ(coins.made(), 0u);
  for (int i = 0; i < 5; i++) coins.Add();
  EXPECT_EQ(coins.made(), 5u);
  EXPECT_EQ(coins.AtOrBefore(4), 4u);
  coins.Spend(4);
  coins.Spend(2);
  EXPECT_EQ(coins.AtOrBefore(4), 3u);
  EXPECT_EQ(coins.AtOrBefore(2), 1u);
  coins.Spend(3);
  coins.Spend(1);
  coins.Spend(0);
  EXPECT_EQ(coins.AtOrBefore(4), std::nullopt);
  coins.Add();
  EXPECT_EQ(coins.AtOrBefore(5), 5u);
  EXPECT_EQ(coins.AtOrBefore(4), std::nullopt);
}

TEST(LiveCoinsTest, AgreesWithASet) {
  Random64 random(3);
  LiveCoins coins;
  std::set<uint64_t> live;
  for (int i = 0; i < 50000; i++) {
    if (coins.made() == 0 || random.Below(2) == 0) {
      live.insert(coins.made());
      coins.Add();
      continue;
    }
    const uint64_t asked = random.Below(coins.made());
    const auto after = live.upper_bound(asked);
    const std::optional<uint64_t> found = coins.AtOrBefore(asked);
    ASSERT_EQ(found.has_value(), after != live.begin());
    if (!found) continue;
    ASSERT_EQ(*found, *std::prev(after));
    coins.Spend(*found);
    live.erase(*found);
  }
}

}  // namespace
}  // namespace openremap
