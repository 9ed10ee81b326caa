// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_BRANCHES_H
#define OPENREMAP_CRASH_BRANCHES_H

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crash/crash_run.h"

namespace orm::crash {

/// Power cuts of one stream of commands on a device whose start takes long. The commands run once, without a cut. A
/// copy of the process (fork) stays behind before each command, or before each few. A cut goes on from the last copy
/// before its event, so the start and the commands up to there are not repeated. The result is that of run(), because a
/// copy continues as the process did.
///
/// The device must be in memory, and the process must have one thread.
class Branches {
 public:
  /// Runs `commands` without a cut; `options` has no sessions. Throws lockstep::NoDevice, and std::runtime_error if the
  /// system has no room for another process.
  Branches(const std::vector<lockstep::Command> &commands, RunOptions options);
  ~Branches();
  Branches(const Branches &) = delete;
  Branches &operator=(const Branches &) = delete;

  /// The result of the run without a cut.
  const RunResult &whole() const { return whole_; }
  /// The result of a run with one session of these cuts, of which there is at least one; `stores` as in RunOptions.
  /// Throws std::runtime_error if the copy ended without a result: it was killed, or an assertion failed.
  RunResult cut(const Cuts &cuts, bool stores = false);

 private:
  /// A process that waits before a command.
  struct Copy {
    Count before;  // its command
    int fd;        // to it
    pid_t pid;
  };

  std::optional<Plan> stay(const Count &so_far);
  std::optional<Plan> serve(int fd);

  size_t stride_ = 1;   // commands from one copy to the next
  size_t seen_ = 0;     // commands so far
  int answer_fd_ = -1;  // of a process that makes cuts: where its result goes
  std::vector<Copy> copies_;
  RunResult whole_;
};

/// A result as bytes for another process of this program, and back. `unpack_result` throws std::runtime_error if bytes
/// are missing or left over.
std::string pack_result(const RunResult &result);
RunResult unpack_result(const std::string &bytes);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_BRANCHES_H
