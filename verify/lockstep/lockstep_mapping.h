// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_MAPPING_H
#define OPENREMAP_LOCKSTEP_MAPPING_H

#include <cstdint>
#include <optional>
#include <vector>

#include "lockstep/lockstep_commands.h"

namespace orm::lockstep {

/// Which LPNs have data, and which of them share it, after commands that no device has seen: what a device must answer
/// by the contract, but for remaps that find no room, which count as done here.
class Mapping {
 public:
  /// The most LPNs that may share a slot.
  static const uint32_t kMostSharers;

  explicit Mapping(uint64_t pages) : slots_(pages, 0), sharers_(1, 0) {}

  uint64_t pages() const { return slots_.size(); }
  uint64_t mapped_pages() const { return mapped_; }
  /// Whether all of them have data.
  bool mapped(uint64_t lpn, uint64_t pages) const;
  /// Number of the LPN's slot, the same for all sharers; 0: the LPN has no data.
  uint32_t slot(uint64_t lpn) const { return slots_[lpn]; }
  uint32_t sharers(uint32_t slot) const { return sharers_[slot]; }
  /// The first run of this many pages with data at or behind `from`, or else from the beginning.
  std::optional<uint64_t> mapped_run(uint64_t from, uint64_t pages) const;

  /// Applies the command, of a burst part by part. Returns false if the command, or a part, must be rejected.
  bool apply(const Command &command);

 private:
  bool inside(uint64_t lpn, uint64_t pages) const { return lpn <= slots_.size() && pages <= slots_.size() - lpn; }
  void name(uint64_t lpn, uint32_t slot);
  void unmap(uint64_t lpn, uint64_t pages);
  bool write(const Command &command);
  bool deallocate(const std::vector<openremap_remap_range> &ranges);
  bool clash(const std::vector<openremap_remap_range> &ranges) const;
  bool may_share(const std::vector<openremap_remap_range> &ranges, bool copy) const;
  bool remap(const std::vector<openremap_remap_range> &ranges, bool move, bool copy);

  std::vector<uint32_t> slots_;    // by LPN
  std::vector<uint32_t> sharers_;  // by slot; 0 stands for none
  uint64_t mapped_ = 0;
};

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_MAPPING_H
