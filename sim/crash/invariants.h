// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_INVARIANTS_H
#define OPENREMAP_CRASH_INVARIANTS_H

#include <string>
#include <vector>

#include "tables.h"

namespace orm::crash {

/// Violations of the device contract's invariants I1 to I5 by a device at rest, a line each; empty if all hold.
/// docs/developing/crash.md lists the comparisons. The volatile write cache must be empty, as after a start or a flush.
std::vector<std::string> broken_invariants(const Tables &tables);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_INVARIANTS_H
