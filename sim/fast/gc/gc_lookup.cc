// SPDX-License-Identifier: Apache-2.0
#include "gc/gc_lookup.h"

#include <algorithm>

#include "lib/invariant.h"
#include "top/mutant.h"

namespace orm::fast {

void GcLookup::clear() {
  std::fill(heads_.begin(), heads_.end(), kNone);
  used_ = 0;
}

void GcLookup::insert(uint32_t offset, uint32_t lpn, uint64_t seq, uint32_t fresh) {
  for (uint32_t at = heads_[offset]; at != kNone; at = entries_[at].next) {
    Entry &e = entries_[at];
    if (e.lpn != lpn) continue;
    e.seq = mutant(Mutant::kListOlderSeq) ? std::min(e.seq, seq) : std::max(e.seq, seq);
    e.live = true;
    return;
  }
  believe(fresh < entries_.size(), "a chain longer than any may be");
  entries_[fresh] = {heads_[offset], lpn, seq, true};
  heads_[offset] = fresh;
  if (fresh < p_.chain_entries) ++used_;
}

void GcLookup::insert_from_chain(uint32_t offset, uint32_t lpn, uint64_t seq) {
  believe(used_ < p_.chain_entries, "a chain longer than any may be");
  insert(offset, lpn, seq, used_);
}

void GcLookup::insert_from_spare(uint32_t offset, uint32_t lpn, uint64_t seq, uint32_t place) {
  insert(offset, lpn, seq, p_.chain_entries + place);
}

}  // namespace orm::fast
