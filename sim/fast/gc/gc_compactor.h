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
  bool ok = false;        // false: the chain is unchanged
  bool full = false;      // too few free segments for the new chain
  uint32_t segments = 0;  // given back
};

/// Compacts a superblock's chain: writes its live entries to a new chain, then frees the old one. The crash-safe order
/// of the steps, and its reasons, are in hw/src/gc/GcCompactor.scala.
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

  /// `lookup` holds the live entries of the chain; `found` is the number of entries that the chain has.
  Task<CompactorOutcome> compact(uint32_t sb, const GcLookup &lookup, uint32_t found);

 private:
  Parts u_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_GC_COMPACTOR_H
