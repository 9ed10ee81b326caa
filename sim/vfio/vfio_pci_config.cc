// SPDX-License-Identifier: Apache-2.0
#include "vfio_pci_config.h"

#include <cstring>

#include "orm_bytes.h"
#include "orm_identity.h"

namespace orm::vfio {
namespace {

constexpr uint16_t kVendor = ORM_PCI_VENDOR;
constexpr uint16_t kDevice = 0x5244;

constexpr uint32_t kCommand = 0x04;
constexpr uint16_t kBusMaster = 1u << 2;
constexpr uint16_t kCommandWritable = 0x0547;  // I/O, memory, master, parity, SERR, interrupt disable
constexpr uint16_t kHasCapabilities = 1u << 4;

// A 64-bit BAR, not prefetchable. The client sizes the BARs by the region sizes, and manages the addresses.
constexpr uint64_t kBar64 = 0x4;

constexpr uint32_t kPower = 0x40, kMsix = 0x50, kExpress = 0x60;
constexpr uint8_t kCapPower = 0x01, kCapMsix = 0x11, kCapExpress = 0x10;
constexpr uint32_t kTableBar = 4;
constexpr uint32_t kPendingOffset = 0x800;

constexpr uint32_t kExpressControl = kExpress + 8;
constexpr uint16_t kStartReset = 1u << 15;
constexpr uint32_t kRoleBasedErrors = 1u << 15, kFunctionReset = 1u << 28;
constexpr uint32_t kLink = 1u << 4 | 1;  // one lane of 2.5 GT/s; nothing depends on it

}  // namespace

PciConfig::PciConfig() { reset(); }

void PciConfig::put(uint32_t offset, unsigned bytes, uint64_t value, uint64_t writable) {
  orm_put_le(&value_[offset], value, bytes);
  orm_put_le(&writable_[offset], writable, bytes);
}

void PciConfig::reset() {
  value_.fill(0);
  writable_.fill(0);
  put(0x00, 2, kVendor);
  put(0x02, 2, kDevice);
  put(kCommand, 2, 0, kCommandWritable);
  put(0x06, 2, kHasCapabilities);
  put(0x08, 4, 0x010802'00);  // mass storage, NVM, NVMe; revision 0
  put(0x0C, 1, 0, 0xFF);      // cache line size: a scratch byte
  put(0x10, 8, kBar64, ~uint64_t(kBar0Bytes - 1));
  put(0x20, 8, kBar64, ~uint64_t(kBar4Bytes - 1));
  put(0x2C, 2, kVendor);
  put(0x2E, 2, kDevice);
  put(0x34, 1, kPower);
  put(0x3C, 1, 0, 0xFF);  // interrupt line: a scratch byte; pin 0: none

  put(kPower, 2, kCapPower | kMsix << 8);
  put(kPower + 2, 2, 3);           // version 1.2
  put(kPower + 4, 2, 1u << 3, 3);  // the state is kept from D3 to D0
  put(kMsix, 2, kCapMsix | kExpress << 8);
  put(kMsix + 2, 2, kVectors - 1, 0xC000);  // enable, mask all
  put(kMsix + 4, 4, kTableBar);
  put(kMsix + 8, 4, kPendingOffset | kTableBar);
  put(kExpress, 2, kCapExpress);
  put(kExpress + 2, 2, 2);  // version 2, endpoint
  put(kExpress + 4, 4, kRoleBasedErrors | kFunctionReset);
  put(kExpressControl, 2, 0x2810, 0x7FFF);
  put(kExpress + 12, 4, kLink);
  put(kExpress + 16, 2, 0, 0x00C3);
  put(kExpress + 18, 2, kLink);
  put(kExpress + 40, 2, 0, 0x001F);  // completion time-out
  put(kExpress + 44, 4, 1u << 1);    // 2.5 GT/s
  put(kExpress + 48, 2, 1, 0x000F);
}

void PciConfig::read(uint32_t offset, uint32_t len, uint8_t *out) const { std::memcpy(out, &value_[offset], len); }

bool PciConfig::write(uint32_t offset, uint32_t len, const uint8_t *in) {
  for (uint32_t i = 0; i < len; ++i) {
    uint8_t &old = value_[offset + i];
    const uint8_t mask = writable_[offset + i];
    old = uint8_t((old & ~mask) | (in[i] & mask));
  }
  constexpr uint32_t kByte = kExpressControl + 1;
  return offset <= kByte && kByte < offset + len && (in[kByte - offset] & kStartReset >> 8) != 0;
}

bool PciConfig::bus_master() const { return (value_[kCommand] & kBusMaster) != 0; }

}  // namespace orm::vfio
