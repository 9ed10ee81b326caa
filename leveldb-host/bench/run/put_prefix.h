// SPDX-License-Identifier: Apache-2.0
//
// After a power cut LevelDB holds a prefix of its puts, because its log is recovered up to the last complete record.
// This finds the length of the prefix from the contents of the keys. Not thread-safe.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_PUT_PREFIX_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_PUT_PREFIX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/workload/keys.h"

namespace openremap {

class PutPrefix {
 public:
  // `puts`: the key of each put, in their order. `keys` tells what each version of a key holds; it outlives this.
  PutPrefix(const KeySpace *keys, const std::vector<uint64_t> &puts);

  // A key holds this, or nothing (null). False: no put ever left it so, and nothing is concluded from it.
  bool Observe(uint64_t key, const std::string *value);

  // The numbers of puts that explain all that was observed are those from least to most; with least > most none does.
  uint64_t least() const { return least_; }
  uint64_t most() const { return most_; }

 private:
  const KeySpace *keys_;
  std::vector<std::vector<uint64_t>> puts_of_;  // [key]: the numbers of its puts, the first put being 1
  uint64_t least_ = 0;
  uint64_t most_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_PUT_PREFIX_H_
