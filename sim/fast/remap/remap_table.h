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

/// The part of a chain that GcDestager has written to flash.
struct Destaged {
  uint32_t set = 0;  // its set of slots (Params::destage_lpn_of), 1 or 2; 0: there is none
  uint32_t slots = 0;
  uint32_t segments = 0;  // that its entries would fill
};

enum class RemapTableUser : uint8_t { kRemapEngine, kGc };

/// Chains of NVRAM segments, one chain per superblock (hw/src/remap/RemapTable.scala). One operation at a time.
class RemapTable {
 public:
  RemapTable(Simulation &sim, const Params &p, NvramPort &nvram, const SuperblockTable &table, Counters &counters);

  /// Room was checked before (capacity), so an append is never refused.
  Task<bool> append(ChainEntry entry);
  /// Waits until all appends are durable.
  Task<bool> drained();
  bool is_drained() const { return in_flight_ == 0; }

  struct Capacity {
    uint32_t segments;  // new ones that the entries take
    bool fits;          // the chain, its destaged part included, would not be longer than segments_per_chain
    uint32_t free;      // segments that this user may take
  };
  Capacity capacity(RemapTableUser user, uint32_t sb, uint32_t entries) const;

  /// The chain's entries that pass CRC and generation, newest segment first.
  Task<std::vector<ChainEntry>> walk(uint32_t sb);
  /// After the erase, and after the new generation is durable. Its destaged part is forgotten.
  Task<bool> free_chain(uint32_t sb);

  /// Compaction: a superblock's chain makes room for a new one; then what was set aside is free.
  Task<bool> set_aside(uint32_t sb);
  Task<bool> drop_old();

  /// In NVRAM.
  uint32_t segments(uint32_t sb) const { return chains_[sb].count; }
  const Destaged &destaged(uint32_t sb) const { return parts_[sb]; }
  /// This part of the chain is in flash now; firmware at start-up, after its chain was loaded.
  void place(uint32_t sb, const Destaged &part);
  uint32_t free_segments() const { return uint32_t(pool_.size()); }
  /// Fewest of them at a time since watch_free; before that kNoLeast.
  uint32_t least_free() const { return least_; }
  void watch_free() {
    watching_ = true;
    least_ = free_segments();
  }
  static constexpr uint32_t kNoLeast = 0xFFFF;
  // Start-up: firmware gives back what it found in NVRAM.
  void load_chain(uint32_t sb, uint32_t tail, uint32_t fill, uint32_t count);
  void load_link(uint32_t seg, uint32_t prev);
  void load_free(uint32_t seg);

 private:
  struct Chain {
    uint32_t tail = 0;
    uint32_t fill = 0;   // entries used in the tail
    uint32_t count = 0;  // segments; 0: no chain
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
  uint32_t in_flight_ = 0;  // writes that NVRAM has not answered
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_REMAP_TABLE_H
