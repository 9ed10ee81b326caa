// SPDX-License-Identifier: Apache-2.0
//
// Wire formats of vfio-user 0.0 (docs/interop/vfio-user.rst of QEMU). Everything is in the byte order of the machine,
// which both ends share.
#ifndef OPENREMAP_VFIO_MESSAGE_H
#define OPENREMAP_VFIO_MESSAGE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace orm::vfio {

constexpr uint16_t kMajor = 0;
constexpr uint16_t kMinor = 0;

enum Command : uint16_t {
  kVersion = 1,
  kDmaMap = 2,
  kDmaUnmap = 3,
  kGetInfo = 4,
  kGetRegionInfo = 5,
  kGetIrqInfo = 7,
  kSetIrqs = 8,
  kRegionRead = 9,
  kRegionWrite = 10,
  kDeviceReset = 13,
};

struct Header {
  uint16_t id;
  uint16_t command;
  uint32_t size;  // bytes of the message, this header included
  uint32_t flags;
  uint32_t error;  // errno, in a reply with kFlagError
};
static_assert(sizeof(Header) == 16);

constexpr uint32_t kFlagTypeMask = 0xF;
constexpr uint32_t kTypeRequest = 0;
constexpr uint32_t kTypeReply = 1;
constexpr uint32_t kFlagNoReply = 0x10;
constexpr uint32_t kFlagError = 0x20;

/// Limits of a message's payload and descriptors. They are announced to the client, which must observe them.
constexpr uint32_t kMostData = 64 * 1024;
constexpr uint32_t kMostDescriptors = 16;  // QEMU accepts no more
constexpr uint32_t kMostMessage = kMostData + 64;

struct Version {  // followed by JSON, zero-terminated; may be left out
  uint16_t major;
  uint16_t minor;
};
static_assert(sizeof(Version) == 4);

struct DmaMap {
  uint32_t argsz;
  uint32_t flags;
  uint64_t offset;  // in the descriptor's file
  uint64_t address;
  uint64_t size;
};
static_assert(sizeof(DmaMap) == 32);
constexpr uint32_t kDmaRead = 1;   // the device may read
constexpr uint32_t kDmaWrite = 2;  // the device may write

struct DmaUnmap {
  uint32_t argsz;
  uint32_t flags;
  uint64_t address;
  uint64_t size;
};
static_assert(sizeof(DmaUnmap) == 24);
constexpr uint32_t kUnmapAll = 2;

struct DeviceInfo {
  uint32_t argsz;
  uint32_t flags;
  uint32_t regions;
  uint32_t irqs;
};
static_assert(sizeof(DeviceInfo) == 16);
constexpr uint32_t kDeviceHasReset = 1;
constexpr uint32_t kDeviceIsPci = 2;

enum Region : uint32_t { kRegionBar0 = 0, kRegionBar4 = 4, kRegionConfig = 7, kRegions = 9 };

struct RegionInfo {
  uint32_t argsz;
  uint32_t flags;
  uint32_t index;
  uint32_t capabilities;
  uint64_t size;
  uint64_t offset;
};
static_assert(sizeof(RegionInfo) == 32);
constexpr uint32_t kRegionCanRead = 1;
constexpr uint32_t kRegionCanWrite = 2;
constexpr uint32_t kRegionCanMap = 4;           // its descriptor comes with the answer
constexpr uint32_t kRegionHasCapabilities = 8;  // at offset `capabilities` of the answer

/// The parts of a region that may be mapped, when these are not all of it; here always one.
struct SparseMmap {
  uint16_t id;
  uint16_t version;
  uint32_t next;  // offset of the next capability in the answer; 0: none
  uint32_t areas;
  uint32_t reserved;
  uint64_t offset;
  uint64_t size;
};
static_assert(sizeof(SparseMmap) == 32);
constexpr uint16_t kSparseMmapId = 1;
constexpr uint16_t kSparseMmapVersion = 1;

enum Irq : uint32_t { kIrqMsix = 2, kIrqs = 5 };

struct IrqInfo {
  uint32_t argsz;
  uint32_t flags;
  uint32_t index;
  uint32_t count;
};
static_assert(sizeof(IrqInfo) == 16);
constexpr uint32_t kIrqByEventfd = 1;

struct IrqSet {
  uint32_t argsz;
  uint32_t flags;
  uint32_t index;
  uint32_t start;
  uint32_t count;
};
static_assert(sizeof(IrqSet) == 20);
constexpr uint32_t kIrqNoData = 1;
constexpr uint32_t kIrqEventfd = 4;
constexpr uint32_t kIrqTrigger = 32;

struct RegionAccess {  // followed by `count` bytes in a write and in the answer to a read
  uint64_t offset;
  uint32_t region;
  uint32_t count;
};
static_assert(sizeof(RegionAccess) == 16);

/// Converts a message, or part of it, to bytes and back.
template <class T>
void append(std::vector<uint8_t> *bytes, const T &value) {
  const size_t before = bytes->size();
  bytes->resize(before + sizeof value);
  std::memcpy(bytes->data() + before, &value, sizeof value);
}
template <class T>
T take(const std::vector<uint8_t> &bytes, size_t offset = 0) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace orm::vfio
#endif  // OPENREMAP_VFIO_MESSAGE_H
