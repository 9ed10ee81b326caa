// SPDX-License-Identifier: Apache-2.0
#include "nvme/command_queues.h"

#include "io/range_fields.h"

namespace orm::fast {

CommandQueues::CommandQueues(Simulation &sim, const Params &p, CqPost &post)
    : firmware(sim, p.k.commands_waiting),
      read(sim, p.k.commands_waiting),
      write(sim, p.k.commands_waiting),
      trim(sim, p.k.commands_waiting),
      ranges(sim, p.k.commands_waiting),
      post_(post),
      has_aborted_(sim) {
  ender_ = ender();
  ender_.start(sim);
}

void CommandQueues::abort(const std::function<bool(uint32_t qid)> &alive) {
  for (Fifo<IoCommand> *queue : {&read, &write, &trim}) {
    queue->remove([&alive](const IoCommand &c) { return !alive(c.qid); },
                  [this](const IoCommand &c) {
                    aborted_.push_back({c.qid, c.cid, kAbortSqDeletion, 0});
                  });
  }
  ranges.remove([&alive](const FetchedCommand &c) { return !alive(c.qid); },
                [this](const FetchedCommand &c) {
                  aborted_.push_back({c.qid, RangeFields(c).cid(), kAbortSqDeletion, 0});
                });
  if (!aborted_.empty()) has_aborted_.notify();
}

Process CommandQueues::ender() {
  for (;;) {
    while (aborted_.empty()) co_await has_aborted_.wait();
    while (!post_.has_room(Lane::kRouter)) co_await post_.room(Lane::kRouter).wait();
    post_.post(Lane::kRouter, aborted_.front());
    aborted_.pop_front();
  }
}

}  // namespace orm::fast
