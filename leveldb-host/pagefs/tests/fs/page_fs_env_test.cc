// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/page_fs_env.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "pagefs/tests/device/fake_page_device.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

class PageFsEnvTest : public ::testing::Test {
 protected:
  PageFsEnvTest() : device_(4096) {
    std::unique_ptr<PageFs> fs;
    EXPECT_TRUE(PageFs::Open(&device_, &fs).ok());
    env_ = std::make_unique<PageFsEnv>(std::move(fs));
  }

  // A file of that many pages, and it opened for reading.
  std::unique_ptr<leveldb::RandomAccessFile> WriteAndOpen(const std::string &name, uint64_t pages) {
    leveldb::WritableFile *writer = nullptr;
    EXPECT_TRUE(env_->NewWritableFile(name, &writer).ok());
    for (uint64_t page = 0; page < pages; page++) {
      EXPECT_TRUE(writer->Append(std::string(kPageBytes, static_cast<char>('a' + page % 26))).ok());
    }
    EXPECT_TRUE(writer->Sync().ok());
    delete writer;
    leveldb::RandomAccessFile *file = nullptr;
    EXPECT_TRUE(env_->NewRandomAccessFile(name, &file).ok());
    return std::unique_ptr<leveldb::RandomAccessFile>(file);
  }
  static Status ReadPage(const leveldb::RandomAccessFile &file, uint64_t page) {
    char scratch[kPageBytes];
    Slice result;
    Status s = file.Read(page * kPageBytes, sizeof(scratch), &result, scratch);
    if (s.ok()) {
      EXPECT_EQ(result.ToString(), std::string(kPageBytes, static_cast<char>('a' + page % 26))) << page;
    }
    return s;
  }

  FakePageDevice device_;
  std::unique_ptr<PageFsEnv> env_;
};

TEST_F(PageFsEnvTest, ReadsInOrderReadAhead) {
  const auto file = WriteAndOpen("/1.ldb", 200);
  device_.read_commands = device_.pages_read = 0;
  for (uint64_t page = 0; page < 199; page++) ASSERT_TRUE(ReadPage(*file, page).ok());
  EXPECT_EQ(device_.pages_read, 200u);
  EXPECT_EQ(device_.read_commands, 12u) << "three pages, then 4, 8, 16, five times 32 and what is left";
  EXPECT_EQ(env_->fs()->windows()->count(), 1u);
}

TEST_F(PageFsEnvTest, ReadsHereAndThereDoNot) {
  const auto file = WriteAndOpen("/1.ldb", 200);
  device_.read_commands = device_.pages_read = 0;
  for (uint64_t i = 0; i < 200; i++) ASSERT_TRUE(ReadPage(*file, i * 61 % 200).ok());
  EXPECT_EQ(device_.pages_read, 200u);
  EXPECT_EQ(device_.read_commands, 200u);
}

TEST_F(PageFsEnvTest, AClosedFileKeepsNothing) {
  auto file = WriteAndOpen("/1.ldb", 200);
  for (uint64_t page = 0; page < 9; page++) ASSERT_TRUE(ReadPage(*file, page).ok());
  EXPECT_EQ(env_->fs()->windows()->count(), 1u);
  file.reset();
  EXPECT_EQ(env_->fs()->windows()->count(), 0u);
}

TEST_F(PageFsEnvTest, AFileThatIsWrittenIsNotReadAhead) {
  const auto file = WriteAndOpen("/1.log", 10);
  for (uint64_t page = 0; page < 4; page++) ASSERT_TRUE(ReadPage(*file, page).ok());
  leveldb::WritableFile *log = nullptr;
  ASSERT_TRUE(env_->NewAppendableFile("/1.log", &log).ok());
  device_.pages_read = 0;
  for (uint64_t page = 4; page < 10; page++) {
    ASSERT_TRUE(log->Append(std::string(kPageBytes, static_cast<char>('a' + page + 6))).ok());
    ASSERT_TRUE(ReadPage(*file, page).ok());
    ASSERT_TRUE(ReadPage(*file, page + 6).ok()) << "not written yet";
  }
  EXPECT_EQ(device_.pages_read, 6u);
  delete log;
  for (uint64_t page = 10; page < 16; page++) ASSERT_TRUE(ReadPage(*file, page).ok());
}

