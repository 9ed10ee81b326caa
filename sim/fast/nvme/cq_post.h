// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_FAST_CQ_POST_H
#define OPENREMAP_FAST_CQ_POST_H

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "lib/fifo.h"
#include "memories.h"
#include "nvme/nvme_command.h"
#include "top/params.h"

namespace orm::fast {

/// Sources of completions; they are served round robin.
enum class Lane : uint8_t { kRead, kWrite, kTrim, kRanges, kRouter, kFirmware };
constexpr unsigned kLanes = 6;

/// Writes completion queue entries to host memory, then raises the queue's MSI-X vector (hw/src/nvme/CqPost.scala).
class CqPost {
 public:
  /// Callbacks to the rest of the front end.
  struct Links {
    std::function<uint32_t(uint32_t qid)> cq_of;
    std::function<uint16_t(uint32_t qid)> sq_head;
    std::function<void(Lane lane, uint32_t qid)> taken;      // a completion left its lane
    std::function<void()> host_error;                        // host memory refused an entry
    std::function<void(uint32_t vector, bool admin)> raise;  // an entry is in host memory
  };
  CqPost(Simulation &sim, const Params &p, const pcie_host &host, const MemoryTiming &timing);
  void link(Links links) { links_ = std::move(links); }

  bool has_room(Lane lane) const { return !lanes_[size_t(lane)]->full(); }
  size_t waiting(Lane lane) const { return lanes_[size_t(lane)]->size(); }
  Signal &room(Lane lane) { return lanes_[size_t(lane)]->room; }
  void post(Lane lane, const Completion &completion);

  void define(const CqConfig &config);
  /// The host moves the head of a completion queue. It may move up to the last entry posted, no further.
  DoorbellFault doorbell(uint32_t qid, uint32_t head);
  /// Free entries of a completion queue; 0 if the queue does not exist.
  uint32_t free_entries(uint32_t cq) const;
  bool quiet() const;

 private:
  struct Queue {
    bool enable = false;
    uint64_t base = 0;
    uint32_t entries = 0;
    bool ien = false;
    uint32_t vector = 0;
    uint32_t tail = 0;
    uint32_t head = 0;
    bool phase = false;
  };
  struct Answer {
    bool good;
    bool ien;
    uint32_t vector;
    bool admin;
  };
  static constexpr size_t kAnswers = 8;

  void pump();
  bool blocked(const Completion &c) const;
  static uint32_t past(const Queue &q, uint32_t to) { return to >= q.head ? to - q.head : to + q.entries - q.head; }
  void write_entry(const Completion &c);
  static void answered(void *self);

  Simulation &sim_;
  const Params &p_;
  const pcie_host &host_;
  MemoryTiming timing_;
  Links links_;
  std::vector<Queue> queues_;
  std::array<std::unique_ptr<Fifo<Completion>>, kLanes> lanes_;
  std::deque<Answer> answers_;
  unsigned turn_ = 0;  // lane served last
};

}  // namespace orm::fast
#endif  // OPENREMAP_FAST_CQ_POST_H
