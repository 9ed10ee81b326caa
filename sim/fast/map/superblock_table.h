// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_SUPERBLOCK_TABLE_H
#define OPENREMAP_FAST_SUPERBLOCK_TABLE_H

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "top/params.h"

namespace orm::fast {

enum class SbState : uint8_t { kFree, kOpen, kClosed, kBad };

/// On-chip state of each superblock: VALID, generation, chain epoch, state and flags
/// (hw/src/map/SuperblockTable.scala).
class SuperblockTable {
 public:
  static constexpr uint32_t kLastEpoch = UINT16_MAX;
  struct Record {
    uint32_t gen = 0;
    uint32_t valid = 0;  // slots with REF > 0
    SbState state = SbState::kBad;
    uint32_t epoch = 0;   // epoch of its chain in the remap table
    bool failed = false;  // a program in it has failed since its erase
    bool weak = false;    // a read of it was marginal: near the ECC limit, or with a retry
  };

  explicit SuperblockTable(const Params &p) : p_(p), records_(p.superblocks) {}

  const Record &operator[](uint32_t sb) const { return records_[sb]; }
  void gain(uint32_t sb);
  void lose(uint32_t sb);
  void opened(uint32_t sb);
  void closed(uint32_t sb);
  void erased(uint32_t sb);                     // generation + 1, epoch 0, free
  void retired(uint32_t sb);                    // the same, but bad
  void compacted(uint32_t sb);                  // epoch + 1
  void set(uint32_t sb, const Record &record);  // firmware, at start-up
  void program_failed(uint32_t sb);
  void read_weakly(uint32_t sb) { records_[sb].weak = true; }
  void on_failure(std::function<void()> tell) { tell_ = std::move(tell); }

 private:
  const Params &p_;
  std::vector<Record> records_;
  std::function<void()> tell_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_SUPERBLOCK_TABLE_H
