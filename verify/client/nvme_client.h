// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_NVME_CLIENT_H
#define OPENREMAP_NVME_CLIENT_H

#include <array>
#include <chrono>
#include <cstdint>
#include <stdexcept>

#include "client/user_client.h"
#include "openremap_cmd.h"

namespace orm::client {

/// The device has reported an error of its host by an asynchronous event: a doorbell's value that its queue cannot
/// have.
class Reported : public std::runtime_error {
 public:
  explicit Reported(uint32_t event);
  uint32_t event;  // NVME_ASYNC_EVENT_...
};

/// An NVMe driver that polls, over a vfio-user connection: admin queue, I/O queue pairs, one page a queue. It uses no
/// interrupts, as SPDK does not.
///
/// Everything throws std::runtime_error where the device fails, is done with a command that it was not given, or
/// nothing happens for as long as was said. While a command is waited for, and in poll(), an error that the device
/// reports by an asynchronous event is thrown as Reported. After any of these enable() begins anew.
class NvmeClient {
 public:
  static constexpr uint32_t kEntries = 64;  // of each queue: a page of submission entries
  static constexpr unsigned kMostPairs = 8;

  struct Completion {
    uint16_t cid = 0;
    int status = 0;  // SCT << 8 | SC
    uint32_t dw0 = 0;
  };

  explicit NvmeClient(UserClient *client, int patience_seconds = UserClient::kPatienceSeconds)
      : client_(client), patience_(patience_seconds) {}

  /// From whatever state to an enabled controller without I/O queues.
  void enable();
  /// Until CSTS.RDY is 0.
  void disable();
  /// Executes an admin command.
  Completion admin(const nvme_submission_entry &entry) { return io(0, entry); }
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
  /// Places of the shadow and of the event index of a doorbell, for a test that spoils them.
  uint32_t *shadow(unsigned doorbell) const { return word(shadow_page_, doorbell); }
  uint32_t *event_index(unsigned doorbell) const { return word(event_page_, doorbell); }
  /// Logical blocks of the namespace; they have 4 KiB.
  uint64_t blocks();

  /// Commands of a queue that have been submitted and not completed.
  uint32_t in_flight(unsigned qid) const { return queues_[qid].in_flight; }
  /// Puts a command into a queue, which must have room (kEntries - 1, or it throws), without telling the device.
  void submit(unsigned qid, const nvme_submission_entry &entry);
  /// Tells the device about all commands of the queue.
  void ring(unsigned qid) { ring_doorbell(2 * qid, queues_[qid].tail); }
  /// Takes a completion of the queue, if there is one.
  bool poll(unsigned qid, Completion *completion);
  /// Tells the device which completions were taken.
  void ring_taken(unsigned qid) { ring_doorbell(2 * qid + 1, queues_[qid].head); }
  /// Executes one command of the queue, alone, with an identifier of its own.
  Completion io(unsigned qid, nvme_submission_entry entry);

 private:
  struct Queue {
    uint64_t sq = 0, cq = 0;  // bus addresses
    uint32_t tail = 0, head = 0, in_flight = 0;
    bool phase = true;
  };

  static constexpr uint16_t kEventCid = 0;  // of the Asynchronous Event Request

  template <class Look>
  void wait_for(const char *what, Look look);
  uint32_t status();
  uint32_t *word(uint64_t page, unsigned doorbell) const {
    return reinterpret_cast<uint32_t *>(client_->at(page)) + doorbell;
  }
  void put(unsigned qid, const nvme_submission_entry &entry);
  bool take(unsigned qid, Completion *completion);
  void ask_for_event();
  void look_for_event();
  void must(const nvme_submission_entry &entry, const char *what);
  void wait_ready(bool ready);
  void clean(unsigned qid);
  void ring_doorbell(unsigned doorbell, uint32_t value);

  UserClient *client_;
  std::chrono::seconds patience_;
  std::array<Queue, kMostPairs + 1> queues_;
  uint16_t cid_ = 0;                                          // of the last command of io()
  uint64_t shadow_page_ = 0, event_page_ = 0, log_page_ = 0;  // bus addresses
  bool shadows_ = false;
  uint64_t events_asked_ = 0;
};

}  // namespace orm::client
#endif  // OPENREMAP_NVME_CLIENT_H
