// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_NATIVE_FIRMWARE_H
#define OPENREMAP_NATIVE_FIRMWARE_H

#include <cstdint>

#include "firmware_port.h"

namespace orm {

struct NativeFirmwareOptions {
  uint32_t superblocks = 0;         // 0: all
  uint32_t over_provision_pct = 0;  // 0: the firmware's default
};

/// Fewest superblocks that the firmware makes a device of.
uint32_t least_superblocks();

/// The shipped firmware (firmware/), compiled for the host and run beside the RTL.
FirmwareMaker native_firmware(const NativeFirmwareOptions &options);

}  // namespace orm
#endif  // OPENREMAP_NATIVE_FIRMWARE_H
