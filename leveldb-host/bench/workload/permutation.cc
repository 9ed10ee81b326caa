// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/permutation.h"

#include <cassert>

#include "bench/workload/keys.h"

namespace openremap {

Permutation::Permutation(uint64_t n, uint64_t seed) : n_(n) {
  assert(n > 0 && n <= uint64_t{1} << 62);
  while (half_bits_ < 31 && ((n - 1) >> (2 * half_bits_)) != 0) half_bits_++;
  Random64 random(seed ^ 0x7065726d75746564);
  for (uint64_t &key : keys_) key = random.Next();
}

// A Feistel network permutes a power of four.
uint64_t Permutation::Round(uint64_t value) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  uint64_t left = value >> half_bits_, right = value & mask;
  for (uint64_t key : keys_) {
    const uint64_t mixed = left ^ (Random64(right ^ key).Next() & mask);
    left = right;
    right = mixed;
  }
  return left << half_bits_ | right;
}

// Who lands outside walks on along its cycle, which leads back inside.
uint64_t Permutation::operator()(uint64_t i) const {
  assert(i < n_);
  do {
    i = Round(i);
  } while (i >= n_);
  return i;
}

}  // namespace openremap
