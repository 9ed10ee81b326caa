// SPDX-License-Identifier: Apache-2.0
#include "rocksrun/inline_rocks_env.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/memtablerep.h"
#include "tests/rocksfs/rocks_files.h"

namespace openremap {
namespace {

using rocksdb::Env;

class InlineRocksEnvTest : public ::testing::Test {
 protected:
  struct Job {
    std::vector<int> *ran;
    int number;
  };
  static void Run(void *arg) {
    const auto *job = static_cast<Job *>(arg);
    job->ran->push_back(job->number);
  }
  static void Drop(void *arg) {
    const auto *job = static_cast<Job *>(arg);
    job->ran->push_back(-job->number);
  }

  RocksFiles rocks_;
};

TEST_F(InlineRocksEnvTest, WorkWaitsAndFlushesGoFirst) {
  InlineRocksEnv env(rocks_.files());
  std::vector<int> ran;
  Job low{&ran, 1}, high{&ran, 2}, bottom{&ran, 3}, late{&ran, 4};
  env.Schedule(Run, &bottom, Env::BOTTOM, this, nullptr);
  env.Schedule(Run, &low, Env::LOW, this, nullptr);
  env.Schedule(Run, &high, Env::HIGH, this, nullptr);
  env.Schedule(Run, &late, Env::HIGH, this, nullptr);
  EXPECT_TRUE(env.HasPending());
  EXPECT_TRUE(ran.empty());
  env.RunPending();
  EXPECT_EQ(ran, (std::vector<int>{2, 4, 1, 3}));
  EXPECT_FALSE(env.HasPending());
}

TEST_F(InlineRocksEnvTest, WorkIsTakenBackByItsOwner) {
  InlineRocksEnv env(rocks_.files());
  std::vector<int> ran;
  Job mine{&ran, 1}, mine_low{&ran, 2}, other{&ran, 3};
  env.Schedule(Run, &mine, Env::HIGH, this, Drop);
  env.Schedule(Run, &mine_low, Env::LOW, this, Drop);
  env.Schedule(Run, &other, Env::HIGH, &env, Drop);
  EXPECT_EQ(env.UnSchedule(this, Env::HIGH), 1);
  EXPECT_EQ(ran, (std::vector<int>{-1}));
  env.RunPending();
  EXPECT_EQ(ran, (std::vector<int>{-1, 3, 2}));
}

TEST_F(InlineRocksEnvTest, AJobThatFailsIsNotTriedForEver) {
  struct Again {
    InlineRocksEnv *env;
    int ran;
    static void Run(void *arg) {
      auto *again = static_cast<Again *>(arg);
      again->ran++;
      again->env->GetSystemClock()->SleepForMicroseconds(1000000);
      again->env->Schedule(Run, again, Env::LOW, nullptr, nullptr);
    }
  };
  InlineRocksEnv env(rocks_.files());
  Again again{&env, 0};
  Again::Run(&again);
  env.RunPending();
  EXPECT_EQ(again.ran, 2);
  EXPECT_TRUE(env.HasPending());
  env.RunPending();
  EXPECT_EQ(again.ran, 3);
}

TEST_F(InlineRocksEnvTest, TheFileSystemIsTheOneThatWasGiven) {
  InlineRocksEnv env(rocks_.files());
  EXPECT_EQ(env.GetFileSystem().get(), rocks_.files().get()) << "or temperatures would be lost on the way";
  env.SleepForMicroseconds(1 << 30);
  env.GetSystemClock()->SleepForMicroseconds(1 << 30);
}

TEST_F(InlineRocksEnvTest, TwoRunsWriteTheSamePages) {
  std::vector<uint64_t> pages;
  for (int run = 0; run < 2; run++) {
    RocksFiles rocks;
    {
      InlineRocksEnv env(rocks.files());
      rocksdb::Options options;
      options.env = &env;
      options.create_if_missing = true;
      options.info_log = std::make_shared<SilentLogger>();
      options.write_buffer_size = 64 << 10;
      options.max_write_buffer_number = 8;
      // The heights of RocksDB's skip list follow from the id of the thread, and its size from those.
      options.memtable_factory = std::make_shared<rocksdb::VectorRepFactory>();
      options.allow_concurrent_memtable_write = false;
      options.stats_dump_period_sec = options.stats_persist_period_sec = 0;
      rocksdb::DB *opened = nullptr;
      ASSERT_TRUE(rocksdb::DB::Open(options, "/db", &opened).ok());
      const std::unique_ptr<rocksdb::DB> db(opened);
      for (int i = 0; i < 5000; i++) {
        ASSERT_TRUE(db->Put(rocksdb::WriteOptions(), std::to_string(i * 7919 % 5000), std::string(200, 'x')).ok());
        env.RunPending();
      }
    }
    pages.push_back(rocks.device().pages_written);
  }
  EXPECT_EQ(pages[0], pages[1]);
}

}  // namespace
}  // namespace openremap
