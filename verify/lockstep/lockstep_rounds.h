// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_ROUNDS_H
#define OPENREMAP_LOCKSTEP_ROUNDS_H

#include <cstdint>
#include <string>

#include "lockstep/lockstep_generator.h"
#include "lockstep/lockstep_stream.h"

namespace orm::lockstep {

/// The program's options; its help says what each is.
struct RoundsOptions {
  DeviceOptions device;
  std::string first = "rtl";
  std::string second = "model";
  uint64_t commands = 1000;
  uint64_t round = 2000;
  uint64_t first_round = 0;
  uint64_t storms = 3;
  uint64_t power_cycles = 0;
  Mix mix = Mix::kUsual;
  std::string record;  // file for the commands, which then do not run
  std::string replay;  // file with commands, in place of random ones
  std::string reproducer = "lockstep-reproducer.txt";
  uint64_t shrink_runs = 200;
  std::string summary;
  uint64_t least_commands = 0;
  uint64_t least_storms = 0;
  uint64_t least_moved = 0;
  uint64_t least_remapped = 0;
  uint64_t least_vectors = 0;
  uint64_t least_by_hardware = 0;
  uint64_t least_destaged = 0;
  uint64_t least_collected = 0;
  uint64_t least_failed = 0;
  uint64_t least_retries = 0;
  bool may_part = false;
  bool verbose = false;
  bool costs = false;
};

/// Runs rounds on new devices, each with the next seed, so that a difference is close to the start of its round. With
/// `record`, writes the commands of one round instead. Prints what was compared, and shrinks a difference.
///
/// Returns the program's exit code: 1 for a difference, and if too few of the events occurred that make the comparison
/// worthwhile (`least_...`). Throws StreamError for a file, and NoDevice.
int random_rounds(const RoundsOptions &o);

/// The same with the commands of the file `replay`.
int replay(const RoundsOptions &o);

/// Before a run, which may take hours: whether the summary can be written. That of an earlier run is removed; what is
/// no regular file, for example a device, stays. Throws StreamError.
void clear_summary(const std::string &path);

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_ROUNDS_H
