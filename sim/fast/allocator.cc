// SPDX-License-Identifier: Apache-2.0
#include "allocator.h"

#include "belief.h"

namespace orm::fast {

bool Allocator::take(AllocStream stream, Allocation *out) {
  Stream &s = streams_[size_t(stream)];
  if (s.open && s.full) {
    table_.closed(s.sb);
    s.open = false;
  }
  if (!s.open) {
    if (!spare(stream)) return false;
    const uint32_t sb = ring_.front();
    ring_.pop_front();
    table_.opened(sb);
    s = {true, false, sb, 0, table_[sb].gen};
    changed.notify();
  }
  *out = {p_.slot_at(s.sb, s.next), s.gen};
  s.full = ++s.next == p_.slots_per_sb;
  return true;
}

void Allocator::freed(uint32_t sb) {
  believe(free() < p_.superblocks, "more free superblocks than there are");
  ring_.push_back(sb);
  changed.notify();
}

void Allocator::set_reserve(uint32_t superblocks) {
  reserve_ = superblocks;
  changed.notify();
}

void Allocator::restore(AllocStream stream, uint32_t sb, uint32_t next) {
  Stream &s = streams_[size_t(stream)];
  believe(!s.open, "a stream that is running cannot be restored");
  believe(sb < p_.superblocks && next < p_.slots_per_sb, "firmware bug: restored outside the flash");
  s = {true, false, sb, next, table_[sb].gen};
}

}  // namespace orm::fast
