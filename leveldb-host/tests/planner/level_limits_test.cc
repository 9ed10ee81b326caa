// SPDX-License-Identifier: Apache-2.0
#include "planner/level_limits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace openremap {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr double kFixed = 12345;

class LevelLimitsTest : public ::testing::Test {
 protected:
  LevelLimitsTest() {
    options_.write_buffer_size = 4 * kMiB;  // level 0 gathers 16 MiB
    options_.remap.mode = RemapMode::kBlend;
    options_.remap.last_level_ratio = 16;
    options_.remap.level_ratio = 10;
  }

  // In MiB; of each level from 1 on.
  std::vector<double> Limits(const std::vector<uint64_t> &mib) const {
    LevelLimits::Bytes bytes{};
    for (size_t i = 0; i < mib.size(); i++) bytes.at(i + 1) = mib[i] * kMiB;
    const LevelLimits limits(options_, bytes, headroom_);
    std::vector<double> result;
    for (int level = 1; level < CompactionStatistics::kLevels; level++) {
      result.push_back(limits.Of(level, kFixed) / static_cast<double>(kMiB));
    }
    return result;
  }

  leveldb::Options options_;
  uint64_t headroom_ = std::numeric_limits<uint64_t>::max();
};

TEST_F(LevelLimitsTest, FixedInOtherModesAndWhereAskedFor) {
  const auto fixed = [this] {
    for (const double limit : Limits({100, 1000})) EXPECT_EQ(limit, kFixed / static_cast<double>(kMiB));
  };
  options_.remap.last_level_ratio = 0;
  fixed();
  options_.remap.last_level_ratio = 16;
  for (const RemapMode mode : RemapModes()) {
    if (mode == RemapMode::kBlend) continue;
    options_.remap.mode = mode;
    fixed();
  }
}

TEST_F(LevelLimitsTest, TheSameInEveryModeWhereAskedFor) {
  const std::vector<double> blend = Limits({160, 2560});
  options_.remap.dynamic_levels = true;
  for (const RemapMode mode : RemapModes()) {
    options_.remap.mode = mode;
    EXPECT_EQ(Limits({160, 2560}), blend) << RemapModeName(mode);
  }
  options_.remap.last_level_ratio = 0;
  EXPECT_EQ(Limits({160, 2560})[0], kFixed / static_cast<double>(kMiB));
}

TEST_F(LevelLimitsTest, LittleDataIsOneLevel) {
  for (const uint64_t mib : {0, 1, 32}) {
    for (const double limit : Limits({mib})) EXPECT_TRUE(std::isinf(limit)) << mib;
  }
}

TEST_F(LevelLimitsTest, TheLevelAboveTheDeepestHasItsShareOfAll) {
  EXPECT_EQ(Limits({33})[0], 16) << "no less than level 0 brings";
  EXPECT_EQ(Limits({100, 1500})[0], 100);
  EXPECT_TRUE(std::isinf(Limits({100, 1500})[1]));
}

TEST_F(LevelLimitsTest, NoLevelIsMoreTimesLargerThanAllowed) {
  EXPECT_EQ(Limits({160, 2400})[0], 160) << "ten times level 0";
  const std::vector<double> limits = Limits({160, 2560});
  EXPECT_NEAR(limits[1], 170, 0.01) << "a sixteenth";
  EXPECT_NEAR(limits[0], std::sqrt(16.0 * 170), 0.01) << "half way between, by ratio";
  EXPECT_TRUE(std::isinf(limits[2]));
}

TEST_F(LevelLimitsTest, ManyLevelsStayWithinLevelDbs) {
  options_.remap.level_ratio = 2;
  const std::vector<double> limits = Limits({0, 0, 0, 0, 0, 100'000'000});  // 95 TiB
  EXPECT_TRUE(std::isinf(limits[5]));
  double above = 16;
  for (size_t i = 0; i < 5; i++) {
    EXPECT_GT(limits[i], above);
    above = limits[i];
  }
  EXPECT_NEAR(limits[4], 100'000'000.0 / 16, 1);
}

// While a compaction of level 0 goes on it takes its own bytes and those of level 1 twice.
TEST_F(LevelLimitsTest, ACompactionOfLevel0FitsIntoTheHeadroom) {
  headroom_ = 100 * kMiB;
  std::vector<double> limits = Limits({100, 1500});
  EXPECT_NEAR(limits[1], 100, 0.01) << "as without";
  EXPECT_NEAR(limits[0], std::sqrt(16.0 * 100), 0.01) << "40 MiB and the 16 of level 0";
  EXPECT_TRUE(std::isinf(limits[2]));
  headroom_ = 155 * kMiB;
  EXPECT_EQ(Limits({100, 1500})[0], 100);
  headroom_ = 0;
  limits = Limits({100, 1500});
  EXPECT_GE(limits[0], 1.5 * 16) << "levels do not become too many for nothing";
}

// Other limits made this database deeper than it needs to be. Its deepest level stays the deepest. Data above the
// levels in use may stay there while it is no more than one compaction of level 0 brings.
TEST_F(LevelLimitsTest, DataPassesLevelsThatItDoesNotTake) {
  const std::vector<double> limits = Limits({10, 100, 1000, 490});
  EXPECT_EQ(limits[0], 16);
  EXPECT_EQ(limits[1], 16);
  EXPECT_EQ(limits[2], 100);
  EXPECT_TRUE(std::isinf(limits[3]));
}

}  // namespace
}  // namespace openremap
