// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_NATIVE_FIRMWARE_H
#define OPENREMAP_NATIVE_FIRMWARE_H

#include <cstdint>
#include <cstdlib>
#include <string>

#include "firmware_port.h"
#include "models/identity.h"
#include "orm_formats.h"
#include "shadow_dram.h"

namespace orm {

/// Whether OPENREMAP_FW_LOG in the environment asks for the firmware's whole log. Errors are always printed.
inline bool log_wanted() { return std::getenv("OPENREMAP_FW_LOG") != nullptr; }

struct NativeFirmwareOptions {
  uint32_t superblocks = 0;         // 0: all
  uint32_t over_provision_pct = 0;  // 0: the firmware's default
  uint32_t placement_handles = 0;   // 0: the firmware's choice
  uint32_t remap_segments = 0;      // 0: all
  Identity identity = memory_identity();
  std::string cpu;          // which one runs it (cpu_costs.h); empty: one that takes no time
  CacheOptions cache;       // of the CPU
  uint64_t seed = 0;        // of its evictions
  bool log = log_wanted();  // all lines, and not the errors alone
};

/// Fewest superblocks that the firmware makes a device of.
uint32_t least_superblocks();
/// Most placement handles that it can offer; the hardware may have fewer.
uint32_t most_handles();
/// Pages of the namespace that a format with `over_provision_pct` gives a device that was formatted with `header`, on
/// hardware whose namespaces end before `destage_lpn`. 0: it gives none, or the header cannot be right.
uint32_t pages_with(const orm_nv_header &header, uint32_t destage_lpn, uint32_t over_provision_pct);

/// The shipped firmware (firmware/), compiled for the host and run beside the RTL. Throws OptionError for a CPU that is
/// not known.
FirmwareMaker native_firmware(const NativeFirmwareOptions &options);

}  // namespace orm
#endif  // OPENREMAP_NATIVE_FIRMWARE_H
