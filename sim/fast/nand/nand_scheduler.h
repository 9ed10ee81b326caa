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

/// Routes requests of all clients to the channels by the slot's channel and answers back to the client that asked.
///
/// Ordering promise that the whole design leans on: once a request is accepted here it runs on its die after everything
/// accepted earlier for that die, and before everything later (hw/src/nand/NandScheduler.scala).
///
/// Who goes first is decided when a die has a place: host and firmware before GC, which has one of `gc_one_in` such places
/// while it waits for them, and never more than `gc_die_places` of a die at a time (hw/src/nand/NandAdmission.scala).
class NandScheduler {
 public:
  NandScheduler(Simulation &sim, const Params &p, NandModel &nand, const NandTiming &timing, BufferRam &buffers,
                Counters &counters);

  void listen(NandClient client, NandListener *listener) { listeners_[size_t(client)] = listener; }
  /// Is told of each slot that a read nearly failed to give.
  void on_weak_read(std::function<void(uint32_t slot)> weak) { weak_ = std::move(weak); }
  /// False: there is no place for it, room() says when to ask again.
  bool accept(const NandRequest &request);
  Signal &room(uint32_t slot, NandClient client) {
    return client == NandClient::kGc ? die(slot).gc_room : channels_[p_.channel_of(slot)]->room(slot);
  }

 private:
  struct Die {
    explicit Die(Simulation &sim) : gc_room(sim) {}
    Signal gc_room;        // GC may have a place again, as far as it is the next
    uint32_t gc_held = 0;  // its places
    bool gc_asks = false;  // it was refused one for want of room
  };

  Die &die(uint32_t slot) { return *dies_[p_.channel_of(slot) * p_.g.dies_per_channel + p_.die_of(slot)]; }
  /// The request leaves its die when this returns.
  void done(const NandDone &done);
  static void let_gc_ask(void *room) { static_cast<Signal *>(room)->notify(); }

  Simulation &sim_;
  const Params &p_;
  Counters &counters_;
  std::array<NandListener *, kNandClients> listeners_{};
  std::vector<std::unique_ptr<NandChannel>> channels_;
  std::vector<std::unique_ptr<Die>> dies_;  // channel by channel
  std::function<void(uint32_t slot)> weak_;
  std::vector<uint32_t> gc_passed_;  // by channel: places that others took while GC waited for one
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_NAND_SCHEDULER_H
