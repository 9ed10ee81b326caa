// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/distribution_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/workload/keys.h"

namespace openremap {
namespace {

TEST(DistributionCheckTest, FindsWhatIsOff) {
  DistributionCheck good("coin", {0.5, 0.5}), bad("coin", {0.5, 0.5}), empty("coin", {1, 0});
  for (int i = 0; i < 1000; i++) {
    good.Add(i % 2 == 0 ? 0 : 1);
    bad.Add(i % 3 == 0 ? 0 : 1);
  }
  EXPECT_EQ(good.Deviation(), "");
  EXPECT_EQ(empty.Deviation(), "");
  EXPECT_NE(bad.Deviation().find("coin: bin 0 has 334 of 1000"), std::string::npos) << bad.Deviation();
}

TEST(DistributionCheckTest, ManyBinsThatAreALittleOffTellTogether) {
  const std::vector<double> even(100, 0.01);
  DistributionCheck check("numbers", even);
  for (size_t bin = 0; bin < 100; bin++) {
    for (int i = 0; i < (bin < 50 ? 1050 : 950); i++) check.Add(bin);  // 1.6 standard deviations each
  }
  EXPECT_NE(check.Deviation().find("numbers: bins 0 to "), std::string::npos) << check.Deviation();
}

TEST(DistributionCheckTest, WhatCannotBeIsFoundAtOnce) {
  DistributionCheck check("coin", {1, 0});
  check.Add(1);
  EXPECT_NE(check.Deviation(), "");
}

// Includes rare bins, which few draws hit: none, or now and then two.
TEST(DistributionCheckTest, ChanceIsLeftAlone) {
  const std::vector<double> shares = {0.6, 0.3, 0.09, 0.009, 0.0009, 0.00009, 0.00001};
  Random64 random(1);
  for (int draws : {1, 2, 30, 1000}) {
    for (int i = 0; i < 30000; i++) {
      DistributionCheck check("numbers", shares);
      for (int draw = 0; draw < draws; draw++) {
        double u = random.Unit();
        size_t bin = 0;
        while (bin + 1 < shares.size() && u >= shares[bin]) u -= shares[bin++];
        check.Add(bin);
      }
      ASSERT_EQ(check.Deviation(), "");
    }
  }
}

}  // namespace
}  // namespace openremap
