// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_GC_LOOKUP_H
#define OPENREMAP_FAST_GC_LOOKUP_H

#include <cstdint>
#include <vector>

#include "top/params.h"

namespace orm::fast {

/// The victim's chain, indexed by slot: one linked list of sharers for each slot offset (hw/src/gc/GcLookup.scala).
///
/// An LPN is in a list once, with its largest seq. Identities from spare areas use separate entries, one for each place
/// of GcMover's ring; such an entry is reused when the slot in that place is finished.
class GcLookup {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Entry {
    uint32_t next = kNone;
    uint32_t lpn = 0;
    uint64_t seq = 0;
    bool live = false;
  };

  explicit GcLookup(const Params &p) : p_(p), heads_(p.slots_per_sb, kNone), entries_(p.chain_entries + p.k.gc_moves) {}

  void clear();
  void insert_from_chain(uint32_t offset, uint32_t lpn, uint64_t seq);
  void insert_from_spare(uint32_t offset, uint32_t lpn, uint64_t seq, uint32_t place);
  /// First entry of a slot's list, or kNone. `next` is the following entry.
  uint32_t head(uint32_t offset) const { return heads_[offset]; }
  const Entry &operator[](uint32_t index) const { return entries_[index]; }
  /// Number of entries that came from the chain.
  uint32_t used() const { return used_; }
  void drop(uint32_t index) { entries_[index].live = false; }

 private:
  void insert(uint32_t offset, uint32_t lpn, uint64_t seq, uint32_t fresh);

  const Params &p_;
  std::vector<uint32_t> heads_;
  std::vector<Entry> entries_;
  uint32_t used_ = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_GC_LOOKUP_H
