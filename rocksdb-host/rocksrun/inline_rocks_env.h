// SPDX-License-Identifier: Apache-2.0
//
// An Env that queues flushes and compactions until RunPending() is called, as InlineEnv does for LevelDB: the single
// thread of a benchmark or test runs them at a known point. Two runs write as many bytes, in the same order, if their
// memtables are vectors: how many entries fill a skip list is random, by the id of the thread. The bytes still differ
// in times and in ids of the database and its sessions.
#ifndef OPENREMAP_ROCKSRUN_INLINE_ROCKS_ENV_H_
#define OPENREMAP_ROCKSRUN_INLINE_ROCKS_ENV_H_

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/system_clock.h"

namespace openremap {

// Does not wait, but counts. RocksDB sleeps a second after a job that failed, before it tries again.
class ClockWithoutSleep : public rocksdb::SystemClockWrapper {
 public:
  using SystemClockWrapper::SystemClockWrapper;
  const char *Name() const override { return "ClockWithoutSleep"; }
  void SleepForMicroseconds(int) override { sleeps_++; }
  uint64_t sleeps() const { return sleeps_; }

 private:
  std::atomic<uint64_t> sleeps_{0};
};

// RocksDB schedules work while it holds the mutex of the database, so the work cannot run inside Schedule(). Call
// RunPending() after each operation instead, and before the database is closed, which drops what is left. Calls of
// RocksDB that wait for background work (CompactRange, and Flush with FlushOptions::wait) would wait for ever. Options
// must not let a write wait either: more memtables than one operation fills, and no limits on level 0 and on pending
// compactions.
//
// Thread-safe, except that RunPending() may run on one thread at a time only.
class InlineRocksEnv : public rocksdb::EnvWrapper {
 public:
  explicit InlineRocksEnv(const std::shared_ptr<rocksdb::FileSystem> &files)
      : EnvWrapper(rocksdb::NewCompositeEnv(files)) {
    // Otherwise files would be reached through Env, whose files have no temperatures.
    file_system_ = files;
    clock_ = std::make_shared<ClockWithoutSleep>(rocksdb::SystemClock::Default());
    system_clock_ = clock_;
  }

  void Schedule(void (*function)(void *), void *arg, Priority priority, void *tag,
                void (*unschedule)(void *)) override {
    std::lock_guard<std::mutex> lock(mutex_);
    pending_.push_back({function, unschedule, arg, tag, priority});
  }

  int UnSchedule(void *tag, Priority priority) override {
    std::deque<Work> dropped;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      std::deque<Work> kept;
      for (const Work &work : pending_) {
        (work.tag == tag && work.priority == priority ? dropped : kept).push_back(work);
      }
      pending_.swap(kept);
    }
    for (const Work &work : dropped) {
      if (work.unschedule != nullptr) work.unschedule(work.arg);
    }
    return static_cast<int>(dropped.size());
  }

  bool HasPending() {
    std::lock_guard<std::mutex> lock(mutex_);
    return !pending_.empty();
  }

  // Runs scheduled work, and the work that it schedules, on this thread. Flushes go first, as with threads of their
  // own. Ends early after a job that failed: RocksDB schedules it again, on a full device for ever.
  void RunPending() {
    for (const uint64_t before = clock_->sleeps(); clock_->sleeps() == before;) {
      Work work{};
      {
        std::lock_guard<std::mutex> lock(mutex_);
        if (pending_.empty()) return;
        auto next = pending_.begin();
        for (auto it = pending_.begin(); it != pending_.end(); ++it) {
          if (it->priority > next->priority) next = it;
        }
        work = *next;
        pending_.erase(next);
      }
      work.function(work.arg);
    }
  }

  void SleepForMicroseconds(int micros) override { clock_->SleepForMicroseconds(micros); }

 private:
  struct Work {
    void (*function)(void *);
    void (*unschedule)(void *);
    void *arg;
    void *tag;
    Priority priority;
  };

  std::shared_ptr<ClockWithoutSleep> clock_;
  std::mutex mutex_;
  std::deque<Work> pending_;
};

// Drops all log lines. Their number and length depends on times.
class SilentLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char *, std::va_list) override {}
};

}  // namespace openremap

#endif  // OPENREMAP_ROCKSRUN_INLINE_ROCKS_ENV_H_
