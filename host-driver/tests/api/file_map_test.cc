// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "mock_kernel.h"
#include "temp_dir.h"

extern "C" {
#include "api/file_map.h"
}

namespace openremap {
namespace {

namespace fs = std::filesystem;

class FileMapTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "block");
    kernel_.block_devices = (folder_ / "block").string();
    kernel_.file.st_dev = makedev(259, 2);
    kernel_.ioctl = [this](unsigned long request, void *arg) {
      EXPECT_EQ(request, FS_IOC_FIEMAP);
      auto *map = static_cast<fiemap *>(arg);
      asked_flags_ = map->fm_flags;
      asked_length_ = map->fm_length;
      if (result_ != 0) return result_;
      map->fm_mapped_extents = extent_ ? 1 : 0;
      if (extent_) map->fm_extents[0] = *extent_;
      return 0;
    };
  }
  // A block device of sysfs.
  void Device(const fs::path &path, std::optional<uint64_t> start) {
    fs::create_directories(folder_ / path);
    if (start) {
      std::ofstream(folder_ / path / "partition") << 1 << "\n";
      std::ofstream(folder_ / path / "start") << *start << "\n";
    }
    fs::create_symlink(folder_ / path, folder_ / "block" / "259:2");
  }

  void Extent(uint64_t logical, uint64_t physical, uint64_t length, uint32_t flags = 0) {
    extent_ = fiemap_extent{};
    extent_->fe_logical = logical;
    extent_->fe_physical = physical;
    extent_->fe_length = length;
    extent_->fe_flags = flags;
  }

  int Map(uint64_t offset, uint64_t pages = 1) {
    const kernel_os os = kernel_.os();
    run_ = {};
    return file_map_getlpn(&os, 3, &volume_, offset, pages, &run_);
  }

  int Volume() {
    const kernel_os os = kernel_.os();
    return file_map_volume(&os, 3, &volume_);
  }

  const orm::TempDir temporary_;
  const fs::path folder_ = temporary_.path;
  MockKernel kernel_;
  int result_ = 0;
  std::optional<fiemap_extent> extent_;
  uint32_t asked_flags_ = 0;
  uint64_t asked_length_ = 0;
  openremap_volume volume_{};
  openremap_file_run run_{};
};

TEST_F(FileMapTest, WholeNamespace) {
  Device("devices/pci/nvme/nvme0/nvme0n1", std::nullopt);
  ASSERT_EQ(Volume(), 0);
  EXPECT_STREQ(volume_.name, "nvme0n1");
  EXPECT_EQ(volume_.first_bytes, 0u);
}

TEST_F(FileMapTest, PartitionBeginsWhereSysfsSays) {
  Device("devices/pci/nvme/nvme0/nvme12n3/nvme12n3p1", 2048);
  ASSERT_EQ(Volume(), 0);
  EXPECT_STREQ(volume_.name, "nvme12n3");
  EXPECT_EQ(volume_.first_bytes, 1u << 20);
  Extent(0, 8192, 40960);
  ASSERT_EQ(Map(4096, 100), 0);
  EXPECT_EQ(run_.lpn, 256u + 3);
  EXPECT_EQ(run_.pages, 9u);
}

TEST_F(FileMapTest, FileSystemsElsewhere) {
  EXPECT_EQ(Volume(), -ENODEV) << "of no block device";
  Device("devices/virtual/block/dm-0", std::nullopt);
  EXPECT_EQ(Volume(), -ENODEV) << "a mapped device";
  fs::remove(folder_ / "block" / "259:2");
  Device("devices/pci/ata/sda/sda1", 2048);
  EXPECT_EQ(Volume(), -ENODEV) << "a partition of something else";
  fs::remove(folder_ / "block" / "259:2");
  Device("devices/pci/nvme/nvme0/nvme0n1x", std::nullopt);
  EXPECT_EQ(Volume(), -ENODEV) << "no name of a namespace";
  kernel_.fstat_result = -EBADF;
  EXPECT_EQ(Volume(), -EBADF);
}

