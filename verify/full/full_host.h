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

/// Something that must hold does not.
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

/// What became of remaps.
struct Refusals {
  uint64_t done = 0, no_room = 0, sharer_limit = 0;
};

/// How many segments of the remap table were free while commands ran.
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
  /// Reads every page; when the device has come to rest, compares its counters with what it was asked for and with
  /// the flash.
  void verify();
  /// The pages alone: after a power cut counters may be as they were last saved.
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
    bool remaps = false;        // a remap or copy that is in flight
    uint32_t most_sharers = 0;  // that a slot of it may have when it is carried out
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
  std::deque<std::pair<uint64_t, uint64_t>> instead_;  // LPN, content: what a refused remap left to write
  std::string wrong_;                                  // the first of all
  uint32_t remapping_ = 0;                             // remaps in flight
  std::array<tools::Latencies, kKinds> latencies_;
  Refusals refusals_;
  SegmentSamples segments_;
  uint32_t sharer_limit_ = 0;
  uint64_t written_ = 0, compared_ = 0, ended_ = 0;
};

}  // namespace orm::full
#endif  // OPENREMAP_FULL_HOST_H
