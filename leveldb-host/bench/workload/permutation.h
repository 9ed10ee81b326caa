// SPDX-License-Identifier: Apache-2.0
//
// A pseudo-random bijection of [0, n) onto itself, computed without a table. It scatters popular ranks and new records
// over the key space, as YCSB's hashed keys do, but without collisions.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_PERMUTATION_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_PERMUTATION_H_

#include <array>
#include <cstdint>

namespace openremap {

class Permutation {
 public:
  // REQUIRES: 0 < n <= 2^62.
  Permutation(uint64_t n, uint64_t seed);

  // REQUIRES: i < n.
  uint64_t operator()(uint64_t i) const;

 private:
  uint64_t Round(uint64_t value) const;

  uint64_t n_;
  unsigned half_bits_ = 1;  // of the smallest even number of bits that holds n - 1
  std::array<uint64_t, 4> keys_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_PERMUTATION_H_
