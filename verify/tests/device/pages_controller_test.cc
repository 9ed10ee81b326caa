// SPDX-License-Identifier: Apache-2.0
// Flash pages of several slots: which of them are completed with padding, and that nothing else shows it.

#include <filesystem>
#include <string>

#include "controller_fixture.h"
#include "openremap_cmd.h"
#include "pcie_function.h"
#include "temp_dir.h"

namespace openremap {
namespace {

class PagesTest : public ControllerTest {
 protected:
  static constexpr uint64_t kInPage = 4;

  uint64_t Padded() { return Stats().nand_program_pad; }
  void Place(uint64_t lpn, uint16_t handle) {
    versions_[lpn] = ++last_version_;
    ASSERT_EQ(openremap_write_placed(dev_, lpn, 1, Contents(last_version_).data(), false, handle), 0);
  }
  void Reopen() {
    Close();
    Open();
  }
  void ReopenWithHandles() {
    options_.device.superblocks = 24;
    options_.device.placement_handles = 4;
    Reopen();
  }
};

TEST_P(PagesTest, FullPagesHaveNoPadding) {
  for (uint64_t lpn = 0; lpn < 40; lpn++) Write(lpn);
  Write(100, 32);
  Write(200, 3);
  Write(300, 5);
  ASSERT_EQ(openremap_flush(dev_), 0);
  EXPECT_EQ(Padded(), 0u);
  EXPECT_EQ(Programmed(), 80 / kInPage);
  CheckAll();
  EXPECT_EQ(Padded(), 0u) << "nothing was held any more";
}

// The host writes faster than flash programs, so buffers are always scarce. That is no reason to complete a page with
// padding.
TEST_P(PagesTest, AStreamOfWritesHasNoPadding) {
  std::vector<Page> data;
  for (uint64_t i = 0; i < 64; i++) {
    versions_[i] = ++last_version_;
    data.push_back(Contents(last_version_));
  }
  const auto good = [](void *, int rc, uint32_t) { EXPECT_EQ(rc, 0); };
  for (int round = 0; round < 4; round++) {
    for (uint64_t i = 0; i < data.size(); i++) {
      ASSERT_EQ(openremap_submit_write(dev_, i, 1, data[i].data(), false, good, nullptr), 0);
    }
    while (openremap_in_flight(dev_) != 0) ASSERT_GE(openremap_poll(dev_, 1000000), 0);
  }
  ASSERT_EQ(openremap_flush(dev_), 0);
  EXPECT_EQ(Padded(), 0u);
  CheckAll();
}

TEST_P(PagesTest, AFlushCompletesThePage) {
  Write(0);
  ASSERT_EQ(openremap_flush(dev_), 0);
  EXPECT_EQ(Padded(), kInPage - 1);
  ASSERT_EQ(openremap_flush(dev_), 0);
  EXPECT_EQ(Padded(), kInPage - 1) << "nothing was written in between";
  Write(1, 6);
  ASSERT_EQ(openremap_flush(dev_), 0);
  EXPECT_EQ(Padded(), kInPage - 1 + 2);
  EXPECT_EQ(Programmed(), 3u);
  CheckAll();
}

TEST_P(PagesTest, EachFuaWriteTakesAPage) {
  for (uint64_t lpn = 0; lpn < 5; lpn++) {
    versions_[lpn] = ++last_version_;
    ASSERT_EQ(openremap_write(dev_, lpn, 1, Contents(last_version_).data(), true), 0);
  }
  EXPECT_EQ(Padded(), 5 * (kInPage - 1));
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  CheckAll();
}

TEST_P(PagesTest, AReadEndsThePageItNeedsAndNoOther) {
  ReopenWithHandles();
  Write(0, 2);
  Place(10, 1);
  EXPECT_EQ(Programmed(), 0u) << "both gather";
  CheckPage(1);
  EXPECT_EQ(Padded(), kInPage - 2);
  EXPECT_EQ(Programmed(), 1u);
  CheckPage(0);
  CheckPage(50);
  EXPECT_EQ(Programmed(), 1u);
  Write(2);
  CheckAll();
  EXPECT_EQ(Programmed(), 3u);
}

TEST_P(PagesTest, RemapsOfPagesThatGather) {
  Write(0, 6);
  ASSERT_EQ(Remap(4, 100, 2), 0);
  ASSERT_EQ(Remap(0, 200, 6, OPENREMAP_MOVE), 0);
  Write(300);  // not durable, and not remapped
  Write(0);
  Deallocate(100, 1);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  versions_.erase(300);
  versions_.erase(0);
  CheckAll();
}

// Source and target are slots of the same flash page. One becomes invalid, and its neighbour gets another sharer.
TEST_P(PagesTest, RemapsWithinOneFlashPage) {
  Write(0, 2 * kInPage);
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(Programmed(), 2u);
  ASSERT_EQ(Remap(0, 1, 1), 0);
  ASSERT_EQ(Remap(2, 3, 1, OPENREMAP_MOVE), 0);
  // The second page: each slot to its neighbour, by one command; a target of one range is no source of another.
  const openremap_remap_range ranges[] = {{4, 5, 1}, {6, 7, 1}};
  ASSERT_EQ(openremap_remap_vector(dev_, ranges, 2, OPENREMAP_SHARE), 0);
  versions_[5] = versions_[4];
  versions_[7] = versions_[6];
  EXPECT_EQ(Programmed(), 2u) << "remapping programs nothing";
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  Deallocate(0, 1);  // what its slot holds stays, for LPN 1
  Write(4);
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  // Collections move what the two pages still hold, with its sharers.
  for (int i = 0; i < 4 && Stats().gc_moved_pages == 0; i++) {
    for (uint64_t lpn = kInPage * 2; lpn < pages_; lpn++) ASSERT_NO_FATAL_FAILURE(Write(lpn));
  }
  EXPECT_GT(Stats().gc_moved_pages, 0u);
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

// Each update leaves a page behind that nobody continues, and their number grows.
TEST_P(PagesTest, UnitsThatEndInsideAPage) {
  ReopenWithHandles();
  const uint16_t all[] = {0, 1, 2, 3};
  for (uint64_t round = 0; round < 3; round++) {
    for (uint16_t handle = 0; handle < 4; handle++) {
      for (uint64_t i = 0; i <= handle + round; i++) Place(100 * handle + 10 * round + i, handle);
    }
    ASSERT_EQ(openremap_placement_update(dev_, all, 4), 0);
  }
  for (uint16_t handle = 0; handle < 4; handle++) Place(500 + handle, handle);
  CheckAll();
  CheckCounters();
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  CheckAll();
}

// Thousands of commands: minutes on the RTL, which lockstep compares with the model.
class PagesLongTest : public PagesTest {};

// Superblocks of eight pages, few of them in reserve, and half-filled superblocks of some handles. Collections have to
// choose victims that give back more than the padding that they cost.
TEST_P(PagesLongTest, AFullNamespaceOfSmallSuperblocksGoesOn) {
  std::mt19937_64 random(openremap::TestSeed());
  Close();
  options_.device.geometry = "1x1x64x8x4";
  options_.device.superblocks = 64;
  options_.device.over_provision_pct = 6;
  options_.device.placement_handles = 4;
  Open();
  for (uint16_t handle = 1; handle < 4; handle++) ASSERT_NO_FATAL_FAILURE(Place(handle, handle));
  for (uint64_t lpn = 0; lpn < pages_; lpn++) ASSERT_NO_FATAL_FAILURE(Write(lpn));
  for (uint64_t i = 0; i < 6 * pages_; i++) ASSERT_NO_FATAL_FAILURE(Write(random() % pages_));
  ASSERT_NO_FATAL_FAILURE(CheckCounters());
  CheckAll();
}

TEST_P(PagesLongTest, CountersSayWhatTheFlashHas) {
  std::mt19937_64 random(openremap::TestSeed());
  for (int i = 0; i < 4000; i++) {
    const uint64_t lpn = random() % (pages_ - 16), count = 1 + random() % 8;
    const unsigned what = unsigned(random() % 20);
    if (what < 14) {
      ASSERT_NO_FATAL_FAILURE(Write(lpn, count));
    } else if (what < 16) {
      ASSERT_NO_FATAL_FAILURE(CheckPage(lpn));
    } else if (what < 17) {
      Remap(lpn, lpn + 8, count);  // or it is refused
    } else if (what < 18) {
      ASSERT_NO_FATAL_FAILURE(Deallocate(lpn, count));
    } else {
      ASSERT_EQ(openremap_flush(dev_), 0);
    }
  }
  const orm_remap_log log = Stats();
  EXPECT_GT(log.gc_victims, 10u);
  EXPECT_GT(log.gc_moved_pages, 100u);
  EXPECT_GT(log.nand_program_pad, 100u);
  ASSERT_NO_FATAL_FAILURE(CheckCounters());
  CheckAll();
}

// Shutdowns with cuts in between: half-filled superblocks are continued at a page, or closed.
TEST_P(PagesLongTest, DataStaysOverManyStarts) {
  std::mt19937_64 random(openremap::TestSeed());
  const orm::TempDir temporary;
  const std::string folder = temporary.path + "/images";
  Close();
  options_.device.image_dir = folder.c_str();
  Open();
  for (int start = 0; start < 12; start++) {
    SCOPED_TRACE("start " + std::to_string(start));
    for (int i = 0; i < 60; i++) ASSERT_NO_FATAL_FAILURE(Write(random() % (pages_ - 8), 1 + random() % 7));
    Remap(random() % 8, pages_ - 8, 1);  // refused where nothing was written
    if (random() % 2 == 0) {
      Reopen();
    } else {
      ASSERT_EQ(openremap_flush(dev_), 0);
      ASSERT_EQ(openremap_power_cycle(dev_), 0);
    }
    ASSERT_NO_FATAL_FAILURE(CheckAll());
  }
  Close();
}

std::string KindName(const ::testing::TestParamInfo<const char *> &kind) { return kind.param; }
INSTANTIATE_TEST_SUITE_P(Kinds, PagesLongTest, ::testing::Values(kWideModel), KindName);
#ifdef __SANITIZE_ADDRESS__
INSTANTIATE_TEST_SUITE_P(Kinds, PagesTest, ::testing::Values(kWideModel), KindName);
#else
INSTANTIATE_TEST_SUITE_P(Kinds, PagesTest, ::testing::Values(kWideModel, kWideRtl), KindName);
#endif

}  // namespace
}  // namespace openremap
