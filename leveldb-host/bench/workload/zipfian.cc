// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/zipfian.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace openremap {

Zipfian::Zipfian(uint64_t items, double theta) : theta_(theta) {
  assert(items > 0 && theta > 0 && theta < 1);
  Grow(items);
}

void Zipfian::Grow(uint64_t items) {
  while (items_ < items) zeta_ += std::pow(static_cast<double>(++items_), -theta_);
  const double zeta2 = 1 + std::pow(2.0, -theta_);
  eta_ = (1 - std::pow(2.0 / static_cast<double>(items_), 1 - theta_)) / (1 - zeta2 / zeta_);
}

uint64_t Zipfian::Next(Random64 *random) const {
  const double u = random->Unit();
  const double uz = u * zeta_;
  if (uz < 1 || items_ == 1) return 0;
  if (uz < 1 + std::pow(0.5, theta_) || items_ == 2) return 1;
  const double rank = static_cast<double>(items_) * std::pow(eta_ * u - eta_ + 1, 1 / (1 - theta_));
  return std::min(static_cast<uint64_t>(rank), items_ - 1);
}

double Zipfian::Probability(uint64_t rank) const { return std::pow(static_cast<double>(rank + 1), -theta_) / zeta_; }

}  // namespace openremap
