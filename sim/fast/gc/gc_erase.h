// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_GC_ERASE_H
#define OPENREMAP_FAST_GC_ERASE_H

#include <cstdint>

#include "io/program_tracker.h"
#include "map/allocator.h"
#include "map/superblock_table.h"
#include "nand/nand_scheduler.h"
#include "remap/journal.h"
#include "remap/remap_table.h"

namespace orm::fast {

/// Open while a read is between its lookup and the acceptance of its NAND request: an erase must not overtake it.
class ReadWindow {
 public:
  explicit ReadWindow(Simulation &sim) : closed(sim) {}
  /// By each reader that is in between.
  void set(bool open) {
    inside_ += open ? 1 : -1;
    if (inside_ == 0) closed.notify();
  }
  bool open() const { return inside_ != 0; }
  mutable Signal closed;

 private:
  int inside_ = 0;
};

/// The end of a collection: destroys an emptied superblock and gives it back, in the order of hw/src/gc/GcErase.scala,
/// which says why.
class GcErase {
 public:
  struct Parts {
    Simulation &sim;
    const Params &p;
    NandScheduler &nand;
    Journal &journal;
    RemapTable &table;
    Allocator &allocator;
    SuperblockTable &superblocks;
    ProgramTracker &tracker;
    const ReadWindow &window;
    Counters &counters;
  };
  explicit GcErase(const Parts &parts) : u_(parts), answered_(parts.sim) {}

  /// False: the erase failed. `retire`: it does not come back.
  Task<bool> erase(uint32_t sb, bool retire);
  void nand_done(const NandDone &done);

 private:
  Parts u_;
  Signal answered_;
  uint32_t pending_ = 0;
  bool failed_ = false;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_GC_ERASE_H
