// SPDX-License-Identifier: Apache-2.0
#include "gc/gc_engine.h"

#include "remap/remap_engine.h"
#include "top/mutant.h"

namespace orm::fast {

void GcEngine::nand_done(const NandDone &done) {
  if (done.op == NandRequestOp::kProgram && done.status != NandStatus::kOk) {
    superblocks_.program_failed(u_.p.superblock_of(done.slot));
    u_.counters.add(ORM_COUNTER_NAND_PROGRAM_FAILS);
  }
  if (done.meta && done.op == NandRequestOp::kProgram) {
    destager_.nand_done(done);
  } else if (done.meta) {
    walk_.nand_done(done);
  } else if (done.op == NandRequestOp::kErase) {
    eraser_.nand_done(done);
  } else {
    mover_.nand_done(done);
  }
}

/// Fills the lookup with the live entries of the victim's chain, with `all` including its destaged part. Entries whose
/// LPN maps elsewhere by now are left out. Entries that die later are detected when their slot is moved.
Task<GcEngine::Loaded> GcEngine::load(uint32_t sb, uint32_t from, bool all) {
  GcLookup &lookup = mover_.lookup();
  lookup.clear();
  co_await Delay{u_.sim, cycles(u_.p.slots_per_sb)};
  const ChainWalked chain = co_await walk_.walk(sb, all);
  for (const ChainEntry &e : chain.entries) {
    if (e.offset < from || e.lpn >= u_.p.lpns) continue;
    const MapResponse found = co_await u_.map.lookup(e.lpn);
    const bool live = found.mapped && found.slot == u_.p.slot_at(sb, e.offset);
    if (live || mutant(Mutant::kLoadsStale)) lookup.insert_from_chain(e.offset, e.lpn, e.seq);
  }
  co_return Loaded{chain.ok, uint32_t(chain.entries.size())};
}

Task<GcOutcome> GcEngine::collect(uint32_t sb) {
  const GcOutcome outcome = co_await move(sb);
  while (leaving_) co_await left_.wait();
  leaving_ = outcome.ok;
  co_return outcome;
}

Task<bool> GcEngine::give_back(uint32_t sb, bool retire) {
  const bool ok = co_await eraser_.erase(sb, retire);
  leaving_ = false;
  left_.notify();
  co_return ok;
}

Task<GcOutcome> GcEngine::move(uint32_t sb) {
  GcOutcome outcome;
  outcome.sb = sb;
  const SbState state = u_.superblocks[sb].state;
  outcome.refused = state != SbState::kClosed && state != SbState::kBad;
  if (outcome.refused) co_return outcome;
  outcome.ok = true;
  bool stop = false;
  for (uint32_t next = 0; next != u_.p.slots_per_sb && !stop;) {
    co_await share_lock_.acquire(kShareLockGc);
    const Loaded chain = co_await load(sb, next, true);
    stop = !chain.ok && u_.superblocks[sb].valid != 0;  // without valid slots there are no sharers to find
    for (bool more = !stop; more;) {
      const GcBatchDone batch = co_await mover_.move(sb, next, share_lock_);
      next = batch.next;
      stop = batch.stop;
      outcome.moved += batch.moved;
      outcome.shared += batch.shared;
      if (batch.lost) outcome.ok = false;
      if (batch.full) outcome.full = true;
      more = next != u_.p.slots_per_sb && !stop && !share_lock_.contended();
    }
    if (next == u_.p.slots_per_sb && outcome.ok) co_await destager_.forget(sb);
    share_lock_.release(kShareLockGc);
    // The lock is free for a cycle, so that a waiting client gets it before this one asks again.
    co_await Delay{u_.sim, kCycleNs};
    if (stop && next != u_.p.slots_per_sb) outcome.ok = false;
  }
  co_return outcome;
}

Task<GcOutcome> GcEngine::compact(uint32_t sb) {
  while (leaving_) co_await left_.wait();
  co_await share_lock_.acquire(kShareLockGc);
  const Loaded chain = co_await load(sb, 0, false);
  const CompactorOutcome made = co_await compactor_.compact(sb, mover_.lookup(), chain.found);
  share_lock_.release(kShareLockGc);
  GcOutcome outcome;
  outcome.sb = sb;
  outcome.chain = true;
  outcome.ok = made.ok;
  outcome.full = made.full;
  outcome.refused = !made.ok && !made.full;
  outcome.segments = made.segments;
  co_return outcome;
}

Task<GcOutcome> GcEngine::destage(uint32_t sb) {
  while (leaving_) co_await left_.wait();
  co_await share_lock_.acquire(kShareLockGc);
  DestageOutcome made;
  const Loaded chain = co_await load(sb, 0, true);
  if (chain.ok) made = co_await destager_.destage(sb, mover_.lookup());
  share_lock_.release(kShareLockGc);
  GcOutcome outcome;
  outcome.sb = sb;
  outcome.chain = true;
  outcome.ok = made.ok;
  outcome.refused = made.refused;
  outcome.segments = made.segments;
  co_return outcome;
}

}  // namespace orm::fast
