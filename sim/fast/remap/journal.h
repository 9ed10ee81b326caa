// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_JOURNAL_H
#define OPENREMAP_FAST_JOURNAL_H

#include <cstdint>

#include "lib/nvram_port.h"
#include "lib/process.h"
#include "map/lock.h"
#include "top/params.h"

namespace orm::fast {

/// The small records in NVRAM: trim ring, commit pointer, superblock generations, one write at a time
/// (hw/src/remap/Journal.scala). Each write is durable when it has been awaited.
class Journal {
 public:
  Journal(Simulation &sim, const Params &p, NvramPort &nvram) : moved(sim), p_(p), nvram_(nvram), turn_(sim) {}

  /// Room was seen before, under the mapLock.
  Task<bool> trim(uint32_t lpn, uint32_t pages, uint64_t seq);
  /// Asked only after everything that it covers was answered.
  Task<bool> commit(uint64_t seq);
  /// BlockRecord of the superblock.
  Task<bool> block(uint32_t sb, uint32_t gen, uint32_t epoch, uint32_t set);

  uint32_t head() const { return head_; }
  uint32_t used() const { return (head_ - tail_) & (p_.k.journal_records - 1); }
  uint32_t room() const { return p_.k.journal_records - 1 - used(); }
  void set_tail(uint32_t index);  // firmware: records before it are in the checkpoint
  void load(uint32_t index);      // start-up: the ring is empty

  Signal moved;  // `used` has changed

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
