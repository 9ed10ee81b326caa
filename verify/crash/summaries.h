// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_CRASH_SUMMARIES_H
#define OPENREMAP_CRASH_SUMMARIES_H

#include <string>
#include <vector>

#include "crash/tables.h"

namespace orm::crash {

/// Checks the summaries of superblocks, except bad ones. A summary must say what the spare areas say, and its place
/// must hold nothing else. Returns a line for each violation.
std::vector<std::string> wrong_summaries(const Tables &tables, const std::vector<bool> &bad);

/// Number of superblocks with a summary that a start would use.
uint32_t summaries(const Tables &tables);

}  // namespace orm::crash
#endif  // OPENREMAP_CRASH_SUMMARIES_H
