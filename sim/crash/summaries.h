// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_SUMMARIES_H
#define OPENREMAP_CRASH_SUMMARIES_H

#include <string>
#include <vector>

#include "tables.h"

namespace orm::crash {

/// Violations in the superblocks' summaries: a start must learn from a summary the same as from the spares, and a
/// summary's slots must hold nothing else. Bad superblocks are left out.
std::vector<std::string> wrong_summaries(const Tables &tables, const std::vector<bool> &bad);

/// Number of superblocks with a valid summary.
uint32_t summaries(const Tables &tables);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_SUMMARIES_H
