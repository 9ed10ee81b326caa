// SPDX-License-Identifier: Apache-2.0
//
// A small NVMe controller in software behind the PCIe-function interface, for tests of the driver without the RTL:
// registers, queues with phase bits, PRP walking, the commands of the device contract, and faults on request. It stores
// pages in a map of shared buffers, so that a remap really shares.
//
// It is strict: wrong ring indices, wrong PRPs, unaligned register accesses and commands to queues that do not exist
// are recorded in `violations`. A test should expect none.
#ifndef OPENREMAP_HOST_DRIVER_TESTS_MOCK_CONTROLLER_H_
#define OPENREMAP_HOST_DRIVER_TESTS_MOCK_CONTROLLER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "nvme_spec.h"
#include "orm_formats.h"
#include "pcie_function.h"

namespace openremap {

// Properties and faults of the mock. Set MockController::config before opening; faults may change while it runs.
struct MockConfig {
  uint64_t pages = 4096;
  uint8_t mdts = 5;  // 128 KiB
  uint32_t max_entries = 256;
  uint16_t io_queues_granted = 4;
  uint64_t command_ns = 10000;
  uint64_t ready_ns = 1000000;
  uint8_t lbads = 12;
  uint32_t sharer_limit = 31;
  uint16_t npwg = 0;  // NPWG, told of only where it is not 0

  // What it says of itself; other values are those of a stranger's drive.
  uint16_t vid = 0x1234;
  std::string model = "OpenRemap mock";
  bool has_effects_log = true;
  std::set<uint8_t> unlisted;              // I/O opcodes that the effects log leaves out
  std::map<uint8_t, uint16_t> log_status;  // log page -> status instead of the page
  uint32_t remap_log_version = 1;
  std::vector<uint32_t> block_formats;  // LBAF0 and on; empty: one format, of `lbads`
  uint8_t flbas = 0;
  uint8_t board = 0;  // of Identify Controller: ORM_BOARD_*, or what a stranger has there

  // Faults.
  bool never_ready = false;
  bool create_fails = false;
  bool reverse_order = false;                // completes the youngest command first
  std::map<int, uint16_t> status_of_opcode;  // I/O opcode -> status (SCT << 8 | SC) instead of executing it
  int hang_opcode = -1;                      // commands of this I/O opcode are never completed
  int fatal_opcode = -1;                     // this I/O opcode makes the controller fail (CSTS.CFS)
  int wrong_cid_opcode = -1;                 // this I/O opcode completes with a command identifier nobody sent
  unsigned late_interrupts = 0;              // come before each I/O command completes; each ends a run at its beginning
  int fail_after_commands = -1;              // this many I/O commands succeed, the next has an Internal Error
  orm_crash_log crash{};                     // the log page, when its count is not 0
  uint16_t format_status = 0;                // of Format NVM, instead of doing it
  uint16_t placement_handles = 3;            // that I/O Management Receive tells of
};

class MockController {
 public:
  using Page = std::array<uint8_t, 4096>;

  static constexpr unsigned kMostSuperblocks = 64;

  static MockConfig config;         // taken by the next Create
  static MockController *instance;  // the one made last; nullptr after close

  // As pcie_device_create. With options->image_dir, data stays between Create calls with the same folder name.
  static pcie_function *Create(const pcie_device_options *options, const pcie_host *host, char *error,
                               size_t error_len);
  // Forgets what Create keeps for image folders.
  static void ForgetImages();

  static constexpr uint16_t kHandles = 3;     // placement handles
  static constexpr uint64_t kUnitPages = 64;  // of a reclaim unit
  std::array<uint64_t, kHandles> placed{};    // pages written with each since its last update
  MockConfig faults;
  std::vector<std::string> violations;
  std::vector<nvme_submission_entry> log;        // I/O commands in the order of execution
  std::vector<nvme_submission_entry> admin_log;  // admin commands, likewise
  std::vector<uint32_t> formats;                 // cdw10 of the Format NVM commands
  uint32_t most_in_flight = 0;                   // commands fetched and not completed, at most
  std::vector<orm_remap_range> last_remap;       // ranges of the last REMAP or REMAP VECTOR, as they came
  bool shut_down = false;                        // CC.SHN was handled
  uint64_t doorbell_writes = 0;

