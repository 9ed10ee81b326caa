// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_REMAP_TABLE_H
#define OPENREMAP_FAST_REMAP_TABLE_H

#include <cstdint>
#include <deque>
#include <vector>

#include "fw/counters.h"
#include "lib/nvram_port.h"
#include "lib/process.h"
#include "map/lock.h"
#include "map/superblock_table.h"
#include "top/params.h"

namespace orm::fast {

struct ChainEntry {
  uint32_t sb = 0;
  uint32_t offset = 0;
  uint32_t lpn = 0;
  uint64_t seq = 0;
};

/// The destaged part of a chain, which is in flash.
struct Destaged {
  uint32_t set = 0;  // its set of slots (Params::destage_lpn_of), 1 or 2; 0: there is none
  uint32_t slots = 0;
  uint32_t segments = 0;  // segments that its entries would fill in NVRAM
};

enum class RemapTableUser : uint8_t { kRemapEngine, kGc };

/// The remap table: chains of NVRAM segments, one chain a superblock (hw/src/remap/RemapTable.scala). It does one
/// operation at a time.
class RemapTable {
 public:
  RemapTable(Simulation &sim, const Params &p, NvramPort &nvram, const SuperblockTable &table, Counters &counters);

  /// Appends an entry. The caller must have checked for room (capacity()), so an append is never refused.
  Task<bool> append(ChainEntry entry);
  /// Returns when all appends are durable.
  Task<bool> drained();
  bool is_drained() const { return in_flight_ == 0; }

  struct Capacity {
    uint32_t segments;  // new segments that the entries take
    bool fits;          // the chain, destaged part included, stays within segments_per_chain
    uint32_t free;      // segments that this user may take
  };
  Capacity capacity(RemapTableUser user, uint32_t sb, uint32_t entries) const;

  /// Reads the chain's entries that pass CRC and generation, newest segment first.
  Task<std::vector<ChainEntry>> walk(uint32_t sb);
  /// Frees the chain of an erased superblock, its destaged part included. The new generation must be durable.
  Task<bool> free_chain(uint32_t sb);

  /// Compaction: set_aside() puts a superblock's chain aside for a new one, drop_old() then frees it.
  Task<bool> set_aside(uint32_t sb);
  Task<bool> drop_old();

  /// Segments of the chain in NVRAM.
  uint32_t segments(uint32_t sb) const { return chains_[sb].count; }
  const Destaged &destaged(uint32_t sb) const { return parts_[sb]; }
  /// Records the destaged part of a chain; at start-up firmware does so after it has loaded the chain.
  void place(uint32_t sb, const Destaged &part);
  uint32_t free_segments() const { return uint32_t(pool_.size()); }
  /// Minimum of free segments since watch_free(); kNoLeast before it.
  uint32_t least_free() const { return least_; }
  void watch_free() {
    watching_ = true;
    least_ = free_segments();
  }
  static constexpr uint32_t kNoLeast = 0xFFFF;
  // Start-up: firmware loads the chains and free segments that it found in NVRAM.
  void load_chain(uint32_t sb, uint32_t tail, uint32_t fill, uint32_t count);
  void load_link(uint32_t seg, uint32_t prev);
  void load_free(uint32_t seg);

 private:
  struct Chain {
    uint32_t tail = 0;
    uint32_t fill = 0;   // entries used in the tail segment
    uint32_t count = 0;  // segments of the chain; 0: no chain
  };
  Task<bool> release(Chain *c);
  uint32_t address(uint32_t seg, uint32_t item) const;
  void new_segment(uint32_t sb);
  void read_segment(uint32_t sb, const Chain &c, std::vector<ChainEntry> *out);

  Simulation &sim_;
  const Params &p_;
  NvramPort &nvram_;
  const SuperblockTable &table_;
  Counters &counters_;
  Turn turn_;
  std::vector<Chain> chains_;
  std::vector<Destaged> parts_;
  Chain aside_;
  std::vector<uint32_t> prev_;
  std::deque<uint32_t> pool_;
  bool watching_ = false;
  uint32_t least_ = kNoLeast;
  uint32_t in_flight_ = 0;  // writes that NVRAM has not answered yet
  uint32_t last_ = 0;       // superblock of the last entry
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_REMAP_TABLE_H
