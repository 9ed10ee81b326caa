// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_NAND_SCHEDULER_H
#define OPENREMAP_FAST_NAND_SCHEDULER_H

#include <array>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "fw/counters.h"
#include "lib/process.h"
#include "nand/nand_channel.h"

namespace orm::fast {

/// Routes the requests of all clients to the channels, and the answers back to the clients
/// (hw/src/nand/NandScheduler.scala).
///
/// The whole design relies on this order: an accepted request runs on its die after everything accepted earlier for
/// that die, and before everything accepted later.
///
/// Arbitration happens when a die's queue has a place (hw/src/nand/NandAdmission.scala). Host and firmware precede GC.
/// While GC waits it gets one of `gc_one_in` places, and it never holds more than `gc_die_places` of a die's queue;
/// that bounds the delay of host reads.
class NandScheduler {
 public:
  NandScheduler(Simulation &sim, const Params &p, NandModel &nand, const NandTiming &timing, BufferRam &buffers,
                Counters &counters);

  void listen(NandClient client, NandListener *listener) { listeners_[size_t(client)] = listener; }
  /// Sets the callback for the slot of each marginal read.
  void on_weak_read(std::function<void(uint32_t slot)> weak) { weak_ = std::move(weak); }
  /// Offers a request. False: it has no place; wait for room().
  bool accept(const NandRequest &request);
  Signal &room(uint32_t slot, NandClient client) {
    return client == NandClient::kGc ? die(slot).gc_room : channels_[p_.channel_of(slot)]->room(slot);
  }

 private:
  struct Die {
    explicit Die(Simulation &sim) : gc_room(sim) {}
    Signal gc_room;        // GC may get a place again, if it is next
    uint32_t gc_held = 0;  // places that GC holds
    bool gc_asks = false;  // GC was refused a place
  };

  Die &die(uint32_t slot) { return *dies_[p_.channel_of(slot) * p_.g.dies_per_channel + p_.die_of(slot)]; }
  /// Delivers an answer. The request leaves its die when this returns.
  void done(const NandDone &done);
  static void let_gc_ask(void *room) { static_cast<Signal *>(room)->notify(); }

  Simulation &sim_;
  const Params &p_;
  Counters &counters_;
  std::array<NandListener *, kNandClients> listeners_{};
  std::vector<std::unique_ptr<NandChannel>> channels_;
  std::vector<std::unique_ptr<Die>> dies_;  // channel by channel
  std::function<void(uint32_t slot)> weak_;
  std::vector<uint32_t> gc_passed_;  // by channel: places given to others while GC waited
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_NAND_SCHEDULER_H
