// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/progress.h"

#include <chrono>
#include <cinttypes>
#include <cstdio>

namespace openremap {

Progress::Progress() {
  thread_ = std::thread([this] {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stop_) {
      wake_.wait_for(lock, std::chrono::milliseconds(500));
      if (active_ && !stop_) line_.show(phase_, done_.load(std::memory_order_relaxed), total_);
    }
  });
}

Progress::~Progress() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Progress::Begin(const std::string &phase, uint64_t total) {
  std::lock_guard<std::mutex> lock(mutex_);
  phase_ = phase;
  total_ = total;
  done_.store(0, std::memory_order_relaxed);
  active_ = true;
  line_.show(phase_, 0, total_);
}

void Progress::End() {
  std::lock_guard<std::mutex> lock(mutex_);
  active_ = false;
  line_.show(phase_, total_, total_);
  line_.clear();
}

void Progress::Synced(uint64_t puts) {
  std::lock_guard<std::mutex> lock(mutex_);
  line_.clear();
  std::fprintf(stderr, "synced %" PRIu64 "\n", puts);
  std::fflush(stderr);
}

}  // namespace openremap
