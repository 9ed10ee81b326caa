// SPDX-License-Identifier: Apache-2.0
//
// db_bench's device reflink:FOLDER, on whatever the temporary folder lies on.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "bench_device.h"
#include "remap_env.h"
#include "test_pages.h"

namespace openremap {
namespace {

class BenchDeviceReflinkTest : public ::testing::Test {
 protected:
  std::unique_ptr<BenchDevice> Open(bool existing) {
    failure_ = OpenFailure();
    BenchDeviceOptions options;
    options.device = "reflink:" + folder_.path().string();
    options.existing = existing;
    return OpenReflinkBenchDevice(folder_.path().string(), options, &failure_);
  }

  TestFolder folder_;
  OpenFailure failure_;
};

TEST_F(BenchDeviceReflinkTest, CountsWhatGoesIntoFiles) {
  const auto device = Open(false);
  ASSERT_NE(device, nullptr) << failure_.reason;
  leveldb::Env *env = device->env();
  ASSERT_TRUE(env->CreateDir(device->DbName()).ok());
  DeviceStats before, after;
  ASSERT_TRUE(device->ReadStats(&before).ok());
  const std::string log = device->DbName() + "/1.log", table = device->DbName() + "/table";
  ASSERT_TRUE(leveldb::WriteStringToFile(env, "a log", log).ok());
  leveldb::WritableFile *more = nullptr;
  ASSERT_TRUE(env->NewAppendableFile(log, &more).ok());
  EXPECT_TRUE(more->Append(", and more").ok());
  EXPECT_TRUE(more->Close().ok());
  delete more;
  RemapFile *file = nullptr;
  ASSERT_TRUE(RemapEnv::From(env)->NewRemapFile(table, 0, &file).ok());
  RemapEnv::From(env)->SetCause(table, WriteCause::kSizeCompaction);
  EXPECT_TRUE(file->Append(Pages(0, 3)).ok());
  EXPECT_TRUE(file->Sync().ok());
  delete file;
  // As mode `off` makes its tables.
  const std::string stock = device->DbName() + "/stock";
  leveldb::WritableFile *plain = nullptr;
  ASSERT_TRUE(env->NewWritableFile(stock, &plain).ok());
  RemapEnv::From(env)->SetCause(stock, WriteCause::kFlush);
  EXPECT_TRUE(plain->Append("seven b").ok());
  EXPECT_TRUE(plain->Close().ok());
  delete plain;
  ASSERT_TRUE(device->ReadStats(&after).ok());
  EXPECT_EQ(after.file_bytes - before.file_bytes, 15 + 3 * kPageBytes + 7);
  const CauseBytes expected = {15, 7, 3 * kPageBytes, 0, 0, 0};
  EXPECT_EQ(after.bytes_by_cause, expected);
  EXPECT_GE(after.host_write_pages - before.host_write_pages, 3u);
  EXPECT_EQ(after.nand_program_pages, after.host_write_pages);
  EXPECT_TRUE(device->ForgetCached().ok());
  std::string data;
  ASSERT_TRUE(leveldb::ReadFileToString(env, table, &data).ok());
  EXPECT_EQ(data, Pages(0, 3));
}

TEST_F(BenchDeviceReflinkTest, ADatabaseIsThereOrNotAsAsked) {
  EXPECT_EQ(Open(true), nullptr);
  EXPECT_TRUE(failure_.bad_option);
  EXPECT_NE(failure_.reason.find("holds no database"), std::string::npos) << failure_.reason;
  std::filesystem::create_directory(folder_.path() / "db");
  EXPECT_NE(Open(true), nullptr) << failure_.reason;
  EXPECT_EQ(Open(false), nullptr);
  EXPECT_NE(failure_.reason.find("holds a database already"), std::string::npos) << failure_.reason;
}

TEST_F(BenchDeviceReflinkTest, RefusesOptionsOfASimulation) {
  BenchDeviceOptions options;
  options.device = "reflink:" + folder_.path().string();
  options.superblocks = 8;
  EXPECT_EQ(OpenReflinkBenchDevice(folder_.path().string(), options, &failure_), nullptr);
  EXPECT_TRUE(failure_.bad_option);
  options.superblocks = 0;
  options.placement_handles = 2;
  EXPECT_EQ(OpenReflinkBenchDevice(folder_.path().string(), options, &failure_), nullptr);
  EXPECT_NE(failure_.reason.find("is no simulation"), std::string::npos) << failure_.reason;
  options.placement_handles = 0;
  options.deallocate = false;
  EXPECT_EQ(OpenReflinkBenchDevice(folder_.path().string(), options, &failure_), nullptr);
  EXPECT_TRUE(failure_.bad_option);
  EXPECT_NE(failure_.reason.find("has no PageFS"), std::string::npos) << failure_.reason;
  options.deallocate = true;
  EXPECT_EQ(OpenReflinkBenchDevice(folder_.Path("none"), options, &failure_), nullptr);
  EXPECT_TRUE(failure_.bad_option);
  EXPECT_NE(failure_.reason.find("No such file"), std::string::npos) << failure_.reason;
}

}  // namespace
}  // namespace openremap
