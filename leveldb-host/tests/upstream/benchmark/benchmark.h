// SPDX-License-Identifier: Apache-2.0
//
// db_test.cc has a micro-benchmark next to its tests. This header stands in for the benchmark library, so that the file
// compiles, and never runs the benchmark.
#ifndef OPENREMAP_LEVELDB_HOST_TESTS_UPSTREAM_BENCHMARK_H_
#define OPENREMAP_LEVELDB_HOST_TESTS_UPSTREAM_BENCHMARK_H_

#include <cstdint>

namespace benchmark {

class State {
 public:
  class Iterator {
   public:
    bool operator!=(const Iterator &) const { return false; }
    void operator++() {}
    int operator*() const { return 0; }
  };
  Iterator begin() const { return {}; }
  Iterator end() const { return {}; }
  int range(int) const { return 0; }
  int64_t iterations() const { return 0; }
};

class Registration {
 public:
  explicit Registration(void (*)(State &)) {}
  Registration *Arg(int) { return this; }
  Registration *operator->() { return this; }
};

inline void RunSpecifiedBenchmarks() {}

}  // namespace benchmark

// An object and not a `new`: it would never be deleted, and the leak checker would report it at exit.
#define BENCHMARK(function)                                         \
  static benchmark::Registration registration_##function(function); \
  static auto *registered_##function = registration_##function

#endif  // OPENREMAP_LEVELDB_HOST_TESTS_UPSTREAM_BENCHMARK_H_
