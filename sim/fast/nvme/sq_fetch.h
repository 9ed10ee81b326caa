// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_SQ_FETCH_H
#define OPENREMAP_FAST_SQ_FETCH_H

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "lib/process.h"
#include "memories.h"
#include "nvme/nvme_command.h"
#include "top/params.h"

namespace orm::fast {

/// Fetches submission queue entries, round robin over the queues whose completion queue has room
/// (hw/src/nvme/SqFetch.scala, QueueCredits.scala). A few entries are under way or wait for the router at a time.
class SqFetch {
 public:
  struct Links {
    std::function<bool(const FetchedCommand &)> route;  // false: no room; offered again after retry()
    std::function<uint32_t(uint32_t cq)> free_entries;  // of a completion queue
    std::function<void()> host_error;                   // host memory did not answer
    std::function<void()> forgotten;                    // queues were deleted: see alive()
  };
  SqFetch(Simulation &sim, const Params &p, const pcie_host &host, const MemoryTiming &timing)
      : sim_(sim), host_(host), timing_(timing), queues_(p.queues) {}
  void link(Links links) { links_ = std::move(links); }

  void define(const SqConfig &config);
  DoorbellFault doorbell(uint32_t qid, uint32_t tail);
  void completed(uint32_t qid);  // a command of this queue has left the controller
  void cq_moved() { pump(); }    // the room in a completion queue changed
  void retry() { hand_on(); }    // the router has room again

  uint16_t head(uint32_t qid) const { return uint16_t(queues_[qid].head); }
  bool alive(uint32_t qid) const { return queues_[qid].enable; }
  uint32_t cq_of(uint32_t qid) const { return queues_[qid].cqid; }
  bool quiet() const { return asked_ == left_; }
  /// Commands of the queue inside the controller: fetched, and neither completed nor dropped. They outlive their queue.
  uint32_t inside(uint32_t qid) const { return queues_[qid].inside; }
  /// Number of admin commands that firmware holds until an event; they reserve no completion entry.
  void set_held(uint32_t held) { held_ = held; }
  uint32_t held() const { return held_; }
  /// Whether the admin completion queue has an entry for each admin command inside that is not held.
  bool admin_room() const { return load(0) <= links_.free_entries(0); }

 private:
  static constexpr uint32_t kDepth = 4;
  struct Queue {
    bool enable = false;
    uint64_t base = 0;
    uint32_t entries = 0;
    uint32_t cqid = 0;
    uint32_t tail = 0;
    uint32_t ask = 0;
    uint32_t head = 0;
    uint32_t inside = 0;
  };
  struct Place {
    FetchedCommand command;
    uint64_t addr = 0;
    bool dropped = false;  // its queue was deleted, or host memory failed
  };

  uint32_t load(uint32_t cq) const;  // reserved entries of a completion queue
  bool allowed(uint32_t qid) const;
  void pump();
  void fetch(uint32_t qid);
  void hand_on();
  static void arrived(void *self);

  Simulation &sim_;
  const pcie_host &host_;
  MemoryTiming timing_;
  Links links_;
  std::vector<Queue> queues_;
  std::array<Place, kDepth> places_;  // a ring; the counts below never wrap
  uint32_t asked_ = 0;
  uint32_t arrived_ = 0;
  uint32_t left_ = 0;  // entries handed on or dropped
  uint32_t turn_ = 0;  // queue served last
  uint32_t held_ = 0;
  bool handing_on_ = false;
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_SQ_FETCH_H
