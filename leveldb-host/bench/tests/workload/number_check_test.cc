// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/number_check.h"

#include <gtest/gtest.h>

#include <string>

#include "bench/workload/keys.h"
#include "bench/workload/mixgraph.h"
#include "bench/workload/value_sizes.h"

namespace openremap {
namespace {

TEST(NumberCheckTest, BinsDouble) {
  // P(number <= x) = x / 6.
  NumberCheck check(
      "die", [](uint64_t x) { return static_cast<double>(x) / 6; }, 6);
  for (int i = 0; i < 600; i++) check.Add(static_cast<uint64_t>(i % 6 + 1));
  EXPECT_EQ(check.Deviation(), "");
  for (int i = 0; i < 150; i++) check.Add(3);
  EXPECT_NE(check.Deviation().find("die: bin 2 has 350 of 750, expected a share of 0.333"), std::string::npos)
      << check.Deviation();
}

TEST(NumberCheckTest, OneNumberAndWhatIsBeyond) {
  NumberCheck one(
      "ones", [](uint64_t) { return 1.0; }, 1);
  for (uint64_t number : {0, 1, 1000}) one.Add(number);
  EXPECT_EQ(one.Deviation(), "");
  NumberCheck seven(
      "sevens", [](uint64_t x) { return x < 7 ? 0.0 : 1.0; }, 7);
  seven.Add(7);
  EXPECT_EQ(seven.Deviation(), "");
  seven.Add(4);
  EXPECT_NE(seven.Deviation(), "");
}

// The verdict on this number of values whose sizes follow another law than Mixgraph's.
std::string Deviation(double k, double sigma, int values) {
  const ValueSizes law = MixgraphValueSizes(), drawn = ValueSizes::Pareto(k, sigma, law.Most());
  NumberCheck check(
      "value sizes", [&law](uint64_t x) { return law.Cdf(x); }, law.Most());
  Random64 random(1);
  for (int i = 0; i < values; i++) check.Add(drawn.Of(random.Next()));
  return check.Deviation();
}

TEST(NumberCheckTest, ValueSizesOfAnotherLawAreFound) {
  const MixgraphParameters p;
  constexpr int kSmall = 35600, kMedium = 1140000;  // values of the experiment's two smaller scales
  for (int values : {kSmall, kMedium}) {
    EXPECT_EQ(Deviation(p.value_k, p.value_sigma, values), "");
    for (double k : {0.0, 0.2, 0.35, p.scan_k}) EXPECT_NE(Deviation(k, p.value_sigma, values), "") << k;
    for (double sigma : {p.scan_sigma, 23.5, 27.5}) EXPECT_NE(Deviation(p.value_k, sigma, values), "") << sigma;
  }
  for (double k : {0.25, 0.27}) EXPECT_NE(Deviation(k, p.value_sigma, kMedium), "") << k;
  for (double sigma : {25.1, 25.8}) EXPECT_NE(Deviation(p.value_k, sigma, kMedium), "") << sigma;
}

// The values of a run are functions of the key and of the number of puts to it.
TEST(NumberCheckTest, ValuesOfAKeySpaceFollowTheirLaw) {
  const ValueSizes law = MixgraphValueSizes();
  for (uint64_t seed = 1; seed <= 20; seed++) {
    KeySpace keys(10000, 16, law, seed);
    NumberCheck check(
        "value sizes", [&law](uint64_t x) { return law.Cdf(x); }, law.Most());
    std::string value;
    Random64 random(seed);
    for (int i = 0; i < 20000; i++) {
      keys.Put(random.Below(i % 2 == 0 ? 10000 : 10), &value);
      check.Add(value.size());
    }
    EXPECT_EQ(check.Deviation(), "") << seed;
  }
}

}  // namespace
}  // namespace openremap
