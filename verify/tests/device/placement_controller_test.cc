// SPDX-License-Identifier: Apache-2.0
//
// Flexible Data Placement on both kinds of device: data written with different handles lies in different superblocks.

#include <filesystem>
#include <string>

#include "controller_fixture.h"
#include "openremap_cmd.h"
#include "temp_dir.h"

namespace openremap {
namespace {

class PlacementControllerTest : public ControllerTest {
 protected:
  void SetUp() override {
    options_.device.superblocks = kSuperblocks;
    options_.device.placement_handles = kHandles;
    options_.create = pcie_device_create;
    ChooseDevice(GetParam(), &options_.device);
    options_.device.seed = openremap::TestSeed();
    Open();
    unit_ = Left()[0];  // nothing is written yet
  }

  static constexpr uint32_t kSuperblocks = 24, kHandles = 4;

  std::vector<uint64_t> Left() {
    openremap_placement handles[8];
    size_t count = 0;
    EXPECT_EQ(openremap_get_placement(dev_, handles, 8, &count), 0);
    EXPECT_EQ(count, kHandles);
    std::vector<uint64_t> left;
    for (size_t i = 0; i < count; i++) {
      EXPECT_EQ(handles[i].handle, i);
      left.push_back(handles[i].pages_left);
    }
    return left;
  }
  // Writes new data to `count` pages, side by side with what else is under way once openremap_wait_all() is called.
  void Place(uint64_t lpn, uint16_t handle, uint64_t count = 1) {
    Page data;
    for (uint64_t i = 0; i < count; i++) {
      versions_[lpn + i] = ++last_version_;
      const Page page = Contents(last_version_);
      data.insert(data.end(), page.begin(), page.end());
    }
    ASSERT_EQ(openremap_write_placed(dev_, lpn, count, data.data(), false, handle), 0);
  }

