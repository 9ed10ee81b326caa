// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_INVARIANTS_H
#define OPENREMAP_CRASH_INVARIANTS_H

#include <string>
#include <vector>

#include "crash/tables.h"

namespace orm::crash {

/// Checks the invariants I1 to I5 of the device contract on a device at rest. Returns a line for each violation. The
/// volatile write cache must be empty, as after a start or a flush. docs/developing/crash.md lists what is compared.
std::vector<std::string> broken_invariants(const Tables &tables);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_INVARIANTS_H
