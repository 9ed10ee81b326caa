// SPDX-License-Identifier: Apache-2.0
//
// One Verilated variant as a CoreKind. Compiled once for each variant with
//   ORM_TOP         class that Verilator made      ORM_TOP_HEADER  its header
//   ORM_TRACE       waveform writer                ORM_TRACE_HEADER  its header (none for NoTrace)
//   ORM_KIND        name of the function             ORM_SIDE        FirmwareSide, SocSide or DramFlashSide
#ifdef ORM_TRACE_HEADER
#include ORM_TRACE_HEADER
#endif
#include ORM_TOP_HEADER

#include "dram_flash_side.h"
#include "soc_side.h"
#include "verilated_core.h"

namespace orm {

CoreKind ORM_KIND();
CoreKind ORM_KIND() { return VerilatedCore<ORM_TOP, ORM_TRACE, ORM_SIDE>::kind(); }

}  // namespace orm
