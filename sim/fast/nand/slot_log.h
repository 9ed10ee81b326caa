// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_SLOT_LOG_H
#define OPENREMAP_FAST_SLOT_LOG_H

#include <cstdint>
#include <vector>

#include "dram_model.h"
#include "nand_types.h"
#include "top/params.h"

namespace orm::fast {

/// Logs the spare areas of a superblock in DRAM, from which firmware makes its summary (hw/src/nand/SlotLog.scala). It
/// sees the programs of host and GC slot by slot, before their pages are gathered, and the answers. A superblock that
/// is opened while no log is free gets none; nothing waits for a log. Superblocks without a summary have no logs.
///
/// The RTL also waits for the answers of DRAM. Here a record is in DRAM at once, since it would be there long before
/// the slot is programmed.
class SlotLog {
 public:
  /// A log that is due: its superblock is closed and all its programs have landed. `valid` false: there is none.
  struct Due {
    bool valid = false;
    uint32_t sb = 0;
    uint32_t log = 0;
    uint8_t stream = 0;  // stream of the last slot that was programmed
  };

  SlotLog(const Params &p, DramModel &dram) : p_(p), dram_(dram), logs_(p.slot_logs) {}

  // Called by the Allocator.
  void opened(uint32_t sb);
  void closed(uint32_t sb, bool whole);
  /// A program of the slot was requested, with this spare area.
  void programs(uint32_t slot, const uint8_t *spare);
  void programmed(uint32_t slot, NandStatus status);

  bool is_due() const { return due_ != 0; }
  /// The due log with the lowest number.
  Due due() const;
  /// Firmware releases the log.
  void release(uint32_t log);

 private:
  enum class State : uint8_t { kFree, kFilling, kEnding, kDue };
  struct Log {
    State state = State::kFree;
    bool spoiled = false;  // a program failed, or the superblock was ended early: never due
    uint8_t stream = 0;
    uint32_t sb = 0;
    uint32_t open = 0;  // programs under way
  };

  /// The log of a superblock that is being filled or whose programs are under way; null: none.
  Log *find(uint32_t sb);
  void settle(Log *log);

  const Params &p_;
  DramModel &dram_;
  std::vector<Log> logs_;
  uint32_t due_ = 0;  // number of logs that are due
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_SLOT_LOG_H
