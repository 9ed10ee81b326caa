// SPDX-License-Identifier: Apache-2.0
#include "vfio_guest.h"

#include <poll.h>

#include <cerrno>
#include <utility>

namespace orm::vfio {

int Interrupts::set(uint32_t start, uint32_t count, std::vector<UniqueFd> fds) {
  if (start > fds_.size() || count > fds_.size() - start) return -EINVAL;
  if (!fds.empty() && fds.size() != count) return -EINVAL;
  for (uint32_t i = 0; i < count; ++i) fds_[start + i] = fds.empty() ? UniqueFd() : std::move(fds[i]);
  return 0;
}

void Interrupts::fire(unsigned vector) {
  if (vector >= fds_.size() || !fds_[vector]) return;
  const uint64_t one = 1;
  // A full eventfd has not been read, and signals this interrupt, too. It may be a blocking one, so it is not written.
  pollfd room{fds_[vector].get(), POLLOUT, 0};
  if (poll(&room, 1, 0) != 1 || (room.revents & POLLOUT) == 0) return;
  if (::write(fds_[vector].get(), &one, sizeof one) < 0) return;
}

Guest::Guest(GuestMemory::Tell tell) : memory_(std::move(tell)) {
  host_.ctx = this;
  host_.dma_read = [](void *ctx, uint64_t address, void *data, size_t len) {
    auto &guest = *static_cast<Guest *>(ctx);
    return guest.config_.bus_master() ? guest.memory_.read(address, data, len) : -EFAULT;
  };
  host_.dma_write = [](void *ctx, uint64_t address, const void *data, size_t len) {
    auto &guest = *static_cast<Guest *>(ctx);
    return guest.config_.bus_master() ? guest.memory_.write(address, data, len) : -EFAULT;
  };
  host_.msix = [](void *ctx, unsigned vector) {
    auto &guest = *static_cast<Guest *>(ctx);
    ++guest.fired_;
    if (guest.holds_ && vector != 0 && vector < PciConfig::kVectors) {
      guest.held_ |= uint32_t{1} << vector;
    } else {
      guest.fire(vector);
    }
  };
}

void Guest::deliver(unsigned vector) {
  held_ &= ~(uint32_t{1} << vector);
  fire(vector);
}

void Guest::deliver_all() {
  for (unsigned vector = 0; held_ != 0; ++vector) {
    if ((held_ >> vector & 1) != 0) deliver(vector);
  }
}

void Guest::fire(unsigned vector) {
  if (config_.bus_master()) interrupts_.fire(vector);
}

}  // namespace orm::vfio
