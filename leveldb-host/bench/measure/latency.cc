// SPDX-License-Identifier: Apache-2.0
#include "bench/measure/latency.h"

#include <algorithm>
#include <cmath>

namespace openremap {

size_t LatencyHistogram::Bucket(uint64_t value) {
  if (value < kSteps) return value;  // one bucket each
  size_t power = 0;
  while (value >> power >= 2 * kSteps) power++;
  return (power + 1) * kSteps + static_cast<size_t>((value >> power) - kSteps);
}

uint64_t LatencyHistogram::Upper(size_t bucket) {
  if (bucket < kSteps) return bucket;
  const size_t power = bucket / kSteps - 1;
  return ((bucket % kSteps + kSteps + 1) << power) - 1;
}

void LatencyHistogram::Add(uint64_t nanoseconds) {
  buckets_.at(Bucket(nanoseconds))++;
  count_++;
  max_ = std::max(max_, nanoseconds);
}

uint64_t LatencyHistogram::Percentile(double share) const {
  const auto rank = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t bucket = 0; bucket < buckets_.size(); bucket++) {
    seen += buckets_[bucket];
    if (seen >= rank && seen > 0) return std::min(Upper(bucket), max_);
  }
  return 0;
}

}  // namespace openremap
