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

/// Queues in which commands wait for their engine or for firmware (hw/src/nvme/CommandQueues.scala). I/O commands are
/// aborted when their submission queue is deleted meanwhile.
class CommandQueues {
 public:
  CommandQueues(Simulation &sim, const Params &p, CqPost &post);

  /// Submission queues were deleted: aborts their commands that wait for an engine. Firmware aborts those that wait for
  /// it.
  void abort(const std::function<bool(uint32_t qid)> &alive);

  Fifo<FetchedCommand> firmware;
  Fifo<IoCommand> read;
  Fifo<IoCommand> write;  // and Flush
  Fifo<IoCommand> trim;   // and Write Zeroes
  Fifo<FetchedCommand> ranges;

 private:
  Process ender();

  CqPost &post_;
  std::deque<Completion> aborted_;  // aborted commands that wait for room in the router's lane
  Signal has_aborted_;
  Process ender_;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_COMMAND_QUEUES_H
