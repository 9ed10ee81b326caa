// SPDX-License-Identifier: Apache-2.0
//
// An Env whose background work waits until it is asked for, so that the one thread of a benchmark or test runs it at a
// known point and a run repeats to the byte.
//
// LevelDB schedules work while it holds the DB's mutex, so the work cannot run inside Schedule(); call RunPending()
// after each operation instead. LevelDB calls that wait for background work (CompactRange, and the destructor unless
// RunPending() was called before) need SetDeferred(false) first, or they wait for ever.
//
// Thread-safety: as leveldb::Env (any thread), but RunPending() on one thread at a time: LevelDB wants its background work one
// piece after the other.
#ifndef OPENREMAP_LEVELDB_HOST_INLINE_ENV_H_
#define OPENREMAP_LEVELDB_HOST_INLINE_ENV_H_

#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "leveldb/env.h"
#include "remap_env.h"

namespace openremap {

class InlineEnv : public leveldb::EnvWrapper {
 public:
  explicit InlineEnv(leveldb::Env *base) : EnvWrapper(base) {}

  void Schedule(void (*function)(void *arg), void *arg) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (deferred_) {
      pending_.emplace_back(function, arg);
    } else {
      target()->Schedule(function, arg);
    }
  }

  bool HasPending() {
    std::lock_guard<std::mutex> lock(mutex_);
    return !pending_.empty();
  }

  // Runs scheduled work, and what that work schedules, on this thread.
  void RunPending() {
    for (;;) {
      std::pair<void (*)(void *), void *> work;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        if (pending_.empty()) return;
        work = pending_.front();
        pending_.pop_front();
      }
      work.first(work.second);
    }
  }

  // false: work goes to the base Env's own thread from now on. REQUIRES: nothing pending.
  void SetDeferred(bool deferred) {
    std::lock_guard<std::mutex> lock(mutex_);
    deferred_ = deferred;
  }

 private:
  std::mutex mutex_;
  bool deferred_ = true;
  std::deque<std::pair<void (*)(void *), void *>> pending_;
};

// The same over a file layer that can remap, and as thread-safe.
class InlineRemapEnv : public InlineEnv, public RemapEnv {
 public:
  InlineRemapEnv(leveldb::Env *base, RemapEnv *remap) : InlineEnv(base), remap_(remap) {}

  leveldb::Status NewRemapFile(const std::string &fname, int level, RemapFile **result) override {
    return remap_->NewRemapFile(fname, level, result);
  }
  void PlaceFile(const std::string &fname, int level) override { remap_->PlaceFile(fname, level); }
  leveldb::Status GetLpn(const std::string &fname, uint64_t offset, uint64_t max_pages, PageRun *run) override {
    return remap_->GetLpn(fname, offset, max_pages, run);
  }
  RemapStats GetRemapStats() const override { return remap_->GetRemapStats(); }
  bool SpaceIsShort() override { return remap_->SpaceIsShort(); }

 private:
  RemapEnv *remap_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_INLINE_ENV_H_
