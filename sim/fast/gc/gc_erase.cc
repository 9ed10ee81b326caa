// SPDX-License-Identifier: Apache-2.0
#include "gc/gc_erase.h"

#include "lib/invariant.h"
#include "top/mutant.h"

namespace orm::fast {

void GcErase::nand_done(const NandDone &done) {
  --pending_;
  if (done.status != NandStatus::kOk) failed_ = true;
  answered_.notify();
}

Task<bool> GcErase::erase(uint32_t sb, bool retire) {
  failed_ = false;
  if (mutant(Mutant::kChainFreedEarly)) co_await u_.table.free_chain(sb);
  if (!mutant(Mutant::kEraseVolatile)) co_await u_.tracker.fence();
  while (u_.window.open()) co_await u_.window.closed.wait();
  believe(u_.superblocks[sb].valid == 0, "a collected superblock still holds valid slots");
  const bool was_bad = u_.superblocks[sb].state == SbState::kBad;
  if (!was_bad) {
    for (uint32_t die = 0; die < u_.p.dies; ++die) {
      const NandRequest request{NandRequestOp::kErase, NandClient::kGc, u_.p.slot_at(sb, die * u_.p.g.slots_per_page),
                                0};
      while (!u_.nand.accept(request)) co_await u_.nand.room(request.slot, request.client).wait();
      ++pending_;
    }
    while (pending_ != 0) co_await answered_.wait();
    if (failed_) co_return false;
  }
  co_await u_.journal.block(sb, u_.superblocks[sb].gen + 1, 0, 0);
  co_await u_.table.free_chain(sb);
  if (was_bad || retire) {
    u_.superblocks.retired(sb);
  } else {
    u_.superblocks.erased(sb);
    u_.counters.add(ORM_COUNTER_GC_VICTIMS);
    u_.allocator.freed(sb);
  }
  co_return true;
}

}  // namespace orm::fast
