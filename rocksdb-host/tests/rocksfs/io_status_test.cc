// SPDX-License-Identifier: Apache-2.0
#include "rocksfs/io_status.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "pagefs/fs/page_fs.h"
#include "pagefs/tests/device/fake_page_device.h"

namespace openremap {
namespace {

using leveldb::Status;

TEST(IoStatusTest, KindsAndWordsStayTheSame) {
  EXPECT_TRUE(ToIoStatus(Status::OK()).ok());
  EXPECT_TRUE(ToIoStatus(Status::NotFound("f", "gone")).IsNotFound());
  EXPECT_TRUE(ToIoStatus(Status::Corruption("f", "bad")).IsCorruption());
  EXPECT_TRUE(ToIoStatus(Status::NotSupported("f", "no")).IsNotSupported());
  EXPECT_TRUE(ToIoStatus(Status::InvalidArgument("f", "odd")).IsInvalidArgument());
  const rocksdb::IOStatus error = ToIoStatus(Status::IOError("f", "a: b"));
  EXPECT_TRUE(error.IsIOError());
  EXPECT_FALSE(error.IsNoSpace());
  EXPECT_EQ(error.ToString(), "IO error: f: a: b");
}

TEST(IoStatusTest, AFullDeviceIsNoFailure) {
  FakePageDevice device(256);
  std::unique_ptr<PageFs> fs;
  ASSERT_TRUE(PageFs::Open(&device, &fs).ok());
  PageFs::File file;
  ASSERT_TRUE(fs->Create("/big", &file).ok());
  const Status full = fs->Append(file, std::string(256 * kPageBytes, 'x'), true);
  ASSERT_FALSE(full.ok());
  EXPECT_TRUE(ToIoStatus(full).IsNoSpace()) << ToIoStatus(full).ToString();
  ASSERT_TRUE(fs->CloseWriting(file).ok());
}

}  // namespace
}  // namespace openremap
