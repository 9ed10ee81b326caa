// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_REMAP_ENGINE_H
#define OPENREMAP_FAST_REMAP_ENGINE_H

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "fw/counters.h"
#include "io/program_tracker.h"
#include "map/lock.h"
#include "map/map_unit.h"
#include "map/seq_counter.h"
#include "orm_formats.h"
#include "orm_regs.h"
#include "remap/journal.h"
#include "remap/remap_cursor.h"
#include "remap/remap_table.h"
#include "remap/unsaved.h"

namespace orm::fast {

/// Clients of the two locks, in round-robin order.
enum MapLockClient : unsigned { kMapLockRemap, kMapLockTrim, kMapLockWrite, kMapLockGc };
enum ShareLockClient : unsigned { kShareLockRemap, kShareLockGc };

struct RemapDescriptor {
  uint32_t list = 0;  // in DRAM: `ranges` records, checked by firmware
  uint32_t ranges = 0;
  bool move = false;
  bool copy = false;
  const orm_remap_range *given = nullptr;  // instead of `list`: the ranges of a Copy
};

struct RemapOutcome {
  orm_remap_result result = ORM_REMAP_RESULT_OK;
  uint32_t range = 0;  // index of the range that failed
  uint32_t pages = 0;  // LPNs whose mapping changed
};

/// Executes one remap command, all of it or nothing. The steps, and their reasons, are in
/// hw/src/remap/RemapEngine.scala.
class RemapEngine {
 public:
  struct Parts {
    Simulation &sim;
    const Params &p;
    const DramModel &dram;
    MapUnit &map;
    RemapTable &table;
    Journal &journal;
    SeqCounter &seq;
    ProgramTracker &tracker;
    Unsaved &unsaved;
    LockArbiter &share_lock;
    LockArbiter &map_lock;
    Counters &counters;
  };
  explicit RemapEngine(const Parts &parts)
      : u_(parts), cursor_(parts.p, parts.dram), fence_(parts.sim, parts.tracker, parts.unsaved.changed) {}

  Task<RemapOutcome> execute(RemapDescriptor command);

 private:
  Task<bool> reserve();
  Task<bool> sources_programmed();
  Task<bool> check_pass();
  Task<bool> release_pass();
  Task<bool> append_pass();
  Task<bool> trim_moved_pass();
  Task<bool> link_pass();
  Task<bool> unmap_pass();
  Task<bool> write_trim(uint32_t lpn, uint32_t pages);
  bool has_room() const;

  // Trim records: one for each run of targets whose sources are unmapped (Copy), one for each source range of a MOVE.
  void begin_pass();
  bool run_begins(bool mapped) const;
  void count_run(bool mapped);

  Parts u_;
  RemapCursor cursor_;
  FenceWatch fence_;
  RemapDescriptor cmd_;
  RemapOutcome outcome_;
  struct Kept {
    bool mapped;
    uint32_t slot;
  };
  std::vector<Kept> kept_;                       // slots of the sources, by page
  std::unordered_map<uint32_t, uint32_t> need_;  // number of entries by superblock
  uint32_t trims_ = 0;
  uint32_t run_start_ = 0, run_ = 0;
  uint64_t last_seq_ = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_REMAP_ENGINE_H
