// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_GUEST_MEMORY_H
#define OPENREMAP_GUEST_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace orm::vfio {

/// Guest memory that the device may access: what the client has mapped for DMA and nothing else, as behind an IOMMU.
class GuestMemory {
 public:
  /// `tell` gets one line about the first access that fails for a reason that the guest cannot know: memory that the
  /// client does not share, or has taken away.
  using Tell = std::function<void(const std::string &)>;
  explicit GuestMemory(Tell tell = {}) : tell_(std::move(tell)) {}
  ~GuestMemory() { clear(); }
  GuestMemory(const GuestMemory &) = delete;
  GuestMemory &operator=(const GuestMemory &) = delete;

  static constexpr uint64_t kPage = 4096;
  static constexpr size_t kMostMaps = 4096;

  /// Maps `size` bytes of file `fd` from `offset` on at bus address `address`. `fd` < 0 is memory that the client does
  /// not share (its ROMs), and that the device cannot access. Returns 0, or a negative errno and nothing has changed.
  int map(uint64_t address, uint64_t size, int fd, uint64_t offset, bool device_reads, bool device_writes);
  /// Removes all maps in the range, which must not split one. Returns 0, or a negative errno and nothing has changed.
  int unmap(uint64_t address, uint64_t size);
  void clear();
  size_t maps() const { return maps_.size(); }
  /// Tells that the device does not see what the guest has at this address.
  void tell_not_shared(uint64_t address) const;

  /// Accesses as in pcie_host. The range may span adjacent maps.
  int read(uint64_t address, void *data, size_t len) const;
  int write(uint64_t address, const void *data, size_t len);

 private:
  struct Map {
    uint64_t last;   // bus address of the last byte: the end may be 2^64
    uint8_t *bytes;  // null: not shared
    bool device_reads;
    bool device_writes;
  };
  using Maps = std::map<uint64_t, Map>;

  Maps::const_iterator find(uint64_t address) const;
  template <class Copy>
  int each(uint64_t address, size_t len, bool writes, Copy copy) const;

  void tell_once(uint64_t address, const char *what) const;

  Maps maps_;  // by the bus address of the first byte
  Tell tell_;
  mutable bool told_ = false;  // since clear()
};

}  // namespace orm::vfio
#endif  // OPENREMAP_GUEST_MEMORY_H
