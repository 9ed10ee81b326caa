// SPDX-License-Identifier: Apache-2.0
//
// Which of the coins that were ever made are unspent, in the order in which they were made. Not thread-safe.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_LIVE_COINS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_LIVE_COINS_H_

#include <cstdint>
#include <optional>
#include <vector>

namespace openremap {

class LiveCoins {
 public:
  // A new coin, which gets the next number; they count from 0.
  void Add();

  // REQUIRES: the coin is live.
  void Spend(uint64_t coin);

  uint64_t made() const { return older_.size() - 1; }

  // The newest live coin up to this one; none: all of those are spent. Takes no longer on average the more are spent.
  // REQUIRES: coin < made().
  std::optional<uint64_t> AtOrBefore(uint64_t coin);

 private:
  // Place 0 is before the first coin, and coin n has place n + 1. A live coin's place names itself, a spent one's names
  // an earlier place from which on to look; lookups shorten the way (a union-find).
  std::vector<uint32_t> older_{0};
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_LIVE_COINS_H_
