// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_FW_REGS_H
#define OPENREMAP_FAST_FW_REGS_H

#include <cstdint>
#include <deque>
#include <iterator>

#include "fw/counters.h"
#include "fw/fw_dma.h"
#include "fw/fw_nand.h"
#include "gc/gc_engine.h"
#include "io/program_tracker.h"
#include "map/allocator.h"
#include "map/seq_counter.h"
#include "map/superblock_table.h"
#include "nand/slot_log.h"
#include "nvme/command_router.h"
#include "nvme/cq_post.h"
#include "nvme/irq_coalescer.h"
#include "nvme/nvme_regs.h"
#include "nvme/sq_fetch.h"
#include "remap/journal.h"
#include "remap/remap_starter.h"
#include "remap/remap_table.h"

namespace orm::fast {

/// The firmware's register window (hw/src/fw/FwRegs.scala). Reads query the units. Writes that start an engine start a
/// process. Starting an engine that is busy is a firmware bug, and stops the model.
class FwRegs {
 public:
  struct Parts {
    Simulation &sim;
    const Params &p;
    NvmeRegs &nvme;
    SqFetch &fetch;
    CqPost &post;
    IrqCoalescer &irq;
    Fifo<FetchedCommand> &mailbox;
    CommandRouter &router;
    FwDma &dma;
    RemapStarter &remap;
    GcEngine &gc;
    FwNand &nand;
    ProgramTracker &tracker;
    SuperblockTable &superblocks;
    Allocator &allocator;
    SlotLog &log;
    SeqCounter &seq;
    Journal &journal;
    RemapTable &table;
    Counters &counters;
  };
  explicit FwRegs(const Parts &parts) : u_(parts) {}

  uint32_t read(uint32_t offset);
  void write(uint32_t offset, uint32_t value);

  /// Records an event of IRQ_STATUS; `mask` is its bit.
  void raise(uint32_t mask) { events_ |= mask; }
  /// Called when a Copy has taken effect without the firmware.
  void remapped() {
    if (u_.table.free_segments() < seg_low_) raise(ORM_FW_IRQ_STATUS_SEG_LOW_MASK);
  }
  /// Level of the firmware interrupt. It is evaluated after every event, so the level-triggered sources are computed
  /// only when one of them is enabled.
  bool interrupt() const {
    return (events_ & irq_enable_) != 0 || ((irq_enable_ & kLevels) != 0 && (irq_enable_ & status()) != 0);
  }

 private:
  static constexpr uint32_t kLevels = ORM_FW_IRQ_STATUS_CMD_AVAIL_MASK | ORM_FW_IRQ_STATUS_NAND_DONE_MASK |
                                      ORM_FW_IRQ_STATUS_FREE_LOW_MASK | ORM_FW_IRQ_STATUS_JOURNAL_HIGH_MASK |
                                      ORM_FW_IRQ_STATUS_LOG_DUE_MASK;

  uint32_t status() const {
    uint32_t s = events_;
    if (!u_.mailbox.empty()) s |= ORM_FW_IRQ_STATUS_CMD_AVAIL_MASK;
    if (u_.nand.outcome() != nullptr) s |= ORM_FW_IRQ_STATUS_NAND_DONE_MASK;
    if (u_.allocator.free() < free_low_) s |= ORM_FW_IRQ_STATUS_FREE_LOW_MASK;
    if (u_.journal.used() > journal_high_) s |= ORM_FW_IRQ_STATUS_JOURNAL_HIGH_MASK;
    if (u_.log.is_due()) s |= ORM_FW_IRQ_STATUS_LOG_DUE_MASK;
    return s;
  }
  uint32_t constant(uint32_t offset, bool *known) const;
  uint32_t nand_status() const;
  uint32_t gc_status() const;
  uint32_t sb_state() const;
  uint32_t sb_destaged() const;
  uint32_t log_status() const;
  bool io_quiet() const;
  uint32_t queue_inside() const;
  void define_queue(uint32_t go);
  void complete(uint32_t value);
  bool write_start_up(uint32_t offset, uint32_t value);
  void start_dma(uint32_t value);
  void start_remap(uint32_t value);
  void start_gc(uint32_t value);
  void start_fence();
  Process run_dma(FwDmaRequest request);
  Process run_remap(RemapDescriptor command);
  Process run_gc(uint32_t sb, bool chain, bool destage, bool retire);
  bool gc_room() const { return !gc_moving_ && gc_started_ - gc_dropped_ < std::size(gc_); }
  GcOutcome gc_oldest() const { return gc_outcomes_.empty() ? GcOutcome{} : gc_outcomes_.front(); }
  Process run_fence();

  Parts u_;
  uint32_t events_ = 0;
  uint32_t irq_enable_ = 0;
  uint32_t queue_id_ = 0, queue_entries_ = 0;
  uint64_t queue_base_ = 0;
  uint32_t cpl_dw0_ = 0, cpl_qid_ = 0;
  FwDmaRequest dma_request_;
  uint32_t nand_buffer_ = 0;
  bool dma_busy_ = false;
  NvmeStatus dma_status_ = kSuccess;
  uint32_t remap_list_ = 0;
  bool remap_busy_ = false;
  RemapOutcome remap_last_;
  uint32_t remap_seq_high_ = 0;
  bool gc_moving_ = false;   // the newest operation is before its erase, and has no outcome
  uint32_t gc_started_ = 0;  // operations started; at most two are under way or have an untaken outcome
  uint32_t gc_dropped_ = 0;
  std::deque<GcOutcome> gc_outcomes_;
  bool fence_busy_ = false;
  uint32_t sb_select_ = 0, sb_gen_ = 0, sb_epoch_ = 0;
  uint32_t free_low_ = ORM_FW_FREE_LOW_RESET;
  uint32_t alloc_stream_ = 0;
  uint32_t seq_lo_ = 0, seq_high_ = 0;
  uint32_t journal_high_ = ORM_FW_JOURNAL_HIGH_RESET;
  uint32_t seg_low_ = ORM_FW_SEG_LOW_RESET;
  uint32_t chain_sb_ = 0;
  uint32_t counter_index_ = 0, counter_high_ = 0;
  Process dma_, remap_, gc_[2], fence_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_FW_REGS_H
