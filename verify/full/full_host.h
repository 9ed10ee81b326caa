// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FULL_HOST_H
#define OPENREMAP_FULL_HOST_H

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "full/full_commands.h"
#include "full/full_oracle.h"
#include "openremap.h"
#include "openremap_stats.h"
#include "support/latencies.h"

namespace orm::full {

/// A check failed; the message says which.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct HostOptions {
  std::string geometry;
  uint32_t superblocks = 0;
  uint32_t over_provision_pct = 0;
  uint32_t segments = 0;
  uint32_t depth = 32;
  uint64_t limit_ns = 0;  // of each command
  uint64_t seed = 1;
};

/// Counts of remaps by outcome.
struct Refusals {
  uint64_t done = 0, no_room = 0, sharer_limit = 0;
};

/// Free segments of the remap table during the run.
struct SegmentSamples {
  uint64_t count = 0, sum = 0;
  uint32_t least = UINT32_MAX;
};

/// Makes a device, keeps commands in flight on it and holds every answer against the oracle. Each call ends with
/// nothing in flight, or throws Violation.
class Host {
 public:
  explicit Host(const HostOptions &options);
  ~Host();
  Host(const Host &) = delete;
  Host &operator=(const Host &) = delete;

  uint64_t pages() const { return oracle_->pages(); }
  /// Writes every page of the namespace once, so that none shares a slot.
  void fill();
  /// Goes on until `pages` pages have been written since the device was made.
  void storm(const Storm &storm, uint64_t pages_written);
  /// Reads and checks every page. When the device is at rest, compares its counters with the commands sent and with the
  /// flash.
  void verify();
  /// Checks only the pages: after a power cut, counters may have their last saved values.
  void verify_pages();
  void flush();
  void power_cycle();

  const tools::Latencies &latencies(Kind kind) const { return latencies_[size_t(kind)]; }
  uint64_t written() const { return written_; }
  uint64_t compared() const { return compared_; }
  const Refusals &refusals() const { return refusals_; }
  const SegmentSamples &segments() const { return segments_; }
  uint64_t now_ns() const { return openremap_now_ns(dev_); }
  orm_remap_log log() const;

 private:
  struct Operation {
    Host *host = nullptr;
    Command command;
    uint8_t *data = nullptr;
    uint64_t begin_ns = 0;
    bool remaps = false;        // a remap or copy is in flight
    uint32_t most_sharers = 0;  // the most that one of its slots may have when it is executed
  };

  void send(Command command);
  int submit(Operation *op);
  static void done(void *arg, int status, uint32_t result);
  void end(Operation *op, int status);
  void refused(Operation *op, int status);
  void check_read(const Operation &op);
  uint32_t most_sharers(const Command &command) const;
  void note(const std::string &wrong);
  void poll();
  void drain();
  void write_instead();
  void sample();
  void ok(int status, const char *what) const;

  HostOptions options_;
  openremap_device *dev_ = nullptr;
  std::unique_ptr<Oracle> oracle_;
  std::unique_ptr<Generator> generator_;
  std::vector<Operation> operations_;
  std::vector<Operation *> idle_;
  std::deque<std::pair<uint64_t, uint64_t>> instead_;  // LPN, content: writes in place of refused remaps
  std::string wrong_;                                  // the first violation
  uint32_t remapping_ = 0;                             // remaps in flight
  std::array<tools::Latencies, kKinds> latencies_;
  Refusals refusals_;
  SegmentSamples segments_;
  uint32_t sharer_limit_ = 0;
  uint64_t written_ = 0, compared_ = 0, ended_ = 0;
};

}  // namespace orm::full
#endif  // OPENREMAP_FULL_HOST_H
