// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_VFIO_PCI_CONFIG_H
#define OPENREMAP_VFIO_PCI_CONFIG_H

#include <array>
#include <cstdint>

namespace orm::vfio {

/// PCI configuration space of the NVMe function: class 010802h, BAR0 (registers, 64 bits), BAR4 (MSI-X table and
/// pending bits), and the capabilities power management, MSI-X, and PCI Express with function level reset.
class PciConfig {
 public:
  static constexpr uint32_t kBytes = 4096;
  static constexpr uint32_t kBar0Bytes = 16 * 1024;
  static constexpr uint32_t kBar4Bytes = 4096;
  /// One vector for the admin queue and one for each of eight I/O queues.
  static constexpr uint32_t kVectors = 9;

  PciConfig();
  /// Sets the state after power-on or a function reset.
  void reset();

  /// The range must lie inside kBytes.
  void read(uint32_t offset, uint32_t len, uint8_t *out) const;
  /// Writes the writable bits, as hardware does. True: the write requests a function level reset.
  bool write(uint32_t offset, uint32_t len, const uint8_t *in);

  /// Whether the function may read and write memory.
  bool bus_master() const;

 private:
  void put(uint32_t offset, unsigned bytes, uint64_t value, uint64_t writable = 0);

  std::array<uint8_t, kBytes> value_{};
  std::array<uint8_t, kBytes> writable_{};
};

}  // namespace orm::vfio
#endif  // OPENREMAP_VFIO_PCI_CONFIG_H
