// SPDX-License-Identifier: Apache-2.0
#include "gc/gc_compactor.h"

#include "top/mutant.h"

namespace orm::fast {
namespace {

constexpr uint64_t kListNs = cycles(2);    // for a slot without sharers
constexpr uint64_t kSharerNs = cycles(2);  // for each entry of a list

}  // namespace

Task<CompactorOutcome> GcCompactor::compact(uint32_t sb, const GcLookup &lookup, uint32_t found) {
  CompactorOutcome out;
  const uint32_t needed = (lookup.used() + u_.p.entries_per_seg - 1) / u_.p.entries_per_seg;
  const bool gains = needed < u_.table.segments(sb) && u_.superblocks[sb].epoch != SuperblockTable::kLastEpoch;
  out.ok = gains && needed <= u_.table.free_segments();
  out.full = gains && !out.ok;
  if (!out.ok) co_return out;
  out.segments = u_.table.segments(sb) - needed;
  if (!mutant(Mutant::kStaleVolatile)) co_await u_.tracker.fence();
  co_await u_.table.set_aside(sb);
  u_.superblocks.compacted(sb);
  if (mutant(Mutant::kOldChainEarly)) co_await u_.table.drop_old();
  for (uint32_t offset = 0; offset < u_.p.slots_per_sb; ++offset) {
    co_await Delay{u_.sim, kListNs};
    for (uint32_t at = lookup.head(offset); at != GcLookup::kNone; at = lookup[at].next) {
      co_await Delay{u_.sim, kSharerNs};
      co_await u_.table.append({sb, offset, lookup[at].lpn, lookup[at].seq});
    }
  }
  co_await u_.table.drained();
  co_await u_.journal.block(sb, u_.superblocks[sb].gen, u_.superblocks[sb].epoch, u_.table.destaged(sb).set);
  co_await u_.table.drop_old();
  u_.counters.add(ORM_COUNTER_CHAIN_COMPACTIONS);
  u_.counters.add(ORM_COUNTER_STALE_DROPPED, found - lookup.used());
  co_return out;
}

}  // namespace orm::fast
