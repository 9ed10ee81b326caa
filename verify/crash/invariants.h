// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_INVARIANTS_H
#define OPENREMAP_CRASH_INVARIANTS_H

#include <string>
#include <vector>

#include "crash/tables.h"

namespace orm::crash {

/// Which invariants of the device contract (I1 to I5) a device at rest breaks: a line each, none when all hold. What
/// exactly is compared is in docs/developing/crash.md. Nothing may be in the volatile write cache, as after a start or
/// a flush.
std::vector<std::string> broken_invariants(const Tables &tables);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_INVARIANTS_H
