// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_ORACLE_H
#define OPENREMAP_CRASH_ORACLE_H

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/lockstep_commands.h"

namespace orm::crash {

/// Digest of a page's data.
using Digest = uint64_t;
Digest digest(const uint8_t *page);

/// Knows what each page of a namespace may hold after a power cut (device contract, "Recovery after a power cut at any
/// point"):
///   - what was flushed, written with FUA, remapped or deallocated, and answered: that, or what came after it;
///   - what was written and not flushed: that, or anything since what is durable, never torn and never anything else;
///   - a command in flight: its effect or the state before; a remap all or nothing.
class Oracle {
 public:
  /// Starts with all pages reading as zeroes.
  explicit Oracle(uint64_t pages);

  uint64_t pages() const { return pages_.size(); }

  /// A command was answered. A read is checked. Returns the violation, or an empty string.
  std::string answered(const lockstep::Command &command, const lockstep::Outcome &outcome);
  /// Power went while a command was under way, before its answer.
  void cut_during(const lockstep::Command &command);
  /// Records a power cut between commands.
  void cut();

  /// Checks all pages after a cut. Returns the violation, or an empty string. What they hold is durable from then on.
  std::string recovered(const std::vector<Digest> &found);
  /// Checks all pages without a cut.
  std::string holds(const std::vector<Digest> &found) const;

 private:
  struct Page {
    Digest now;                  // what a read must return
    std::vector<Digest> before;  // what a cut may bring back; the first one is durable
  };
  /// Pages that change atomically.
  struct Change {
    uint64_t lpn;
    Digest to;
  };
  using Group = std::vector<Change>;

  bool inside(uint64_t lpn, uint64_t pages) const { return lpn <= pages_.size() && pages <= pages_.size() - lpn; }
  bool inside(const Group &group) const;
  void put(uint64_t lpn, Digest to, bool durable);
  void flushed();
  /// Whether a working device must accept the command. It may refuse remaps: no room, no data, too many sharers.
  bool must_succeed(const lockstep::Command &command) const;
  std::string refused(const lockstep::Command &command, int status) const;
  /// The independent groups of changes that a command makes. `durable`: they are durable once it is answered.
  std::vector<Group> changes(const lockstep::Command &command, bool *durable) const;
  void apply(const lockstep::Command &command);
  std::string check_read(const lockstep::Command &command, const uint8_t *data) const;
  static bool may_be(const Page &page, Digest found);

  std::vector<Page> pages_;
  std::vector<Group> in_flight_;  // groups under way when power went
};

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_ORACLE_H
