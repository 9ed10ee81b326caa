// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_SHRINK_H
#define OPENREMAP_LOCKSTEP_SHRINK_H

#include <cstdint>
#include <functional>
#include <vector>

#include "lockstep/lockstep_commands.h"

namespace orm::lockstep {

struct ShrinkOptions {
  /// Whether these commands still show the difference.
  std::function<bool(const std::vector<Command> &)> fails;
  /// Called after each run with the number of runs and the shortest stream so far.
  std::function<void(uint64_t runs, const std::vector<Command> &best)> progress;
  uint64_t most_runs = 200;
};

struct Shrunk {
  std::vector<Command> commands;
  uint64_t runs = 0;
  bool minimal = false;  // no single command or part of a burst can be removed; false: the limit of runs was reached
};

/// Delta debugging (Zeller, Hildebrandt 2002: ddmin) over the commands, then over the parts of bursts, then over the
/// ranges of lists. `commands` must fail; so does the result.
Shrunk shrink(std::vector<Command> commands, const ShrinkOptions &options);

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_SHRINK_H
