// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_CHAIN_WALK_H
#define OPENREMAP_FAST_CHAIN_WALK_H

#include <cstdint>
#include <vector>

#include "io/buffer_ram.h"
#include "map/map_unit.h"
#include "map/superblock_table.h"
#include "nand/nand_scheduler.h"
#include "remap/remap_table.h"

namespace orm::fast {

struct ChainWalked {
  bool ok = true;  // false: a slot of the destaged part cannot be read, or holds something else; `entries` lacks some
  std::vector<ChainEntry> entries;
};

/// The entries of a chain for GC: those that GcDestager has written to flash, then RemapTable's walk over the segments
/// (hw/src/remap/ChainWalk.scala). The slots are read together, into GC's buffers.
class ChainWalk {
 public:
  struct Parts {
    Simulation &sim;
    const Params &p;
    MapUnit &map;
    RemapTable &table;
    const SuperblockTable &superblocks;
    NandScheduler &nand;
    BufferRam &buffers;
    Counters &counters;
  };
  explicit ChainWalk(const Parts &parts) : u_(parts), answered_(parts.sim) {}

  /// `all`: also the destaged part, else only the segments in NVRAM.
  Task<ChainWalked> walk(uint32_t sb, bool all);
  /// Of the reads asked for here.
  void nand_done(const NandDone &done);

 private:
  Task<bool> read_slots(uint32_t sb, Destaged part);
  bool read_entries(uint32_t sb, const Destaged &part, uint32_t index, std::vector<ChainEntry> *out);

  Parts u_;
  Signal answered_;
  uint32_t pending_ = 0;  // reads under way
  bool failed_ = false;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_CHAIN_WALK_H
