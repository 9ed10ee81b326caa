// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_TEST_SEED_H
#define OPENREMAP_TEST_SEED_H

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace openremap {

/// The seed that the environment gives to all random tests: OPENREMAP_SEED, or 1. Text that is no number of 64 bits
/// ends the program with exit code 2: another seed than the one asked for would go unnoticed.
inline uint64_t DefaultSeed() {
  const char *text = std::getenv("OPENREMAP_SEED");
  if (text == nullptr) return 1;
  char *end = nullptr;
  errno = 0;
  const uint64_t seed = std::strtoull(text, &end, 0);
  if (errno == 0 && end != text && *end == '\0' && std::strchr(text, '-') == nullptr) return seed;
  std::fprintf(stderr, "OPENREMAP_SEED: '%s' is not a number from 0 to 2^64 - 1\n", text);
  std::exit(2);
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
