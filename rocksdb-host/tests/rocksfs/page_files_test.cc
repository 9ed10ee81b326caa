// SPDX-License-Identifier: Apache-2.0
#include "rocksfs/page_files.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "rocks_files.h"

namespace openremap {
namespace {

using rocksdb::Env;
using rocksdb::FileOptions;
using rocksdb::FSReadRequest;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

class PageFilesTest : public ::testing::Test {
 protected:
  // A table of that many pages, each of one letter.
  void Write(const std::string &name, uint64_t pages) {
    const auto file = rocks_.Writer(name);
    for (uint64_t page = 0; page < pages; page++) ASSERT_TRUE(RocksFiles::Append(file.get(), Page(page)).ok());
    ASSERT_TRUE(RocksFiles::Sync(file.get()).ok());
    ASSERT_TRUE(RocksFiles::Close(file.get()).ok());
  }
  static std::string Page(uint64_t page) { return std::string(kPageBytes, static_cast<char>('a' + page % 26)); }
  static IOStatus Read(const rocksdb::FSRandomAccessFile &file, uint64_t offset, size_t n, std::string *out) {
    std::string scratch(n, '\0');
    Slice result;
    IOStatus s = file.Read(offset, n, IOOptions(), &result, &scratch[0], nullptr);
    *out = result.ToString();
    return s;
  }

