// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_GC_MOVER_H
#define OPENREMAP_FAST_GC_MOVER_H

#include <array>
#include <cstdint>
#include <vector>

#include "gc/gc_lookup.h"
#include "io/buffer_ram.h"
#include "map/allocator.h"
#include "map/lock.h"
#include "map/map_unit.h"
#include "map/superblock_table.h"
#include "nand/nand_scheduler.h"
#include "nand/page_gatherer.h"
#include "remap/remap_table.h"
#include "remap/unsaved.h"

namespace orm::fast {

struct GcBatchDone {
  uint32_t next = 0;    // first slot not looked at; slots_per_sb: all were
  bool lost = false;    // a slot with sharers stays: unreadable, unknown sharers, or `stop`
  bool stop = false;    // a program failed, or `full`: more copies would waste the target
  bool full = false;    // too few free segments for a slot's sharers: it and later slots stay
  uint32_t moved = 0;   // slots copied
  uint32_t shared = 0;  // of these, slots with more than one sharer
};

/// Copies the victim's live slots to the target, through a ring of `gc_moves` places. The steps of a slot, and their
/// reasons, are in hw/src/gc/GcMover.scala.
class GcMover {
 public:
  struct Parts {
    Simulation &sim;
    const Params &p;
    MapUnit &map;
    RemapTable &table;
    Allocator &allocator;
    const SuperblockTable &superblocks;
    NandScheduler &nand;
    PageGatherer &pages;       // for the copies
    PageGatherer &host_pages;  // may still hold a slot that is to be read
    BufferRam &buffers;
    Unsaved &unsaved;
    Counters &counters;
  };
  explicit GcMover(const Parts &parts) : u_(parts), changed_(parts.sim), lookup_(parts.p), ring_(parts.p.k.gc_moves) {
    in_stages_[size_t(Stage::kFree)] = uint32_t(ring_.size());
  }

  /// Sharers of the victim's slots; filled by GcEngine::load().
  GcLookup &lookup() { return lookup_; }
  /// Moves slots from `from` on. While a client waits for `share_lock` it stops after `gc_moves` slots.
  Task<GcBatchDone> move(uint32_t sb, uint32_t from, const LockArbiter &share_lock);
  void nand_done(const NandDone &done);

 private:
  /// Stage of a slot. `kJudged`: its programs are under way, or it has none.
  enum class Stage { kFree, kReading, kRead, kJudged, kAppended, kDurable };
  /// One place of the ring. Its buffer is gc_buf_base + the index of the place.
  struct Slot {
    Stage stage = Stage::kFree;
    uint32_t left = 0;  // programs under way
    uint32_t offset = 0;
    bool read_ok = false;
    bool oob_good = false;
    uint32_t lpn = 0;  // from the spare area, as `seq`
    uint64_t seq = 0;
    bool copied = false;  // programmed to `target`
    uint32_t others = 0;  // once `copied`: sharers that the copy's spare area does not name
    uint32_t target = 0;
    uint32_t owner = 0;  // LPN that the copy's spare area names
    uint32_t owner_lpn = 0;
    uint64_t owner_seq = 0;
  };

  uint32_t source(const Slot &s) const { return u_.p.slot_at(sb_, s.offset); }
  uint32_t after(uint32_t place) const { return (place + 1) % uint32_t(ring_.size()); }
  void enter(Slot &s, Stage stage);
  uint32_t in_stage(Stage stage) const { return in_stages_[size_t(stage)]; }
  bool some(Stage stage) const { return in_stage(stage) != 0; }
  bool over() const;
  bool stuck() const;
  bool closes() const;
  Process read_slots();
  Task<bool> work();
  Task<bool> judge_next();
  Task<bool> append_next();
  Task<bool> repoint_next();
  Task<bool> judge(Slot &s, uint32_t place);
  Task<bool> has_space(uint32_t sharers);
  Task<bool> copy(Slot &s, uint32_t place, uint32_t sharers);
  Task<bool> ask_read(NandRequest request);
  Task<bool> ask_program(NandRequest request, Slot &s);

  Parts u_;
  Signal changed_;  // a NAND operation ended, a place is free, or the reads are over
  GcLookup lookup_;
  std::vector<Slot> ring_;
  std::array<uint32_t, 6> in_stages_{};  // number of places by stage
  // Next place to read into, to judge, to append entries of, and to re-point.
  uint32_t read_at_ = 0, judge_at_ = 0, append_at_ = 0, repoint_at_ = 0;
  uint32_t sb_ = 0;
  uint32_t taken_ = 0;  // slots taken into the ring since the start
  const LockArbiter *share_lock_ = nullptr;
  bool reads_over_ = false;
  Process reader_;
  GcBatchDone result_;
  uint32_t last_slot_ = 0;  // newest slot that was allocated
  // Entries that were counted against the chain of the target's superblock, and are not appended yet.
  uint32_t promised_to_ = 0;
  uint32_t promised_ = 0;
  bool settles_ = false;  // the next slot to judge waits until all such entries are appended
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_GC_MOVER_H