TEST_F(FileMapTest, PartitionWithoutAStart) {
  Device("devices/nvme0n1/nvme0n1p1", 2048);
  std::ofstream(folder_ / "devices/nvme0n1/nvme0n1p1/start") << "none\n";
  EXPECT_EQ(Volume(), -EIO);
  fs::remove(folder_ / "devices/nvme0n1/nvme0n1p1/start");
  EXPECT_EQ(Volume(), -ENOENT);
}

TEST_F(FileMapTest, RunEndsWithTheExtentOrWithWhatIsAsked) {
  Extent(16384, 1 << 20, 16 * 4096, FIEMAP_EXTENT_LAST);
  ASSERT_EQ(Map(16384, 4), 0);
  EXPECT_EQ(run_.lpn, 256u);
  EXPECT_EQ(run_.pages, 4u);
  ASSERT_EQ(Map(16384 + 15 * 4096, 4), 0);
  EXPECT_EQ(run_.lpn, 256u + 15);
  EXPECT_EQ(run_.pages, 1u);
  EXPECT_EQ(asked_flags_, FIEMAP_FLAG_SYNC) << "what is not written yet is written first";
  EXPECT_EQ(asked_length_, 4u * 4096);
}

TEST_F(FileMapTest, NoDataNoNumber) {
  EXPECT_EQ(Map(0), -ENODATA) << "no extent";
  Extent(8192, 1 << 20, 4096);
  EXPECT_EQ(Map(4096), -ENODATA) << "the next extent begins later";
  Extent(0, 1 << 20, 65536, FIEMAP_EXTENT_UNWRITTEN);
  EXPECT_EQ(Map(0), -ENODATA);
  EXPECT_EQ(run_.lpn, 0u);
}

TEST_F(FileMapTest, WhatCannotBeToldIsAnError) {
  Extent(0, 0, 65536, FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_UNKNOWN);
  EXPECT_EQ(Map(0), -EAGAIN);
  for (const uint32_t flag : {FIEMAP_EXTENT_UNKNOWN, FIEMAP_EXTENT_ENCODED, FIEMAP_EXTENT_DATA_ENCRYPTED,
                              FIEMAP_EXTENT_NOT_ALIGNED, FIEMAP_EXTENT_DATA_INLINE, FIEMAP_EXTENT_DATA_TAIL, 0x8000}) {
    Extent(0, 1 << 20, 65536, flag);
    EXPECT_EQ(Map(0), -ENOTSUP) << flag;
  }
  Extent(0, (1 << 20) + 1024, 65536);
  EXPECT_EQ(Map(0), -ENOTSUP) << "blocks of 1 KiB, not on a page of the namespace";
  volume_.first_bytes = 512;
  Extent(0, 1 << 20, 65536);
  EXPECT_EQ(Map(0), -ENOTSUP) << "a partition off the pages";
  volume_.first_bytes = 0;
  Extent(0, 1 << 20, 1024);
  EXPECT_EQ(Map(0), -ENOTSUP) << "less than a page";
}

TEST_F(FileMapTest, SystemsThatDoNotAnswer) {
  for (const int error : {-EOPNOTSUPP, -ENOTTY, -EBADR}) {
    result_ = error;
    EXPECT_EQ(Map(0), -ENOTSUP);
  }
  result_ = -EIO;
  EXPECT_EQ(Map(0), -EIO);
  result_ = 0;
  Extent(0, 1 << 20, 4096);
  EXPECT_EQ(Map(4096), -EIO) << "an extent that ends before what was asked for";
}

TEST_F(FileMapTest, ArgumentsThatMakeNoSense) {
  Extent(0, 1 << 20, 65536);
  EXPECT_EQ(Map(100), -EINVAL);
  EXPECT_EQ(Map(0, 0), -EINVAL);
  EXPECT_EQ(Map(4096, UINT64_MAX / 4096), -EINVAL) << "beyond the 64-bit range";
}

}  // namespace
}  // namespace openremap