  RocksFiles rocks_;
};

TEST_F(PageFilesTest, WhatIsAppendedReadsBack) {
  const auto file = rocks_.Writer("/db/1.log");
  ASSERT_TRUE(RocksFiles::Append(file.get(), "abc").ok());
  ASSERT_TRUE(RocksFiles::Append(file.get(), "").ok());
  ASSERT_TRUE(RocksFiles::Append(file.get(), "def").ok());
  EXPECT_EQ(file->GetFileSize(IOOptions(), nullptr), 6u);
  EXPECT_EQ(rocks_.Contents("/db/1.log"), "abcdef") << "while it is written";
  ASSERT_TRUE(RocksFiles::Close(file.get()).ok());
  ASSERT_TRUE(RocksFiles::Close(file.get()).ok()) << "twice";
  EXPECT_EQ(rocks_.Contents("/db/1.log"), "abcdef");
}

TEST_F(PageFilesTest, SkippingEndsAtTheEnd) {
  Write("/db/1.sst", 2);
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  ASSERT_TRUE(rocks_.files()->NewSequentialFile("/db/1.sst", FileOptions(), &file, nullptr).ok());
  std::array<char, 10> scratch{};
  Slice result;
  ASSERT_TRUE(file->Skip(kPageBytes).ok());
  ASSERT_TRUE(file->Read(3, IOOptions(), &result, scratch.data(), nullptr).ok());
  EXPECT_EQ(result.ToString(), "bbb");
  ASSERT_TRUE(file->Skip(100 * kPageBytes).ok());
  ASSERT_TRUE(file->Read(3, IOOptions(), &result, scratch.data(), nullptr).ok());
  EXPECT_EQ(result.ToString(), "");
}

TEST_F(PageFilesTest, ADirectReadTakesWholePages) {
  Write("/db/1.sst", 40);
  const auto file = rocks_.Reader("/db/1.sst", /*direct=*/true);
  EXPECT_TRUE(file->use_direct_io());
  EXPECT_EQ(file->GetRequiredBufferAlignment(), kPageBytes);
  std::string got;
  EXPECT_TRUE(Read(*file, 100, kPageBytes, &got).IsInvalidArgument());
  EXPECT_TRUE(Read(*file, kPageBytes, 100, &got).IsInvalidArgument());
  rocks_.device().pages_read = 0;
  for (uint64_t page = 0; page < 30; page++) {
    ASSERT_TRUE(Read(*file, page * kPageBytes, kPageBytes, &got).ok());
    EXPECT_EQ(got, Page(page));
  }
  EXPECT_EQ(rocks_.device().pages_read, 30u) << "nothing is read ahead";
}

TEST_F(PageFilesTest, ABufferedReadTakesAnyBytesAndReadsAhead) {
  Write("/db/1.sst", 200);
  const auto file = rocks_.Reader("/db/1.sst");
  EXPECT_FALSE(file->use_direct_io());
  std::string got;
  ASSERT_TRUE(Read(*file, kPageBytes - 1, 2, &got).ok());
  EXPECT_EQ(got, "ab");
  ASSERT_TRUE(Read(*file, 200 * kPageBytes - 1, 5, &got).ok());
  EXPECT_EQ(got, std::string(1, static_cast<char>('a' + 199 % 26))) << "up to the end";
  rocks_.device().read_commands = 0;
  for (uint64_t page = 0; page < 199; page++) ASSERT_TRUE(Read(*file, page * kPageBytes, kPageBytes, &got).ok());
  EXPECT_LT(rocks_.device().read_commands, 20u);
  EXPECT_TRUE(file->Prefetch(0, 1000, IOOptions(), nullptr).IsNotSupported()) << "so RocksDB reads ahead by itself";
}

TEST_F(PageFilesTest, SeveralReadsGoSideBySide) {
  Write("/db/1.sst", 100);
  for (const bool direct : {false, true}) {
    const auto file = rocks_.Reader("/db/1.sst", direct);
    std::vector<std::string> scratch(20, std::string(kPageBytes, '\0'));
    std::vector<FSReadRequest> requests(20);
    for (size_t i = 0; i < requests.size(); i++) {
      requests[i].offset = (i * 37 % 100) * kPageBytes;
      requests[i].len = kPageBytes;
      requests[i].scratch = &scratch[i][0];
    }
    rocks_.device().together_commands = rocks_.device().pages_read = 0;
    ASSERT_TRUE(file->MultiRead(requests.data(), requests.size(), IOOptions(), nullptr).ok());
    for (size_t i = 0; i < requests.size(); i++) {
      ASSERT_TRUE(requests[i].status.ok());
      EXPECT_EQ(requests[i].result.ToString(), Page(i * 37 % 100)) << i;
    }
    EXPECT_EQ(rocks_.device().together_commands, 2u);
    EXPECT_EQ(rocks_.device().pages_read, 20u);
    requests[3].offset = 100 * kPageBytes - 1000;
    ASSERT_TRUE(file->MultiRead(&requests[3], 1, IOOptions(), nullptr).ok());
    EXPECT_EQ(requests[3].status.IsInvalidArgument(), direct);
    EXPECT_EQ(requests[3].result.size(), direct ? 0u : 1000u) << "up to the end";
  }
}

TEST_F(PageFilesTest, ADamagedPageIsAnErrorOfItsRead) {
  Write("/db/1.sst", 10);
  PageRun run;
  ASSERT_TRUE(rocks_.SyncDirectory("/db").ok());
  ASSERT_TRUE(rocks_.env()->GetLpn("/db/1.sst", 4 * kPageBytes, 1, &run).ok());
  rocks_.device().damaged = {run.lpn};
  const auto file = rocks_.Reader("/db/1.sst");
  std::string got;
  EXPECT_TRUE(Read(*file, 3 * kPageBytes, kPageBytes, &got).ok());
  EXPECT_TRUE(Read(*file, 4 * kPageBytes, kPageBytes, &got).IsIOError());
  EXPECT_EQ(got, "");
}

TEST_F(PageFilesTest, FilesAreNeitherCutNorExtended) {
  const auto file = rocks_.Writer("/db/1.log");
  ASSERT_TRUE(RocksFiles::Append(file.get(), "abcdef").ok());
  EXPECT_TRUE(file->Truncate(6, IOOptions(), nullptr).ok());
  EXPECT_TRUE(file->Truncate(3, IOOptions(), nullptr).IsNotSupported());
  EXPECT_TRUE(file->Truncate(9, IOOptions(), nullptr).IsNotSupported());
  EXPECT_FALSE(file->use_direct_io());
  EXPECT_TRUE(file->RangeSync(0, 6, IOOptions(), nullptr).ok());
}

TEST_F(PageFilesTest, AfterARefusalNothingIsTaken) {
  const auto file = rocks_.Writer("/db/1.sst");
  ASSERT_TRUE(RocksFiles::Append(file.get(), "abc").ok());
  EXPECT_TRUE(RocksFiles::Append(file.get(), std::string(5000 * kPageBytes, 'x')).IsNoSpace());
  EXPECT_TRUE(RocksFiles::Append(file.get(), "d").IsNoSpace()) << "it would lie elsewhere than RocksDB counts";
  EXPECT_TRUE(RocksFiles::Sync(file.get()).ok());
  EXPECT_TRUE(RocksFiles::Close(file.get()).ok());
  EXPECT_EQ(rocks_.Contents("/db/1.sst"), "abc");
}

TEST_F(PageFilesTest, ASyncedLogSurvivesAndTheRestDoesNot) {
  const auto file = rocks_.Writer("/db/1.log");
  ASSERT_TRUE(RocksFiles::Append(file.get(), "abc").ok());
  ASSERT_TRUE(RocksFiles::Sync(file.get()).ok());
  ASSERT_TRUE(RocksFiles::Append(file.get(), "def").ok());
  ASSERT_TRUE(file->Flush(IOOptions(), nullptr).ok());
  rocks_.device().CutAfter(0);
  EXPECT_FALSE(RocksFiles::Sync(file.get()).ok());
  EXPECT_FALSE(RocksFiles::Close(file.get()).ok());
}

TEST_F(PageFilesTest, ATableIsDurableWithTheDirectoryOrTheNextLog) {
  for (const bool directory : {false, true}) {
    const std::string name = directory ? "/db/1.sst" : "/db/2.sst";
    Write(name, 3);
    const auto log = rocks_.Writer("/db/9.log");
    if (directory) {
      ASSERT_TRUE(rocks_.SyncDirectory("/db").ok());
    } else {
      ASSERT_TRUE(RocksFiles::Append(log.get(), "x").ok());
      ASSERT_TRUE(RocksFiles::Sync(log.get()).ok());
    }
    ASSERT_TRUE(RocksFiles::Close(log.get()).ok());
    rocks_.Cut();
    EXPECT_EQ(rocks_.Contents(name).size(), 3 * kPageBytes) << name;
  }
  Write("/db/3.sst", 3);
  rocks_.Cut();
  EXPECT_FALSE(rocks_.Exists("/db/3.sst")) << "by itself it is not";
}

TEST_F(PageFilesTest, TheDeviceGetsThePlacementThatRocksDbTells) {
  RocksFiles rocks(4096, /*placements=*/8);
  const auto handle = [&](const std::string &name, Env::WriteLifeTimeHint life_time, Env::IOPriority priority,
                          rocksdb::Temperature temperature) {
    FileOptions options;
    options.temperature = temperature;
    const auto file = rocks.Writer(name, options);
    file->SetIOPriority(priority);
    file->SetWriteLifeTimeHint(life_time);
    EXPECT_TRUE(RocksFiles::Append(file.get(), std::string(kPageBytes, 'x')).ok());
    EXPECT_TRUE(RocksFiles::Sync(file.get()).ok());
    EXPECT_TRUE(rocks.SyncDirectory("/").ok());
    PageRun run;
    EXPECT_TRUE(rocks.env()->GetLpn(name, 0, 1, &run).ok());
    return rocks.device().placed.at(run.lpn);
  };
  const auto kUnknown = rocksdb::Temperature::kUnknown;
  EXPECT_EQ(handle("/1.log", Env::WLTH_SHORT, Env::IO_TOTAL, kUnknown), 0u);
  EXPECT_EQ(handle("/MANIFEST-1", Env::WLTH_NOT_SET, Env::IO_TOTAL, kUnknown), 0u);
  EXPECT_EQ(handle("/2.sst", Env::WLTH_MEDIUM, Env::IO_HIGH, kUnknown), 1u);
  EXPECT_EQ(handle("/3.sst", Env::WLTH_MEDIUM, Env::IO_LOW, kUnknown), 2u);
  EXPECT_EQ(handle("/4.sst", Env::WLTH_LONG, Env::IO_LOW, kUnknown), 3u);
  EXPECT_EQ(handle("/5.sst", Env::WLTH_EXTREME, Env::IO_LOW, kUnknown), 4u);
  EXPECT_EQ(handle("/6.sst", Env::WLTH_EXTREME, Env::IO_LOW, rocksdb::Temperature::kCold), 5u);
  EXPECT_EQ(handle("/7.blob", Env::WLTH_LONG, Env::IO_LOW, kUnknown), 3u);
  const CauseBytes bytes = rocks.env()->GetWrittenBytes();
  EXPECT_EQ(bytes.at(static_cast<size_t>(WriteCause::kLog)), kPageBytes);
  EXPECT_EQ(bytes.at(static_cast<size_t>(WriteCause::kFlush)), kPageBytes);
  EXPECT_EQ(bytes.at(static_cast<size_t>(WriteCause::kSizeCompaction)), 5 * kPageBytes);
  EXPECT_EQ(bytes.at(static_cast<size_t>(WriteCause::kOther)), kPageBytes);
}

}  // namespace
}  // namespace openremap
