// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_RUN_H
#define OPENREMAP_CRASH_RUN_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lockstep/lockstep_commands.h"
#include "lockstep/lockstep_stream.h"
#include "openremap_stats.h"

namespace orm::crash {

/// Where power goes, as events at flash and NVRAM (media_events.h): instead of the first number's event of the
/// commands, then of the start after that, and so on. Empty: never.
using Cuts = std::vector<uint64_t>;
/// After the cuts of one life, and the recovery, the commands go on with the interrupted one, and the next life's cuts
/// come.
using Sessions = std::vector<Cuts>;

/// "720,112/300": event 720 of the commands, 112 of the start after it; then 300 of the commands that follow.
std::string to_text(const Sessions &sessions);
/// Throws std::invalid_argument where a number is missing, is none or is 0.
Sessions parse_sessions(const std::string &text);

struct RunOptions {
  lockstep::DeviceOptions device;
  const char *kind = "model";
  Sessions sessions;
  const char *trace_file = nullptr;  // rtl
  /// Told after each command that was answered with power on, up to the first cut: by its place among them, with the
  /// events so far.
  std::function<void(size_t command, uint64_t events, openremap_device *dev)> after;
};

struct RunResult {
  std::string wrong;             // empty: nothing
  std::string at;                // the command under way at the first cut, or at which something was wrong; a line
  size_t cuts = 0;               // that came about: there may be fewer events
  size_t sessions = 0;           // that ended with a cut of the commands
  uint64_t events = 0;           // of the commands, up to the first cut
  uint64_t pages = 0;            // of the namespace
  orm_remap_log log{};           // without a cut: what the commands made the device do
  uint32_t summaries = 0;        // of superblocks, when the tables were looked at last
  uint64_t snapshots = 0;        // of the mapping that shutdowns wrote, up to the first cut
  uint64_t bad = 0;              // blocks of superblocks that did not erase
  bool worn_out = false;         // the device could not be written any more, which ended the run
  std::vector<uint64_t> starts;  // events of each start-up after a cut of the first life, up to the next cut
};

/// Runs `commands` on a new device, with the power cuts that are asked for; checks every page and the tables after each
/// recovery, goes on with the command that was interrupted, checks every page again at the end, and once more, with the
/// tables, after a flush and a power cycle. Throws lockstep::NoDevice.
RunResult run(const std::vector<lockstep::Command> &commands, const RunOptions &options);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_RUN_H
