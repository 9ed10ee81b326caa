// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TEST_SEED_H
#define OPENREMAP_TEST_SEED_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace openremap {

/// Seed of a random test: OPENREMAP_SEED, by default 1. The first call prints it, so that a failure can be reproduced.
inline uint64_t TestSeed() {
  static const uint64_t seed = [] {
    const char *text = std::getenv("OPENREMAP_SEED");
    const uint64_t value = text != nullptr ? std::strtoull(text, nullptr, 0) : 1;
    std::printf("OPENREMAP_SEED=%llu\n", static_cast<unsigned long long>(value));
    return value;
  }();
  return seed;
}

}  // namespace openremap

#endif  // OPENREMAP_TEST_SEED_H
