// SPDX-License-Identifier: Apache-2.0
#include "pagefs/check/page_fs_copy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "pagefs/check/page_fs_check.h"
#include "pagefs/fs/page_fs.h"
#include "pagefs/tests/device/fake_page_device.h"
#include "temp_dir.h"

namespace openremap {
namespace {

class PageFsCopyTest : public ::testing::Test {
 protected:
  void Write(const std::string &name, const std::string &data) {
    std::unique_ptr<PageFs> fs;
    ASSERT_TRUE(PageFs::Open(&device_, &fs).ok());
    PageFs::File file;
    ASSERT_TRUE(fs->Create(name, &file).ok());
    ASSERT_TRUE(fs->Append(file, data, false).ok());
    ASSERT_TRUE(fs->CloseWriting(file).ok());
  }
  std::string Copy(const std::string &folder) { return CopyFiles(&device_, CheckPageFs(&device_), folder); }
  static std::string Contents(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  FakePageDevice device_{4096};
  const orm::TempDir temp_;
};

TEST_F(PageFsCopyTest, FilesAreTheSameBelowTheFolder) {
  std::string big;
  for (int i = 0; i < 300000; i++) big += std::to_string(i) + " ";
  Write("/db/000001.sst", big);
  Write("/db/CURRENT", "MANIFEST-1\n");
  Write("top", std::string(kPageBytes, 'x'));
  Write("/empty", "");
  const std::string folder = temp_.path + "/copy";
  ASSERT_EQ(Copy(folder), "");
  EXPECT_EQ(Contents(folder + "/db/000001.sst"), big);
  EXPECT_EQ(Contents(folder + "/db/CURRENT"), "MANIFEST-1\n");
  EXPECT_EQ(Contents(folder + "/top"), std::string(kPageBytes, 'x'));
  EXPECT_TRUE(std::filesystem::exists(folder + "/empty"));
}

TEST_F(PageFsCopyTest, AHoleIsZeros) {
  Write("/a", std::string(600 * kPageBytes, 'x') + "end");
  std::unique_ptr<PageFs> fs;
  ASSERT_TRUE(PageFs::Open(&device_, &fs).ok());
  ASSERT_TRUE(fs->PunchHole("/a", 5, 580).ok());
  fs.reset();
  ASSERT_EQ(Copy(temp_.path + "/copy"), "");
  EXPECT_EQ(Contents(temp_.path + "/copy/a"), std::string(5 * kPageBytes, 'x') + std::string(580 * kPageBytes, '\0') +
                                                  std::string(15 * kPageBytes, 'x') + "end");
}

TEST_F(PageFsCopyTest, WhatIsThereStays) {
  Write("/a", "new");
  std::ofstream(temp_.path + "/a") << "old";
  EXPECT_EQ(Copy(temp_.path), temp_.path + ": is there already, and is no empty folder");
  EXPECT_EQ(Copy(temp_.path + "/a"), temp_.path + "/a: is there already, and is no empty folder");
  EXPECT_EQ(Contents(temp_.path + "/a"), "old");
}

TEST_F(PageFsCopyTest, NamesDoNotLeaveTheFolder) {
  Write("/db/../../a", "x");
  const std::string folder = temp_.path + "/copy";
  EXPECT_EQ(Copy(folder), "/db/../../a: leaves the folder");
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(PageFsCopyTest, AnUnreadablePageIsTold) {
  Write("/a", std::string(3 * kPageBytes, 'x'));
  const PageFsCheck check = CheckPageFs(&device_);
  device_.damaged = {check.files.at(0).extents.at(0).lpn + 1};
  EXPECT_NE(CopyFiles(&device_, check, temp_.path + "/copy").find("/a: "), std::string::npos);
}

}  // namespace
}  // namespace openremap
