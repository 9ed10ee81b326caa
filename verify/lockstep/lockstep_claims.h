// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LOCKSTEP_CLAIMS_H
#define OPENREMAP_LOCKSTEP_CLAIMS_H

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lockstep/lockstep_mapping.h"

namespace orm::lockstep {

/// The pages that ranges of one command, or commands side by side, have for themselves: what one of them changes no
/// other one touches. Slots that LPNs share may be taken by several; not so often, though, that it depends on their
/// order which of them meets the limit.
class Claims {
 public:
  explicit Claims(const Mapping &mapping) : mapping_(mapping), taken_(mapping.pages()), changed_(mapping.pages()) {}

  bool may_change(uint64_t lpn, uint64_t pages) const { return inside(lpn, pages) && free(lpn, pages, true); }
  bool may_take(uint64_t lpn, uint64_t pages) const { return inside(lpn, pages) && free(lpn, pages, false); }
  /// Claims a slot to which a remap adds a sharer.
  bool may_share(uint64_t lpn, uint64_t pages) const {
    for (uint64_t i = 0; i < pages; ++i) {
      const uint32_t slot = mapping_.slot(lpn + i);
      const auto found = more_.find(slot);
      const uint32_t more = found == more_.end() ? 0 : found->second;
      if (slot != 0 && mapping_.sharers(slot) + more + pages > Mapping::kMostSharers) return false;
    }
    return true;
  }
  void change(uint64_t lpn, uint64_t pages) {
    for (uint64_t i = 0; i < pages; ++i) changed_[lpn + i] = true;
  }
  void take(uint64_t lpn, uint64_t pages) {
    for (uint64_t i = 0; i < pages; ++i) taken_[lpn + i] = true;
  }
  void share(uint64_t lpn, uint64_t pages) {
    for (uint64_t i = 0; i < pages; ++i) ++more_[mapping_.slot(lpn + i)];
  }

 private:
  bool inside(uint64_t lpn, uint64_t pages) const { return lpn + pages <= taken_.size(); }
  bool free(uint64_t lpn, uint64_t pages, bool of_takers) const {
    for (uint64_t i = lpn; i < lpn + pages; ++i) {
      if (changed_[i] || (of_takers && taken_[i])) return false;
    }
    return true;
  }

  const Mapping &mapping_;
  std::vector<bool> taken_, changed_;            // by LPN
  std::unordered_map<uint32_t, uint32_t> more_;  // sharers added to a slot
};

}  // namespace orm::lockstep
#endif  // OPENREMAP_LOCKSTEP_CLAIMS_H