  std::map<uint64_t, std::shared_ptr<Page>> pages;          // as read now
  std::map<uint64_t, std::shared_ptr<Page>> durable_pages;  // as read after a power cut

 private:
  struct Queue {
    bool exists = false;
    uint64_t base = 0;
    uint32_t entries = 0;
    uint32_t head = 0;  // SQ: next to fetch. CQ: host's head
    uint32_t tail = 0;  // SQ: host's tail. CQ: next to write
    uint16_t phase = 1;
    uint16_t partner = 0;  // SQ: its CQ. CQ: its vector
  };
  struct Running {
    nvme_submission_entry command;
    uint16_t sqid;
    uint64_t due_ns;
  };
  struct Result {
    uint16_t status = 0;
    uint32_t dw0 = 0;
  };

  MockController(const pcie_device_options *options, const pcie_host *host);

  int Bar0Read(uint64_t offset, unsigned size, uint64_t *value);
  int Bar0Write(uint64_t offset, unsigned size, uint64_t value);
  int64_t Run(uint64_t max_ns);
  void Reset();
  void PowerCut();

  void WriteConfiguration(uint32_t value);
  void WriteDoorbell(uint64_t offset, uint32_t value);
  void Fetch();
  bool CompleteDue();
  void Post(const Running &running, Result result);

  Result Execute(const Running &running);
  Result ExecuteAdmin(const nvme_submission_entry &command);
  Result ExecuteIo(const nvme_submission_entry &command);
  Result Identify(const nvme_submission_entry &command);
  Result GetLog(const nvme_submission_entry &command);
  Result CreateQueue(const nvme_submission_entry &command, bool completion);
  Result Transfer(const nvme_submission_entry &command, bool write);
  Result Deallocate(const nvme_submission_entry &command);
  Result WriteZeroes(const nvme_submission_entry &command);
  Result Copy(const nvme_submission_entry &command);
  Result Remap(const std::vector<orm_remap_range> &ranges, bool move);
  Result RemapVector(const nvme_submission_entry &command);
  Result PlacementStatus(const nvme_submission_entry &command);
  Result PlacementUpdate(const nvme_submission_entry &command);

  // The host memory that the PRPs of a command name, in order; false after recording a violation or a wrong PRP.
  bool Segments(const nvme_submission_entry &command, uint64_t bytes, std::vector<std::pair<uint64_t, uint64_t>> *out,
                uint16_t *status);
  uint16_t FromHost(const nvme_submission_entry &command, void *data, uint64_t bytes);
  uint16_t ToHost(const nvme_submission_entry &command, const void *data, uint64_t bytes);
  bool InRange(uint64_t slba, uint64_t nlb) const { return nlb <= faults.pages && slba <= faults.pages - nlb; }
  void Violation(const std::string &text) { violations.push_back(text); }

  struct Function {
    pcie_function base;  // what users see
    MockController *owner;
  };
  Function function_;
  const pcie_host *host_;
  std::string image_;
  uint64_t now_ns_ = 0;
  unsigned late_ = 0;  // interrupts still to come
  bool powered_ = true;
  uint32_t cc_ = 0, csts_ = 0, aqa_ = 0;
  uint64_t asq_ = 0, acq_ = 0;
  uint64_t ready_at_ns_ = 0;
  std::map<uint16_t, Queue> sqs_, cqs_;
  std::deque<Running> running_;
  orm_remap_log counters_{};

  static MockController *FromFunction(pcie_function *function);
  static const pcie_function_ops kOps;
};

}  // namespace openremap

#endif  // OPENREMAP_HOST_DRIVER_TESTS_MOCK_CONTROLLER_H_
