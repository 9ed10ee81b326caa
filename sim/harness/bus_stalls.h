// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_BUS_STALLS_H
#define OPENREMAP_BUS_STALLS_H

#include <cstdint>
#include <iterator>

#include "seeded_random.h"

namespace orm {

/// When the far end of a bus holds back, and how much later than usual it answers: by chance, or never.
///
/// It draws from the seed, the bus and the cycle alone: cycles that are left out (time skip) change nothing after them.
class BusStalls {
 public:
  /// What holds back by itself. The stages of a bus must not wait for the same cycles, or some meetings never happen.
  enum Stage : uint64_t { kAddress, kWriteData, kAnswer, kReadData, kLatency, kEarly, kStages };

  BusStalls() = default;  // never
  BusStalls(uint64_t seed, uint64_t bus) : on_(true), seed_(SeededRandom(seed ^ (bus + 1) << 48).next()) {}

  bool on() const { return on_; }

  /// Whether `stage` holds back in this cycle. Calm times and hard ones take turns.
  bool holds(Stage stage, uint64_t cycle) const {
    if (!on_) return false;
    constexpr uint64_t kShares[] = {0, 0, 1, 4, 8, 15};  // sixteenths of the cycles
    const uint64_t share = kShares[drawn(stage, cycle / kSpell).below(std::size(kShares))];
    return drawn(kStages + stage, cycle).below(16) < share;
  }

  /// Cycles on top of the latency of an access that begins now: none, a few, or as a refresh or a retry takes.
  uint64_t extra(uint64_t cycle) const {
    if (!on_) return 0;
    SeededRandom random = drawn(kLatency, cycle);
    const uint64_t draw = random.below(32);
    return draw < 12 ? 0 : draw < 31 ? random.below(24) : random.below(600);
  }

 private:
  static constexpr uint64_t kSpell = 128;  // cycles

  SeededRandom drawn(uint64_t what, uint64_t when) const {
    return SeededRandom(SeededRandom(seed_ ^ what << 56 ^ when).next());
  }

  bool on_ = false;
  uint64_t seed_ = 0;
};

}  // namespace orm
#endif  // OPENREMAP_BUS_STALLS_H
