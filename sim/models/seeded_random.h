// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_SEEDED_RANDOM_H
#define OPENREMAP_SEEDED_RANDOM_H

#include <cstdint>

namespace orm {

/// The random generator SplitMix64 (Steele, Lea, Flood 2014). It gives the same numbers on every machine and library
/// version, which the standard library's distributions do not promise.
class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, n), n >= 1. The bias of the plain remainder is below 2^-32 for the small n used here.
  uint64_t below(uint64_t n) { return next() % n; }
  bool coin() { return (next() >> 63) != 0; }

 private:
  uint64_t state_;
};

}  // namespace orm
#endif  // OPENREMAP_SEEDED_RANDOM_H
