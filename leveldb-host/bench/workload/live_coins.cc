// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/live_coins.h"

#include <cassert>
#include <limits>

namespace openremap {

void LiveCoins::Add() {
  assert(older_.size() < std::numeric_limits<uint32_t>::max());
  older_.push_back(static_cast<uint32_t>(older_.size()));
}

void LiveCoins::Spend(uint64_t coin) {
  assert(coin < made() && older_[coin + 1] == coin + 1);
  older_[coin + 1] = static_cast<uint32_t>(coin);
}

std::optional<uint64_t> LiveCoins::AtOrBefore(uint64_t coin) {
  assert(coin < made());
  auto place = static_cast<uint32_t>(coin + 1);
  while (older_[place] != place) {
    older_[place] = older_[older_[place]];
    place = older_[place];
  }
  if (place == 0) return std::nullopt;
  return place - 1;
}

}  // namespace openremap
