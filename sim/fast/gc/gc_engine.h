// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_GC_ENGINE_H
#define OPENREMAP_FAST_GC_ENGINE_H

#include <cstdint>

#include "gc/gc_compactor.h"
#include "gc/gc_destager.h"
#include "gc/gc_erase.h"
#include "gc/gc_mover.h"
#include "map/lock.h"
#include "remap/chain_walk.h"

namespace orm::fast {

struct GcOutcome {
  uint32_t sb = 0;
  bool chain = false;    // of a compaction or destaging
  bool ok = false;       // false: the victim stays (refused, full, or a NAND operation failed)
  bool refused = false;  // victim neither closed nor bad; or nothing to gain from its chain
  bool full = false;     // too few free segments for the next slot's sharers, or a new chain
  uint32_t moved = 0;
  uint32_t shared = 0;
  uint32_t segments = 0;  // given back by a compaction or destaging
};

/// Collects superblocks (hw/src/gc/GcEngine.scala, GcLoader.scala). A collection moves the victim's live slots under
/// the shareLock, which it releases from time to time for a waiting remap, then erases the victim. The next victim may
/// be moved while one is erased.
class GcEngine final : public NandListener {
 public:
  GcEngine(const GcMover::Parts &parts, Journal &journal, Allocator &allocator, SuperblockTable &superblocks,
           ProgramTracker &tracker, const ReadWindow &window, SeqCounter &seq, LockArbiter &map_lock,
           LockArbiter &share_lock)
      : u_(parts),
        superblocks_(superblocks),
        share_lock_(share_lock),
        left_(parts.sim),
        mover_(parts),
        eraser_({parts.sim, parts.p, parts.nand, journal, parts.table, allocator, superblocks, tracker, window,
                 parts.counters}),
        compactor_({parts.sim, parts.p, parts.table, journal, superblocks, tracker, parts.counters}),
        walk_({parts.sim, parts.p, parts.map, parts.table, superblocks, parts.nand, parts.buffers, parts.counters}),
        destager_({parts.sim, parts.p, parts.map, parts.table, allocator, superblocks, parts.pages, parts.buffers,
                   journal, tracker, seq, map_lock, parts.counters}) {}

  /// Moves the victim's slots. Ends after the previous victim has been given back. If the result is `ok` the caller
  /// must call give_back(); otherwise the result is the outcome of the collection.
  Task<GcOutcome> collect(uint32_t sb);
  /// Erases a victim that collect() has emptied; with `retire` it is then out of use. False: the erase failed.
  Task<bool> give_back(uint32_t sb, bool retire = false);
  /// Compacts the superblock's chain in the remap table; the data stays in place.
  Task<GcOutcome> compact(uint32_t sb);
  /// As compact(), but the live entries of the chain go to flash.
  Task<GcOutcome> destage(uint32_t sb);
  void nand_done(const NandDone &done) override;

 private:
  struct Loaded {
    bool ok = false;     // false: an unreadable destaged part, so some sharers are unknown
    uint32_t found = 0;  // entries that the chain has
  };
  Task<Loaded> load(uint32_t sb, uint32_t from, bool all);
  Task<GcOutcome> move(uint32_t sb);

  GcMover::Parts u_;
  SuperblockTable &superblocks_;
  LockArbiter &share_lock_;
  bool leaving_ = false;  // a victim that was emptied is being erased
  Signal left_;
  GcMover mover_;
  GcErase eraser_;
  GcCompactor compactor_;
  ChainWalk walk_;
  GcDestager destager_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_GC_ENGINE_H
