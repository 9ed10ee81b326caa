// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_COMMAND_ROUTER_H
#define OPENREMAP_FAST_COMMAND_ROUTER_H

#include <cstdint>

#include "counters.h"
#include "cq_post.h"
#include "fifo.h"
#include "nvme_command.h"
#include "orm_regs.h"
#include "params.h"

namespace orm::fast {

/// Checks what can be checked without data and sends each command to its engine, or to firmware: the admin queue and every
/// opcode that no engine knows. Bad ones are completed here (hw/src/CommandRouter.scala).
class CommandRouter {
 public:
  CommandRouter(Simulation &sim, const Params &p, CqPost &post, Counters &counters)
      : firmware(sim, 8), read(sim, 4), write(sim, 4), trim(sim, 4), p_(p), post_(post), counters_(counters) {}

  /// False: its place is taken.
  bool route(const FetchedCommand &command);
  void set_namespace(uint32_t nsze) { nsze_ = nsze; }
  void set_ready(bool ready) { ready_ = ready; }
  void set_handles(uint32_t handles) { handles_ = handles; }
  uint32_t handles() const { return handles_; }
  uint32_t nsze() const { return nsze_; }
  bool ready() const { return ready_; }

  Fifo<FetchedCommand> firmware;
  Fifo<IoCommand> read;
  Fifo<IoCommand> write;  // and flush
  Fifo<IoCommand> trim;   // and write zeroes

 private:
  NvmeStatus check(const FetchedCommand &command) const;
  bool send(Fifo<IoCommand> &to, const IoCommand &command);
  bool complete(const FetchedCommand &command, NvmeStatus status);

  const Params &p_;
  CqPost &post_;
  Counters &counters_;
  uint32_t nsze_ = 0;
  bool ready_ = false;
  uint32_t handles_ = ORM_FW_ALLOC_HANDLES_RESET;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_COMMAND_ROUTER_H
