// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/coin_ages.h"

#include <algorithm>
#include <cmath>

namespace openremap {

CoinAges::CoinAges(double in_a_day, double in_a_month)
    : parts_{{{1, static_cast<double>(kDay), 0, in_a_day},
              {static_cast<double>(kDay), static_cast<double>(kMonth), in_a_day, in_a_month - in_a_day},
              {static_cast<double>(kMonth), static_cast<double>(kMost), in_a_month, 1 - in_a_month}}} {}

// Of the part's coins, those that are spent up to `x`.
double CoinAges::PartShare(const Part &part, double x) {
  return part.share * std::log(x / part.begin) / std::log(part.end / part.begin);
}

uint64_t CoinAges::Of(double u) const {
  const Part *part = parts_.data();
  while (part != &parts_.back() && u >= part->before + part->share) part++;
  const double way = part->share == 0 ? 0 : (u - part->before) / part->share;
  const double age = part->begin * std::pow(part->end / part->begin, way);
  return std::clamp<uint64_t>(static_cast<uint64_t>(age), 1, kMost - 1);
}

double CoinAges::Share(uint64_t x) const {
  const double upto = static_cast<double>(x) + 1;  // to be rounded down
  if (upto <= 1) return 0;
  for (const Part &part : parts_) {
    if (upto < part.end) return part.before + PartShare(part, upto);
  }
  return 1;
}

double CoinAges::Unspent(double age) const {
  double unspent = std::min(age, 1.0);  // none is spent before the next block
  for (const Part &part : parts_) {
    if (age <= part.begin) break;
    const double end = std::min(age, part.end), length = end - part.begin;
    const double slope = part.share / std::log(part.end / part.begin);
    unspent += (1 - part.before) * length - slope * (end * std::log(end / part.begin) - length);
  }
  return unspent;
}

}  // namespace openremap
