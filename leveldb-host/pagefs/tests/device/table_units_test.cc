// SPDX-License-Identifier: Apache-2.0
//
// A reclaim unit for each table, on the fast model: what garbage collection then has to move.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "openremap_stats.h"
#include "pagefs/device/nvme_page_device.h"
#include "pagefs/fs/page_fs.h"
#include "pcie_function.h"

namespace openremap {
namespace {

struct DeviceCloser {
  void operator()(openremap_device *device) const { openremap_close(device); }
};
using Device = std::unique_ptr<openremap_device, DeviceCloser>;

class TableUnitsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    openremap_options options{};
    options.create = pcie_device_create;
    options.device.kind = "model";
    openremap_device *device = nullptr;
    char error[256] = "";
    ASSERT_EQ(openremap_open(&options, &device, error, sizeof(error)), 0) << error;
    device_.reset(device);
    pages_ = std::make_unique<NvmePageDevice>(device);
    ASSERT_GE(pages_->Placements(), 4u);
  }

  uint64_t PagesLeft(unsigned handle) {
    openremap_placement placement[8];
    size_t count = 0;
    EXPECT_EQ(openremap_get_placement(device_.get(), placement, 8, &count), 0);
    return placement[handle].pages_left;
  }

  // Writes a table of LSM level `level`. With units it has placement handle level + 1, but the last of 4 at most.
  void WriteTable(PageFs *fs, const std::string &name, uint64_t pages, int level) {
    PageFs::File file;
    ASSERT_TRUE(fs->Create(name, &file).ok());
    fs->Place(file, level);
    ASSERT_TRUE(fs->Append(file, std::string(pages * kPageBytes, 'x'), true).ok());
    ASSERT_TRUE(fs->Sync(file).ok());
    ASSERT_TRUE(fs->CloseWriting(file).ok());
  }

  // Replaces tables of three levels at random, of a unit each. Returns the pages that garbage collection moved.
  uint64_t MovedPages(const PageFsOptions &options) {
    std::unique_ptr<PageFs> fs;
    EXPECT_TRUE(PageFs::Open(pages_.get(), &fs, options).ok());
    const uint64_t unit = pages_->UnitPages();
    const uint64_t live = fs->GetSpace().free_pages * 8 / 10 / unit;
    std::mt19937_64 random(1);
    std::vector<std::string> names;
    for (uint64_t i = 0; i < 6 * live; i++) {
      // A little less than a unit, so that without units of their own tables lie across two.
      names.push_back(std::to_string(i) + ".ldb");
      WriteTable(fs.get(), names.back(), unit - 4, 2 + static_cast<int>(random() % 3));
      if (names.size() <= live) continue;
      const auto victim = names.begin() + static_cast<std::ptrdiff_t>(random() % names.size());
      EXPECT_TRUE(fs->Remove(*victim).ok());
      names.erase(victim);
      PageFs::File file;
      EXPECT_TRUE(fs->OpenForAppending("MANIFEST-1", &file).ok());
      EXPECT_TRUE(fs->Append(file, "x", false).ok());
      EXPECT_TRUE(fs->Sync(file).ok());
      EXPECT_TRUE(fs->CloseWriting(file).ok());
    }
    fs.reset();
    orm_remap_log log;
    EXPECT_EQ(openremap_get_stats(device_.get(), &log), 0);
    return log.nand_program_gc;
  }

  Device device_;
  std::unique_ptr<NvmePageDevice> pages_;
};

TEST_F(TableUnitsTest, ATableBeginsAUnitOfItsHandle) {
  PageFsOptions options;
  options.table_units = true;
  std::unique_ptr<PageFs> fs;
  ASSERT_TRUE(PageFs::Open(pages_.get(), &fs, options).ok());
  const uint64_t unit = pages_->UnitPages();
  ASSERT_GT(unit, 50u);
  WriteTable(fs.get(), "1.ldb", 30, 1);
  ASSERT_TRUE(pages_->Flush().ok());
  EXPECT_EQ(PagesLeft(2), unit - 30);
  WriteTable(fs.get(), "2.ldb", 40, 1);
  ASSERT_TRUE(pages_->Flush().ok());
  EXPECT_EQ(PagesLeft(2), unit - 40) << "not behind the first one";
  EXPECT_EQ(PagesLeft(1), unit) << "level 0's";
  EXPECT_EQ(PagesLeft(3), unit) << "deeper levels'";
  fs.reset();
}

TEST_F(TableUnitsTest, GarbageCollectionMovesNothing) {
  PageFsOptions options;
  const uint64_t shared = MovedPages(options);
  pages_ = nullptr;
  device_ = nullptr;
  SetUp();
  options.table_units = true;
  const uint64_t own = MovedPages(options);
  std::printf("pages moved: %llu, with a unit for each table %llu\n", static_cast<unsigned long long>(shared),
              static_cast<unsigned long long>(own));
  EXPECT_GT(shared, 200u);
  EXPECT_EQ(own, 0u);
}

}  // namespace
}  // namespace openremap
