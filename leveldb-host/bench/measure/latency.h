// SPDX-License-Identifier: Apache-2.0
//
// A histogram of latencies. Its buckets grow by a sixteenth, so the error of a percentile is at most 6 %.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_LATENCY_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_LATENCY_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace openremap {

class LatencyHistogram {
 public:
  void Add(uint64_t nanoseconds);

  uint64_t count() const { return count_; }
  uint64_t max() const { return max_; }

  // The latency, in nanoseconds, that `share` (0..1) of the operations did not exceed; 0 for none.
  uint64_t Percentile(double share) const;

 private:
  static constexpr size_t kSteps = 16;  // buckets to each power of two
  static size_t Bucket(uint64_t value);
  static uint64_t Upper(size_t bucket);

  std::array<uint64_t, 64 * kSteps> buckets_{};
  uint64_t count_ = 0;
  uint64_t max_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_LATENCY_H_
