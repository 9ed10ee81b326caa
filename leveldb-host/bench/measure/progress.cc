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
      if (active_ && !stop_) Print(done_.load(std::memory_order_relaxed));
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
  Print(0);
}

void Progress::End() {
  std::lock_guard<std::mutex> lock(mutex_);
  active_ = false;
  Print(total_);
}

void Progress::Synced(uint64_t puts) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::fprintf(stderr, "synced %" PRIu64 "\n", puts);
  std::fflush(stderr);
}

void Progress::Print(uint64_t done) {
  std::fprintf(stderr, "progress %" PRIu64 " %" PRIu64 " %s\n", done, total_, phase_.c_str());
  std::fflush(stderr);
}

}  // namespace openremap
