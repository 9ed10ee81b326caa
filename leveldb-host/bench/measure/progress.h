// SPDX-License-Identifier: Apache-2.0
//
// Shows progress on stderr (common/progress_line.h); the launcher asks for `progress <done> <total> <phase>` lines. A
// separate thread does this, so that they appear even during a long operation such as a compaction on a simulated
// device. It has no influence on the run.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_PROGRESS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_PROGRESS_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "progress_line.h"

namespace openremap {

class Progress {
 public:
  Progress();
  ~Progress();

  void Begin(const std::string &phase, uint64_t total);
  void Done(uint64_t done) { done_.store(done, std::memory_order_relaxed); }
  void End();  // reports done == total

  // Prints `synced <puts>` at once. Whoever reads it may cut the power then, and these puts must survive.
  void Synced(uint64_t puts);

 private:
  std::mutex mutex_;  // guards everything but done_
  std::condition_variable wake_;
  orm::ProgressLine line_;
  bool stop_ = false;
  bool active_ = false;
  std::string phase_;
  uint64_t total_ = 0;
  std::atomic<uint64_t> done_{0};
  std::thread thread_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_PROGRESS_H_
