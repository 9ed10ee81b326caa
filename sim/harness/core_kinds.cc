// SPDX-License-Identifier: Apache-2.0
#include "core_kinds.h"

#include "sim_error.h"

namespace orm {

CoreKind core_for_trace(const std::string &trace_file) {
  if (trace_file.empty()) return plain_core();
  const size_t dot = trace_file.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : trace_file.substr(dot);
#ifdef ORM_HAVE_VCD
  if (extension == ".vcd") return vcd_core();
#endif
#ifdef ORM_HAVE_FST
  if (extension == ".fst") return fst_core();
#endif
  if (extension != ".vcd" && extension != ".fst") {
    throw OptionError("trace file '" + trace_file + "' must end in .vcd or .fst");
  }
  throw OptionError("this build cannot write " + extension + " files; configure it with -DOPENREMAP_TRACE='vcd;fst'");
}

}  // namespace orm
