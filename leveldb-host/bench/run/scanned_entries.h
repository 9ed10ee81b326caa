// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_SCANNED_ENTRIES_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_SCANNED_ENTRIES_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/slice.h"

namespace openremap {

// The entries that a scan read. They are compared with the expected ones after the scan was timed.
class ScannedEntries {
 public:
  void Clear() { count_ = 0; }
  void Add(const leveldb::Slice &key, const leveldb::Slice &value) {
    if (count_ == entries_.size()) entries_.emplace_back();
    entries_[count_].first.assign(key.data(), key.size());
    entries_[count_].second.assign(value.data(), value.size());
    count_++;
  }
  size_t count() const { return count_; }
  bool Is(size_t at, const std::string &key, const std::string &value) const {
    return at < count_ && entries_[at].first == key && entries_[at].second == value;
  }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;  // kept for their memory
  size_t count_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_SCANNED_ENTRIES_H_
