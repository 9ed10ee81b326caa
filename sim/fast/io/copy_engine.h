// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_COPY_ENGINE_H
#define OPENREMAP_FAST_COPY_ENGINE_H

#include <cstdint>
#include <functional>
#include <vector>

#include "fw/counters.h"
#include "host/host_reader.h"
#include "io/copy_command.h"
#include "nvme/command_router.h"
#include "nvme/cq_post.h"
#include "remap/remap_starter.h"

namespace orm::fast {

/// Executes Copy as a remap (hw/src/io/CopyEngine.scala). A Copy for which the remap table or the journal has no room
/// goes to the firmware as the host sent it.
class CopyEngine {
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
  explicit CopyEngine(const Parts &parts);
  /// Called when a Copy has taken effect.
  void link(std::function<void()> copied) { copied_ = std::move(copied); }

 private:
  Process run();
  /// Fetches and checks the whole source range list.
  Task<NvmeStatus> fetch(FetchedCommand command);
  NvmeStatus check(const CopyFields &fields, const std::vector<uint8_t> &list);
  void count(NvmeStatus status);

  Parts u_;
  std::function<void()> copied_;
  std::vector<orm_remap_range> ranges_;
  Process run_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_COPY_ENGINE_H
