// SPDX-License-Identifier: Apache-2.0
//
// That cuts under LevelDB show what they are there to show: a sound stack has no violation, defects made on purpose
// have one. OPENREMAP_SEED seeds them.
#include "db_crash_run.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "pagefs/device/passing_page_device.h"
#include "test_seed.h"
#include "value_log/defects.h"

namespace openremap {
namespace {

using leveldb::Status;

class DeviceThatNeverFlushes : public PassingPageDevice {
 public:
  using PassingPageDevice::PassingPageDevice;
  Status Flush() override { return Status::OK(); }
};

class DeviceThatKeepsMetadataInItsCache : public PassingPageDevice {
 public:
  using PassingPageDevice::PassingPageDevice;
  Status Write(const std::vector<WriteRun> &runs, bool) override { return below_->Write(runs, /*durable=*/false); }
};

// As a remap would be that takes one run from the wrong place.
class DeviceThatRemapsOnePageBesides : public PassingPageDevice {
 public:
  using PassingPageDevice::PassingPageDevice;
  Status Remap(const std::vector<RemapRun> &runs, bool *refused) override {
    std::vector<RemapRun> others = runs;
    if (others.size() > 1) std::swap(others.front().source, others.back().source);
    return below_->Remap(others, refused);
  }
};

template <class Device>
std::unique_ptr<PageDevice> Wrap(PageDevice *device) {
  return std::make_unique<Device>(device);
}

CrashRunOptions Options(RemapMode mode) {
  CrashRunOptions options;
  options.mode = mode;
  options.seed = openremap::TestSeed();
  options.cuts = 15;
  return options;
}

// The first violation that some runs find. Empty: none of them finds one.
std::string FirstViolation(CrashRunOptions options) {
  constexpr int kRuns = 8;
  for (int run = 0; run < kRuns; run++, options.seed++) {
    const CrashRunResult result = RunWithCuts(options);
    if (!result.wrong.empty()) return result.wrong;
  }
  return "";
}

class DbCrashRunTest : public ::testing::TestWithParam<RemapMode> {};

TEST_P(DbCrashRunTest, ASoundRunHasNoViolationAndRepeats) {
  const CrashRunOptions options = Options(GetParam());
  const CrashRunResult first = RunWithCuts(options);
  EXPECT_EQ(first.wrong, "");
  EXPECT_GE(first.cuts, options.cuts);
  EXPECT_GT(first.synced, 0u);
  EXPECT_GT(first.writes, first.synced);
  const CrashRunResult again = RunWithCuts(options);
  EXPECT_EQ(again.cuts_in, first.cuts_in);
  EXPECT_EQ(again.writes, first.writes);
  EXPECT_EQ(again.remapped_pages, first.remapped_pages);
  EXPECT_EQ(again.gc_moved_pages, first.gc_moved_pages);
}

TEST_P(DbCrashRunTest, FlushesLeftOutAreFound) {
  CrashRunOptions options = Options(GetParam());
  options.wrap = Wrap<DeviceThatNeverFlushes>;
  EXPECT_NE(FirstViolation(options), "");
}

TEST_P(DbCrashRunTest, VolatileMetadataIsFound) {
  CrashRunOptions options = Options(GetParam());
  options.wrap = Wrap<DeviceThatKeepsMetadataInItsCache>;
  EXPECT_NE(FirstViolation(options), "");
}

TEST_P(DbCrashRunTest, WritesThatAreNotSyncedAreFound) {
  CrashRunOptions options = Options(GetParam());
  options.forget_sync = true;
  EXPECT_NE(FirstViolation(options).find("synced"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Modes, DbCrashRunTest, ::testing::ValuesIn(RemapModes()),
                         [](const auto &test) { return std::string(RemapModeName(test.param)); });

// A unit for each table, in mode off and with remapping compaction by KVSSD's rule.
TEST(DbCrashRunUnitsTest, ASoundRunHasNoViolation) {
  for (const RemapMode mode : {RemapMode::kOff, RemapMode::kBlend}) {
    CrashRunOptions options = Options(mode);
    options.table_units = true;
    options.blend_rule = BlendRule::kRuns;
    options.blend_runs = 2;
    const CrashRunResult result = RunWithCuts(options);
    EXPECT_EQ(result.wrong, "");
    EXPECT_GE(result.cuts, options.cuts);
    EXPECT_GT(result.units_begun, 0u);
    EXPECT_EQ(result.remapped_pages > 0, mode == RemapMode::kBlend);
  }
}

TEST(DbCrashRunRemapTest, PagesRemappedFromTheWrongPlaceAreFound) {
  CrashRunOptions options = Options(RemapMode::kRetain);
  options.wrap = Wrap<DeviceThatRemapsOnePageBesides>;
  EXPECT_NE(FirstViolation(options), "");
}

// With a value log, whose defects are in the library.
class DbCrashRunValueLogTest : public DbCrashRunTest {
 protected:
  ~DbCrashRunValueLogTest() override { SeededDefects() = ValueLogDefects(); }
  static CrashRunOptions Separated() {
    CrashRunOptions options = Options(GetParam());
    options.separated = true;
    return options;
  }
};

TEST_P(DbCrashRunValueLogTest, ASoundRunHasNoViolationAndRepeats) {
  const CrashRunOptions options = Separated();
  const CrashRunResult first = RunWithCuts(options);
  EXPECT_EQ(first.wrong, "");
  EXPECT_GE(first.cuts, options.cuts);
  EXPECT_GT(first.collected_segments, 0u);
  const CrashRunResult again = RunWithCuts(options);
  EXPECT_EQ(again.cuts_in, first.cuts_in);
  EXPECT_EQ(again.writes, first.writes);
  EXPECT_EQ(again.collected_segments, first.collected_segments);
}

TEST_P(DbCrashRunValueLogTest, PointersThatAreDurableBeforeTheirValuesAreFound) {
  SeededDefects().values_not_synced = true;
  EXPECT_NE(FirstViolation(Separated()), "");
}

TEST_P(DbCrashRunValueLogTest, SegmentsThatGoBeforeTheirCopiesAreDurableAreFound) {
  SeededDefects().collected_at_once = true;
  CrashRunOptions options = Separated();
  options.cuts = 60;
  EXPECT_NE(FirstViolation(options), "");
}

TEST_P(DbCrashRunValueLogTest, SegmentsThatMoveHaveNoViolation) {
  CrashRunOptions options = Separated();
  options.collector = ValueLogCollector::kRemap;
  const CrashRunResult result = RunWithCuts(options);
  EXPECT_EQ(result.wrong, "");
  EXPECT_GT(result.moved_segments, 0u);
}

TEST_P(DbCrashRunValueLogTest, SegmentsThatGoBeforeTheManifestSaysWhereTheyAreAreFound) {
  SeededDefects().moved_at_once = true;
  CrashRunOptions options = Separated();
  options.collector = ValueLogCollector::kRemap;
  options.cuts = 60;
  EXPECT_NE(FirstViolation(options), "");
}

TEST_P(DbCrashRunValueLogTest, DeadPagesThatGoHaveNoViolation) {
  CrashRunOptions options = Separated();
  options.collector = ValueLogCollector::kPunch;
  const CrashRunResult result = RunWithCuts(options);
  EXPECT_EQ(result.wrong, "");
  EXPECT_GT(result.punched_segments, 0u);
}

TEST_P(DbCrashRunValueLogTest, PagesThatGoBeforeWhatHidesThemIsDurableAreFound) {
  SeededDefects().punched_at_once = true;
  CrashRunOptions options = Separated();
  options.collector = ValueLogCollector::kPunch;
  options.cuts = 60;
  EXPECT_NE(FirstViolation(options), "");
}

INSTANTIATE_TEST_SUITE_P(Modes, DbCrashRunValueLogTest, ::testing::Values(RemapMode::kOff, RemapMode::kBlend),
                         [](const auto &test) { return std::string(RemapModeName(test.param)); });

TEST(DbCrashRunOptionsTest, ADeviceThatIsNotThereIsRefused) {
  CrashRunOptions options = Options(RemapMode::kOff);
  options.device = "none";
  EXPECT_THROW(RunWithCuts(options), std::runtime_error);
}

}  // namespace
}  // namespace openremap
