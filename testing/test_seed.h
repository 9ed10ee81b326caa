// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TEST_SEED_H
#define OPENREMAP_TEST_SEED_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace openremap {

/// The seed that the environment gives to all random tests: OPENREMAP_SEED, or 1.
inline uint64_t DefaultSeed() {
  const char *text = std::getenv("OPENREMAP_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : 1;
}

/// The same; the first call prints it, so that a failure can be reproduced.
inline uint64_t TestSeed() {
  static const uint64_t seed = [] {
    const uint64_t value = DefaultSeed();
    std::printf("OPENREMAP_SEED=%llu\n", static_cast<unsigned long long>(value));
    return value;
  }();
  return seed;
}

}  // namespace openremap

#endif  // OPENREMAP_TEST_SEED_H
