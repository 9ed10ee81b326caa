// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LATENCIES_H
#define OPENREMAP_LATENCIES_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orm::tools {

/// Latencies of one kind of command, in ns of device time.
class Latencies {
 public:
  void add(uint64_t ns) {
    ns_.push_back(ns);
    sorted_ = false;
  }
  uint64_t count() const { return ns_.size(); }
  /// The time that `share` of a thousand commands do not exceed, e.g. 990: the 99th percentile; 1000: the longest. 0:
  /// no commands.
  uint64_t permille(uint64_t share) const {
    if (ns_.empty()) return 0;
    if (!sorted_) std::sort(ns_.begin(), ns_.end());
    sorted_ = true;
    return ns_[(ns_.size() - 1) * share / 1000];
  }

 private:
  mutable std::vector<uint64_t> ns_;
  mutable bool sorted_ = true;
};

}  // namespace orm::tools
#endif  // OPENREMAP_LATENCIES_H
