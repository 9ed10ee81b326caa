// SPDX-License-Identifier: Apache-2.0
#include "env/info_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "temp_dir.h"

namespace openremap {
namespace {

using leveldb::Status;

// Renames and new logs fail on request.
class StubbornEnv : public leveldb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;
  Status NewLogger(const std::string &fname, leveldb::Logger **result) override {
    if (!refuse) return target()->NewLogger(fname, result);
    refusals++;
    *result = nullptr;
    return Status::IOError("test", "no space left");
  }
  bool refuse = false;
  int refusals = 0;
};

class InfoLogTest : public ::testing::Test {
 protected:
  InfoLogTest() : env_(leveldb::Env::Default()) {}

  std::unique_ptr<leveldb::Logger> Start(uint64_t max_bytes) {
    leveldb::Logger *log = nullptr;
    EXPECT_TRUE(NewInfoLog(&env_, folder_, max_bytes, &log).ok());
    return std::unique_ptr<leveldb::Logger>(log);
  }
  uint64_t SizeOf(const std::string &name) {
    std::error_code none;
    const auto size = std::filesystem::file_size(folder_ + "/" + name, none);
    return none ? 0 : size;
  }
  std::vector<std::string> Lines(const std::string &name) {
    std::vector<std::string> lines;
    std::ifstream file(folder_ + "/" + name);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  // The numbers that the lines of a file end with.
  std::vector<int> Numbers(const std::string &name) {
    std::vector<int> numbers;
    for (const std::string &line : Lines(name)) numbers.push_back(std::stoi(line.substr(line.rfind('#') + 1)));
    return numbers;
  }

  StubbornEnv env_;
  const orm::TempDir temporary_;
  const std::string &folder_ = temporary_.path;
};

TEST_F(InfoLogTest, TwoFilesOfTheNewestLines) {
  constexpr uint64_t kMost = 4096;
  constexpr int kLines = 2000;
  {
    const auto log = Start(kMost);
    for (int i = 0; i < kLines; i++) {
      leveldb::Log(log.get(), "a line of some length #%d", i);
      ASSERT_LE(SizeOf("LOG"), kMost);
      ASSERT_LE(SizeOf("LOG.old"), kMost);
    }
  }
  std::vector<int> numbers = Numbers("LOG.old");
  EXPECT_GT(numbers.size(), 20u);
  for (const int number : Numbers("LOG")) numbers.push_back(number);
  EXPECT_EQ(numbers.back(), kLines - 1);
  for (size_t i = 1; i < numbers.size(); i++) ASSERT_EQ(numbers[i], numbers[i - 1] + 1) << "a line is lost";
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()), 2);
}

TEST_F(InfoLogTest, ALogOfAnEarlierSessionBecomesTheOldOne) {
  leveldb::Log(Start(4096).get(), "first #1");
  leveldb::Log(Start(4096).get(), "second #2");
  EXPECT_EQ(Numbers("LOG.old"), std::vector<int>{1});
  EXPECT_EQ(Numbers("LOG"), std::vector<int>{2});
}

// As by an opening of the database that is refused, because it is open: it begins a log before it finds the lock.
TEST_F(InfoLogTest, ALogThatAnotherOpeningHasMovedDoesNotGrowForEver) {
  constexpr uint64_t kMost = 4096;
  const auto log = Start(kMost);
  leveldb::Log(log.get(), "first #0");
  for (int i = 1; i < 2000; i++) {
    if (i % 700 == 20) leveldb::Log(Start(kMost).get(), "refused #%d", i);
    leveldb::Log(log.get(), "a line of some length #%d", i);
    ASSERT_LE(SizeOf("LOG"), kMost);
    ASSERT_LE(SizeOf("LOG.old"), 2 * kMost);
  }
  EXPECT_EQ(Numbers("LOG").back(), 1999);
}

TEST_F(InfoLogTest, ALineThatIsLongerThanALogIsWritten) {
  const auto log = Start(1024);
  const std::string line(5000, 'x');
  for (int i = 0; i < 3; i++) leveldb::Log(log.get(), "%s #%d", line.c_str(), i);
  EXPECT_EQ(Numbers("LOG.old"), std::vector<int>{1});
  EXPECT_EQ(Numbers("LOG"), std::vector<int>{2});
}

// The lines still go somewhere, and a later attempt succeeds.
TEST_F(InfoLogTest, WithoutANewLogLinesGoToTheOldOne) {
  const auto log = Start(1024);
  env_.refuse = true;
  for (int i = 0; i < 40; i++) leveldb::Log(log.get(), "line #%d", i);
  EXPECT_GT(env_.refusals, 1);
  EXPECT_LT(env_.refusals, 6) << "not with each line";
  EXPECT_EQ(Numbers("LOG.old").size(), 40u);
  env_.refuse = false;
  for (int i = 40; i < 100; i++) leveldb::Log(log.get(), "line #%d", i);
  EXPECT_EQ(Numbers("LOG").back(), 99);
  EXPECT_LE(SizeOf("LOG"), 1024u);
  EXPECT_LE(SizeOf("LOG.old"), 1024u);
}

TEST_F(InfoLogTest, ThreadsWriteWholeLines) {
  const auto log = Start(4096);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; thread++) {
    threads.emplace_back([&log] {
      for (int i = 0; i < 500; i++) leveldb::Log(log.get(), "0123456789 #%d", i);
    });
  }
  for (std::thread &thread : threads) thread.join();
  for (const char *name : {"LOG", "LOG.old"}) {
    for (const std::string &line : Lines(name)) ASSERT_NE(line.find(" 0123456789 #"), std::string::npos) << line;
    EXPECT_LE(SizeOf(name), 4096u);
  }
  EXPECT_GT(SizeOf("LOG.old"), 4096u - 128u) << "a log is used up to its size";
}

// The database's own log, of a database that stays open.
TEST_F(InfoLogTest, ADatabaseUsesIt) {
  leveldb::Options options;
  options.env = &env_;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  options.remap.max_info_log_bytes = 2048;
  leveldb::DB *opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, folder_ + "/db", &opened).ok());
  std::unique_ptr<leveldb::DB> db(opened);
  uint64_t largest = 0;
  for (int i = 0; i < 3000; i++) {
    ASSERT_TRUE(db->Put(leveldb::WriteOptions(), std::to_string(i % 50), std::string(1000, 'v')).ok());
    largest = std::max({largest, SizeOf("db/LOG"), SizeOf("db/LOG.old")});
  }
  db.reset();
  EXPECT_GT(SizeOf("db/LOG.old"), 0u);
  EXPECT_LE(largest, 2048u);
}

}  // namespace
}  // namespace openremap
