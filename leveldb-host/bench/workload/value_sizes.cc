// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/value_sizes.h"

#include <algorithm>
#include <cmath>

namespace openremap {

double ParetoInverse(double u, double k, double sigma) {
  return k == 0 ? -sigma * std::log(u) : sigma * (std::pow(u, -k) - 1) / k;
}

double ParetoCdf(double x, double k, double sigma) {
  if (x <= 0) return 0;
  return k == 0 ? 1 - std::exp(-x / sigma) : 1 - std::pow(1 + k * x / sigma, -1 / k);
}

double ParetoModuloCdf(uint64_t x, double k, double sigma, uint64_t most) {
  if (x >= most) return 1;
  const auto whole = static_cast<double>(most);
  const double upto = static_cast<double>(x) + 1;  // to be rounded down
  const auto cdf = [k, sigma](double value) { return ParetoCdf(value, k, sigma); };
  double sum = cdf(upto) - (cdf(whole + 1) - cdf(whole));  // `most` itself is none of the next lap's
  constexpr int kLaps = 1000;                              // beyond, the tail is flat over `most`
  for (int lap = 1; lap < kLaps; lap++) sum += cdf(lap * whole + upto) - cdf(lap * whole);
  return sum + (1 - cdf(kLaps * whole)) * upto / whole;
}

ValueSizes ValueSizes::Shares(size_t low, const std::vector<double> &shares) {
  ValueSizes sizes(low, low + shares.size() - 1, 0, 0);
  double sum = 0;
  for (const double share : shares) sizes.upto_.push_back(sum += share);
  return sizes;
}

size_t ValueSizes::Of(uint64_t bits) const {
  if (!upto_.empty()) {
    const double u = static_cast<double>(bits >> 11) * 0x1p-53;  // in [0, 1)
    const auto found = std::upper_bound(upto_.begin(), upto_.end(), u);
    return std::min(high_, low_ + static_cast<size_t>(found - upto_.begin()));
  }
  if (sigma_ == 0) return low_ + static_cast<size_t>(bits % (high_ - low_ + 1));
  const double u = (static_cast<double>(bits >> 11) + 1) * 0x1p-53;  // in (0, 1]
  const double size = std::min(ParetoInverse(u, k_, sigma_), 1e15);
  const auto whole = static_cast<size_t>(size);
  return std::max(low_, whole > high_ ? whole % high_ : whole);
}

double ValueSizes::Cdf(uint64_t x) const {
  if (x < low_) return 0;
  if (x >= high_) return 1;
  if (!upto_.empty()) return upto_[x - low_];
  if (sigma_ != 0) return ParetoModuloCdf(x, k_, sigma_, high_);
  return static_cast<double>(x - low_ + 1) / static_cast<double>(high_ - low_ + 1);
}

double ValueSizes::Mean() const {
  if (!upto_.empty()) {
    auto mean = static_cast<double>(high_);
    for (size_t i = 0; i + 1 < upto_.size(); i++) mean -= upto_[i];
    return mean;
  }
  return sigma_ == 0 ? (static_cast<double>(low_) + static_cast<double>(high_)) / 2 : sigma_ / (1 - k_);
}

}  // namespace openremap
