// SPDX-License-Identifier: Apache-2.0
#include "value_sizes.h"

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

size_t ValueSizes::Of(uint64_t bits) const {
  if (sigma_ == 0) return low_ + static_cast<size_t>(bits % (high_ - low_ + 1));
  const double u = (static_cast<double>(bits >> 11) + 1) * 0x1p-53;  // in (0, 1]
  const double size = std::min(ParetoInverse(u, k_, sigma_), 1e15);
  const auto whole = static_cast<size_t>(size);
  return std::max(low_, whole > high_ ? whole % high_ : whole);
}

double ValueSizes::Mean() const {
  return sigma_ == 0 ? (static_cast<double>(low_) + static_cast<double>(high_)) / 2 : sigma_ / (1 - k_);
}

}  // namespace openremap
