// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_GC_DESTAGER_H
#define OPENREMAP_FAST_GC_DESTAGER_H

#include <cstdint>
#include <vector>

#include "gc/gc_lookup.h"
#include "io/buffer_ram.h"
#include "io/program_tracker.h"
#include "map/allocator.h"
#include "map/lock.h"
#include "map/map_unit.h"
#include "map/seq_counter.h"
#include "map/superblock_table.h"
#include "nand/page_gatherer.h"
#include "remap/journal.h"
#include "remap/remap_table.h"

namespace orm::fast {

struct DestageOutcome {
  bool ok = false;        // false: the chain is unchanged
  bool refused = false;   // it has no segment in NVRAM, or its epoch is the last one
  uint32_t segments = 0;  // given back
};

/// Destages a superblock's chain: writes its live entries to flash slots of GC's stream. The crash-safe order of the
/// steps, and its reasons, are in hw/src/gc/GcDestager.scala.
class GcDestager {
 public:
  struct Parts {
    Simulation &sim;
    const Params &p;
    MapUnit &map;
    RemapTable &table;
    Allocator &allocator;
    SuperblockTable &superblocks;
    PageGatherer &pages;
    BufferRam &buffers;
    Journal &journal;
    ProgramTracker &tracker;
    SeqCounter &seq;
    LockArbiter &map_lock;
    Counters &counters;
  };
  explicit GcDestager(const Parts &parts) : u_(parts), answered_(parts.sim) {}

  /// `lookup` holds the live entries of the chain, those of its destaged part included.
  Task<DestageOutcome> destage(uint32_t sb, const GcLookup &lookup);
  /// Unmaps the destaged set, if any, of a superblock that was emptied.
  Task<bool> forget(uint32_t sb);
  /// Takes the answers of the programs that this unit requested.
  void nand_done(const NandDone &done);

 private:
  Task<bool> write_slots(uint32_t sb, const GcLookup &lookup, Destaged fresh);
  Task<bool> fill_buffers(uint32_t sb, const GcLookup &lookup, uint32_t slots);
  Task<bool> unmap(uint32_t sb, Destaged part);

  Parts u_;
  Signal answered_;
  std::vector<uint32_t> targets_;  // allocated slots, by their place in the set
  uint32_t pending_ = 0;           // programs under way
  bool failed_ = false;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_GC_DESTAGER_H
