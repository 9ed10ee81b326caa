// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_WRITE_ENGINE_H
#define OPENREMAP_FAST_WRITE_ENGINE_H

#include <cstdint>
#include <deque>
#include <vector>

#include "host/host_reader.h"
#include "io/buffer_ram.h"
#include "io/program_tracker.h"
#include "lib/fifo.h"
#include "map/allocator.h"
#include "map/lock.h"
#include "map/map_unit.h"
#include "map/seq_counter.h"
#include "map/superblock_table.h"
#include "nand/nand_scheduler.h"
#include "nand/page_gatherer.h"
#include "nvme/cq_post.h"
#include "nvme/nvme_command.h"
#include "remap/unsaved.h"

namespace orm::fast {

/// Executes Write and Flush (hw/src/io/WriteEngine.scala). The front fills buffers with the pages of the next command
/// while the back programs and maps those of the previous one. The back also saves pages whose program failed, by
/// programming them elsewhere.
class WriteEngine final : public NandListener {
 public:
  struct Parts {
    Simulation &sim;
    const Params &p;
    Fifo<IoCommand> &commands;
    CqPost &post;
    HostReader &host;
    BufferRam &buffers;
    BufferPool &pool;
    Allocator &allocator;
    LockArbiter &map_lock;
    SeqCounter &seq;
    MapUnit &map;
    PageGatherer &pages;
    ProgramTracker &tracker;
    SuperblockTable &superblocks;
    Unsaved &unsaved;
    Counters &counters;
  };
  explicit WriteEngine(const Parts &parts);

  /// Whether the back holds a slot that NAND has not accepted.
  bool busy() const { return has_slot_; }

  void nand_done(const NandDone &done) override;

 private:
  /// A page that the front has received, or the end of a command.
  struct Step {
    bool is_end = false;
    bool bad = false;  // page: its host data could not be read
    uint32_t buf = 0;
    uint32_t lpn = 0;
    IoCommand command;  // a page needs its placement handle
    NvmeStatus status = kSuccess;
  };

  Process front();
  Process back();
  /// A page on its way to flash; indexed by buffer.
  struct Flight {
    uint32_t lpn = 0;
    uint32_t handle = 0;
    uint64_t seq = 0;
    uint32_t slot = 0;
  };
  Task<bool> write_page(Step step);
  Task<bool> save_page();
  Task<bool> lock_with_slot();
  Task<bool> program(const Flight &flight, uint32_t buf, bool again);
  void closing(uint32_t first_of_page);
  Task<bool> finish(Step step);
  void land(uint32_t buf);

  Parts u_;
  Fifo<Step> steps_;
  std::vector<bool> epochs_;  // ProgramTracker's epoch of each buffer's program
  std::vector<Flight> flights_;
  std::deque<uint32_t> saves_;  // buffers of pages whose program failed
  bool lost_ = false;           // a page could not be saved, and no Flush or FUA reported it yet
  FenceWatch fence_;
  // State of the page that the back works on.
  AllocStream stream_ = AllocStream::kHost;
  Allocation to_;
  bool has_slot_ = false;
  bool waits_ = false;     // waits for the mapLock while holding slot `to_`
  bool saving_ = false;    // the slot is for a page whose program failed
  bool homeless_ = false;  // the slot of such a page had to be given up
  Process front_, back_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_WRITE_ENGINE_H
