// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_DOORBELL_BUFFER_H
#define OPENREMAP_DOORBELL_BUFFER_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "orm_regs.h"
#include "pcie_function.h"
#include "vfio_guest.h"
#include "vfio_pci_config.h"

namespace orm::vfio {

/// Doorbell Buffer Config (NVMe Base 2.0, section 5.8 and annex B.5) for a function that does not have it: the host
/// writes the values of its I/O doorbells to a page of its memory, and rings the register only where a second page, of
/// event indices, asks for that.
///
/// The command is one of emulated controllers: hardware cannot look at host memory all the time. So no firmware knows
/// it, and this layer of the emulation, between the function and the guest's memory, adds it. It changes what the
/// function sees of the admin queue in three places:
///   - Identify Controller says that the command exists (OACS bit 8), and so does the log page of supported commands;
///   - the function fetches a Get Features in place of the command;
///   - the completion of that Get Features becomes the command's own.
/// All else passes unchanged. Shadow values that have changed are passed on as writes of the doorbell registers.
class DoorbellBuffer {
 public:
  /// The command (NVMe Base 2.0, section 5.8), and its bit of OACS (section 5.17.2.1). The descriptions in interfaces/
  /// do not have them: what they give is the firmware's, too, and no firmware knows the command.
  static constexpr uint8_t kOpcode = 0x7C;
  static constexpr uint16_t kOacs = 1u << 8;
  /// Doorbells: 2q is the tail of submission queue q, 2q + 1 the head of completion queue q. Those of the admin queue
  /// always come as register writes.
  static constexpr unsigned kFirst = 2, kDoorbells = 2 * PciConfig::kVectors;
  static constexpr uint32_t kMostValue = ORM_BAR0_DOORBELL_VALUE_MASK;

  explicit DoorbellBuffer(Guest *guest);
  DoorbellBuffer(const DoorbellBuffer &) = delete;
  DoorbellBuffer &operator=(const DoorbellBuffer &) = delete;

  /// What the function must be created with.
  const pcie_host *host() const { return &host_; }

  /// The controller was enabled, with these admin queues.
  void enable(uint64_t asq, uint32_t sq_entries, uint64_t acq, uint32_t cq_entries);
  bool enabled() const { return sq_.bytes != 0; }
  /// The controller was disabled or reset: the buffers are the host's again.
  void disable();
  /// A shutdown has begun: the buffers are the host's again, and others are refused until the next enable().
  void shut_down();

  /// Whether the host has given the buffers.
  bool active() const { return shadows_ != 0; }
  /// A write of an I/O doorbell's register. True: the buffers are active, so take() tells what it means.
  bool rang(unsigned doorbell, uint32_t value);
  /// Calls `ring(doorbell, value)` for each doorbell with a new shadow value, and returns their number. A value that is
  /// too large for a register is the largest of one, which no queue has: the function reports it as an error.
  template <class Ring>
  unsigned take(Ring ring) {
    if (!active() || !read_shadows()) return 0;
    unsigned rung = 0;
    for (unsigned i = kFirst; i < kDoorbells; ++i) {
      if (!live_[i] || shadow_[i] == last_[i]) continue;
      last_[i] = shadow_[i];
      ++rung;
      ring(i, std::min(shadow_[i], kMostValue));
    }
    return rung;
  }
  /// Asks the host to ring the registers of submission queues (`ask`), or not to, until the next call. What it wrote
  /// before it saw that is found by another take().
  void ask_for_events(bool ask);

 private:
  struct Admin {
    uint64_t base = 0;
    uint32_t bytes = 0;
    bool at(uint64_t address, size_t size) const {
      return bytes != 0 && address >= base && address - base < bytes && (address - base) % size == 0;
    }
  };
  /// An admin command that the function has fetched.
  struct Command {
    uint8_t opcode = 0;
    unsigned doorbell = 0;             // queues made and deleted
    uint64_t shadows = 0, events = 0;  // Doorbell Buffer Config, with the next
    uint8_t flags = 0;
    std::optional<uint64_t> marked = {};  // address of the byte of its data that gets kMark
  };

  int read(uint64_t address, void *data, size_t len);
  int write(uint64_t address, const void *data, size_t len);
  void fetched(uint8_t *entry);
  void completed(uint8_t *entry);
  uint16_t begin(const Command &command);
  void forget() { shadows_ = events_ = 0; }
  void made(unsigned doorbell);
  uint32_t event(unsigned doorbell) const;
  bool read_shadows();
  void put(uint64_t base, unsigned doorbell, uint32_t value);

  const pcie_host *guest_;
  pcie_host host_{};
  Admin sq_, cq_;
  std::map<uint16_t, Command> commands_;  // those that matter here, by their identifiers
  uint64_t shadows_ = 0, events_ = 0;     // bus addresses; 0: none
  std::array<bool, kDoorbells> live_{};
  std::array<uint32_t, kDoorbells> last_{};  // passed on to the function
  std::array<uint32_t, kDoorbells> shadow_{};
  bool asks_ = false;
  bool shut_down_ = false;
};

}  // namespace orm::vfio
#endif  // OPENREMAP_DOORBELL_BUFFER_H
