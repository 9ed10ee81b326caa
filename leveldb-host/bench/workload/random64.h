// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_RANDOM64_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_RANDOM64_H_

#include <cstdint>

namespace openremap {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): 64 good bits a step from any seed.
class Random64 {
 public:
  explicit Random64(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }  // in [0, 1)
  uint64_t Below(uint64_t n) { return Next() % n; }                      // REQUIRES: n > 0; the bias is n / 2^64

 private:
  uint64_t state_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_RANDOM64_H_
