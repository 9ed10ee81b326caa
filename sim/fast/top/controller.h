// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_CONTROLLER_H
#define OPENREMAP_FAST_CONTROLLER_H

#include <cstdint>

#include "fw/counters.h"
#include "fw/fw_dma.h"
#include "fw/fw_nand.h"
#include "fw/fw_regs.h"
#include "gc/gc_engine.h"
#include "host/host_reader.h"
#include "host/host_writer.h"
#include "io/buffer_ram.h"
#include "io/range_engine.h"
#include "io/read_engine.h"
#include "io/trim_engine.h"
#include "io/write_engine.h"
#include "map/allocator.h"
#include "map/map_unit.h"
#include "nand/nand_scheduler.h"
#include "nand/page_gatherer.h"
#include "nand/slot_log.h"
#include "nvme/command_queues.h"
#include "nvme/command_router.h"
#include "nvme/cq_post.h"
#include "nvme/irq_coalescer.h"
#include "nvme/nvme_regs.h"
#include "nvme/sq_fetch.h"
#include "remap/remap_engine.h"
#include "remap/remap_starter.h"
#include "remap/unsaved.h"

namespace orm::fast {

/// What the ports of the controller are connected to.
struct Board {
  const pcie_host &host;
  DramModel &dram;
  NvramModel &nvram;
  NandModel &nand;
  MemoryTiming memory_timing;
  NandTiming nand_timing;
  bool firmware_remaps;  // see FastDeviceOptions
};

/// A powered controller: the units of OpenRemapTop and their wiring. Simulated time passes only inside advance().
/// Destroying it is a power cut.
class Controller {
 public:
  enum class Stop {
    kLimit,     // the given time was reached
    kFirmware,  // the firmware interrupt is high
    kMsix,      // an MSI-X vector was raised
    kIdle       // nothing happens until the host or firmware acts
  };

  Controller(const Params &p, const Board &board, uint64_t now_ns);

  uint64_t now() const { return sim_.now(); }
  uint64_t steps() const { return sim_.steps(); }
  /// Runs to `limit_ns` at most, and returns why it stopped. With `may_idle` it returns kIdle when nothing is under
  /// way; without, idle time passes as well. With `until_firmware` it returns kFirmware as soon as the interrupt is
  /// high.
  Stop advance(uint64_t limit_ns, bool may_idle, bool until_firmware);
  /// Lets time pass and runs all events in it.
  void pass(uint64_t until_ns);
  bool firmware_interrupt() const { return fw_.interrupt(); }

  NvmeRegs &bar() { return nvme_; }
  FwRegs &firmware_window() { return fw_; }

 private:
  void link();
  Process retry(Signal &room);

  const Params &p_;
  const Board board_;
  Simulation sim_;
  Counters counters_;
  bool msix_raised_ = false;

  SuperblockTable superblocks_;
  BufferRam buffers_;
  BufferPool write_pool_, read_pool_;
  Allocator allocator_;
  SeqCounter seq_;
  ProgramTracker tracker_;
  LockArbiter map_lock_, share_lock_;
  ReadWindow window_;
  Unsaved unsaved_;
  NvramPort nvram_;
  MapUnit map_;
  RemapTable table_;
  Journal journal_;
  NandScheduler nand_;
  SlotLog log_;
  PageGatherer host_pages_, gc_pages_;

  HostReader reader_;
  HostWriter writer_;
  NvmeRegs nvme_;
  SqFetch fetch_;
  CqPost post_;
  IrqCoalescer irq_;
  CommandQueues waiting_;
  CommandRouter router_;

  WriteEngine write_;
  ReadEngine read_;
  TrimEngine trim_;
  RemapEngine remap_;
  RemapStarter remap_starter_;
  RangeEngine ranges_;
  GcEngine gc_;
  FwDma fw_dma_;
  FwNand fw_nand_;
  FwRegs fw_;
  std::vector<Process> retries_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_CONTROLLER_H
