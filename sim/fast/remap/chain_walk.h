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
  bool ok = true;  // false: a destaged slot is unreadable or foreign, and entries are missing
  std::vector<ChainEntry> entries;
};

/// Reads all entries of a chain for GC (hw/src/remap/ChainWalk.scala): first the destaged part from flash, then the
/// segments in NVRAM. The destaged slots are read in parallel, into GC's buffers.
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

  /// With `all` the destaged part is read, too; otherwise only the segments in NVRAM.
  Task<ChainWalked> walk(uint32_t sb, bool all);
  /// Takes the answers of the reads that this unit requested.
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
