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

/// Power cuts as event numbers at flash and NVRAM (media_events.h). A cut replaces the event: the first number's of the
/// commands, the next one's of the start-up after that cut, and so on. Empty: no cut.
using Cuts = std::vector<uint64_t>;
/// The cuts of each session. After a session's cuts and the recovery, the next one resumes with the interrupted
/// command.
using Sessions = std::vector<Cuts>;

/// Writes "720,112/300": event 720 of the commands, 112 of the next start-up; then 300 of the commands that follow.
std::string to_text(const Sessions &sessions);
/// Reads that format. Throws std::invalid_argument if a number is missing, malformed or 0.
Sessions parse_sessions(const std::string &text);

struct RunOptions {
  lockstep::DeviceOptions device;
  const char *kind = "model";
  Sessions sessions;
  const char *trace_file = nullptr;  // rtl
  /// Called after each completed command up to the first cut, with its index and the number of events so far.
  std::function<void(size_t command, uint64_t events, openremap_device *dev)> after;
};

struct RunResult {
  std::string wrong;             // the first violation; empty: none
  std::string at;                // the command in progress at the first cut or at the violation, as a line of a stream
  size_t cuts = 0;               // cuts that occurred: the run may have fewer events
  size_t sessions = 0;           // sessions that ended with a cut of the commands
  uint64_t events = 0;           // of the commands, up to the first cut
  uint64_t pages = 0;            // of the namespace
  orm_remap_log log{};           // the device's counters, if no cut occurred
  uint32_t summaries = 0;        // summaries of superblocks at the last check of the tables
  uint64_t snapshots = 0;        // mapping snapshots written by shutdowns, up to the first cut
  uint64_t bad = 0;              // blocks whose erase failed
  bool worn_out = false;         // too many bad blocks made the device read-only, which ended the run
  std::vector<uint64_t> starts;  // events of each start-up after a cut of the first session, up to the next cut
};

/// Runs `commands` on a new device with the requested power cuts. Checks every page and the tables after each recovery,
/// and resumes with the interrupted command. At the end, checks every page, and again with the tables after a flush and
/// a power cycle. Throws lockstep::NoDevice.
RunResult run(const std::vector<lockstep::Command> &commands, const RunOptions &options);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_RUN_H
