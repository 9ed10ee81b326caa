// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_CRASH_CRASH_AMOUNTS_H_
#define OPENREMAP_LEVELDB_HOST_CRASH_CRASH_AMOUNTS_H_

#include <cstdint>
#include <string>

#include "command_line.h"
#include "test_seed.h"

namespace openremap {

// How much a program that cuts the power under databases does.
struct CrashAmounts {
  explicit CrashAmounts(uint64_t cuts_of_a_run) : run_cuts(cuts_of_a_run) {}

  uint64_t seed = DefaultSeed();  // of the first run
  uint64_t cuts = 300;
  uint64_t run_cuts;
  uint64_t most_violations = 10;
};

// Options for them. `cuts`: what --cuts is.
inline void AddCrashAmounts(CLI::App *app, CrashAmounts *amounts, const std::string &cuts) {
  orm::command_line::add_seed(app, &amounts->seed);
  app->add_option("--cuts", amounts->cuts, cuts)->check(CLI::Range(1u, 100'000'000u))->capture_default_str();
  app->add_option("--run-cuts", amounts->run_cuts,
                  "number of power cuts of one run; the next run has a new database on a new device and the next seed")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
  app->add_option("--violations", amounts->most_violations, "stop after this number of violations")
      ->check(CLI::Range(1u, 1'000'000u))
      ->capture_default_str();
}

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_CRASH_CRASH_AMOUNTS_H_
