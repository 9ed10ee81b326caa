// SPDX-License-Identifier: Apache-2.0
//
// A firmware with a data cache between it and DRAM (platform.h, cache_clean and cache_invalidate): each test needs some
// of the calls that move lines between the two. The other tests of the controller run on these devices, too.
#include <cstring>
#include <string>
#include <vector>

#include "controller_fixture.h"
#include "crash/summaries.h"
#include "crash/tables.h"
#include "openremap_cmd.h"
#include "pcie_debug.h"

namespace openremap {
namespace {

class CacheTest : public ControllerTest {
 protected:
  // The LBA of the newest entry of the error log.
  uint64_t LastErrorLba() {
    uint8_t raw[NVME_ERROR_LOG_ENTRY_BYTES];
    EXPECT_EQ(openremap_get_log_page(dev_, NVME_LOG_PAGE_ERROR_INFORMATION, 0, raw, sizeof raw), 0);
    nvme_error_log_entry entry{};
    nvme_error_log_entry_unpack(&entry, raw);
    EXPECT_GT(entry.error_count, 0u);
    return entry.lba;
  }
  void Idle() {
    pcie_function *fn = openremap_pcie_function(dev_);
    for (int i = 0; i < 100; i++) ASSERT_GE(fn->ops->run(fn, 1'000'000), 0);
  }
};

TEST_P(CacheTest, TablesAreTheControllersAfterAStart) {
  ASSERT_NO_FATAL_FAILURE(Write(0, 32));
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_NO_FATAL_FAILURE(Write(16, 32));
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(CacheTest, ListsComeFromTheHost) {
  ASSERT_NO_FATAL_FAILURE(Write(0, 16));
  ASSERT_NO_FATAL_FAILURE(FirmwareRemaps({{4, 110, 3}, {0, 100, 2}}));
  ASSERT_NO_FATAL_FAILURE(FirmwareRemaps({{100, 220, 2}, {2, 210, 3}, {8, 200, 1}}));
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

// The page is built, refused and never sent: what it leaves dirty must not get into the list behind it.
TEST_P(CacheTest, AListAfterAPageThatWasNotSent) {
  ASSERT_NO_FATAL_FAILURE(Write(0, 16));
  std::vector<uint8_t> page(4096);
  EXPECT_NE(openremap_get_log_page(dev_, NVME_LOG_PAGE_SMART, 1 << 20, page.data(), page.size()), 0);
  ASSERT_NO_FATAL_FAILURE(FirmwareRemaps({{4, 110, 3}, {0, 100, 2}}));
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(CacheTest, RangesGoToTheEngine) {
  Close();
  options_.device.firmware_remaps = 1;  // of a single range, which firmware writes itself
  Open();
  ASSERT_NO_FATAL_FAILURE(Write(0, 16));
  ASSERT_EQ(Remap(0, 100, 8), 0);
  ASSERT_EQ(Remap(4, 200, 4, OPENREMAP_MOVE), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(CacheTest, ARefusalNamesTheFirstPageWithoutData) {
  ASSERT_NO_FATAL_FAILURE(Write(0, 5));
  ASSERT_GT(Remap(0, 100, 8), 0);
  EXPECT_EQ(LastErrorLba(), 5u);
}

TEST_P(CacheTest, ARefusalNamesTheFirstPageWithTooManySharers) {
  ASSERT_NO_FATAL_FAILURE(Write(0, 4));
  const uint32_t limit = Stats().sharer_limit;
  for (uint32_t i = 1; i < limit; i++) ASSERT_EQ(Remap(2, 100 + i, 1), 0) << i;
  ASSERT_GT(Remap(0, 200, 4), 0);
  EXPECT_EQ(LastErrorLba(), 2u);
}

TEST_P(CacheTest, AFormatFindsWhatIsMapped) {
  Close();
  options_.timeout_ns = 500'000'000;  // of device time; a format of this device takes a twentieth
  options_.ready_timeout_ns = 500'000'000;
  Open();
  ASSERT_NO_FATAL_FAILURE(Write(0, 64));
  ASSERT_NO_FATAL_FAILURE(Write(200, 8));
  ASSERT_EQ(openremap_format(dev_, false), 0);
  for (auto &[lpn, version] : versions_) version = 0;
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

// The pages are in one region of the trim checkpoint (docs/design/firmware/trim.md). The first checkpoint reads their
// L2P while they are not mapped.
TEST_P(CacheTest, ACheckpointKnowsWhatIsMapped) {
  constexpr uint64_t kTrimmed = 300;
  const auto checkpoint = [this] {
    const uint64_t before = Stats().trim_checkpoints;
    for (int i = 0; i < 4000 && Stats().trim_checkpoints == before; i++) {
      ASSERT_NO_FATAL_FAILURE(Deallocate(kTrimmed, 1));
    }
    ASSERT_GT(Stats().trim_checkpoints, before);
  };
  ASSERT_NO_FATAL_FAILURE(checkpoint());
  ASSERT_NO_FATAL_FAILURE(Write(kTrimmed - 64, 64));
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(checkpoint());
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

TEST_P(CacheTest, SummariesAreWhatTheControllerLogged) {
  const orm_remap_log log = Stats();
  for (uint64_t lpn = 0; lpn < 2 * log.superblock_slots; lpn += 16) ASSERT_NO_FATAL_FAILURE(Write(lpn % pages_, 16));
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(Idle());
  pcie_function *fn = openremap_pcie_function(dev_);
  EXPECT_GE(orm::crash::summaries(orm::crash::read_tables(fn)), 1u);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

// Lines take no device time: figures are those of a firmware without a cache.
TEST_P(CacheTest, TimeIsTheSame) {
  const auto run = [this] {
    EXPECT_EQ(openremap_power_cycle(dev_), 0);
    Write(0, 64);
    EXPECT_EQ(Remap(0, 100, 8), 0);
    Deallocate(20, 10);
    EXPECT_EQ(openremap_flush(dev_), 0);
    return openremap_now_ns(dev_);
  };
  const uint64_t cached = run();
  Close();
  versions_.clear();
  options_.device.cache = "none";
  Open();
  EXPECT_EQ(run(), cached);
}

std::string KindName(const ::testing::TestParamInfo<const char *> &kind) { return kind.param; }
INSTANTIATE_TEST_SUITE_P(Cached, CacheTest, CachedKinds(), KindName);

}  // namespace
}  // namespace openremap
