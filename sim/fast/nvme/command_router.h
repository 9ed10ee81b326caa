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

/// Checks each command as far as that needs no data, and sends it to its engine or to firmware
/// (hw/src/nvme/CommandRouter.scala). Admin commands, opcodes that no engine knows, and vendor commands that are not
/// what RangeEngine expects go to firmware. Other invalid commands are completed here with an error.
class CommandRouter {
 public:
  CommandRouter(const Params &p, CommandQueues &waiting, CqPost &post, Counters &counters)
      : p_(p), waiting_(waiting), post_(post), counters_(counters) {}

  /// Routes a command. False: its destination is full.
  bool route(const FetchedCommand &command);
  void set_namespace(uint32_t nsze) { nsze_ = nsze; }
  /// Sets which I/O commands are refused. `formatting`: commands refused as not ready get Format in Progress.
  /// `protect`: commands that would change the namespace are refused as write protected.
  void set_ready(bool ready, bool formatting, bool protect) {
    ready_ = ready;
    formatting_ = formatting;
    protect_ = protect;
  }
  /// Firmware gets each REMAP, REMAP VECTOR and Copy that passes its checks.
  void leave_remaps_to_firmware(bool leave) { firmware_remaps_ = leave; }
  void set_handles(uint32_t handles) { handles_ = handles; }
  uint32_t handles() const { return handles_; }
  uint32_t nsze() const { return nsze_; }
  bool ready() const { return ready_; }
  bool formatting() const { return formatting_; }
  bool write_protected() const { return protect_; }

 private:
  NvmeStatus check(const FetchedCommand &command) const;
  bool route_ranges(const FetchedCommand &command);
  bool send(Fifo<IoCommand> &to, const IoCommand &command);
  bool complete(const FetchedCommand &command, NvmeStatus status);

  const Params &p_;
  CommandQueues &waiting_;
  CqPost &post_;
  Counters &counters_;
  uint32_t nsze_ = 0;
  bool ready_ = false, formatting_ = false, protect_ = false, firmware_remaps_ = false;
  uint32_t handles_ = ORM_FW_ALLOC_HANDLES_RESET;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_COMMAND_ROUTER_H
