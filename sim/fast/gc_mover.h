// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_GC_MOVER_H
#define OPENREMAP_FAST_GC_MOVER_H

#include <cstdint>
#include <vector>

#include "allocator.h"
#include "buffer_ram.h"
#include "gc_lookup.h"
#include "map_unit.h"
#include "nand_scheduler.h"
#include "page_gatherer.h"
#include "remap_table.h"
#include "superblock_table.h"

namespace orm::fast {

struct GcBatchDone {
  uint32_t next = 0;    // first slot that was not looked at; slots_per_sb: none is left
  bool lost = false;    // a slot with sharers stays where it is: unreadable, or nobody names them
  bool stop = false;    // a program failed, or `full`: going on would waste more of the target
  bool full = false;    // too few free segments for the sharers of a slot: it and those after it stay
  uint32_t moved = 0;   // slots copied
  uint32_t shared = 0;  // of these, slots with more than one sharer
};

/// Moves the next up to `gc_buffers` slots of the victim that have sharers, in the steps of hw/src/GcMover.scala.
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
    Counters &counters;
  };
  explicit GcMover(const Parts &parts)
      : u_(parts), answered_(parts.sim), lookup_(parts.p), batch_(parts.p.k.gc_buffers) {}

  /// Who shares the victim's slots; filled by GcLoader.
  GcLookup &lookup() { return lookup_; }
  Task<GcBatchDone> move(uint32_t sb, uint32_t from);
  void nand_done(const NandDone &done);

 private:
  /// One slot of the batch; its buffer is gc_buf_base + its index.
  struct Slot {
    uint32_t offset = 0;
    bool read_ok = false;
    bool oob_good = false;
    uint32_t lpn = 0;  // OOB
    uint64_t seq = 0;
    bool copied = false;  // programmed to `target`
    bool shared = false;  // had more than one sharer
    uint32_t target = 0;
    uint32_t owner = 0;  // whose identity the copy has
    uint32_t owner_lpn = 0;
    uint64_t owner_seq = 0;
  };

  uint32_t source(const Slot &s) const { return u_.p.slot_at(sb_, s.offset); }
  Task<bool> read_slots();
  Task<bool> judge(uint32_t i);
  bool has_space(uint32_t sharers) const;
  Task<bool> copy(uint32_t i, uint32_t sharers);
  Task<bool> append_sharers(const Slot &s);
  Task<bool> repoint(const Slot &s);
  Task<bool> ask_read(NandRequest request);
  Task<bool> ask_program(NandRequest request);

  Parts u_;
  Signal answered_;
  GcLookup lookup_;
  std::vector<Slot> batch_;
  uint32_t filled_ = 0;
  uint32_t sb_ = 0;
  uint32_t pending_ = 0;  // NAND requests under way
  GcBatchDone result_;
  // What this batch will append to the superblock of its target.
  bool any_promised_ = false;
  uint32_t promised_to_ = 0;
  uint32_t promised_ = 0;
  // Segments that the batch will take: of `promised_to_`, and of the targets before it.
  uint32_t segments_ = 0;
  uint32_t segments_before_ = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_GC_MOVER_H
