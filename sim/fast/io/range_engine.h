// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_RANGE_ENGINE_H
#define OPENREMAP_FAST_RANGE_ENGINE_H

#include <cstdint>
#include <functional>
#include <vector>

#include "fw/counters.h"
#include "host/host_reader.h"
#include "io/range_fields.h"
#include "nvme/command_router.h"
#include "nvme/cq_post.h"
#include "remap/remap_starter.h"

namespace orm::fast {

/// Carries out REMAP, REMAP VECTOR and Copy (hw/src/io/RangeEngine.scala): what is usual and succeeds ends here, all
/// else goes to the firmware as the host sent it. While one command runs, the next one is made ready.
class RangeEngine {
 public:
  struct Parts {
    Simulation &sim;
    const Params &p;
    Fifo<FetchedCommand> &commands;
    Fifo<FetchedCommand> &firmware;
    const CommandRouter &router;
    CqPost &post;
    HostReader &host;
    RemapStarter &remap;
    Counters &counters;
  };
  explicit RangeEngine(const Parts &parts);
  /// Called when a command has taken effect.
  void link(std::function<void()> remapped) { remapped_ = std::move(remapped); }

 private:
  struct Prepared {
    FetchedCommand command;
    std::vector<orm_remap_range> ranges;
    bool fit = false;  // for the remap engine
  };

  Process prepare();
  Process run();
  /// Fetches the list of a command; false: it did not come.
  Task<bool> fetch(FetchedCommand command, std::vector<orm_remap_range> *ranges);
  /// Whether all ranges are good, the targets ascend, and no source meets a target.
  bool fit(const RangeFields &fields, const std::vector<orm_remap_range> &ranges) const;

  Parts u_;
  std::function<void()> remapped_;
  Prepared next_;  // of `prepare`
  Prepared now_;   // of `run`
  bool is_ready_ = false;
  Signal ready_, taken_;
  Process prepare_, run_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_RANGE_ENGINE_H
