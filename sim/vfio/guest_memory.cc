// SPDX-License-Identifier: Apache-2.0
#include "guest_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>

#include "guarded_copy.h"

namespace orm::vfio {
namespace {

/// Number of bytes from `first` to `last`. It never overflows to 0, because no map covers the whole address space.
uint64_t length(uint64_t first, uint64_t last) { return last - first + 1; }

}  // namespace

int GuestMemory::map(uint64_t address, uint64_t size, int fd, uint64_t offset, bool device_reads, bool device_writes) {
  if (size == 0 || (address | size | offset) % kPage != 0) return -EINVAL;
  const uint64_t last = address + (size - 1);
  if (last < address) return -EINVAL;
  if (maps_.size() >= kMostMaps) return -ENOSPC;
  const auto above = maps_.upper_bound(last);
  if (above != maps_.begin() && std::prev(above)->second.last >= address) return -EEXIST;

  uint8_t *bytes = nullptr;
  if (fd >= 0) {
    struct stat file {};
    // A mapping faults past the end of its file. A later truncation is detected by guarded_copy.
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return -EINVAL;
    const uint64_t bytes_there = uint64_t(file.st_size);
    if (offset > bytes_there || size > bytes_there - offset) return -EINVAL;
    const int protection = (device_reads ? PROT_READ : 0) | (device_writes ? PROT_WRITE : 0);
    void *place = mmap(nullptr, size, protection, MAP_SHARED, fd, off_t(offset));
    if (place == MAP_FAILED) return -errno;
    bytes = static_cast<uint8_t *>(place);
  }
  maps_.emplace(address, Map{last, bytes, device_reads, device_writes});
  return 0;
}

int GuestMemory::unmap(uint64_t address, uint64_t size) {
  if (size == 0) return -EINVAL;
  const uint64_t last = address + (size - 1);
  if (last < address) return -EINVAL;
  const auto first = maps_.lower_bound(address);
  if (first != maps_.begin() && std::prev(first)->second.last >= address) return -EINVAL;
  const auto end = maps_.upper_bound(last);
  if (first == end) return -ENOENT;
  if (std::prev(end)->second.last > last) return -EINVAL;
  for (auto at = first; at != end; ++at) {
    if (at->second.bytes != nullptr) munmap(at->second.bytes, length(at->first, at->second.last));
  }
  maps_.erase(first, end);
  return 0;
}

void GuestMemory::clear() {
  for (const auto &[first, map] : maps_) {
    if (map.bytes != nullptr) munmap(map.bytes, length(first, map.last));
  }
  maps_.clear();
  told_ = false;
}

void GuestMemory::tell_not_shared(uint64_t address) const {
  tell_once(address, "is not shared with the device: QEMU needs -object memory-backend-memfd,share=on for it");
}

void GuestMemory::tell_once(uint64_t address, const char *what) const {
  if (!tell_ || told_) return;
  told_ = true;
  char text[160];
  std::snprintf(text, sizeof text, "the guest's memory at 0x%llx %s", static_cast<unsigned long long>(address), what);
  tell_(text);
}

GuestMemory::Maps::const_iterator GuestMemory::find(uint64_t address) const {
  const auto above = maps_.upper_bound(address);
  if (above == maps_.begin()) return maps_.end();
  const auto found = std::prev(above);
  return found->second.last >= address ? found : maps_.end();
}

/// Calls `copy(place, piece)` for each piece in order, until one returns false. Does nothing unless the device may
/// access all pieces.
template <class Copy>
int GuestMemory::each(uint64_t address, size_t len, bool writes, Copy copy) const {
  if (len == 0 || address + (len - 1) < address) return -EFAULT;
  for (const bool check : {true, false}) {
    uint64_t at = address;
    size_t left = len;
    while (left != 0) {
      const auto found = find(at);
      if (found == maps_.end()) return -EFAULT;
      const Map &map = found->second;
      if (map.bytes == nullptr) tell_not_shared(at);
      if (map.bytes == nullptr || !(writes ? map.device_writes : map.device_reads)) return -EFAULT;
      const size_t piece = size_t(std::min<uint64_t>(left, length(at, map.last)));
      if (!check && !copy(map.bytes + (at - found->first), piece)) {
        tell_once(at, "was taken away while the device used it");
        return -EFAULT;
      }
      at += piece;
      left -= piece;
    }
  }
  return 0;
}

int GuestMemory::read(uint64_t address, void *data, size_t len) const {
  auto *to = static_cast<uint8_t *>(data);
  return each(address, len, false, [&](const uint8_t *place, size_t piece) {
    const bool there = guarded_copy(to, place, piece);
    to += piece;
    return there;
  });
}

int GuestMemory::write(uint64_t address, const void *data, size_t len) {
  const auto *from = static_cast<const uint8_t *>(data);
  return each(address, len, true, [&](uint8_t *place, size_t piece) {
    const bool there = guarded_copy(place, from, piece);
    from += piece;
    return there;
  });
}

}  // namespace orm::vfio
