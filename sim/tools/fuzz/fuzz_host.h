// SPDX-License-Identifier: Apache-2.0
//
// The fuzzer's host: memory with windows, queue pairs, and a driver that can start from any state of the controller. It
// does not use libopenremap, which never sends anything invalid.
#ifndef OPENREMAP_FUZZ_HOST_H
#define OPENREMAP_FUZZ_HOST_H

#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "openremap_cmd.h"
#include "pcie_function.h"

namespace orm::fuzz {

constexpr uint32_t kPage = 4096;
constexpr unsigned kIoQueues = 4;
constexpr unsigned kQueuePairs = kIoQueues + 1;
constexpr uint32_t kEntries = 32;  // of each queue

/// The device did something that it must never do; the message says what.
class Found : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Host memory behind an IOMMU: the device may read its inputs and write its outputs, and never reads what it wrote. So
/// a faulty command cannot turn into another command.
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

/// Queue pairs and registers of one function. All calls throw Found if the device hangs, stops or sends an unexpected
/// completion.
class Host {
 public:
  /// `geometry`, `stalls`: see pcie_device_options.
  Host(const char *kind, uint32_t superblocks, uint64_t seed, const char *geometry = nullptr, bool stalls = false);
  ~Host();
  Host(const Host &) = delete;
  Host &operator=(const Host &) = delete;

  Memory &memory() { return memory_; }
  pcie_function *function() { return fn_; }
  uint64_t pages() const { return pages_; }

  /// Brings the controller from any state to enabled, with all queues; forgets the commands in flight.
  void start();
  void function_reset();
  void power_cycle();

  uint32_t read32(uint64_t offset);
  void write32(uint64_t offset, uint32_t value);
  void write_doorbell(unsigned index, uint32_t value) { write32(0x1000 + 4 * uint64_t(index), value); }

  /// Whether the queue has room for an entry.
  bool room(unsigned qid) const;
  /// Puts an entry with a unique identifier into the queue; `ring` writes the doorbell. `answered`: the command must
  /// complete.
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

  void run(uint64_t ns);
  void wait_csts(uint32_t mask, uint32_t value, const char *what);
  void create_queues();

  Memory memory_;
  pcie_function *fn_ = nullptr;
  Queue queues_[kQueuePairs];
  unsigned idle_ = 0;
  uint64_t pages_ = 0;
};

}  // namespace orm::fuzz
#endif  // OPENREMAP_FUZZ_HOST_H
