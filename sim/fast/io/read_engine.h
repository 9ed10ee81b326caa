// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_READ_ENGINE_H
#define OPENREMAP_FAST_READ_ENGINE_H

#include <cstdint>
#include <vector>

#include "gc/gc_erase.h"
#include "host/host_writer.h"
#include "io/buffer_ram.h"
#include "lib/fifo.h"
#include "map/map_unit.h"
#include "nand/nand_scheduler.h"
#include "nand/page_gatherer.h"
#include "nvme/cq_post.h"
#include "nvme/nvme_command.h"
#include "remap/unsaved.h"

namespace orm::fast {

/// Executes Read (hw/src/io/ReadEngine.scala). The front looks up pages and requests them from NAND, ahead and across
/// commands. The back sends them to the host in order.
class ReadEngine final : public NandListener {
 public:
  struct Parts {
    Simulation &sim;
    const Params &p;
    Fifo<IoCommand> &commands;
    CqPost &post;
    HostWriter &host;
    BufferRam &buffers;
    BufferPool &pool;
    MapUnit &map;
    NandScheduler &nand;
    PageGatherer &host_pages;  // may still hold a slot that is to be read
    ReadWindow &window;
    Unsaved &unsaved;
    Counters &counters;
  };
  explicit ReadEngine(const Parts &parts);

  void nand_done(const NandDone &done) override;

 private:
  struct Step {
    bool mapped = false;  // false: the host gets zeroes
    uint32_t buf = 0;
    uint32_t slot = 0;
  };
  /// A command whose data has all been sent to the host.
  struct Ending {
    Completion completion;
    uint64_t due_ns;  // time of the host's last write response
  };
  enum class Page : uint8_t { kAbsent, kGood, kBad };

  Process front();
  Process back();
  Task<bool> read_again(uint32_t lpn, Step step, bool *unmapped);
  Process ender();
  Page &page(uint32_t buf) { return pages_[buf - u_.p.read_buf_base]; }

  Parts u_;
  Fifo<IoCommand> commands_;  // looked up, data not all sent
  Fifo<Step> steps_;
  Fifo<Ending> endings_;
  Signal arrived_;
  std::vector<Page> pages_;  // state of each buffer's page
  Process front_, back_, ender_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_READ_ENGINE_H
