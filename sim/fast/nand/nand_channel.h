// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_NAND_CHANNEL_H
#define OPENREMAP_FAST_NAND_CHANNEL_H

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "io/buffer_ram.h"
#include "lib/fifo.h"
#include "lib/simulation.h"
#include "nand/nand_request.h"
#include "nand_model.h"
#include "top/params.h"

namespace orm::fast {

/// One NAND bus with its dies (hw/src/nand/NandChannel.scala and NandDie.scala). Each die has a queue of requests.
/// Array operations run in the NandModel in parallel; the bus carries one data phase at a time. Priority of commands on
/// the bus: transfers, then reads, probes and erases, then programs.
class NandChannel {
 public:
  /// `done` is called with each answer; the request leaves its die's queue afterwards. `weak` is called with the slot
  /// of a marginal read, `retried` for each read that is repeated at another read-retry level.
  using Done = std::function<void(const NandDone &)>;
  struct Reads {
    std::function<void(uint32_t slot)> weak;
    std::function<void()> retried;
  };
  NandChannel(Simulation &sim, const Params &p, NandModel &nand, const NandTiming &timing, BufferRam &buffers,
              uint32_t number, Done done, Reads reads);

  /// Offers a request. False: the die's queue is full; wait for room(die).
  bool accept(const NandRequest &request);
  Signal &room(uint32_t slot) { return dies_[p_.die_of(slot)]->queue.room; }

 private:
  enum class Phase : uint8_t { kCommand, kArray, kTransfer, kData, kDone };
  struct Die {
    Die(Simulation &sim, uint32_t depth) : queue(sim, depth) {}
    Fifo<NandRequest> queue;
    Phase phase = Phase::kCommand;
    NandStatus status = NandStatus::kOk;
    uint32_t retry = 0;  // read-retry level of the next sensing of the oldest request
    const uint8_t *oob = nullptr;
  };

  NandAddress address(const NandRequest &r) const;
  void program(const NandRequest &r);
  bool waits_for(const Die &die, unsigned rank) const;
  /// Must be called after the phase of a die, or the front of its queue, has changed.
  void changed(uint32_t die);
  /// Issues the next command of a priority rank. False: no die has one.
  bool command(unsigned rank);
  void pump();
  void start_array(uint32_t die);
  void start_data(uint32_t die);
  bool read_again(uint32_t die, const NandResult &result);
  void finish(uint32_t die);
  static void array_ended(void *self);
  static void data_ended(void *self);
  static void answer(void *self);

  Simulation &sim_;
  const Params &p_;
  NandModel &nand_;
  NandTiming timing_;
  BufferRam &buffers_;
  uint32_t number_;
  Done done_;
  Reads reads_;
  std::vector<std::unique_ptr<Die>> dies_;
  bool bus_busy_ = false;
  uint32_t owner_ = 0;               // die that owns the bus
  uint32_t turn_[3] = {0, 0, 0};     // next die to serve, by rank
  uint64_t waiting_[3] = {0, 0, 0};  // bit mask of dies with a command, by rank
  Fifo<uint32_t> answers_;           // dies whose answer is under way
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_NAND_CHANNEL_H
