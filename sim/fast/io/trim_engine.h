// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_TRIM_ENGINE_H
#define OPENREMAP_FAST_TRIM_ENGINE_H

#include <cstdint>
#include <vector>

#include "fw/counters.h"
#include "host/host_reader.h"
#include "map/lock.h"
#include "map/map_unit.h"
#include "map/seq_counter.h"
#include "nvme/command_router.h"
#include "nvme/cq_post.h"
#include "remap/journal.h"

namespace orm::fast {

/// Executes Deallocate (Dataset Management) and Write Zeroes (hw/src/io/TrimEngine.scala). It works piece by piece: a
/// journal record, then the mappings are dropped.
class TrimEngine {
 public:
  struct Parts {
    Simulation &sim;
    Fifo<IoCommand> &commands;
    const CommandRouter &router;
    CqPost &post;
    HostReader &host;
    LockArbiter &map_lock;
    SeqCounter &seq;
    Journal &journal;
    MapUnit &map;
    Counters &counters;
  };
  explicit TrimEngine(const Parts &parts);

 private:
  struct Range {
    uint32_t slba;
    uint32_t nlb;
  };

  Process run();
  /// Fetches and checks the whole range list, so that a command with one bad range changes nothing.
  Task<NvmeStatus> fetch(IoCommand command);
  Task<bool> drop(Range range);

  Parts u_;
  std::vector<Range> ranges_;
  Process run_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_TRIM_ENGINE_H
