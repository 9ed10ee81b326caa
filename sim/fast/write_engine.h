// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_WRITE_ENGINE_H
#define OPENREMAP_FAST_WRITE_ENGINE_H

#include <cstdint>
#include <vector>

#include "allocator.h"
#include "buffer_ram.h"
#include "cq_post.h"
#include "fifo.h"
#include "host_reader.h"
#include "lock.h"
#include "map_unit.h"
#include "nand_scheduler.h"
#include "nvme_command.h"
#include "page_gatherer.h"
#include "program_tracker.h"
#include "seq_counter.h"

namespace orm::fast {

/// Write and Flush (hw/src/WriteEngine.scala): the front fills buffers with the pages of the next command while the back
/// maps those of the last.
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
    Counters &counters;
  };
  explicit WriteEngine(const Parts &parts);

  void nand_done(const NandDone &done) override;

 private:
  /// A page that the front has received, or the end of a command.
  struct Step {
    bool is_end = false;
    bool bad = false;  // page: its data did not come
    uint32_t buf = 0;
    uint32_t lpn = 0;
    IoCommand command;  // a page needs its placement handle of it
    NvmeStatus status = kSuccess;
  };

  Process front();
  Process back();
  Task<bool> write_page(Step step);
  void closing(uint32_t first_of_page);
  Task<bool> finish(Step step);

  Parts u_;
  Fifo<Step> steps_;
  std::vector<bool> epochs_;  // ProgramTracker's, of each buffer's program
  bool lost_ = false;         // a program failed since the last Flush or FUA said so
  // The page in hand.
  AllocStream stream_ = AllocStream::kHost;
  Allocation to_;
  bool waits_ = false;     // for the mapLock, with the slot `to_`
  bool homeless_ = false;  // and the slot had to be given up
  Process front_, back_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_WRITE_ENGINE_H
