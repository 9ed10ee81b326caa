// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_VFIO_GUEST_H
#define OPENREMAP_VFIO_GUEST_H

#include <array>
#include <cstdint>
#include <vector>

#include "guest_memory.h"
#include "pcie_function.h"
#include "unique_fd.h"
#include "vfio_pci_config.h"

namespace orm::vfio {

/// The eventfds that are written for each MSI-X vector.
class Interrupts {
 public:
  /// Sets the descriptors of the vectors from `start` on. Without descriptors it clears those of `count` vectors.
  /// -EINVAL past the last vector.
  int set(uint32_t start, uint32_t count, std::vector<UniqueFd> fds);
  void clear() { fds_ = {}; }
  /// Signals a vector. Without a descriptor MSI-X is off, and the interrupt is lost.
  void fire(unsigned vector);

 private:
  std::array<UniqueFd, PciConfig::kVectors> fds_;
};

/// The guest machine, as the PCI function sees it.
class Guest {
 public:
  /// `tell` as of GuestMemory.
  explicit Guest(GuestMemory::Tell tell = {});
  Guest(const Guest &) = delete;
  Guest &operator=(const Guest &) = delete;

  const pcie_host *host() const { return &host_; }
  GuestMemory &memory() { return memory_; }
  Interrupts &interrupts() { return interrupts_; }
  PciConfig &config() { return config_; }
  /// Number of interrupts that the function has raised.
  uint64_t fired() const { return fired_; }

  /// Whether interrupts of I/O queues wait until they are delivered. Those of vector 0, the admin queue's, never do.
  void hold_interrupts(bool hold) { holds_ = hold; }
  bool holds_interrupts() const { return holds_; }
  /// The vectors whose interrupts wait, a bit for each.
  uint32_t held() const { return held_; }
  void deliver(unsigned vector);
  void deliver_all();
  void drop_held() { held_ = 0; }

 private:
  void fire(unsigned vector);

  GuestMemory memory_;
  Interrupts interrupts_;
  PciConfig config_;
  uint64_t fired_ = 0;
  bool holds_ = false;
  uint32_t held_ = 0;
  pcie_host host_{};
};

}  // namespace orm::vfio
#endif  // OPENREMAP_VFIO_GUEST_H
