// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_JOURNAL_H
#define OPENREMAP_FAST_JOURNAL_H

#include <cstdint>

#include "lib/nvram_port.h"
#include "lib/process.h"
#include "map/lock.h"
#include "top/params.h"

namespace orm::fast {

/// The small records in NVRAM: trim ring, commit pointer, BlockRecords (hw/src/remap/Journal.scala). It does one write
/// at a time. A write is durable when its `co_await` returns.
class Journal {
 public:
  Journal(Simulation &sim, const Params &p, NvramPort &nvram) : moved(sim), p_(p), nvram_(nvram), turn_(sim) {}

  /// Appends a trim record. The caller must have checked for room under the mapLock.
  Task<bool> trim(uint32_t lpn, uint32_t pages, uint64_t seq);
  /// Moves the commit pointer. All records that it covers must be durable.
  Task<bool> commit(uint64_t seq);
  /// Writes the BlockRecord of the superblock.
  Task<bool> block(uint32_t sb, uint32_t gen, uint32_t epoch, uint32_t set);

  uint32_t head() const { return head_; }
  uint32_t used() const { return (head_ - tail_) & (p_.k.journal_records - 1); }
  uint32_t room() const { return p_.k.journal_records - 1 - used(); }
  void set_tail(uint32_t index);  // by firmware: earlier records are in the checkpoint
  void load(uint32_t index);      // at start-up: the ring is empty

  Signal moved;  // used() has changed

 private:
  const Params &p_;
  NvramPort &nvram_;
  Turn turn_;
  uint32_t head_ = 0;
  uint32_t tail_ = 0;
  uint64_t committed_ = 0;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_JOURNAL_H
