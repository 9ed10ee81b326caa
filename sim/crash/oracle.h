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

/// Permitted contents of each page after a power cut (device contract, "Recovery after a power cut at any point"):
///   - after a completed flush, FUA write, remap or deallocate: its result, or that of a later command;
///   - after a write without a flush: its data or any content since the durable one; never torn data or anything else;
///   - during a command in flight: the content before or after it; a remap changes all of its pages or none.
class Oracle {
 public:
  /// All pages read as zeros.
  explicit Oracle(uint64_t pages);

  uint64_t pages() const { return pages_.size(); }

  /// Records a completed command and checks the data of a read. Returns the violation, or an empty string.
  std::string answered(const lockstep::Command &command, const lockstep::Outcome &outcome);
  /// Records a power cut during a command, before any of its completions.
  void cut_during(const lockstep::Command &command);
  /// Records a power cut between commands.
  void cut();

  /// Checks the device's pages after a cut; from then on they are durable. Returns the violation, or an empty string.
  std::string recovered(const std::vector<Digest> &found);
  /// The same without a cut.
  std::string holds(const std::vector<Digest> &found) const;

 private:
  struct Page {
    Digest now;                  // content that a read returns
    std::vector<Digest> before;  // contents that may reappear after a cut; the first one is durable
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
  /// Whether a working device must execute it. Remaps may fail: no room, no data, too many sharers.
  bool must_succeed(const lockstep::Command &command) const;
  std::string refused(const lockstep::Command &command, int status) const;
  /// The atomic groups of a command's changes. `durable`: whether they are durable when the command completes.
  std::vector<Group> changes(const lockstep::Command &command, bool *durable) const;
  void apply(const lockstep::Command &command);
  std::string check_read(const lockstep::Command &command, const uint8_t *data) const;
  static bool may_be(const Page &page, Digest found);

  std::vector<Page> pages_;
  std::vector<Group> in_flight_;  // at the power cut
};

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_ORACLE_H
