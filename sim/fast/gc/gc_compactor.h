// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_GC_COMPACTOR_H
#define OPENREMAP_FAST_GC_COMPACTOR_H

#include <cstdint>

#include "gc/gc_lookup.h"
#include "io/program_tracker.h"
#include "map/superblock_table.h"
#include "remap/journal.h"
#include "remap/remap_table.h"

namespace orm::fast {

struct CompactorOutcome {
  bool ok = false;        // false: the chain is as it was
  bool full = false;      // for want of segments to write the new one to
  uint32_t segments = 0;  // given back
};

/// Makes a new chain of what is live of a superblock's, in the order of hw/src/gc/GcCompactor.scala, which says why.
class GcCompactor {
 public:
  struct Parts {
    Simulation &sim;
    const Params &p;
    RemapTable &table;
    Journal &journal;
    SuperblockTable &superblocks;
    ProgramTracker &tracker;
    Counters &counters;
  };
  explicit GcCompactor(const Parts &parts) : u_(parts) {}

  /// `lookup` has what is live of the chain; `found`: entries that the chain has.
  Task<CompactorOutcome> compact(uint32_t sb, const GcLookup &lookup, uint32_t found);

 private:
  Parts u_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_GC_COMPACTOR_H
