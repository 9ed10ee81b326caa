// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_NVME_CLIENT_H
#define OPENREMAP_NVME_CLIENT_H

#include <array>
#include <cstdint>

#include "client/user_client.h"
#include "openremap_cmd.h"

namespace orm::client {

/// An NVMe driver that polls, over a vfio-user connection: admin queue, I/O queue pairs, one page a queue. It uses no
/// interrupts, as SPDK does not.
///
/// Everything throws std::runtime_error where the device fails or nothing happens for UserClient::kPatienceSeconds.
class NvmeClient {
 public:
  static constexpr uint32_t kEntries = 64;  // of each queue: a page of submission entries
  static constexpr unsigned kMostPairs = 8;

  struct Completion {
    uint16_t cid = 0;
    int status = 0;  // SCT << 8 | SC
    uint32_t dw0 = 0;
  };

  explicit NvmeClient(UserClient *client) : client_(client) {}

  /// From whatever state to an enabled controller without I/O queues.
  void enable();
  /// Until CSTS.RDY is 0.
  void disable();
  /// Executes an admin command.
  Completion admin(nvme_submission_entry entry);
  /// Makes or deletes I/O queue pair `qid`, from 1 to kMostPairs.
  void create_pair(unsigned qid);
  void delete_pair(unsigned qid);
  /// Whether the controller has Doorbell Buffer Config, by its Identify data.
  bool has_shadows();
  /// Gives the controller pages for shadow doorbells, from now until it is disabled: a doorbell of an I/O queue is
  /// stored there, and its register only written where the controller asks for that.
  void use_shadows();
  /// Registers of I/O doorbells that were written since then.
  uint64_t events() const { return events_asked_; }
  /// Logical blocks of the namespace; they have 4 KiB.
  uint64_t blocks();

  /// Commands of a queue that have been submitted and not completed.
  uint32_t in_flight(unsigned qid) const { return queues_[qid].in_flight; }
  /// Puts a command into a queue, which must have room (kEntries - 1), without telling the device.
  void submit(unsigned qid, const nvme_submission_entry &entry);
  /// Tells the device about all commands of the queue.
  void ring(unsigned qid) { ring_doorbell(2 * qid, queues_[qid].tail); }
  /// Takes a completion of the queue, if there is one.
  bool poll(unsigned qid, Completion *completion);
  /// Tells the device which completions were taken.
  void ring_taken(unsigned qid) { ring_doorbell(2 * qid + 1, queues_[qid].head); }
  /// Executes one command of the queue, alone.
  Completion io(unsigned qid, const nvme_submission_entry &entry);

 private:
  struct Queue {
    uint64_t sq = 0, cq = 0;  // bus addresses
    uint32_t tail = 0, head = 0, in_flight = 0;
    bool phase = true;
  };

  Completion execute(unsigned qid, const nvme_submission_entry &entry);
  void wait_ready(bool ready);
  void clean(unsigned qid);
  void ring_doorbell(unsigned doorbell, uint32_t value);

  UserClient *client_;
  std::array<Queue, kMostPairs + 1> queues_;
  uint16_t admin_cid_ = 0;
  uint64_t shadow_page_ = 0, event_page_ = 0;  // bus addresses
  bool shadows_ = false;
  uint64_t events_asked_ = 0;
};

}  // namespace orm::client
#endif  // OPENREMAP_NVME_CLIENT_H
