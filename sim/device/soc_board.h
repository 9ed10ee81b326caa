// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_SOC_BOARD_H
#define OPENREMAP_SOC_BOARD_H

#include <algorithm>
#include <cstring>

#include "native_firmware.h"
#include "orm_formats.h"
#include "platform.h"

namespace orm {

/// What the firmware's image of a device with these options is told of it. The members that depend on where the image
/// runs are 0.
inline orm_soc_board soc_board(const NativeFirmwareOptions &options) {
  orm_soc_board record{};
  record.mark = ORM_SOC_BOARD_MARK;
  record.version = ORM_SOC_BOARD_VERSION;
  // Otherwise as a board that is shipped: its lines are part of what the firmware's time is spent on.
  record.log_level = options.log ? PLATFORM_LOG_DEBUG : PLATFORM_LOG_INFO;
  record.superblocks = options.superblocks;
  record.over_provision_pct = options.over_provision_pct;
  record.placement_handles = options.placement_handles;
  record.remap_segments = options.remap_segments;
  for (const uint8_t byte : options.identity.eui64) record.eui64 = record.eui64 << 8 | byte;
  const std::string &serial = options.identity.serial;
  std::memcpy(record.serial, serial.data(), std::min(serial.size(), sizeof record.serial));
  return record;
}

}  // namespace orm
#endif  // OPENREMAP_SOC_BOARD_H
