// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_RUN_H
#define OPENREMAP_CRASH_RUN_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/lockstep_commands.h"
#include "lockstep/lockstep_stream.h"
#include "openremap_stats.h"

namespace orm::crash {

/// Cut points as event numbers (media_events.h). The first is an event of the commands, the next one of the start-up
/// after that cut, and so on. Empty: no cut.
using Cuts = std::vector<uint64_t>;
/// The cuts of each session. After the cuts of a session and the recovery the commands continue with the interrupted
/// one, and the next session begins.
using Sessions = std::vector<Cuts>;

/// Parses "720,112/300": event 720 of the commands, 112 of the start-up after it, then 300 of the commands that follow.
std::string to_text(const Sessions &sessions);
/// Throws std::invalid_argument for a missing or malformed number, and for 0.
Sessions parse_sessions(const std::string &text);

/// What happened since the first command: events at the media, and writes of a CPU.
struct Count {
  uint64_t events = 0;
  uint64_t stores = 0;
};

/// Where power goes, and whether that is counted in writes of the CPU instead of events at the media.
struct Plan {
  Sessions sessions;
  bool stores = false;
};

struct RunOptions {
  lockstep::DeviceOptions device;
  const char *kind = "model";
  /// soc: events are the writes of its CPU to DRAM and NVRAM (pcie_device_cpu_stores) instead of those at the media.
  bool stores = false;
  Sessions sessions;
  const char *trace_file = nullptr;  // rtl
  /// Called after each command that was answered with power on, up to the first cut, with its index and the number of
  /// events so far.
  std::function<void(size_t command, uint64_t events, openremap_device *dev)> after;
  /// Called before each command up to the first cut. What it returns takes the place of `sessions` and `stores`; the
  /// first cut is an event behind those so far.
  std::function<std::optional<Plan>(const Count &so_far)> before;
  bool last_start = true;  // end with a flush, a power cycle, and the checks behind them
};

struct RunResult {
  std::string wrong;             // the violation; empty: none
  std::string at;                // the command at the first cut or at the violation; a line
  size_t cuts = 0;               // cuts that occurred: there may be fewer events
  size_t sessions = 0;           // sessions that ended with a cut of the commands
  uint64_t events = 0;           // events of the commands, up to the first cut
  uint64_t stores = 0;           // without a cut: writes of the CPU meanwhile
  uint64_t pages = 0;            // pages of the namespace; 0: there was none
  orm_remap_log log{};           // without a cut: the device's counters
  uint32_t summaries = 0;        // summaries in flash when the tables were last compared
  uint64_t snapshots = 0;        // snapshots that shutdowns wrote, up to the first cut
  uint64_t bad = 0;              // blocks of superblocks that did not erase
  bool worn_out = false;         // the run ended because the device became write protected
  uint64_t worn_events = 0;      // events of the media while its log told that
  std::vector<uint64_t> starts;  // events of each start-up of the first session
};

/// Throws lockstep::NoDevice for options that no such device can have. Makes none, so it takes no time.
void check(const RunOptions &options);

/// Runs `commands` on a new device with the requested power cuts. Checks every page and the tables after each recovery,
/// and continues with the interrupted command. Checks every page again at the end, and once more, with the tables,
/// after a flush and a power cycle, if `last_start`. A new device that its faults leave too few superblocks is worn
/// out, too; its result has no pages. Throws lockstep::NoDevice.
RunResult run(const std::vector<lockstep::Command> &commands, const RunOptions &options);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_RUN_H
