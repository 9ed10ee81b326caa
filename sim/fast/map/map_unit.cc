// SPDX-License-Identifier: Apache-2.0
#include "map/map_unit.h"

#include "lib/invariant.h"
#include "orm_bytes.h"
#include "orm_formats.h"
#include "top/mutant.h"

namespace orm::fast {
namespace {

// Cache hits have no timing model. A single request takes the time of a miss. Requests of a remap command come in a
// stream whose misses overlap.
constexpr uint64_t kMissNs = cycles(30);   // a DRAM access, and the stages around it
constexpr uint64_t kStreamNs = cycles(1);  // from one answer of a stream to the next

}  // namespace

uint64_t MapUnit::answer_ns(MapOp op) {
  switch (op) {
    case MapOp::kShare:
    case MapOp::kLink:
    case MapOp::kRelease:
    case MapOp::kUnmap:
      return kStreamNs;
    case MapOp::kCas:  // answered by the second stage
      return 2 * kMissNs;
    default:
      return kMissNs;
  }
}

uint32_t MapUnit::l2p(uint32_t lpn) const {
  return uint32_t(orm_get_le(dram_.data() + p_.l2p_base + 4 * size_t(lpn), 4));
}

void MapUnit::set_l2p(uint32_t lpn, uint32_t slot) {
  orm_put_le(dram_.data() + p_.l2p_base + 4 * size_t(lpn), slot, 4);
  counters_.add(ORM_COUNTER_MAP_UPDATES);
}

void MapUnit::gain(uint32_t slot) {
  believe(ref(slot) < p_.ref_most(), "more sharers than there can be");
  if (ref(slot)++ == 0) table_.gain(p_.superblock_of(slot));
}

void MapUnit::lose(uint32_t slot) {
  believe(ref(slot) != 0, "a mapped slot has no reference");
  if (--ref(slot) == 0) table_.lose(p_.superblock_of(slot));
}

void MapUnit::count_sharers(uint32_t sharers) {
  if (sharers < 2) return;
  counters_.add(sharers == 2   ? ORM_COUNTER_REMAP_SHARERS_2
                : sharers <= 4 ? ORM_COUNTER_REMAP_SHARERS_4
                : sharers <= 8 ? ORM_COUNTER_REMAP_SHARERS_8
                               : ORM_COUNTER_REMAP_SHARERS_MORE);
}

uint32_t MapUnit::share_limit() const {
  return p_.k.ref_limit + uint32_t(mutant(Mutant::kLimitAbove)) - uint32_t(mutant(Mutant::kLimitBelow));
}

MapResponse MapUnit::serve(const Request &r) {
  MapResponse a;
  a.ok = true;
  const bool uses_lpn = r.op != MapOp::kReserve && r.op != MapOp::kRelease && r.op != MapOp::kRefs;
  if (uses_lpn) {
    believe(r.lpn < p_.lpns, "LPN beyond the L2P");
    counters_.add(l2p_tags_.access(p_.l2p_base + 4 * r.lpn) ? ORM_COUNTER_L2P_HITS : ORM_COUNTER_L2P_MISSES);
    a.slot = l2p(r.lpn);
    a.mapped = a.slot != ORM_UNMAPPED;
  }
  switch (r.op) {
    case MapOp::kLookup:
      counters_.add(ORM_COUNTER_MAP_LOOKUPS);
      break;
    case MapOp::kCas:
      a.ok = a.mapped && (a.slot == r.expect || mutant(Mutant::kRepointsAlways));
      if (!a.ok) break;
      [[fallthrough]];
    case MapOp::kSet:
      if (!a.mapped || a.slot != r.slot) {
        gain(r.slot);
        if (a.mapped) lose(a.slot);
      }
      set_l2p(r.lpn, r.slot);
      break;
    case MapOp::kUnmap:
      if (!a.mapped) break;
      lose(a.slot);
      set_l2p(r.lpn, ORM_UNMAPPED);
      break;
    case MapOp::kReserve:
      a.ok = ref(r.slot) < p_.k.ref_limit;
      if (!a.ok) break;
      gain(r.slot);
      count_sharers(ref(r.slot));
      break;
    case MapOp::kRelease:
      lose(r.slot);
      break;
    case MapOp::kLink:  // the reference was reserved
      if (a.mapped) lose(a.slot);
      set_l2p(r.lpn, r.slot);
      break;
    case MapOp::kRefs:
      a.count = ref(r.slot);
      break;
    case MapOp::kShare:
      if (!a.mapped) break;
      a.ok = ref(a.slot) < share_limit();
      if (!a.ok) break;
      gain(a.slot);
      count_sharers(ref(a.slot));
      break;
    case MapOp::kPeek:
      a.ok = a.mapped;
      if (a.mapped) a.count = ref(a.slot);
      break;
  }
  return a;
}

}  // namespace orm::fast
