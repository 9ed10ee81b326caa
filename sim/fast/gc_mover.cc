// SPDX-License-Identifier: Apache-2.0
#include "gc_mover.h"

#include "belief.h"
#include "orm_formats.h"

namespace orm::fast {
namespace {

constexpr uint64_t kStepNs = cycles(3);

}  // namespace

void GcMover::nand_done(const NandDone &done) {
  --pending_;
  Slot &s = batch_[done.buf - u_.p.gc_buf_base];
  if (done.op == NandRequestOp::kRead) {
    s.read_ok = done.status == NandStatus::kOk;
    orm_oob_record oob{};
    s.oob_good = s.read_ok && orm_oob_record_open(&oob, done.oob) && oob.slot == done.slot &&
                 oob.gen == u_.superblocks[sb_].gen && oob.version == ORM_FORMAT_VERSION && oob.lpn < u_.p.lpns;
    s.lpn = oob.lpn;
    s.seq = oob.seq;
  } else if (done.status != NandStatus::kOk) {
    result_.stop = true;
    // The sharers stay with the old slot. A filler's failure costs nobody anything.
    if (s.target == done.slot) {
      s.copied = false;
      result_.lost = true;
    }
  }
  answered_.notify();
}

Task<bool> GcMover::ask_read(NandRequest request) {
  while (!u_.host_pages.may_read(request.slot)) co_await u_.host_pages.sent.wait();
  while (!u_.nand.accept(request)) co_await u_.nand.room(request.slot).wait();
  ++pending_;
  co_return true;
}

Task<bool> GcMover::ask_program(NandRequest request) {
  while (!u_.pages.accept(request)) co_await u_.pages.room(request.slot).wait();
  ++pending_;
  co_return true;
}

Task<GcBatchDone> GcMover::move(uint32_t sb, uint32_t from) {
  sb_ = sb;
  filled_ = 0;
  any_promised_ = false;
  segments_ = segments_before_ = 0;
  result_ = {};
  result_.next = from;
  co_await read_slots();
  for (uint32_t i = 0; i < filled_ && !result_.full; ++i) co_await judge(i);
  u_.pages.close_all();
  while (pending_ != 0) co_await answered_.wait();
  for (uint32_t i = 0; i < filled_; ++i) {
    if (batch_[i].copied) co_await append_sharers(batch_[i]);
  }
  co_await u_.table.drained();
  for (uint32_t i = 0; i < filled_; ++i) {
    if (batch_[i].copied) co_await repoint(batch_[i]);
  }
  co_return result_;
}

Task<bool> GcMover::read_slots() {
  while (result_.next != u_.p.slots_per_sb && filled_ != batch_.size()) {
    const uint32_t slot = u_.p.slot_at(sb_, result_.next);
    const MapResponse refs = co_await u_.map.refs(slot);
    if (refs.count != 0) {
      batch_[filled_] = {};
      batch_[filled_].offset = result_.next;
      co_await ask_read({NandRequestOp::kRead, NandClient::kGc, slot, u_.p.gc_buf_base + filled_});
      ++filled_;
    }
    ++result_.next;
  }
  while (pending_ != 0) co_await answered_.wait();
  co_return true;
}

/// Finds the slot's sharers and copies it. All of its candidates may be dead by now: then its last sharer has left,
/// or nobody knows it.
Task<bool> GcMover::judge(uint32_t i) {
  Slot &s = batch_[i];
  const uint32_t from = source(s);
  if (s.oob_good) {
    const MapResponse named = co_await u_.map.lookup(s.lpn);
    if (named.mapped && named.slot == from) lookup_.insert_from_spare(s.offset, s.lpn, s.seq, i);
  }
  uint32_t sharers = 0;
  for (uint32_t at = lookup_.head(s.offset); at != GcLookup::kNone; at = lookup_[at].next) {
    co_await Delay{u_.sim, kStepNs};
    if (!lookup_[at].live) continue;
    const MapResponse found = co_await u_.map.lookup(lookup_[at].lpn);
    if (!found.mapped || found.slot != from) {
      lookup_.drop(at);
      continue;
    }
    if (sharers++ != 0) continue;
    s.owner = at;
    s.owner_lpn = lookup_[at].lpn;
    s.owner_seq = lookup_[at].seq;
  }
  believe(sharers <= u_.p.k.ref_limit, "more sharers than a slot can have");
  if (sharers != 0 && s.read_ok) {
    s.shared = sharers > 1;
    if (!has_space(sharers)) {
      result_.full = result_.stop = result_.lost = true;
      co_return true;
    }
    co_await copy(i, sharers);
    co_return true;
  }
  const MapResponse refs = co_await u_.map.refs(from);
  if (refs.count != 0) result_.lost = true;
  co_return true;
}

/// Counted before the slot takes its place in the batch: where the free segments do not suffice the batch ends. Without a
/// slot on offer the next one is the first of another superblock.
bool GcMover::has_space(uint32_t sharers) const {
  Allocation next;
  const bool offered = u_.allocator.offers(AllocStream::kGc, &next);
  const uint32_t to_sb = u_.p.superblock_of(next.slot);
  const bool same = any_promised_ && promised_to_ == to_sb;
  const uint32_t wanted = (same ? promised_ : 0) + sharers - 1;
  const RemapTable::Capacity c = u_.table.capacity(RemapTableUser::kGc, to_sb, wanted);
  const bool known = offered && wanted <= u_.p.chain_entries && c.fits;
  const uint32_t fresh = (sharers - 1 + u_.p.entries_per_seg - 1) / u_.p.entries_per_seg;
  return segments_before_ + (known && same ? 0 : segments_) + (known ? c.segments : fresh) <= c.free;
}

/// Slots must be programmed in order, so a target whose chain has no room for the sharers is used up by one more copy.
Task<bool> GcMover::copy(uint32_t i, uint32_t sharers) {
  Slot &s = batch_[i];
  for (bool filler = true; filler;) {
    Allocation to;
    while (!u_.allocator.take(AllocStream::kGc, &to)) co_await u_.allocator.changed.wait();
    const uint32_t to_sb = u_.p.superblock_of(to.slot);
    believe(to_sb != sb_, "the victim is its own target");
    const uint32_t wanted = (any_promised_ && promised_to_ == to_sb ? promised_ : 0) + sharers - 1;
    const RemapTable::Capacity c = u_.table.capacity(RemapTableUser::kGc, to_sb, wanted);
    filler = wanted > u_.p.chain_entries || !c.fits;
    if (!filler) {
      s.target = to.slot;
      s.copied = true;
      if (!any_promised_ || promised_to_ != to_sb) segments_before_ += segments_;
      segments_ = c.segments;
      any_promised_ = true;
      promised_to_ = to_sb;
      promised_ = wanted;
    }
    // The identity goes into the spare when the program before has taken its own from there; a page that gathers has it.
    const bool alone = filler && u_.p.g.slots_per_page == 1;
    while (alone && pending_ != 0) co_await answered_.wait();
    orm_oob_record oob{};
    oob.lpn = s.owner_lpn;
    oob.gen = to.gen;
    oob.seq = s.owner_seq;
    oob.stream = ORM_STREAM_GC;
    oob.version = ORM_FORMAT_VERSION;
    oob.slot = to.slot;
    const uint32_t buf = u_.p.gc_buf_base + i;
    orm_oob_record_seal(&oob, u_.buffers.spare(buf));
    co_await Delay{u_.sim, kStepNs};
    co_await ask_program({NandRequestOp::kProgram, NandClient::kGc, to.slot, buf});
    while (alone && pending_ != 0) co_await answered_.wait();
  }
  co_return true;
}

Task<bool> GcMover::append_sharers(const Slot &s) {
  for (uint32_t at = lookup_.head(s.offset); at != GcLookup::kNone; at = lookup_[at].next) {
    if (!lookup_[at].live || at == s.owner) continue;
    co_await u_.table.append(
        {u_.p.superblock_of(s.target), u_.p.offset_of(s.target), lookup_[at].lpn, lookup_[at].seq});
  }
  co_return true;
}

Task<bool> GcMover::repoint(const Slot &s) {
  for (uint32_t at = lookup_.head(s.offset); at != GcLookup::kNone; at = lookup_[at].next) {
    if (!lookup_[at].live) continue;
    const MapResponse moved = co_await u_.map.cas(lookup_[at].lpn, s.target, source(s));
    if (!moved.ok) u_.counters.add(ORM_COUNTER_GC_LOST_RACES);
  }
  ++result_.moved;
  u_.counters.add(ORM_COUNTER_GC_MOVED_PAGES);
  if (s.shared) {
    ++result_.shared;
    u_.counters.add(ORM_COUNTER_GC_MOVED_SHARED);
  }
  co_return true;
}

}  // namespace orm::fast
