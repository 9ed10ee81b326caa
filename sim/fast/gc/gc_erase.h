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

/// Open while a read is between its L2P look-up and the acceptance of its NAND request. An erase must wait until it is
/// closed, or it could destroy the slot that the read has looked up.
class ReadWindow {
 public:
  explicit ReadWindow(Simulation &sim) : closed(sim) {}
  /// Called by each reader as it enters (true) and leaves (false).
  void set(bool open) {
    inside_ += open ? 1 : -1;
    if (inside_ == 0) closed.notify();
  }
  bool open() const { return inside_ != 0; }
  mutable Signal closed;

 private:
  int inside_ = 0;
};

/// Ends a collection: erases an emptied superblock and returns it to the allocator. The crash-safe order of the steps,
/// and its reasons, are in hw/src/gc/GcErase.scala.
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

  /// False: the erase failed. With `retire` the superblock does not return to the allocator.
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
