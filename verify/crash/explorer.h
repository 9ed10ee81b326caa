// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_EXPLORER_H
#define OPENREMAP_CRASH_EXPLORER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "crash/branches.h"
#include "crash/crash_run.h"
#include "progress_line.h"
#include "seeded_random.h"

namespace orm::crash {

constexpr uint64_t kCutsOfSoc = 20;  // of each run, because a start of the soc takes long

struct ExplorerOptions {
  lockstep::DeviceOptions device;
  std::string kind = "model";
  size_t orders = 0;  // operations in each order; 0: none
  bool shutdowns = false;
  bool stores = false;  // count writes of the CPU: Plan
  bool no_last_start = false;
  uint64_t every = 1;  // cut at every Nth event of exhaust() and orders()
  uint64_t cuts = 100;
  uint64_t commands = 60;   // in each run of explore()
  uint64_t start_cuts = 1;  // for each cut, runs that also cut the start-up after it
  uint64_t cuts_a_run = 0;  // 0: one, or kCutsOfSoc
  uint64_t sessions = 1;    // cuts in one run; commands follow each
  std::string trace;        // waveform file
  std::string reproducer = "crash-reproducer.txt";
  uint64_t most_violations = 10;
};

/// Runs commands on devices with power cuts, prints violations and counts. Each function that runs commands throws
/// lockstep::NoDevice, and std::runtime_error if a reproducer cannot be written or the system has no room for a
/// process.
class Explorer {
 public:
  /// `o` must live as long as the explorer.
  explicit Explorer(const ExplorerOptions &o) : o_(o), random_(o.device.seed) {}

  /// Cuts at each event of the commands, and for each cut at events of the start-up after it.
  void exhaust(const lockstep::Stream &stream, const std::string &name);
  /// Cuts at each event of the operations of all orders, and for each cut at events of the start-up after it. The
  /// preparation is not cut.
  void orders();
  /// Random commands: cuts of each stream, and cuts of the start-ups after them.
  void explore();
  /// One run, with the cuts of `plan`.
  RunResult once(const lockstep::Stream &stream, const Plan &plan, const std::string &name) {
    return once(stream, plan, name, {});
  }

  /// Whether cuts were to be made and none was: --every is larger than the number of events.
  bool cut_nothing() const { return cuts_ == 0 && violations_ == 0; }
  /// Whether a device can be created with these options.
  bool ran() const { return devices_ != 0; }
  /// Prints the totals. Returns the exit code: 1 for a violation, or for an operation that never had an effect.
  int end() const;

 private:
  using After = decltype(RunOptions::after);
  static constexpr uint64_t kSoon = 40;       // events
  static constexpr uint64_t kMostWorn = 200;  // seeds in a row whose devices are worn out before a cut can be drawn

  bool go_on() const { return violations_ < o_.most_violations; }
  bool is_soc() const { return o_.kind == "soc"; }
  RunOptions options_of(const lockstep::Stream &stream, After after) const;
  RunResult once(const lockstep::Stream &stream, const Plan &plan, const std::string &name, After after);
  /// A run without a cut. On Verilated devices the runs of cut() that follow begin as copies of this one.
  RunResult uncut(const lockstep::Stream &stream, const std::string &name, After after = {});
  /// A run of the stream that was last given to uncut().
  RunResult cut(const lockstep::Stream &stream, const Cuts &cuts, bool stores, const std::string &name);
  /// Cuts at `event`, then also the start-up after it at random events, and the start-up after that at one more.
  void cut_at(const lockstep::Stream &stream, uint64_t event, bool stores, const std::string &name);
  /// Counts the result, and prints a violation.
  RunResult note(const RunResult &result, const lockstep::Stream &stream, const Plan &plan, const std::string &name);
  /// Resets and power cycles are rare, so one more is added in the second half of the commands.
  void put_shutdown(std::vector<lockstep::Command> *commands);
  /// Namespace size of the first seed's device that has one, in pages.
  uint64_t namespace_pages() const;
  /// Draws cuts: some follow each other closely, and after some the start-up is cut, too.
  Sessions draw_sessions(uint64_t events);

  const ExplorerOptions &o_;
  SeededRandom random_;
  ProgressLine progress_;
  std::unique_ptr<Branches> branches_;
  uint64_t devices_ = 0;
  uint64_t cuts_ = 0;
  uint64_t store_cuts_ = 0;  // of them
  uint64_t violations_ = 0;
  uint64_t bad_ = 0;
  uint64_t worn_out_ = 0;
  // Random commands: totals of all runs without a cut.
  uint64_t shutdowns_ = 0, snapshots_ = 0, destaged_ = 0, summaries_ = 0;
  bool idle_ = false;  // an operation had no effect in any sequence
};

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_EXPLORER_H