TEST_F(PageFsEnvTest, APrefetchReadsSeveralPlacesSideBySide) {
  const auto file = WriteAndOpen("/1.ldb", 64);
  const PrefetchingFile *prefetching = PrefetchingFile::From(file.get());
  ASSERT_NE(prefetching, nullptr);
  device_.pages_read = 0;
  prefetching->Prefetch({{40 * kPageBytes, kPageBytes}, {3 * kPageBytes, kPageBytes}, {20 * kPageBytes, kPageBytes}});
  EXPECT_EQ(device_.together_commands, 1u);
  EXPECT_EQ(device_.pages_read, 3u);
  for (uint64_t page : {3, 20, 40}) ASSERT_TRUE(ReadPage(*file, page).ok());
  EXPECT_EQ(device_.pages_read, 3u);
  PageRun run;
  ASSERT_TRUE(env_->GetLpn("/1.ldb", 20 * kPageBytes, 1, &run).ok());
  device_.damaged = {run.lpn};
  prefetching->Prefetch({{40 * kPageBytes, kPageBytes}, {20 * kPageBytes, kPageBytes}});
  ASSERT_TRUE(ReadPage(*file, 40).ok());
  EXPECT_FALSE(ReadPage(*file, 20).ok());
}

// A place of several pages, which lie in several extents.
TEST_F(PageFsEnvTest, APrefetchGathersExtents) {
  for (int file = 0; file < 40; file++) (void)WriteAndOpen("/" + std::to_string(file), 90);
  for (int file = 0; file < 40; file += 2) ASSERT_TRUE(env_->RemoveFile("/" + std::to_string(file)).ok());
  const auto scattered = WriteAndOpen("/scattered", 1200);
  std::vector<uint64_t> breaks;  // pages behind which another extent begins
  for (uint64_t page = 0; page + 1 < 1200; page++) {
    PageRun run, next;
    ASSERT_TRUE(env_->GetLpn("/scattered", page * kPageBytes, 1, &run).ok());
    ASSERT_TRUE(env_->GetLpn("/scattered", (page + 1) * kPageBytes, 1, &next).ok());
    if (next.lpn != run.lpn + 1) breaks.push_back(page);
  }
  ASSERT_GT(breaks.size(), 2u);
  std::vector<FileRange> ranges;
  for (const uint64_t page : {breaks[0], breaks[2]}) ranges.push_back({(page - 1) * kPageBytes, 4 * kPageBytes});
  PrefetchingFile::From(scattered.get())->Prefetch(ranges);
  device_.pages_read = 0;
  for (const FileRange &range : ranges) {
    std::string scratch(4 * kPageBytes, '\0');
    Slice result;
    ASSERT_TRUE(scattered->Read(range.offset, scratch.size(), &result, &scratch[0]).ok());
    for (uint64_t i = 0; i < 4; i++) {
      EXPECT_EQ(result[i * kPageBytes], static_cast<char>('a' + (range.offset / kPageBytes + i) % 26));
    }
  }
  EXPECT_EQ(device_.pages_read, 0u);
}

