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
  uint32_t next = 0;    // first slot that was not looked at; slots_per_sb: none is left
  bool lost = false;    // a slot with sharers stays where it is: unreadable, or nobody names them, or `stop`
  bool stop = false;    // a program failed, or `full`: going on would waste more of the target
  bool full = false;    // too few free segments for the sharers of a slot: it and those after it stay
  uint32_t moved = 0;   // slots copied
  uint32_t shared = 0;  // of these, slots with more than one sharer
};

/// Moves the victim's slots that have sharers through a ring of `gc_buffers` places, in the steps of
/// hw/src/gc/GcMover.scala, which says why.
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
    PageGatherer &pages;       // of the copies
    PageGatherer &host_pages;  // where a slot that is to be read may still be
    BufferRam &buffers;
    Unsaved &unsaved;
    Counters &counters;
  };
  explicit GcMover(const Parts &parts) : u_(parts), changed_(parts.sim), lookup_(parts.p), ring_(parts.p.k.gc_buffers) {
    in_stages_[size_t(Stage::kFree)] = uint32_t(ring_.size());
  }

  /// Who shares the victim's slots; filled by GcLoader.
  GcLookup &lookup() { return lookup_; }
  /// From slot `from` on; while somebody waits for `share_lock` as many slots as there are places.
  Task<GcBatchDone> move(uint32_t sb, uint32_t from, const LockArbiter &share_lock);
  void nand_done(const NandDone &done);

 private:
  /// How far a slot has come. `kJudged`: its programs are under way, or it has none.
  enum class Stage { kFree, kReading, kRead, kJudged, kAppended, kDurable };
  /// One slot in the ring; its buffer is gc_buf_base + its place.
  struct Slot {
    Stage stage = Stage::kFree;
    uint32_t left = 0;  // programs under way
    uint32_t offset = 0;
    bool read_ok = false;
    bool oob_good = false;
    uint32_t lpn = 0;  // OOB
    uint64_t seq = 0;
    bool copied = false;  // programmed to `target`
    uint32_t others = 0;  // sharers but the one that the copy's spare names, once it is `copied`
    uint32_t target = 0;
    uint32_t owner = 0;  // whose identity the copy has
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
  Signal changed_;  // a NAND operation has ended, a place is free, the reads are over
  GcLookup lookup_;
  std::vector<Slot> ring_;
  std::array<uint32_t, 6> in_stages_{};  // places of the ring, by their stage
  // Next place: to read into, to judge, to append of, to re-point.
  uint32_t read_at_ = 0, judge_at_ = 0, append_at_ = 0, repoint_at_ = 0;
  uint32_t sb_ = 0;
  uint32_t taken_ = 0;  // slots since the start
  const LockArbiter *share_lock_ = nullptr;
  bool reads_over_ = false;
  Process reader_;
  GcBatchDone result_;
  uint32_t last_slot_ = 0;  // that was allocated
  // What has been promised to the superblock of a target, and not yet been appended.
  uint32_t promised_to_ = 0;
  uint32_t promised_ = 0;
  bool settles_ = false;  // the next slot to judge waits until all promises have been kept
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_GC_MOVER_H
