// SPDX-License-Identifier: Apache-2.0
//
// The fuzzer's host: memory with windows, queue pairs, and a driver that can start from any state of the controller. It
// does not use libopenremap, which never sends anything invalid.
#ifndef OPENREMAP_FUZZ_HOST_H
#define OPENREMAP_FUZZ_HOST_H

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "openremap_cmd.h"
#include "pcie_function.h"
#include "support/function_host.h"

namespace orm::fuzz {

constexpr uint32_t kPage = 4096;
constexpr unsigned kIoQueues = 4;  // that are asked for
constexpr unsigned kQueuePairs = kIoQueues + 1;
constexpr uint32_t kEntries = 32;  // of each queue

/// Host memory as an IOMMU would show it: the device may read what goes to it and write what comes from it, and nothing
/// it writes is ever read by it again. So commands gone wrong cannot become other commands.
class Memory {
 public:
  static constexpr uint64_t kSubmission = 0x7F00'0000'0000;  // queue q at + q pages; read
  static constexpr uint64_t kCompletion = 0x7F10'0000'0000;  // likewise; written
  static constexpr uint64_t kInput = 0x7F20'0000'0000;       // read
  static constexpr uint64_t kOutput = 0x7F30'0000'0000;      // written
  static constexpr uint32_t kInputPages = 64;
  static constexpr uint32_t kOutputPages = 64;

  Memory();
  /// The page at this bus address, which lies in a window.
  uint8_t *page(uint64_t bus);
  const pcie_host *host() const { return &host_; }

 private:
  struct Window {
    uint64_t base;
    bool device_reads;
    bool device_writes;
    std::vector<uint8_t> bytes;
  };
  static int read(void *ctx, uint64_t addr, void *buf, size_t len);
  static int write(void *ctx, uint64_t addr, const void *buf, size_t len);
  uint8_t *find(uint64_t addr, size_t len, bool device_writes);

  std::vector<Window> windows_;
  pcie_host host_{};
};

struct Completion {
  unsigned qid = 0;
  uint16_t cid = 0;
  uint16_t status = 0;  // SCT << 8 | SC
  uint32_t dw0 = 0;
};

/// Queue pairs and registers of one function. Everything throws Wrong where the device hangs, stops or answers what was
/// not asked.
class Host {
 public:
  /// `geometry`, `stalls`, `cache`, `firmware`: see pcie_device_options.
  Host(const char *kind, uint32_t superblocks, uint64_t seed, const char *geometry = nullptr, bool stalls = false,
       const char *cache = nullptr, const char *firmware = nullptr);
  Host(const Host &) = delete;
  Host &operator=(const Host &) = delete;

  Memory &memory() { return memory_; }
  pcie_function *function() { return fn_.function(); }
  uint64_t pages() const { return pages_; }
  /// I/O queue pairs that the device gave, at most kIoQueues.
  unsigned io_queues() const { return io_queues_; }

  /// Brings the controller from any state to enabled, with all queues; forgets the commands in flight.
  void start();
  void function_reset() { fn_.function_reset(); }
  void power_cycle();

  uint32_t read32(uint64_t offset) { return fn_.read32(offset); }
  void write32(uint64_t offset, uint32_t value) { fn_.write32(offset, value); }
  void write_doorbell(unsigned index, uint32_t value) { fn_.write_doorbell(index, value); }

  /// Whether the queue has room for an entry.
  bool room(unsigned qid) const;
  /// Puts an entry into the queue, with an identifier that no other command has; `ring` tells the controller.
  /// `answered`: it must complete.
  uint16_t put(unsigned qid, nvme_submission_entry entry, bool answered = true);
  void ring(unsigned qid);
  /// Lets time pass and takes completions. `strict`: an unexpected completion is an error.
  std::vector<Completion> poll(uint64_t ns, bool strict = true);
  /// Waits until every command that must complete has completed.
  std::vector<Completion> finish();
  size_t waiting() const;
  /// Executes one command and returns its status.
  uint16_t execute(unsigned qid, const nvme_submission_entry &entry, uint32_t *dw0 = nullptr);

 private:
  struct Queue {
    uint32_t tail = 0, sq_head = 0, head = 0;
    bool phase = true;
    uint16_t next_cid = 0;
    std::map<uint16_t, bool> inside;  // identifier: must be answered
  };

  void create_queues();

  Memory memory_;
  FunctionHost fn_;  // after the memory that the device uses
  Queue queues_[kQueuePairs];
  unsigned io_queues_ = 0;
  uint64_t pages_ = 0;
};

}  // namespace orm::fuzz
#endif  // OPENREMAP_FUZZ_HOST_H
