// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_TALLY_H
#define OPENREMAP_LOCKSTEP_TALLY_H

#include <cstdint>
#include <vector>

#include "lockstep/lockstep_commands.h"

namespace orm::lockstep {

/// Counts how many commands of a run worked on data: rejected commands and unmapped pages compare little.
struct Tally {
  struct Share {
    uint64_t tried = 0, done = 0;
  };
  Share remaps;   // that succeeded
  Share vectors;  // the same
  Share copies;   // that succeeded and copied data
  Share reads;    // that returned data
  Share pages;    // of the namespace that had data, summed over the steps

  /// After a step. `before`: for each LPN what it named, ORM_UNMAPPED for nothing; empty: not known, as without rest.
  /// Copies that succeed then count as if they had data, and `pages` stays as it is.
  void add(const Command &command, const Outcome &outcome, const std::vector<uint32_t> &before);
  Tally &operator+=(const Tally &other);

 private:
  void add(const Command &command, int status, const uint8_t *data, const std::vector<uint32_t> &before);
};

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_TALLY_H
