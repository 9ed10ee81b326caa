// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_ORACLE_H
#define OPENREMAP_CRASH_ORACLE_H

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/lockstep_commands.h"

namespace orm::crash {

/// A page's data, as far as the oracle remembers it.
using Digest = uint64_t;
Digest digest(const uint8_t *page);

/// What each page of a namespace may hold after a power cut (device contract, "Recovery after a power cut at any
/// point"):
///   - what was flushed, written with FUA, remapped or deallocated and answered: that, or what came after it;
///   - what was written and not flushed: that, or anything since what is durable; never torn, never a third thing;
///   - what a command in flight would have made: that or what was there before; a remap all or nothing.
class Oracle {
 public:
  /// All pages read as zeros.
  explicit Oracle(uint64_t pages);

  uint64_t pages() const { return pages_.size(); }

  /// A command was answered. A read is checked; the answer is empty, or what is wrong.
  std::string answered(const lockstep::Command &command, const lockstep::Outcome &outcome);
  /// Power went while a command was under way, before any answer of it was seen.
  void cut_during(const lockstep::Command &command);
  /// Power went between commands.
  void cut();

  /// What the device holds after a cut, page by page: empty, or what is wrong. What it holds is durable from then on.
  std::string recovered(const std::vector<Digest> &found);
  /// What it holds without a cut.
  std::string holds(const std::vector<Digest> &found) const;

 private:
  struct Page {
    Digest now;                  // what a read gives
    std::vector<Digest> before;  // what a cut may bring back instead; the first of them is durable
  };
  /// Pages that change together or not at all.
  struct Change {
    uint64_t lpn;
    Digest to;
  };
  using Group = std::vector<Change>;

  bool inside(uint64_t lpn, uint64_t pages) const { return lpn <= pages_.size() && pages <= pages_.size() - lpn; }
  bool inside(const Group &group) const;
  void put(uint64_t lpn, Digest to, bool durable);
  void flushed();
  /// Whether a device that works may not refuse it. Remaps it may: no room, no data, too many sharers.
  bool must_succeed(const lockstep::Command &command) const;
  std::string refused(const lockstep::Command &command, int status) const;
  /// The groups of changes that a command makes, apart from each other; `durable`: once it is answered.
  std::vector<Group> changes(const lockstep::Command &command, bool *durable) const;
  void apply(const lockstep::Command &command);
  std::string check_read(const lockstep::Command &command, const uint8_t *data) const;
  static bool may_be(const Page &page, Digest found);

  std::vector<Page> pages_;
  std::vector<Group> in_flight_;  // when power went
};

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_ORACLE_H
