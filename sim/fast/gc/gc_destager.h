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
  bool ok = false;        // false: the chain is as it was
  bool refused = false;   // because nothing of it is in NVRAM, or its epoch is the last
  uint32_t segments = 0;  // given back
};

/// Writes what is live of a superblock's chain to slots of GC's stream, in the order of hw/src/gc/GcDestager.scala, which says
/// why.
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

  /// `lookup` has what is live of the chain, its destaged part included.
  Task<DestageOutcome> destage(uint32_t sb, const GcLookup &lookup);
  /// The superblock was emptied: unmaps its set, if it has one.
  Task<bool> forget(uint32_t sb);
  /// Of the programs asked for here.
  void nand_done(const NandDone &done);

 private:
  Task<bool> write_slots(uint32_t sb, const GcLookup &lookup, Destaged fresh);
  Task<bool> fill_buffers(uint32_t sb, const GcLookup &lookup, uint32_t slots);
  Task<bool> unmap(uint32_t sb, Destaged part);

  Parts u_;
  Signal answered_;
  std::vector<uint32_t> targets_;  // slots taken, in order of their place in the set
  uint32_t pending_ = 0;           // programs under way
  bool failed_ = false;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_GC_DESTAGER_H
