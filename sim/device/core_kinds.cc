// SPDX-License-Identifier: Apache-2.0
#include "core_kinds.h"

#include <vector>

#include "capabilities.h"
#include "sim_error.h"

namespace orm {

namespace {

/// Of a waveform file: .vcd or .fst. Throws OptionError for another.
[[maybe_unused]] std::string extension_of(const std::string &trace_file) {
  const size_t dot = trace_file.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : trace_file.substr(dot);
  if (extension == ".vcd" || extension == ".fst") return extension;
  throw OptionError("trace file '" + trace_file + "' must end in .vcd or .fst");
}

}  // namespace

CoreKind core_for_trace(const std::string &trace_file) {
#ifdef ORM_BOARDS_ONLY
  (void)trace_file;
  throw OptionError("this library has the controllers of boards: it needs a geometry, and writes no waveforms");
#else
  if (trace_file.empty()) return plain_core();
  const std::string extension = extension_of(trace_file);
#ifdef ORM_HAVE_VCD
  if (extension == ".vcd") return vcd_core();
#endif
#ifdef ORM_HAVE_FST
  if (extension == ".fst") return fst_core();
#endif
  throw OptionError("this build cannot write " + extension + " files; configure it with -DOPENREMAP_TRACE='vcd;fst'");
#endif
}

#ifdef ORM_HAVE_SOC
CoreKind soc_core_for_trace(const std::string &trace_file) {
  if (trace_file.empty()) return soc_core();
  const std::string extension = extension_of(trace_file);
#ifdef ORM_HAVE_SOC_VCD
  if (extension == ".vcd") return soc_vcd_core();
#endif
#ifdef ORM_HAVE_SOC_FST
  if (extension == ".fst") return soc_fst_core();
#endif
  throw OptionError("trace file: this build's soc writes no waveforms of " + extension +
                    "; configure it with -DOPENREMAP_SOC_TRACE='vcd;fst'");
}
#endif

namespace {

std::string to_text(const NandGeometry &g) {
  std::string text;
  for (uint32_t n : {g.channels, g.dies_per_channel, g.blocks_per_die, g.pages_per_block, g.slots_per_page})
    text += (text.empty() ? "" : "x") + std::to_string(n);
  return text;
}

}  // namespace

CoreKind core_for_flash(const NandGeometry &flash) {
  std::vector<CoreKind> kinds;
#ifndef ORM_BOARDS_ONLY
  kinds.push_back(plain_core());
#endif
#ifdef ORM_HAVE_WIDE
  kinds.push_back(wide_core());
#endif
#ifdef ORM_HAVE_COSMOS2
  kinds.push_back(cosmos2_core());
#endif
#ifdef ORM_HAVE_COSMOS8
  kinds.push_back(cosmos8_core());
#endif
#ifdef ORM_HAVE_ECPIX5
  kinds.push_back(ecpix5_core());
#endif
#ifdef ORM_HAVE_DRAMFLASH
  kinds.push_back(dramflash_core());
#endif
  std::string known;
  for (const CoreKind &kind : kinds) {
    const std::string text = to_text(read_capabilities(kind).nand);
    if (text == to_text(flash)) return kind;
    known += (known.empty() ? "" : ", ") + text;
  }
  throw OptionError("geometry: the rtl was built for " + known + ", not for " + to_text(flash));
}

}  // namespace orm
