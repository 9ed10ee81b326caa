// SPDX-License-Identifier: Apache-2.0
//
// A host with as many and as large queues as the device offers, directly at the PCIe function. It fills submission
// rings completely, and checks each access of the device to its memory.
#ifndef OPENREMAP_TESTS_QUEUE_HOST_H
#define OPENREMAP_TESTS_QUEUE_HOST_H

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "openremap_cmd.h"
#include "pcie_function.h"
#include "support/function_host.h"

namespace orm {

struct QueueCompletion {
  unsigned qid = 0;
  uint16_t cid = 0;
  int status = 0;  // SCT << 8 | SC
  uint32_t dw0 = 0;
};

/// Queue pairs, memory and interrupts. Queue pair q has vector q. Throws Wrong when
///   - submission entries are not fetched one after the other, each once, after their doorbell;
///   - a completion entry is not written to the next place of its queue, has a wrong phase bit, SQ or SQ head, or is
///     written over one that the host has not taken;
///   - memory is read or written that is no command's, or by a command that goes the other way;
///   - the device stops, or nothing is completed for long.
class QueueHost {
 public:
  static constexpr size_t kPage = 4096;
  static constexpr uint32_t kAdminEntries = 16;

  explicit QueueHost(const pcie_device_options &options);
  QueueHost(const QueueHost &) = delete;
  QueueHost &operator=(const QueueHost &) = delete;

  pcie_function *function() { return fn_.function(); }
  uint64_t pages() const { return pages_; }
  unsigned pairs_offered() const { return pairs_offered_; }
  uint32_t entries_offered() const { return entries_offered_; }

  /// From whatever state to an enabled controller with an I/O queue pair for each number of entries.
  void start(const std::vector<uint32_t> &entries);
  /// Until CSTS.RDY is 0. From then on the device may touch no memory.
  void disable();
  void power_cycle();
  /// Makes I/O queue pair `qid` anew, or deletes its submission queue alone, or its completion queue after that.
  void create_pair(unsigned qid, uint32_t entries);
  void delete_sq(unsigned qid);
  void delete_cq(unsigned qid);

  /// Memory of a command. `to_device`: which way it goes.
  uint64_t take_page(bool to_device);
  void give_page(uint64_t bus);
  uint8_t *at(uint64_t bus);

  /// Places of the ring that the host knows to be free.
  uint32_t room(unsigned qid) const;
  uint16_t put(unsigned qid, nvme_submission_entry entry);
  void ring(unsigned qid);
  /// Whether the device has got a command that has no completion.
  bool was_fetched(unsigned qid, uint16_t cid) const;
  /// Lets time pass and takes completions; `taken` gets those of I/O queues.
  void poll(uint64_t ns);
  std::function<void(const QueueCompletion &)> taken;
  /// One admin command; the others go on meanwhile.
  QueueCompletion admin(const nvme_submission_entry &entry);

  /// Whether completion entries are only looked for after their queue's interrupt.
  bool waits_for_interrupts = false;
  /// Entries that the device has fetched, and that it has completed, since the queue was made; interrupts.
  uint64_t fetched(unsigned qid) const { return queues_[qid].fetched; }
  uint64_t completed(unsigned qid) const { return queues_[qid].posted; }
  uint64_t interrupts(unsigned qid) const { return queues_[qid].interrupts; }
  /// Completion entries of which no interrupt has told yet.
  uint64_t untold(unsigned qid) const { return queues_[qid].untold; }
  /// Commands of all I/O queues that have been fetched and not completed.
  uint64_t inside() const;
  uint64_t now_ns() const { return fn_.now_ns(); }

 private:
  enum class Use : uint8_t { kFree, kToDevice, kFromDevice };
  struct Queue {
    std::vector<uint8_t> sq, cq;
    uint32_t entries = 0;
    bool sq_there = false, cq_there = false;
    uint64_t put = 0, rung = 0, fetched = 0;  // entries, ever
    uint64_t sq_free = 0;                     // that the host knows to be fetched (SQHD)
    uint64_t posted = 0, looked = 0, interrupts = 0, untold = 0;
    bool told = false;  // an interrupt came since the host looked
    uint16_t next_cid = 0;
    std::map<uint16_t, uint64_t> inside;  // without a completion: which entry it is
  };
  static constexpr unsigned kMostPairs = 64;
  static constexpr uint64_t kSq = 0x7F00'0000'0000, kCq = 0x7F10'0000'0000, kData = 0x7F20'0000'0000;
  static constexpr uint64_t kQueueSpan = 0x10'0000;

  int read(uint64_t addr, uint8_t *buf, size_t len);
  int write(uint64_t addr, const uint8_t *buf, size_t len);
  bool may(uint64_t addr, size_t len, Use use) const;
  int refuse(const std::string &what);

  void run(uint64_t ns);
  void throw_what_is_wrong() const;
  void take(unsigned qid);
  static pcie_host callbacks(QueueHost *host);
  void take_all_back();
  void must(const nvme_submission_entry &entry, const char *what);

  std::vector<Queue> queues_{1};
  std::deque<std::array<uint8_t, kPage>> memory_;
  std::vector<Use> uses_;
  std::vector<size_t> free_;
  std::string wrong_;  // found while the device ran
  QueueCompletion admin_done_;
  uint64_t last_completion_ns_ = 0;
  uint64_t pages_ = 0;
  unsigned pairs_offered_ = 0;
  uint32_t entries_offered_ = 0;
  // Last, so that the device goes before the memory that it uses.
  const pcie_host host_ = callbacks(this);
  FunctionHost fn_;
};

}  // namespace orm
#endif  // OPENREMAP_TESTS_QUEUE_HOST_H