// The file system's lock guards what is kept of the file and the windows of all files.
TEST_F(PageFsEnvTest, ThreadsPrefetchAndReadOneFile) {
  const auto file = WriteAndOpen("/1.ldb", 200);
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 3; thread++) {
    threads.emplace_back([&file, thread] {
      for (uint64_t i = 0; i < 300; i++) {
        const uint64_t at = (i * 37 + thread * 61) % 197;
        PrefetchingFile::From(file.get())->Prefetch({{at * kPageBytes, kPageBytes}, {(at + 2) * kPageBytes, 4000}});
        EXPECT_TRUE(ReadPage(*file, at).ok());
        EXPECT_TRUE(ReadPage(*file, at + 1).ok());
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
}

TEST_F(PageFsEnvTest, AFileThatIsWrittenIsNotPrefetched) {
  const auto file = WriteAndOpen("/1.log", 10);
  leveldb::WritableFile *log = nullptr;
  ASSERT_TRUE(env_->NewAppendableFile("/1.log", &log).ok());
  PrefetchingFile::From(file.get())->Prefetch({{kPageBytes, 10}, {5 * kPageBytes, 10}});
  EXPECT_EQ(device_.together_commands, 0u);
  delete log;
}

TEST_F(PageFsEnvTest, DamageThatNobodyAskedForIsNoError) {
  const auto file = WriteAndOpen("/1.ldb", 64);
  PageRun run;
  ASSERT_TRUE(env_->GetLpn("/1.ldb", 20 * kPageBytes, 1, &run).ok());
  device_.damaged = {run.lpn};
  for (uint64_t page = 0; page < 64; page++) EXPECT_EQ(ReadPage(*file, page).ok(), page != 20) << page;
}

TEST_F(PageFsEnvTest, IsFoundAsARemapEnv) {
  leveldb::Env *env = env_.get();
  EXPECT_EQ(RemapEnv::From(env), env_.get());
  EXPECT_EQ(RemapEnv::From(leveldb::Env::Default()), nullptr);
}

TEST_F(PageFsEnvTest, ChildrenAreNamesBelowADirectory) {
  for (const char *name : {"/db/CURRENT", "/db/000001.log", "/db/lost/000002.ldb", "/db/lost/000003.ldb", "/dbx/a"}) {
    ASSERT_TRUE(WriteStringToFile(env_.get(), "x", name).ok());
  }
  std::vector<std::string> children;
  ASSERT_TRUE(env_->GetChildren("/db", &children).ok());
  EXPECT_EQ(children, (std::vector<std::string>{"000001.log", "CURRENT", "lost"}));
  ASSERT_TRUE(env_->GetChildren("/db/lost/", &children).ok());
  EXPECT_EQ(children.size(), 2u);
  EXPECT_TRUE(env_->FileExists("/db"));
  EXPECT_TRUE(env_->FileExists("/db/CURRENT"));
  EXPECT_FALSE(env_->FileExists("/d"));
  EXPECT_TRUE(env_->CreateDir("/new").ok());
  EXPECT_TRUE(env_->RemoveDir("/new").ok());
  EXPECT_TRUE(env_->RemoveDir("/db/lost").IsIOError()) << "not empty";
}

TEST_F(PageFsEnvTest, SequentialReadsAndSkips) {
  std::string data;
  for (int i = 0; i < 5000; i++) data += std::to_string(i) + " ";
  ASSERT_TRUE(WriteStringToFile(env_.get(), data, "/f").ok());
  std::string back;
  ASSERT_TRUE(ReadFileToString(env_.get(), "/f", &back).ok());
  EXPECT_EQ(back, data);
  leveldb::SequentialFile *file = nullptr;
  ASSERT_TRUE(env_->NewSequentialFile("/f", &file).ok());
  ASSERT_TRUE(file->Skip(10000).ok());
  char scratch[100];
  Slice result;
  ASSERT_TRUE(file->Read(100, &result, scratch).ok());
  EXPECT_EQ(result.ToString(), data.substr(10000, 100));
  ASSERT_TRUE(file->Skip(1 << 30).ok());
  ASSERT_TRUE(file->Read(100, &result, scratch).ok());
  EXPECT_EQ(result.size(), 0u);
  delete file;
  EXPECT_TRUE(env_->NewSequentialFile("/g", &file).IsNotFound());
  EXPECT_EQ(file, nullptr);
}

TEST_F(PageFsEnvTest, LocksKeepASecondDatabaseOut) {
  leveldb::FileLock *first = nullptr, *second = nullptr;
  ASSERT_TRUE(env_->LockFile("/db/LOCK", &first).ok());
  EXPECT_TRUE(env_->LockFile("/db/LOCK", &second).IsIOError());
  ASSERT_TRUE(env_->UnlockFile(first).ok());
  ASSERT_TRUE(env_->LockFile("/db/LOCK", &second).ok());
  ASSERT_TRUE(env_->UnlockFile(second).ok());
}

TEST_F(PageFsEnvTest, LoggerWritesWholeLines) {
  leveldb::Logger *logger = nullptr;
  ASSERT_TRUE(env_->NewLogger("/db/LOG", &logger).ok());
  leveldb::Log(logger, "compacted %d files, %s", 7, std::string(9000, 'x').c_str());
  leveldb::Log(logger, "second");
  delete logger;
  std::string text;
  ASSERT_TRUE(ReadFileToString(env_.get(), "/db/LOG", &text).ok());
  EXPECT_EQ(text, "compacted 7 files, " + std::string(9000, 'x') + "\nsecond\n");
}

// As a database's threads do, also after the device has become full.
TEST_F(PageFsEnvTest, LoggerTakesLinesOfSeveralThreads) {
  leveldb::Logger *logger = nullptr;
  ASSERT_TRUE(env_->NewLogger("/db/LOG", &logger).ok());
  const std::string lines[] = {std::string(49999, 'a'), std::string(49999, 'b')};
  std::vector<std::thread> threads;
  for (const std::string &line : lines) {
    threads.emplace_back([&line, logger] {
      for (int i = 0; i < 400; i++) leveldb::Log(logger, "%s", line.c_str());
    });
  }
  for (std::thread &thread : threads) thread.join();
  delete logger;
  std::string text;
  ASSERT_TRUE(ReadFileToString(env_.get(), "/db/LOG", &text).ok());
  EXPECT_GT(text.size(), device_.Pages() * kPageBytes * 3 / 4);
  EXPECT_LT(text.size(), 2u * 400 * 50000) << "the device became full";
  ASSERT_EQ(text.size() % 50000, 0u);
  for (size_t at = 0; at < text.size(); at += 50000) {
    ASSERT_EQ(text.substr(at, 50000), lines[text[at] == 'a' ? 0 : 1] + "\n");
  }
}

// LevelDB's log writer goes on behind bytes that were refused; what it wrote there would be lost.
TEST_F(PageFsEnvTest, AFileThatWasRefusedBytesTakesNoMoreUntilItIsOpenedAnew) {
  leveldb::WritableFile *big = nullptr, *log = nullptr;
  ASSERT_TRUE(env_->NewWritableFile("/big", &big).ok());
  ASSERT_TRUE(env_->NewWritableFile("/1.log", &log).ok());
  ASSERT_TRUE(log->Append("taken").ok());
  while (big->Append(std::string(100000, 'b')).ok()) continue;
  EXPECT_FALSE(log->Append(std::string(8192, 'r')).ok());
  ASSERT_TRUE(big->Close().ok());
  delete big;
  ASSERT_TRUE(env_->RemoveFile("/big").ok());
  const Status s = log->Append("too late");
  EXPECT_NE(s.ToString().find("no space left"), std::string::npos) << s.ToString();
  ASSERT_TRUE(log->Sync().ok());
  ASSERT_TRUE(log->Close().ok());
  delete log;
  ASSERT_TRUE(env_->NewAppendableFile("/1.log", &log).ok());
  ASSERT_TRUE(log->Append(", and more").ok());
  ASSERT_TRUE(log->Close().ok());
  delete log;
  std::string back;
  ASSERT_TRUE(ReadFileToString(env_.get(), "/1.log", &back).ok());
  EXPECT_EQ(back, "taken, and more");
}

TEST_F(PageFsEnvTest, RemapFileCountsItsOffset) {
  leveldb::WritableFile *old = nullptr;
  ASSERT_TRUE(env_->NewWritableFile("/old", &old).ok());
  ASSERT_TRUE(old->Append(std::string(8192, 'a')).ok());
  ASSERT_TRUE(old->Sync().ok());
  delete old;
  PageRun run;
  ASSERT_TRUE(env_->GetLpn("/old", 0, 2, &run).ok());
  RemapFile *file = nullptr;
  ASSERT_TRUE(env_->NewRemapFile("/new", 2, &file).ok());
  EXPECT_EQ(file->Offset(), 0u);
  ASSERT_TRUE(file->AppendRemap(run).ok());
  EXPECT_EQ(file->Offset(), 8192u);
  ASSERT_TRUE(file->Append("tail").ok());
  ASSERT_TRUE(file->Flush().ok());
  ASSERT_TRUE(file->Sync().ok());
  ASSERT_TRUE(file->Close().ok());
  ASSERT_TRUE(file->Close().ok());
  delete file;
  std::string back;
  ASSERT_TRUE(ReadFileToString(env_.get(), "/new", &back).ok());
  EXPECT_EQ(back, std::string(8192, 'a') + "tail");
  EXPECT_EQ(env_->GetRemapStats().remapped_pages, 2u);
}

}  // namespace
}  // namespace openremap
