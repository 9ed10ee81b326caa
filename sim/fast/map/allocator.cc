// SPDX-License-Identifier: Apache-2.0
#include "map/allocator.h"

#include "lib/invariant.h"
#include "top/mutant.h"

namespace orm::fast {

void Allocator::close_full(AllocStream stream) {
  Stream &s = streams_.at(size_t(stream));
  if (!s.open || !s.full) return;
  table_.closed(s.sb);
  if (closed_) closed_(s.sb, s.next == p_.data_slots);
  s.open = false;
}

bool Allocator::take(AllocStream stream, Allocation *out) {
  if (stream == AllocStream::kGc) {
    close_full(stream);
  } else {
    for (uint32_t handle = 0; handle < p_.k.placement_handles; ++handle) close_full(host_stream(handle));
  }
  Stream &s = streams_.at(size_t(stream));
  if (!s.open) {
    if (!may_open(stream)) return false;
    open(s);
  } else if (stream != AllocStream::kGc && free() < reserve_ && at_end(s)) {
    return false;  // reserved for pages whose program fails
  }
  give(s, out);
  return true;
}

bool Allocator::take_urgent(AllocStream *stream, Allocation *out) {
  for (uint32_t handle = 0; handle < p_.k.placement_handles; ++handle) close_full(host_stream(handle));
  Stream *s = &streams_.at(size_t(*stream));
  if (!has_room(*s) && free() <= reserve_) {
    for (uint32_t handle = 0; handle < p_.k.placement_handles && !has_room(*s); ++handle) {
      Stream &other = streams_.at(size_t(host_stream(handle)));
      if (!has_room(other)) continue;
      s = &other;
      *stream = host_stream(handle);
    }
  }
  if (!s->open) {
    if (free() == 0) return false;
    open(*s);
  }
  give(*s, out);
  return true;
}

/// Whether a host stream has at least the reserved room.
bool Allocator::roomy() const {
  for (uint32_t handle = 0; handle < p_.k.placement_handles; ++handle) {
    const Stream &s = streams_.at(size_t(host_stream(handle)));
    if (has_room(s) && !at_end(s)) return true;
  }
  return false;
}

bool Allocator::may_open(AllocStream stream) {
  if (stream != AllocStream::kGc) return free() > reserve_;
  held_ = free() == 1 && host_busy_ && host_busy_() && !roomy();
  if (held_) gc_held_();
  return free() != 0 && !held_;
}

void Allocator::open(Stream &s) {
  const uint32_t sb = ring_.front();
  ring_.pop_front();
  table_.opened(sb);
  if (opened_) opened_(sb);
  s = {true, false, sb, 0, table_[sb].gen};
  changed.notify();
}

void Allocator::give(Stream &s, Allocation *out) {
  *out = {p_.slot_at(s.sb, s.next), s.gen};
  s.full = ++s.next == p_.data_slots - uint32_t(mutant(Mutant::kClosesEarly));
}

void Allocator::freed(uint32_t sb) {
  believe(free() < p_.superblocks, "more free superblocks than there are");
  ring_.push_back(sb);
  changed.notify();
}

void Allocator::forget_free() { ring_.clear(); }

void Allocator::set_reserve(uint32_t superblocks) {
  reserve_ = superblocks;
  changed.notify();
}

void Allocator::restore(AllocStream stream, uint32_t sb, uint32_t next) {
  believe(stream == AllocStream::kGc || size_t(stream) % ORM_STREAM_HANDLE == ORM_STREAM_HOST,
          "firmware bug: no such stream");
  believe(size_t(stream) < streams_.size(), "firmware bug: it restores a placement handle that there is not");
  Stream &s = streams_[size_t(stream)];
  believe(!s.open, "a stream that is running cannot be restored");
  believe(sb < p_.superblocks && next < p_.data_slots, "firmware bug: restored outside the flash, or at a summary");
  believe(p_.sub_of(next) == 0, "firmware bug: restored inside a page");
  s = {true, false, sb, next, table_[sb].gen};
}

void Allocator::close(uint32_t handle) {
  believe(handle < p_.k.placement_handles, "firmware bug: it closes a placement handle that there is not");
  streams_[size_t(host_stream(handle))].full = true;  // no effect while none is open
}

void Allocator::skip(uint32_t first_of_page) {
  const uint32_t behind = p_.offset_of(first_of_page) + p_.g.slots_per_page;
  for (Stream &s : streams_) {
    if (!s.open || s.sb != p_.superblock_of(first_of_page)) continue;
    if (p_.first_of_page(s.next) != p_.offset_of(first_of_page) || p_.sub_of(s.next) == 0) continue;
    s.next = behind;
    s.full = s.full || behind == p_.data_slots;
  }
}

uint32_t Allocator::look(AllocStream stream) const {
  if (size_t(stream) >= streams_.size()) return 0;
  const Stream &s = streams_[size_t(stream)];
  return ORM_PUT(ORM_FW_ALLOC_OPEN_SB, s.sb) | ORM_PUT(ORM_FW_ALLOC_OPEN_NEXT, s.next % p_.slots_per_sb) |
         ORM_PUT(ORM_FW_ALLOC_OPEN_FULL, s.open && s.full) | ORM_PUT(ORM_FW_ALLOC_OPEN_OPEN, s.open);
}

}  // namespace orm::fast
