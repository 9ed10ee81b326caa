// SPDX-License-Identifier: Apache-2.0
#include "paged_table/block_filter.h"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "util/hash.h"

namespace openremap {

using leveldb::Slice;

namespace {

constexpr size_t kMostProbes = 30;

// The bits of a key, one after the other (Kirsch and Mitzenmacher, ESA 2006: two hashes are as good as many).
class Positions {
 public:
  Positions(const Slice &key, uint64_t bits) : bits_(bits) {
    // The finalizer of SplitMix64: all bits of the hash come to all of its own.
    uint64_t mixed = leveldb::Hash(key.data(), key.size(), 0x6f726d62) + UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    mixed ^= mixed >> 31;
    at_ = static_cast<uint32_t>(mixed);
    step_ = static_cast<uint32_t>(mixed >> 32) | 1;
  }

  uint64_t Next() {
    const uint64_t position = (at_ * bits_) >> 32;
    at_ += step_;
    return position;
  }

 private:
  const uint64_t bits_;
  uint32_t at_;
  uint32_t step_;
};

}  // namespace

// Least often wrong with ln 2 bits of a key for each that it has room for.
BlockFilter::BlockFilter(int bits_per_key)
    : bits_per_key_(static_cast<size_t>(bits_per_key)),
      probes_(std::clamp<size_t>(static_cast<size_t>(bits_per_key) * 69 / 100, 1, kMostProbes)) {
  assert(bits_per_key > 0);
}

void BlockFilter::CreateFilter(const Slice *keys, int n, std::string *filter) const {
  const size_t begin = filter->size();
  const size_t bytes = (static_cast<size_t>(n) * bits_per_key_ + 7) / 8;
  filter->resize(begin + bytes);
  for (int i = 0; i < n; i++) {
    Positions positions(keys[i], bytes * 8);
    for (size_t probe = 0; probe < probes_; probe++) {
      const uint64_t position = positions.Next();
      char &byte = (*filter)[begin + position / 8];
      byte = static_cast<char>(byte | 1 << position % 8);
    }
  }
  filter->push_back(static_cast<char>(probes_));
}

bool BlockFilter::KeyMayMatch(const Slice &key, const Slice &filter) const {
  if (filter.size() < 2) return true;
  const size_t probes = static_cast<unsigned char>(filter[filter.size() - 1]);
  if (probes > kMostProbes) return true;
  Positions positions(key, (filter.size() - 1) * 8);
  for (size_t probe = 0; probe < probes; probe++) {
    const uint64_t position = positions.Next();
    if ((filter[position / 8] & 1 << position % 8) == 0) return false;
  }
  return true;
}

}  // namespace openremap
