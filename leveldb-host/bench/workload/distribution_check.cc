// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/distribution_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace openremap {
namespace {

// Chance takes a share to where this is more with a probability of less than e^-18, on either side.
constexpr double kMostSurprise = 18;

double Term(double share, double p) { return share == 0 ? 0 : share * std::log(share / p); }

}  // namespace

DistributionCheck::DistributionCheck(std::string name, const std::vector<double> &probabilities)
    : name_(std::move(name)), counts_(probabilities.size()) {
  for (const double p : probabilities) probabilities_.push_back(std::max(p, 0.0));  // a difference may be rounded below
}

// Chernoff's bound of a binomial tail, e^(-n D(share || p)). It holds for rare bins, too, of which a normal law says
// too little.
std::string DistributionCheck::Deviation(const std::string &bins, uint64_t count, double p, double others) const {
  const auto n = static_cast<double>(drawn_);
  const double share = static_cast<double>(count) / n;
  const double surprise = n * (Term(share, p) + Term(static_cast<double>(drawn_ - count) / n, others));
  if (surprise < kMostSurprise) return "";
  return name_ + ": " + bins + std::to_string(count) + " of " + std::to_string(drawn_) + ", expected a share of " +
         std::to_string(p);
}

std::string DistributionCheck::Deviation() const {
  if (drawn_ == 0) return "";
  double below = 0;
  uint64_t drawn_below = 0;
  for (size_t bin = 0; bin < counts_.size(); bin++) {
    double above = 0;  // summed anew: what is small must not be the rest of what is large
    for (size_t i = bin + 1; i < counts_.size(); i++) above += probabilities_[i];
    const double p = probabilities_[bin];
    std::string found = Deviation("bin " + std::to_string(bin) + " has ", counts_[bin], p, below + above);
    if (!found.empty()) return found;
    below += p;
    drawn_below += counts_[bin];
    found = Deviation("bins 0 to " + std::to_string(bin) + " have ", drawn_below, below, above);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace openremap
