// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_NAND_SCHEDULER_H
#define OPENREMAP_FAST_NAND_SCHEDULER_H

#include <array>
#include <memory>
#include <vector>

#include "counters.h"
#include "nand_channel.h"
#include "process.h"

namespace orm::fast {

/// Routes requests of all clients to the channels by the slot's channel and answers back to the client that asked.
///
/// Ordering promise that the whole design leans on: once a request is accepted here it runs on its die after everything
/// accepted earlier for that die, and before everything later (hw/src/NandScheduler.scala).
class NandScheduler {
 public:
  NandScheduler(Simulation &sim, const Params &p, NandModel &nand, const NandTiming &timing, BufferRam &buffers,
                Counters &counters);

  void listen(NandClient client, NandListener *listener) { listeners_[size_t(client)] = listener; }
  /// False: the die's queue is full, room(slot) says when to ask again.
  bool accept(const NandRequest &request) { return channels_[p_.channel_of(request.slot)]->accept(request); }
  Signal &room(uint32_t slot) { return channels_[p_.channel_of(slot)]->room(slot); }

 private:
  void done(const NandDone &done);

  const Params &p_;
  Counters &counters_;
  std::array<NandListener *, kNandClients> listeners_{};
  std::vector<std::unique_ptr<NandChannel>> channels_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_NAND_SCHEDULER_H
