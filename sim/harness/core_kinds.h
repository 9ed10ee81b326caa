// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CORE_KINDS_H
#define OPENREMAP_CORE_KINDS_H

#include <string>

#include "rtl_core.h"

namespace orm {

/// The Verilated controllers (core_kind.cc is compiled once for each). The plain one is always there; the others when the build
/// was configured for them (OPENREMAP_TRACE).
CoreKind plain_core();
CoreKind vcd_core();
CoreKind fst_core();

/// The one that writes `trace_file` by its extension (.vcd, .fst), or the plain one when it is empty. Throws ConfigError.
CoreKind core_for_trace(const std::string &trace_file);

}  // namespace orm
#endif  // OPENREMAP_CORE_KINDS_H
