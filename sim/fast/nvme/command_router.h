// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_COMMAND_ROUTER_H
#define OPENREMAP_FAST_COMMAND_ROUTER_H

#include <cstdint>

#include "fw/counters.h"
#include "nvme/command_queues.h"
#include "nvme/cq_post.h"
#include "nvme/nvme_command.h"
#include "orm_regs.h"
#include "top/params.h"

namespace orm::fast {

/// Checks what can be checked without data and sends each command to its engine, or to firmware: the admin queue and every
/// opcode that no engine knows. Bad ones are completed here (hw/src/nvme/CommandRouter.scala).
class CommandRouter {
 public:
  CommandRouter(const Params &p, CommandQueues &waiting, CqPost &post, Counters &counters)
      : p_(p), waiting_(waiting), post_(post), counters_(counters) {}

  /// False: its place is taken.
  bool route(const FetchedCommand &command);
  void set_namespace(uint32_t nsze) { nsze_ = nsze; }
  /// `formatting`: what is refused because it is not ready hears why. `protect`: so is what would change the namespace.
  void set_ready(bool ready, bool formatting, bool protect) {
    ready_ = ready;
    formatting_ = formatting;
    protect_ = protect;
  }
  void set_handles(uint32_t handles) { handles_ = handles; }
  uint32_t handles() const { return handles_; }
  uint32_t nsze() const { return nsze_; }
  bool ready() const { return ready_; }
  bool formatting() const { return formatting_; }
  bool write_protected() const { return protect_; }

 private:
  NvmeStatus check(const FetchedCommand &command) const;
  bool route_copy(const FetchedCommand &command);
  bool send(Fifo<IoCommand> &to, const IoCommand &command);
  bool complete(const FetchedCommand &command, NvmeStatus status);

  const Params &p_;
  CommandQueues &waiting_;
  CqPost &post_;
  Counters &counters_;
  uint32_t nsze_ = 0;
  bool ready_ = false, formatting_ = false, protect_ = false;
  uint32_t handles_ = ORM_FW_ALLOC_HANDLES_RESET;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_COMMAND_ROUTER_H
