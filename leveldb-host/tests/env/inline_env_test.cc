// SPDX-License-Identifier: Apache-2.0
#include "inline_env.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace openremap {
namespace {

struct Job {
  InlineEnv *env;
  std::atomic<int> begun{0}, ended{0};

  static void Run(void *arg) {
    auto *const job = static_cast<Job *>(arg);
    // As a compaction schedules the next one at its end.
    if (job->begun++ == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      job->env->Schedule(Run, job);
    }
    job->ended++;
  }
};

TEST(InlineEnvTest, WorkWaitsUntilItIsRun) {
  InlineEnv env(leveldb::Env::Default());
  Job job{&env};
  env.Schedule(Job::Run, &job);
  EXPECT_TRUE(env.HasPending());
  EXPECT_EQ(job.begun, 0);
  EXPECT_TRUE(env.RunOne());
  EXPECT_EQ(job.ended, 1);
  env.RunPending();
  EXPECT_EQ(job.ended, 2);
  EXPECT_FALSE(env.RunOne());
}

TEST(InlineEnvTest, WorkOfTheOtherThreadIsDoneOrPending) {
  InlineEnv env(leveldb::Env::Default());
  Job job{&env};
  env.SetDeferred(false);
  env.Schedule(Job::Run, &job);
  while (job.begun == 0) std::this_thread::yield();
  env.SetDeferred(true);
  EXPECT_EQ(job.ended, 1) << "its end was waited for";
  EXPECT_TRUE(env.HasPending()) << "and what it scheduled is left to this thread";
  env.RunPending();
  EXPECT_EQ(job.ended, 2);
}

TEST(InlineEnvTest, ItsEndWaitsForTheOtherThread) {
  Job job{nullptr};
  job.begun = 1;  // schedules nothing
  {
    InlineEnv env(leveldb::Env::Default());
    env.SetDeferred(false);
    env.Schedule(Job::Run, &job);
  }
  EXPECT_EQ(job.ended, 1);
}

}  // namespace
}  // namespace openremap
