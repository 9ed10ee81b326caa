// SPDX-License-Identifier: Apache-2.0
#include "vfio_server.h"

#include <sys/types.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "client_memory.h"
#include "orm_bytes.h"
#include "orm_regs.h"
#include "vfio_message.h"

namespace orm::vfio {
namespace {

uint64_t region_bytes(uint32_t region) {
  switch (region) {
    case kRegionBar0:
      return PciConfig::kBar0Bytes;
    case kRegionBar4:
      return PciConfig::kBar4Bytes;
    case kRegionConfig:
      return PciConfig::kBytes;
    default:
      return 0;
  }
}

/// Reads the fixed part of a request. The payload must have exactly, or at least, that size.
template <class T>
T fixed(const Message &message, bool more = false) {
  const size_t size = message.payload.size();
  if (more ? size < sizeof(T) : size != sizeof(T)) {
    throw Refused("command " + std::to_string(message.header.command) + " with " + std::to_string(size) + " bytes");
  }
  return take<T>(message.payload);
}

bool is_eventfd(int fd) {
  char target[64];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t got = readlink(link.c_str(), target, sizeof target);
  return got > 0 && std::string(target, size_t(got)) == "anon_inode:[eventfd]";
}

}  // namespace

Server::Server(UniqueFd socket, pcie_function *function, Guest *guest, Doorbells doorbells, DoorbellBuffer *buffer)
    : socket_(std::move(socket)), function_(function), guest_(guest), buffer_(buffer) {
  if (doorbells == Doorbells::kPage) page_.emplace();
}

Server::~Server() {
  (void)function_->ops->reset(function_);  // a stopped device has nothing to reset
  if (buffer_ != nullptr) buffer_->disable();
  guest_->config().reset();
  guest_->drop_held();
  guest_->interrupts().clear();
  guest_->memory().clear();
}

unsigned Server::serve() {
  unsigned served = 0;
  while (served < kMostAtOnce) {
    auto message = socket_.receive();
    if (!message) break;
    ring();  // what the client rang before it sent the message comes before it
    answer(std::move(*message));
    ++served;
  }
  return served;
}

void Server::answer(Message message) {
  const Header request = message.header;
  if ((request.flags & kFlagTypeMask) != kTypeRequest || (request.flags & ~(kFlagTypeMask | kFlagNoReply)) != 0)
    throw Refused("flags " + std::to_string(request.flags) + " in a request");
  // SPDK sends the descriptor of a map when it removes it, too. It is closed with the message.
  const bool takes_descriptors =
      request.command == kDmaMap || request.command == kDmaUnmap || request.command == kSetIrqs;
  if (!message.fds.empty() && !takes_descriptors)
    throw Refused("descriptors with command " + std::to_string(request.command));
  if (agreed_ == (request.command == kVersion))
    throw Refused(agreed_ ? "a second version" : "command " + std::to_string(request.command) + " before a version");

  std::vector<uint8_t> payload;
  int descriptor = -1;
  const int error = handle(&message, &payload, &descriptor);
  if ((request.flags & kFlagNoReply) != 0) return;
  if (error != 0) payload.clear();
  const Header reply = {request.id, request.command, uint32_t(sizeof(Header) + payload.size()),
                        kTypeReply | (error != 0 ? kFlagError : 0), uint32_t(-error)};
  socket_.send(reply, payload, error != 0 ? -1 : descriptor);
}

/// Returns 0 or a negative errno for the reply, with which `descriptor` goes unless it stays negative.
int Server::handle(Message *message, std::vector<uint8_t> *reply, int *descriptor) {
  switch (message->header.command) {
    case kVersion:
      version(*message, reply);
      return 0;
    case kDmaMap:
      return dma_map(*message);
    case kDmaUnmap:
      return dma_unmap(*message, reply);
    case kGetInfo:
      fixed<DeviceInfo>(*message);
      append(reply, DeviceInfo{sizeof(DeviceInfo), kDeviceHasReset | kDeviceIsPci, kRegions, kIrqs});
      return 0;
    case kGetRegionInfo:
      return region_info(*message, reply, descriptor);
    case kGetIrqInfo:
      return irq_info(*message, reply);
    case kSetIrqs:
      return set_irqs(message);
    case kRegionRead:
      return region_read(*message, reply);
    case kRegionWrite:
      return region_write(*message, reply);
    case kDeviceReset:
      if (!message->payload.empty()) throw Refused("a reset with a payload");
      reset();
      return 0;
    default:
      throw Refused("command " + std::to_string(message->header.command));
  }
}

void Server::version(const Message &message, std::vector<uint8_t> *reply) {
  const auto wanted = fixed<Version>(message, true);
  if (wanted.major != kMajor) throw Refused("version " + std::to_string(wanted.major));
  if (message.payload.size() > sizeof wanted && message.payload.back() != 0)
    throw Refused("capabilities without an end");
  // The client's capabilities are irrelevant: it is only sent replies of the sizes that it requested.
  const std::string capabilities = "{\"capabilities\":{\"max_msg_fds\":" + std::to_string(kMostDescriptors) +
                                   ",\"max_data_xfer_size\":" + std::to_string(kMostData) +
                                   ",\"max_dma_maps\":" + std::to_string(GuestMemory::kMostMaps) +
                                   ",\"pgsizes\":" + std::to_string(GuestMemory::kPage) + "}}";
  append(reply, Version{kMajor, kMinor});
  reply->insert(reply->end(), capabilities.begin(), capabilities.end());
  reply->push_back(0);
  agreed_ = true;
}

int Server::dma_map(const Message &message) {
  const auto map = fixed<DmaMap>(message);
  if (message.fds.size() > 1) throw Refused("a DMA map with " + std::to_string(message.fds.size()) + " descriptors");
  if ((map.flags & ~(kDmaRead | kDmaWrite)) != 0) return -EINVAL;
  // QEMU with share=off sends the descriptor all the same, but its guest writes into a copy.
  if (!message.fds.empty() && maps_privately(client_of(socket_.fd()), message.fds[0].get()))
    guest_->memory().tell_not_shared(map.address);
  return guest_->memory().map(map.address, map.size, message.fds.empty() ? -1 : message.fds[0].get(), map.offset,
                              (map.flags & kDmaRead) != 0, (map.flags & kDmaWrite) != 0);
}

int Server::dma_unmap(const Message &message, std::vector<uint8_t> *reply) {
  const auto unmap = fixed<DmaUnmap>(message);
  if (message.fds.size() > 1) throw Refused("a DMA unmap with " + std::to_string(message.fds.size()) + " descriptors");
  if ((unmap.flags & ~kUnmapAll) != 0) return -EINVAL;
  if ((unmap.flags & kUnmapAll) != 0) {
    if (unmap.address != 0 || unmap.size != 0) return -EINVAL;
    guest_->memory().clear();
  } else if (const int error = guest_->memory().unmap(unmap.address, unmap.size)) {
    return error;
  }
  append(reply, unmap);
  return 0;
}

/// A client may send as many bytes as it takes in the answer (SPDK does); only the first ones say anything.
int Server::region_info(const Message &message, std::vector<uint8_t> *reply, int *descriptor) {
  const auto asked = fixed<RegionInfo>(message, true);
  if (asked.argsz < sizeof asked || asked.index >= kRegions) return -EINVAL;
  const uint64_t size = region_bytes(asked.index);
  RegionInfo info{sizeof(RegionInfo), size != 0 ? kRegionCanRead | kRegionCanWrite : 0, asked.index, 0, size, 0};
  if (asked.index != kRegionBar0 || !page_) {
    append(reply, info);
    return 0;
  }
  // The registers before the doorbells stay messages, so the capability names the page. A client that has no room for
  // it is told how much it needs, and nothing of the map, and asks again: QEMU refuses the flag without a capability.
  info.argsz = sizeof(RegionInfo) + sizeof(SparseMmap);
  if (asked.argsz < info.argsz) {
    append(reply, info);
    return 0;
  }
  info.flags |= kRegionCanMap | kRegionHasCapabilities;
  info.capabilities = sizeof(RegionInfo);
  append(reply, info);
  append(reply, SparseMmap{kSparseMmapId, kSparseMmapVersion, 0, 1, 0, DoorbellPage::kOffset, DoorbellPage::kBytes});
  *descriptor = page_->fd();
  page_given_ = true;
  return 0;
}

int Server::irq_info(const Message &message, std::vector<uint8_t> *reply) {
  const auto asked = fixed<IrqInfo>(message);
  if (asked.argsz < sizeof asked || asked.index >= kIrqs) return -EINVAL;
  const bool msix = asked.index == kIrqMsix;
  append(reply, IrqInfo{sizeof(IrqInfo), msix ? kIrqByEventfd : 0, asked.index, msix ? PciConfig::kVectors : 0});
  return 0;
}

int Server::set_irqs(Message *message) {
  const auto set = fixed<IrqSet>(*message);
  guest_->deliver_all();  // to the descriptors that were there when they were raised
  for (const UniqueFd &fd : message->fds) {
    if (!is_eventfd(fd.get())) throw Refused("a descriptor for an interrupt that is no eventfd");
  }
  if (set.index >= kIrqs) return -EINVAL;
  if (set.flags == (kIrqNoData | kIrqTrigger) && set.start == 0 && set.count == 0 && message->fds.empty()) {
    if (set.index == kIrqMsix) guest_->interrupts().clear();
    return 0;
  }
  if (set.index != kIrqMsix || set.flags != (kIrqEventfd | kIrqTrigger)) return -EINVAL;
  return guest_->interrupts().set(set.start, set.count, std::move(message->fds));
}

int Server::region_read(const Message &message, std::vector<uint8_t> *reply) {
  const auto access = fixed<RegionAccess>(message);
  const uint64_t size = region_bytes(access.region);
  if (access.count == 0 || access.count > size || access.offset > size - access.count) return -EINVAL;
  append(reply, access);
  // The client keeps MSI-X table and pending bits itself, so BAR4 has no content of interest.
  reply->resize(sizeof access + access.count, 0);
  uint8_t *out = reply->data() + sizeof access;
  if (access.region == kRegionConfig) guest_->config().read(uint32_t(access.offset), access.count, out);
  if (access.region == kRegionBar0) bar0_read(access.offset, access.count, out);
  return 0;
}

int Server::region_write(const Message &message, std::vector<uint8_t> *reply) {
  const auto access = fixed<RegionAccess>(message, true);
  if (message.payload.size() - sizeof access != access.count)
    throw Refused("a write of " + std::to_string(access.count) + " bytes that has " +
                  std::to_string(message.payload.size() - sizeof access));
  const uint64_t size = region_bytes(access.region);
  if (access.count == 0 || access.count > size || access.offset > size - access.count) return -EINVAL;
  const uint8_t *in = message.payload.data() + sizeof access;
  if (access.region == kRegionConfig && guest_->config().write(uint32_t(access.offset), access.count, in)) reset();
  if (access.region == kRegionBar0) bar0_write(access.offset, access.count, in);
  append(reply, access);
  return 0;
}

// ---------------------------------------------------------------- the function

/// Reads of any size and offset are composed of reads of whole registers.
void Server::bar0_read(uint64_t offset, uint32_t count, uint8_t *out) {
  for (uint64_t at = offset & ~uint64_t{3}; at < offset + count; at += 4) {
    uint64_t value = 0;
    if (function_->ops->bar0_read(function_, at, 4, &value) != 0) throw DeviceStopped();
    for (uint64_t i = 0; i < 4; ++i) {
      if (at + i >= offset && at + i < offset + count) out[at + i - offset] = uint8_t(value >> (8 * i));
    }
  }
}

unsigned Server::ring() {
  unsigned rung = 0;
  for (unsigned doorbell = 0; page_given_ && doorbell < DoorbellPage::kDoorbells; ++doorbell) {
    uint32_t value = 0;
    if (!page_->take(doorbell, &value)) continue;
    ++rung;
    write_register(DoorbellPage::kOffset + 4 * doorbell, value);
  }
  if (buffer_ == nullptr) return rung;
  return rung + buffer_->take([this](unsigned doorbell, uint32_t value) { ring_function(doorbell, value); });
}

void Server::ring_function(unsigned doorbell, uint32_t value) {
  if (doorbell % 2 == 0 && doorbell < DoorbellPage::kDoorbells) rung_ |= uint32_t{1} << doorbell / 2;
  if (function_->ops->bar0_write(function_, DoorbellPage::kOffset + 4 * doorbell, 4, value) != 0) throw DeviceStopped();
}

/// A register as the client writes it.
void Server::write_register(uint64_t offset, uint32_t value) {
  if (offset >= DoorbellPage::kOffset) {
    const auto doorbell = unsigned((offset - DoorbellPage::kOffset) / 4);
    if (buffer_ == nullptr || !buffer_->rang(doorbell, value)) ring_function(doorbell, value);
    return;
  }
  if (function_->ops->bar0_write(function_, offset, 4, value) != 0) throw DeviceStopped();
  if (offset == ORM_BAR0_CC && buffer_ != nullptr) configure(value);
}

/// CC was written: enables and disables the buffer with the controller, and ends the shadows with a shutdown.
void Server::configure(uint32_t cc) {
  if (ORM_GET(cc, ORM_BAR0_CC_EN) == 0) return buffer_->disable();
  if (!buffer_->enabled()) {
    const auto read = [this](uint64_t at) {
      uint64_t got = 0;
      if (function_->ops->bar0_read(function_, at, 4, &got) != 0) throw DeviceStopped();
      return got;
    };
    const auto aqa = uint32_t(read(ORM_BAR0_AQA));
    buffer_->enable(read(ORM_BAR0_ASQ_HI) << 32 | read(ORM_BAR0_ASQ_LO), ORM_GET(aqa, ORM_BAR0_AQA_ASQS) + 1,
                    read(ORM_BAR0_ACQ_HI) << 32 | read(ORM_BAR0_ACQ_LO), ORM_GET(aqa, ORM_BAR0_AQA_ACQS) + 1);
  }
  if (ORM_GET(cc, ORM_BAR0_CC_SHN) != 0) buffer_->shut_down();
}

/// NVMe registers of 4 and 8 bytes are written as a whole; partial writes are dropped.
void Server::bar0_write(uint64_t offset, uint32_t count, const uint8_t *in) {
  if (offset % 4 != 0 || count % 4 != 0) return;
  for (uint32_t i = 0; i < count; i += 4) write_register(offset + i, uint32_t(orm_get_le(in + i, 4)));
}

void Server::reset() {
  if (function_->ops->reset(function_) != 0) throw DeviceStopped();
  if (buffer_ != nullptr) buffer_->disable();
  guest_->drop_held();
  guest_->config().reset();
}

}  // namespace orm::vfio
