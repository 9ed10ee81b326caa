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
  bool chain = false;    // of a compaction
  bool ok = false;       // false: the victim stays: refused, full, or a read, program or erase failed
  bool refused = false;  // the victim was neither closed nor bad; its chain has nothing to give back
  bool full = false;     // stopped: too few free segments for the sharers of the next slot, or a chain
  uint32_t moved = 0;
  uint32_t shared = 0;
  uint32_t segments = 0;  // given back by a compaction or destaging
};

/// Collects superblocks (hw/src/gc/GcEngine.scala, GcLoader.scala): moves under the shareLock, which is given up now and
/// then when a remap waits, then the erase. While one is erased the next one may be moved.
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

  /// Moves what it holds. If that ends `ok`, give_back() must follow; if it does not, that is the outcome. Ends when the
  /// victim before has been given back.
  Task<GcOutcome> collect(uint32_t sb);
  /// Erases a victim that has been moved, or retires it. False: the erase failed.
  Task<bool> give_back(uint32_t sb, bool retire = false);
  /// The chain of its sharers in the remap table; the data stays where it is.
  Task<GcOutcome> compact(uint32_t sb);
  /// As `compact`; what is live of the chain goes to flash.
  Task<GcOutcome> destage(uint32_t sb);
  void nand_done(const NandDone &done) override;

 private:
  struct Loaded {
    bool ok = false;     // false: a destaged part that cannot be read, so not all sharers are known
    uint32_t found = 0;  // entries that the chain has
  };
  Task<Loaded> load(uint32_t sb, uint32_t from, bool all);
  Task<GcOutcome> move(uint32_t sb);

  GcMover::Parts u_;
  SuperblockTable &superblocks_;
  LockArbiter &share_lock_;
  bool leaving_ = false;  // a victim has been moved, and is erased
  Signal left_;
  GcMover mover_;
  GcErase eraser_;
  GcCompactor compactor_;
  ChainWalk walk_;
  GcDestager destager_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_GC_ENGINE_H
