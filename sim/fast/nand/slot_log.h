// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_SLOT_LOG_H
#define OPENREMAP_FAST_SLOT_LOG_H

#include <cstdint>
#include <vector>

#include "dram_model.h"
#include "nand_types.h"
#include "top/params.h"

namespace orm::fast {

/// What the spares of a superblock say, in DRAM: firmware makes its summary of that (hw/src/nand/SlotLog.scala). Sees the
/// programs of the host and of GC slot by slot, before their pages are gathered, and the answers. A superblock that is
/// opened while there is no log for it has none: nobody waits here. Superblocks without a summary have no logs.
///
/// The RTL also waits for DRAM's answers. Here a record is in DRAM at once: it would be there long before the slot is
/// programmed.
class SlotLog {
 public:
  /// A log whose superblock is closed and has all that was to go there; `valid` false: there is none.
  struct Due {
    bool valid = false;
    uint32_t sb = 0;
    uint32_t log = 0;
    uint8_t stream = 0;  // of the last slot that was programmed
  };

  SlotLog(const Params &p, DramModel &dram) : p_(p), dram_(dram), logs_(p.slot_logs) {}

  // The Allocator's.
  void opened(uint32_t sb);
  void closed(uint32_t sb, bool whole);
  /// A program of the slot is asked for, with this spare.
  void programs(uint32_t slot, const uint8_t *spare);
  void programmed(uint32_t slot, NandStatus status);

  bool is_due() const { return due_ != 0; }
  /// Of the lowest number.
  Due due() const;
  /// Firmware has no use for this one any more.
  void release(uint32_t log);

 private:
  enum class State : uint8_t { kFree, kFilling, kEnding, kDue };
  struct Log {
    State state = State::kFree;
    bool spoiled = false;  // a program failed, or the superblock was ended early: it will not be due
    uint8_t stream = 0;
    uint32_t sb = 0;
    uint32_t open = 0;  // programs that are under way
  };

  /// Of a superblock that is being filled, or whose programs are under way; null: it has none.
  Log *find(uint32_t sb);
  void settle(Log *log);

  const Params &p_;
  DramModel &dram_;
  std::vector<Log> logs_;
  uint32_t due_ = 0;  // logs that are
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_SLOT_LOG_H
