// SPDX-License-Identifier: Apache-2.0
#include "gc/gc_mover.h"

#include "lib/invariant.h"
#include "orm_formats.h"
#include "top/mutant.h"

namespace orm::fast {
namespace {

constexpr uint64_t kStepNs = cycles(3);
constexpr uint64_t kNewer = 1000;            // mutant: a seq beyond those of events meanwhile
constexpr uint64_t kProgramNs = cycles(10);  // includes the CRC of a spare area

}  // namespace

void GcMover::nand_done(const NandDone &done) {
  Slot &s = ring_[done.buf - u_.p.gc_buf_base];
  if (done.op == NandRequestOp::kRead) {
    s.read_ok = done.status == NandStatus::kOk;
    orm_oob_record oob{};
    s.oob_good = s.read_ok && orm_oob_record_open(&oob, done.oob) && oob.slot == done.slot &&
                 oob.gen == u_.superblocks[sb_].gen && oob.version == ORM_FORMAT_VERSION && oob.lpn < u_.p.lpns;
    s.lpn = oob.lpn;
    s.seq = oob.seq;
    enter(s, Stage::kRead);
  } else {
    believe(s.left != 0, "a program ended that nobody asked for");
    --s.left;
    if (done.status != NandStatus::kOk) {
      result_.stop = true;
      // The sharers stay with the old slot. A failed filler has none.
      if (s.target == done.slot) {
        s.copied = false;
        result_.lost = true;
      }
    }
  }
  changed_.notify();
}

Task<bool> GcMover::ask_read(NandRequest request) {
  while (!u_.host_pages.may_read(request.slot)) co_await u_.host_pages.sent.wait();
  while (!u_.nand.accept(request)) co_await u_.nand.room(request.slot, request.client).wait();
  co_return true;
}

Task<bool> GcMover::ask_program(NandRequest request, Slot &s) {
  while (!u_.pages.accept(request)) co_await u_.pages.room(request.slot).wait();
  ++s.left;
  co_return true;
}

void GcMover::enter(Slot &s, Stage stage) {
  --in_stages_[size_t(s.stage)];
  s.stage = stage;
  ++in_stages_[size_t(stage)];
}

bool GcMover::over() const {
  return result_.next == u_.p.slots_per_sb || result_.stop || (share_lock_->contended() && taken_ >= ring_.size());
}

/// Slots of a page that is not full wait for each other, and for the later places of the ring that were not copied.
bool GcMover::stuck() const {
  const Slot &oldest = ring_[append_at_];
  const uint32_t f = u_.p.g.slots_per_page;
  return !some(Stage::kFree) && oldest.copied && last_slot_ % f != f - 1 && oldest.target / f == last_slot_ / f;
}

/// Whether a page that is not full gets no more slots. Called when there is nothing else to do.
bool GcMover::closes() const {
  if (ring_[judge_at_].stage == Stage::kRead) return settles_;
  return !some(Stage::kReading) && !some(Stage::kRead) && (reads_over_ || stuck());
}

Task<GcBatchDone> GcMover::move(uint32_t sb, uint32_t from, const LockArbiter &share_lock) {
  sb_ = sb;
  share_lock_ = &share_lock;
  read_at_ = judge_at_ = append_at_ = repoint_at_ = 0;
  taken_ = 0;
  promised_ = 0;
  reads_over_ = settles_ = false;
  result_ = {};
  result_.next = from;
  reader_ = read_slots();
  reader_.start(u_.sim);
  co_await work();
  believe(promised_ == 0, "ends with promises that were not kept");
  co_return result_;
}

Process GcMover::read_slots() {
  while (!over()) {
    Slot &s = ring_[read_at_];
    if (s.stage != Stage::kFree) {
      co_await changed_.wait();
      continue;
    }
    const uint32_t slot = u_.p.slot_at(sb_, result_.next);
    const MapResponse refs = co_await u_.map.refs(slot);
    if (refs.count != 0) {
      s = {};
      enter(s, Stage::kReading);
      s.offset = result_.next;
      co_await ask_read({NandRequestOp::kRead, NandClient::kGc, slot, u_.p.gc_buf_base + read_at_});
      read_at_ = after(read_at_);
      ++taken_;
    }
    ++result_.next;
  }
  reads_over_ = true;
  changed_.notify();
}

/// All steps except the reads, the oldest slot first.
Task<bool> GcMover::work() {
  for (;;) {
    if (some(Stage::kAppended) && u_.table.is_drained()) {
      for (Slot &s : ring_) {
        if (s.stage == Stage::kAppended) enter(s, Stage::kDurable);
      }
    }
    const Slot &appends = ring_[append_at_];
    if (ring_[repoint_at_].stage == Stage::kDurable) {
      co_await repoint_next();
    } else if (appends.stage == Stage::kJudged && appends.left == 0) {
      co_await append_next();
    } else if (ring_[judge_at_].stage == Stage::kRead && (!settles_ || promised_ == 0)) {
      co_await judge_next();
    } else if (reads_over_ && in_stage(Stage::kFree) == ring_.size()) {
      co_return true;
    } else if (some(Stage::kAppended)) {
      co_await u_.table.drained();
    } else {
      if (closes()) u_.pages.close_all();
      co_await changed_.wait();
    }
  }
}

Task<bool> GcMover::judge_next() {
  Slot &s = ring_[judge_at_];
  settles_ = false;
  if (result_.stop) {
    result_.lost = true;
  } else {
    const bool judged = co_await judge(s, judge_at_);
    if (!judged) co_return false;
  }
  enter(s, Stage::kJudged);
  judge_at_ = after(judge_at_);
  co_return true;
}

/// Finds the slot's sharers and copies the slot. All of its candidates may be dead by now: then its last sharer has
/// left, or is unknown. If the spare area names no LPN, REF, read before, says whether the chain names all sharers.
/// False: the slot must wait until counted entries have been appended.
Task<bool> GcMover::judge(Slot &s, uint32_t place) {
  const uint32_t from = source(s);
  uint32_t owed = 0;
  if (s.oob_good) {
    const MapResponse named = co_await u_.map.lookup(s.lpn);
    if (named.mapped && named.slot == from) lookup_.insert_from_spare(s.offset, s.lpn, s.seq, place);
  } else {
    owed = (co_await u_.map.refs(from)).count;
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
  believe(sharers <= u_.p.ref_most(), "more sharers than a slot can have");
  believe(s.oob_good || sharers <= owed, "sharers beside those that REF counts");
  if (sharers != 0 && s.read_ok && (s.oob_good || sharers == owed)) {
    if (sharers > 1) {
      const bool space = co_await has_space(sharers);
      if (settles_) co_return false;
      if (!space) {
        result_.full = result_.stop = result_.lost = true;
        co_return true;
      }
    }
    co_await copy(s, place, sharers);
    co_return true;
  }
  // A slot whose program failed: WriteEngine is about to give its LPN another slot.
  while (!s.read_ok && u_.unsaved.any()) co_await u_.unsaved.changed.wait();
  const MapResponse refs = co_await u_.map.refs(from);
  if (refs.count != 0) result_.lost = true;
  co_return true;
}

/// Counts the segments that the sharers need before the slot is programmed; if too few are free the collection ends. If
/// the allocator offers no slot, the next one is the first of another superblock. Sets `settles_` if entries counted
/// for another target must be appended first.
Task<bool> GcMover::has_space(uint32_t sharers) {
  co_await u_.table.drained();
  Allocation next;
  const bool offered = u_.allocator.offers(AllocStream::kGc, &next);
  const uint32_t to_sb = u_.p.superblock_of(next.slot);
  const bool same = promised_ != 0 && promised_to_ == to_sb;
  const uint32_t wanted = (same ? promised_ : 0) + sharers - 1;
  const RemapTable::Capacity c = u_.table.capacity(RemapTableUser::kGc, to_sb, wanted);
  const bool known = offered && wanted <= u_.p.chain_entries && c.fits;
  settles_ = promised_ != 0 && !(known && same);
  const uint32_t fresh = (sharers - 1 + u_.p.entries_per_seg - 1) / u_.p.entries_per_seg;
  co_return (known ? c.segments : fresh) <= c.free;
}

/// If the target's chain has no room for the sharers, the slot is filled by a copy that no LPN names: slots must be
/// programmed in order.
Task<bool> GcMover::copy(Slot &s, uint32_t place, uint32_t sharers) {
  for (bool filler = true; filler;) {
    Allocation to;
    while (!u_.allocator.take(AllocStream::kGc, &to)) co_await u_.allocator.changed.wait();
    last_slot_ = to.slot;
    const uint32_t to_sb = u_.p.superblock_of(to.slot);
    believe(to_sb != sb_, "the victim is its own target");
    const bool same = promised_ != 0 && promised_to_ == to_sb;
    const uint32_t wanted = (same ? promised_ : 0) + sharers - 1;
    const RemapTable::Capacity c = u_.table.capacity(RemapTableUser::kGc, to_sb, wanted);
    filler = sharers > 1 && (wanted > u_.p.chain_entries || !c.fits);
    if (!filler) {
      s.target = to.slot;
      s.copied = true;
      s.others = sharers - 1;
      if (sharers > 1) {
        believe(promised_ == 0 || same, "promises to two targets");
        promised_to_ = to_sb;
        promised_ = wanted;
      }
    }
    // The identity is written to the spare area after the previous program has taken its own from there. A page that
    // gathers holds a copy.
    const bool alone = u_.p.g.slots_per_page == 1;
    while (alone && s.left != 0) co_await changed_.wait();
    orm_oob_record oob{};
    oob.lpn = filler ? ORM_UNMAPPED : s.owner_lpn;
    oob.gen = to.gen;
    oob.seq = filler                         ? 0
              : mutant(Mutant::kCopyNewSeq)  ? s.owner_seq + kNewer
              : mutant(Mutant::kCopyNextSeq) ? s.owner_seq + 1
                                             : s.owner_seq;
    oob.stream = ORM_STREAM_GC;
    oob.version = ORM_FORMAT_VERSION;
    oob.slot = to.slot;
    const uint32_t buf = u_.p.gc_buf_base + place;
    orm_oob_record_seal(&oob, u_.buffers.spare(buf));
    co_await Delay{u_.sim, kProgramNs};
    co_await ask_program({NandRequestOp::kProgram, NandClient::kGc, to.slot, buf}, s);
  }
  co_return true;
}

Task<bool> GcMover::append_next() {
  Slot &s = ring_[append_at_];
  append_at_ = after(append_at_);
  if (!s.copied || s.others == 0) {
    if (!s.copied) promised_ -= s.others;  // its program failed
    enter(s, Stage::kDurable);
    co_return true;
  }
  for (uint32_t at = lookup_.head(s.offset); at != GcLookup::kNone; at = lookup_[at].next) {
    if (!lookup_[at].live || at == s.owner) continue;
    believe(promised_ != 0 && promised_to_ == u_.p.superblock_of(s.target), "an entry that was not promised");
    --promised_;
    const uint64_t seq = mutant(Mutant::kEntryOwnerSeq) ? s.owner_seq : lookup_[at].seq;
    co_await u_.table.append({u_.p.superblock_of(s.target), u_.p.offset_of(s.target), lookup_[at].lpn, seq});
  }
  enter(s, Stage::kAppended);
  co_return true;
}

Task<bool> GcMover::repoint_next() {
  Slot &s = ring_[repoint_at_];
  if (s.copied) {
    for (uint32_t at = lookup_.head(s.offset); at != GcLookup::kNone; at = lookup_[at].next) {
      if (!lookup_[at].live) continue;
      const MapResponse moved = co_await u_.map.cas(lookup_[at].lpn, s.target, source(s));
      if (!moved.ok) u_.counters.add(ORM_COUNTER_GC_LOST_RACES);
    }
    ++result_.moved;
    u_.counters.add(ORM_COUNTER_GC_MOVED_PAGES);
    if (s.others != 0) {
      ++result_.shared;
      u_.counters.add(ORM_COUNTER_GC_MOVED_SHARED);
    }
  }
  enter(s, Stage::kFree);
  repoint_at_ = after(repoint_at_);
  changed_.notify();
  co_return true;
}

}  // namespace orm::fast