  uint64_t unit_ = 0;  // pages of a reclaim unit
};

// Tens of thousands of writes.
class PlacementModelTest : public PlacementControllerTest {};

TEST_P(PlacementControllerTest, EachHandleFillsAUnitOfItsOwn) {
  ASSERT_EQ(Left(), std::vector<uint64_t>(kHandles, unit_));
  Place(0, 0, 3);
  Place(100, 1, 5);
  Place(200, 3, 7);
  EXPECT_EQ(Left(), (std::vector<uint64_t>{unit_ - 3, unit_ - 5, unit_, unit_ - 7}));
  Write(10, 2);  // without a directive: handle 0
  Place(300, kHandles, 1);
  Place(301, 0xFFFF, 1);  // handles that there are not count as 0
  EXPECT_EQ(Left(), (std::vector<uint64_t>{unit_ - 7, unit_ - 5, unit_, unit_ - 7}));
  Place(400, 2, unit_ + 1);  // over the end of a unit
  EXPECT_EQ(Left()[2], unit_ - 1);
  CheckAll();
}

TEST_P(PlacementControllerTest, UpdateBeginsAnotherUnit) {
  Place(0, 1, 9);
  const uint16_t one[] = {1}, wrong[] = {1, kHandles};
  EXPECT_EQ(openremap_placement_update(dev_, wrong, 2), NVME_STATUS_INVALID_FIELD);
  EXPECT_EQ(Left()[1], unit_ - 9) << "a refused update changes nothing";
  ASSERT_EQ(openremap_placement_update(dev_, one, 1), 0);
  EXPECT_EQ(Left()[1], unit_);
  const uint32_t free = Stats().superblocks_free;
  Place(20, 1);
  EXPECT_EQ(Left()[1], unit_ - 1);
  EXPECT_EQ(Stats().superblocks_free, free - 1) << "another superblock was opened";
  CheckAll();
}

TEST_P(PlacementControllerTest, OtherDirectivesAreRefused) {
  std::vector<uint8_t> data(OPENREMAP_PAGE_BYTES, 1);
  nvme_submission_entry command;
  for (uint32_t type : {1u, 3u, 15u}) {
    nvme_cmd_write(&command, 1, 0, 1, 0);
    command.cdw12 |= type << NVME_WRITE_DTYPE_SHIFT;
    EXPECT_EQ(openremap_io(dev_, &command, data.data(), data.size(), nullptr), NVME_STATUS_INVALID_FIELD) << type;
  }
  CheckPage(0);
}

// Two kinds of data are written in turn. Then all data of one kind is dropped, and other data needs the room. If the
// two kinds were separated, nothing has to be moved. If they were mixed, half of each superblock does.
TEST_P(PlacementModelTest, WhatDiesTogetherIsErasedWithoutMoves) {
  uint64_t moved[2];
  for (const bool apart : {true, false}) {
    Close();
    Open();
    versions_.clear();
    const uint64_t n = 7 * unit_, second = n, third = 2 * n, more = 17 * unit_ / 2, step = 8;
    const uint64_t above = (pages_ - third) / step * step;  // the rest goes to the LPNs of the dropped kind
    ASSERT_LE(more - above, n);
    for (uint64_t i = 0; i < n; i += step) {
      Place(i, 0, step);
      Place(second + i, apart ? 1 : 0, step);
    }
    Deallocate(0, n);
    const orm_remap_log before = Stats();
    for (uint64_t i = 0; i < more; i += step) Place(i < above ? third + i : i - above, apart ? 2 : 0, step);
    moved[apart ? 0 : 1] = Stats().gc_moved_pages - before.gc_moved_pages;
    EXPECT_GT(Stats().gc_victims, before.gc_victims);
    CheckAll();
  }
  EXPECT_EQ(moved[0], 0u);
  // Half of each of two superblocks, and that is all with wide pages; 16 slots more with pages of one slot.
  EXPECT_GE(moved[1], IsWide(GetParam()) ? unit_ : unit_ + 1);
}

// A fifth of the data is hot and takes 98 of 100 writes. All writes are random, on three quarters of the namespace.
TEST_P(PlacementModelTest, SeparationLowersWriteAmplification) {
  double amplification[2];
  for (const bool apart : {true, false}) {
    Close();
    Open();
    versions_.clear();
    std::mt19937_64 random(openremap::TestSeed());
    const uint64_t used = pages_ * 3 / 4, hot = used / 5, step = 5;
    const auto is_hot = [&](uint64_t lpn) { return lpn % step == 0; };
    for (uint64_t lpn = 0; lpn < hot * step; lpn++) Place(lpn, apart && !is_hot(lpn) ? 1 : 0);
    const auto overwrite = [&](int writes) {
      for (int i = 0; i < writes; i++) {
        uint64_t lpn = random() % hot * step;
        if (random() % 50 == 0) lpn += 1 + random() % (step - 1);
        Place(lpn, apart && !is_hot(lpn) ? 1 : 0);
      }
    };
    overwrite(8000);  // until GC has its pace
    const orm_remap_log before = Stats();
    overwrite(8000);
    const orm_remap_log after = Stats();
    const uint64_t host = after.nand_program_host - before.nand_program_host;
    amplification[apart ? 0 : 1] = 1 + double(after.nand_program_gc - before.nand_program_gc) / double(host);
    CheckAll();
  }
  std::printf("write amplification, hot and cold apart %.3f, mixed %.3f\n", amplification[0], amplification[1]);
  EXPECT_LT(amplification[0], 0.9 * amplification[1]);
}

TEST_P(PlacementModelTest, FullDeviceWithEveryHandleGoesOn) {
  std::mt19937_64 random(openremap::TestSeed());
  for (uint64_t lpn = 0; lpn + 8 <= pages_; lpn += 8) Place(lpn, uint16_t(lpn / 8 % kHandles), 8);
  const uint64_t victims = Stats().gc_victims;
  // Most writes come with one handle, so that the other superblocks stand open, hardly begun.
  const uint16_t all[] = {0, 1, 2, 3};
  ASSERT_EQ(openremap_placement_update(dev_, all, kHandles), 0);
  for (uint16_t handle = 0; handle < kHandles; handle++) Place(handle, handle);
  const uint64_t rounds = std::string(GetParam()) == "rtl" ? 1 : 10;  // it takes its time
  for (uint64_t i = 0; i < rounds * unit_; i++)
    Place(random() % (pages_ - 4), uint16_t(random() % 50 == 0 ? i % kHandles : 2), 4);
  EXPECT_GT(Stats().gc_victims, victims);
  CheckAll();
}

TEST_P(PlacementControllerTest, ShutdownFillsEveryUnitOn) {
  const orm::TempDir temporary;
  const std::string folder = temporary.path + "/images";
  Close();
  options_.device.image_dir = folder.c_str();
  Open();
  for (uint16_t handle = 0; handle < kHandles; handle++) Place(100 * handle, handle, handle + 2);
  Close();
  Open();
  std::vector<uint64_t> left;
  for (uint64_t written = 2; written <= 5; written++) left.push_back(unit_ - WholePages(written));
  EXPECT_EQ(Left(), left);
  for (uint16_t handle = 0; handle < kHandles; handle++) Place(100 * handle, handle, 50);
  CheckAll();
  Close();
}

// Power is cut with every superblock open and writes under way. Flushed data is there, the rest is old or new, and the
// device goes on.
TEST_P(PlacementControllerTest, CutsWithSeveralStreamsOpen) {
  std::mt19937_64 random(openremap::TestSeed());
  const auto ignore = [](void *, int, uint32_t) {};
  for (int cut = 0; cut < 6; cut++) {
    SCOPED_TRACE("cut " + std::to_string(cut));
    for (uint16_t handle = 0; handle < kHandles; handle++) Place(100 * handle, handle, 20);
    ASSERT_EQ(openremap_flush(dev_), 0);
    std::map<uint64_t, std::vector<uint64_t>> allowed;
    std::vector<Page> data;
    for (int i = 0; i < 60; i++) {
      const uint64_t lpn = 100 * (random() % kHandles) + random() % 40;
      if (allowed[lpn].empty()) allowed[lpn].push_back(versions_[lpn]);
      allowed[lpn].push_back(++last_version_);
      data.push_back(Contents(last_version_));
    }
    size_t at = 0;
    for (const auto &[lpn, versions] : allowed) {
      for (size_t i = 1; i < versions.size(); i++) {
        data[at] = Contents(versions[i]);
        ASSERT_EQ(
            openremap_submit_write_placed(dev_, lpn, 1, data[at].data(), false, uint16_t(lpn / 100), ignore, nullptr),
            0);
        at++;
      }
    }
    const uint64_t until = openremap_now_ns(dev_) + random() % 1500000;
    while (openremap_now_ns(dev_) < until) ASSERT_GE(openremap_poll(dev_, until - openremap_now_ns(dev_)), 0);
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
    EXPECT_EQ(Left(), std::vector<uint64_t>(kHandles, unit_)) << "what was half filled is closed";
    for (const auto &[lpn, versions] : allowed) {
      const Page page = Read(lpn);
      uint64_t found = UINT64_MAX;
      for (const uint64_t version : versions) {
        if (page == Contents(version)) found = version;
      }
      ASSERT_NE(found, UINT64_MAX) << "LPN " << lpn;
      versions_[lpn] = found;
    }
    ASSERT_NO_FATAL_FAILURE(CheckAll());
  }
}

TEST_P(PlacementControllerTest, StockToolsFindIt) {
  nvme_identify_controller controller;
  ASSERT_EQ(openremap_identify_controller(dev_, &controller), 0);
  EXPECT_NE(controller.ctratt & NVME_CTRATT_PLACEMENT, 0u);
  nvme_identify_namespace ns;
  ASSERT_EQ(openremap_identify_namespace(dev_, &ns), 0);
  const auto log = [&](uint8_t id, void *data, uint32_t bytes) {
    nvme_submission_entry command;
    nvme_cmd_get_log_page(&command, id, 0, bytes);
    command.cdw11 |= uint32_t(ns.endgid) << 16;  // Log Specific Identifier
    return openremap_admin(dev_, &command, data, bytes, nullptr);
  };
  uint8_t page[512];
  ASSERT_EQ(log(NVME_LOG_PAGE_PLACEMENT_CONFIGURATIONS, page, sizeof(page)), 0);
  nvme_placement_configurations configurations;
  nvme_placement_configurations_unpack(&configurations, page);
  EXPECT_EQ(configurations.handles, kHandles);
  EXPECT_EQ(configurations.unit_bytes, unit_ * OPENREMAP_PAGE_BYTES);
  Place(0, 1, 10);
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(log(NVME_LOG_PAGE_PLACEMENT_STATISTICS, page, 64), 0);
  nvme_placement_statistics statistics;
  nvme_placement_statistics_unpack(&statistics, page);
  EXPECT_EQ(statistics.host_written, 10u * OPENREMAP_PAGE_BYTES);
  EXPECT_EQ(statistics.media_written, WholePages(10) * OPENREMAP_PAGE_BYTES);
  nvme_submission_entry feature;
  nvme_cmd_init(&feature, NVME_ADMIN_OPCODE_GET_FEATURES, 0);
  feature.cdw10 = NVME_FEATURE_PLACEMENT;
  feature.cdw11 = ns.endgid;
  uint32_t enabled = 0;
  ASSERT_EQ(openremap_admin(dev_, &feature, nullptr, 0, &enabled), 0);
  EXPECT_EQ(enabled, 1u);
}

std::string KindName(const ::testing::TestParamInfo<const char *> &kind) { return kind.param; }
INSTANTIATE_TEST_SUITE_P(Devices, PlacementControllerTest, EveryKind(), KindName);
INSTANTIATE_TEST_SUITE_P(Cached, PlacementControllerTest, CachedKinds(), KindName);
INSTANTIATE_TEST_SUITE_P(Devices, PlacementModelTest, ::testing::Values("model", kWideModel), KindName);

}  // namespace
}  // namespace openremap
