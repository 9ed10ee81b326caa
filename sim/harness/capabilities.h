// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CAPABILITIES_H
#define OPENREMAP_CAPABILITIES_H

#include <cstddef>

#include "nand_types.h"
#include "rtl_core.h"

namespace orm {

/// What the controller was built for, and so how large the memories behind it must be.
struct Capabilities {
  NandGeometry nand;
  uint32_t nv_header;            // where in NVRAM the device's header lies
  uint32_t destage_lpn;          // first LPN that no namespace reaches
  uint32_t segments;             // of the remap table
  uint32_t gc_reserve_segments;  // of these, those that only GC may take
  size_t dram_bytes;
  size_t nvram_bytes;
};

/// Powers a controller up just to ask it (registers CAP_*, DRAM_BYTES, NV_BYTES of the firmware window). Throws
/// ConfigError when it is not a controller that this program knows.
Capabilities read_capabilities(const CoreKind &kind);

}  // namespace orm
#endif  // OPENREMAP_CAPABILITIES_H
