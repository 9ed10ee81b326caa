// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CORE_KINDS_H
#define OPENREMAP_CORE_KINDS_H

#include <string>

#include "nand_types.h"
#include "rtl_core.h"

namespace orm {

/// The Verilated controllers (core_kind.cc is compiled once for each). The plain one is always there; those with
/// waveforms when the build was configured for them (OPENREMAP_TRACE), the one with wide pages unless it was made with
/// sanitizers.
CoreKind plain_core();
CoreKind vcd_core();
CoreKind fst_core();
CoreKind wide_core();
/// Those of boards (hw/src/top/Presets.scala), in the library that has them.
CoreKind cosmos2_core();
CoreKind cosmos8_core();
CoreKind ecpix5_core();
/// With its flash in DRAM (NandInDram), in the same library.
CoreKind dramflash_core();
/// The SoC: a CPU in the model runs the firmware. There if the build has the SoC's Verilog and an image for its CPU;
/// those with waveforms when it was configured for them (OPENREMAP_SOC_TRACE).
CoreKind soc_core();
CoreKind soc_vcd_core();
CoreKind soc_fst_core();

/// The one that writes `trace_file` by its extension (.vcd, .fst), or the plain one when it is empty. Throws
/// ConfigError.
CoreKind core_for_trace(const std::string &trace_file);
/// The same of the SoC.
CoreKind soc_core_for_trace(const std::string &trace_file);

/// The one that was built for this flash; it writes no waveforms. Throws OptionError, naming those that there are.
CoreKind core_for_flash(const NandGeometry &flash);

}  // namespace orm
#endif  // OPENREMAP_CORE_KINDS_H
