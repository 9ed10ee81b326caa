// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_SUMMARIES_H
#define OPENREMAP_CRASH_SUMMARIES_H

#include <string>
#include <vector>

#include "crash/tables.h"

namespace orm::crash {

/// What is wrong with the summaries of superblocks: a start that reads one must learn what it would from the spares,
/// and nothing else may lie where one is. Bad superblocks are left out.
std::vector<std::string> wrong_summaries(const Tables &tables, const std::vector<bool> &bad);

/// Superblocks that have a summary which a start takes.
uint32_t summaries(const Tables &tables);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_SUMMARIES_H
