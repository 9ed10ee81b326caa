// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_COMMAND_QUEUES_H
#define OPENREMAP_FAST_COMMAND_QUEUES_H

#include <cstdint>
#include <deque>
#include <functional>

#include "lib/fifo.h"
#include "nvme/cq_post.h"
#include "nvme/nvme_command.h"
#include "top/params.h"

namespace orm::fast {

/// Where commands wait for their engine, or for firmware; I/O commands are aborted when their queue is deleted meanwhile
/// (hw/src/nvme/CommandQueues.scala).
class CommandQueues {
 public:
  CommandQueues(Simulation &sim, const Params &p, CqPost &post);

  /// Submission queues are gone: aborts what waits of them for an engine. Firmware does so with what waits for it.
  void abort(const std::function<bool(uint32_t qid)> &alive);

  Fifo<FetchedCommand> firmware;
  Fifo<IoCommand> read;
  Fifo<IoCommand> write;  // and flush
  Fifo<IoCommand> trim;   // and write zeroes
  Fifo<FetchedCommand> copy;

 private:
  Process ender();

  CqPost &post_;
  std::deque<Completion> aborted_;  // no more than the queues hold; wait for room in the router's lane
  Signal has_aborted_;
  Process ender_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_COMMAND_QUEUES_H
