// SPDX-License-Identifier: Apache-2.0
#include "distribution_check.h"

#include <cmath>
#include <utility>

namespace openremap {

DistributionCheck::DistributionCheck(std::string name, std::vector<double> probabilities)
    : name_(std::move(name)), probabilities_(std::move(probabilities)), counts_(probabilities_.size()) {}

void DistributionCheck::Add(size_t bin) {
  counts_.at(bin)++;
  drawn_++;
}

std::string DistributionCheck::Deviation() const {
  const auto n = static_cast<double>(drawn_);
  for (size_t bin = 0; bin < counts_.size(); bin++) {
    const double p = probabilities_[bin];
    const double off = static_cast<double>(counts_[bin]) - n * p;
    // One more or less is always possible.
    if (std::abs(off) > 5 * std::sqrt(n * p * (1 - p)) + 1) {
      return name_ + ": bin " + std::to_string(bin) + " has " + std::to_string(counts_[bin]) + " of " +
             std::to_string(drawn_) + ", expected a share of " + std::to_string(p);
    }
  }
  return "";
}

}  // namespace openremap
