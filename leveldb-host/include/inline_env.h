// SPDX-License-Identifier: Apache-2.0
//
// An Env that queues background work until RunPending() is called. The single thread of a benchmark or test then runs
// the work at a known point, and two runs write the same bytes.
//
// LevelDB schedules work while it holds the DB's mutex, so the work cannot run inside Schedule(). Call RunPending()
// after each operation instead. Calls of LevelDB that wait for background work (CompactRange, and the destructor unless
// RunPending() was called before) need SetDeferred(false) first; otherwise they wait for ever.
//
// Thread-safe as leveldb::Env, except that RunPending() may run on one thread at a time only: LevelDB requires its
// background work to run sequentially.
#ifndef OPENREMAP_LEVELDB_HOST_INLINE_ENV_H_
#define OPENREMAP_LEVELDB_HOST_INLINE_ENV_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "leveldb/env.h"
#include "remap_env.h"

namespace openremap {

class InlineEnv : public leveldb::EnvWrapper {
 public:
  explicit InlineEnv(leveldb::Env *base) : EnvWrapper(base) {}
  // A database may be gone before the base Env's thread returns from its last work.
  ~InlineEnv() override { SetDeferred(true); }

  void Schedule(void (*function)(void *arg), void *arg) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (deferred_) {
      pending_.emplace_back(function, arg);
    } else {
      on_base_++;
      target()->Schedule(RunOnBase, new Work{this, function, arg});
    }
  }

  bool HasPending() {
    std::lock_guard<std::mutex> lock(mutex_);
    return !pending_.empty();
  }

  // Runs scheduled work, and the work that it schedules, on this thread.
  void RunPending() {
    while (RunOne()) {
    }
  }

  // Runs what was scheduled first. Returns false if there is nothing.
  bool RunOne() {
    std::pair<void (*)(void *), void *> work;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (pending_.empty()) return false;
      work = pending_.front();
      pending_.pop_front();
    }
    work.first(work.second);
    return true;
  }

  leveldb::Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override {
    if (fname.size() >= kLog.size() && fname.compare(fname.size() - kLog.size(), kLog.size(), kLog) == 0) logs_++;
    return target()->NewWritableFile(fname, result);
  }

  // LevelDB's logs so far. It begins one when a memtable is full, whose flush is then the next work that it does.
  uint64_t Logs() const { return logs_; }

  // With false, work runs on the base Env's thread from now on. REQUIRES: no work is pending. With true, waits until
  // that thread has done its work; what it scheduled meanwhile is pending.
  void SetDeferred(bool deferred) {
    std::unique_lock<std::mutex> lock(mutex_);
    deferred_ = deferred;
    if (deferred) done_.wait(lock, [this] { return on_base_ == 0; });
  }

 private:
  struct Work {
    InlineEnv *env;
    void (*function)(void *);
    void *arg;
  };

  static void RunOnBase(void *arg) {
    const std::unique_ptr<Work> work(static_cast<Work *>(arg));
    InlineEnv *const env = work->env;
    work->function(work->arg);
    std::lock_guard<std::mutex> lock(env->mutex_);
    if (--env->on_base_ == 0) env->done_.notify_all();
  }

  static constexpr std::string_view kLog = ".log";

  std::atomic<uint64_t> logs_ = 0;
  std::mutex mutex_;
  std::condition_variable done_;
  uint64_t on_base_ = 0;  // works that the base Env's thread has, or will have
  bool deferred_ = true;
  std::deque<std::pair<void (*)(void *), void *>> pending_;
};

// InlineEnv over a file layer that can remap. Thread-safe as InlineEnv.
class InlineRemapEnv : public InlineEnv, public RemapEnv {
 public:
  InlineRemapEnv(leveldb::Env *base, RemapEnv *remap) : InlineEnv(base), remap_(remap) {}

  leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override {
    return remap_->NewRemapFile(fname, level, result);
  }
  void PlaceFile(const std::string &fname, int level) override { remap_->PlaceFile(fname, level); }
  void SetCause(const std::string &fname, WriteCause cause) override { remap_->SetCause(fname, cause); }
  CauseBytes GetWrittenBytes() const override { return remap_->GetWrittenBytes(); }
  leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) override {
    return remap_->GetLpn(fname, offset, max_pages, run);
  }
  leveldb::Status PunchHole(const std::string &fname, uint64_t first, uint64_t pages) override {
    return remap_->PunchHole(fname, first, pages);
  }
  RemapStats GetRemapStats() const override { return remap_->GetRemapStats(); }
  FileSpace GetFileSpace() override { return remap_->GetFileSpace(); }
  bool SyncsInOrder() const override { return remap_->SyncsInOrder(); }

 private:
  RemapEnv *remap_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_INLINE_ENV_H_
