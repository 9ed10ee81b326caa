// SPDX-License-Identifier: Apache-2.0
#include "planner/space_budget.h"

#include <algorithm>

namespace openremap {
namespace {

// Space is never free: thin tables fill their level sooner and are merged again sooner.
constexpr double kLeastPrice = 0.25;

// Output that a compaction is granted before it has any: its first blocks would find nothing allowed.
constexpr double kAdvancePages = 64;

}  // namespace

bool SpaceBudget::Worth(double saved, double space, double output) const {
  if (saved <= 0) return false;
  if (space <= 0) return true;
  const double allowed = share_ * (output + kAdvancePages);
  if (allowed <= 0 || spent_ + space > allowed) return false;
  const double used = std::max(0.0, spent_) / allowed;
  return saved >= space * std::max(kLeastPrice, used / (1 - std::min(used, 0.999)));
}

}  // namespace openremap
