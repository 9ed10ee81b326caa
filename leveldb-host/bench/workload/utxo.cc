// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/utxo.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace openremap {

ValueSizes UtxoValueSizes() {
  constexpr size_t kHeight = 3, kMostAmount = 5;
  struct Script {
    size_t bytes;
    double share;
  };
  constexpr std::array<Script, 3> kScripts = {{{21, 0.52}, {23, 0.24}, {35, 0.24}}};
  constexpr size_t kLeast = kHeight + 1 + kScripts.front().bytes;
  std::vector<double> shares(kHeight + kMostAmount + kScripts.back().bytes - kLeast + 1);
  for (const Script &script : kScripts) {
    for (size_t amount = 1; amount <= kMostAmount; amount++) {
      shares.at(kHeight + amount + script.bytes - kLeast) += script.share / kMostAmount;
    }
  }
  return ValueSizes::Shares(kLeast, shares);
}

Utxo::Utxo(const SourceOptions &options, const CoinAges &ages)
    : options_(options),
      ages_(ages),
      random_(options.seed ^ 0x7574786f),  // "utxo"
      drawn_(
          "ages of spent coins", [law = CoinAges()](uint64_t x) { return law.Share(x); }, CoinAges::kMost) {
  for (uint64_t i = 0; i < options.records; i++) coins_.Add();
}

// A stored coin of about this age; none: there is no coin at all.
std::optional<uint64_t> Utxo::Stored(uint64_t age) {
  if (coins_.made() == 0) return std::nullopt;
  uint64_t coin = coins_.made() - 1;
  if (age <= block_) {
    const uint64_t block = block_ - age;
    if (block < flushed_) {
      const uint64_t begin = first_[block], end = block + 1 < flushed_ ? first_[block + 1] : coins_.made();
      if (end > begin) {
        coin = begin + random_.Below(end - begin);
      } else if (begin > 0) {
        coin = begin - 1;
      }
    }
  } else if (options_.records != 0) {
    // Of the coins that were unspent at the start, the newer ones are those of the last blocks before it.
    const auto before = static_cast<double>(age - block_), outputs = static_cast<double>(options_.utxo.outputs);
    const double newer = outputs * ages_.Unspent(before - 1), upto = outputs * ages_.Unspent(before);
    const double rank = std::floor(newer + random_.Unit() * (upto - newer));
    const bool there = rank < static_cast<double>(options_.records);
    coin = there ? options_.records - 1 - static_cast<uint64_t>(rank) : random_.Below(options_.records);
  }
  const std::optional<uint64_t> found = coins_.AtOrBefore(coin);
  return found ? found : coins_.AtOrBefore(coins_.made() - 1);
}

// Whether the coin, which is stored, was made in the last blocks.
bool Utxo::IsCached(uint64_t coin) const {
  const uint64_t cache = std::min(options_.utxo.cache, block_);
  const uint64_t block = block_ - cache;
  return coin >= (block < flushed_ ? first_[block] : coins_.made());
}

void Utxo::SpendOne() {
  const uint64_t age = ages_.Of(random_.Unit());
  drawn_.Add(age);
  if (age <= block_ - flushed_) {
    // Of its block, or of an older one that the cache has.
    for (uint64_t at = block_ - flushed_ - age + 1; at > 0; at--) {
      if (cached_[at - 1] == 0) continue;
      cached_[at - 1]--;
      return;
    }
  }
  const std::optional<uint64_t> coin = Stored(age);
  if (!coin) return;
  coins_.Spend(*coin);
  if (!IsCached(*coin)) ready_.push_back({OperationKind::kGet, *coin, 0});
  deletes_.push_back({OperationKind::kDelete, *coin, 0});
}

void Utxo::Block() {
  // What it makes itself it does not spend.
  for (uint64_t i = 0; i < options_.utxo.outputs; i++) SpendOne();
  cached_.push_back(options_.utxo.outputs);
  block_++;
}

void Utxo::Flush() {
  ready_.clear();
  next_ = 0;
  for (uint64_t i = 0; i < options_.utxo.flush; i++) Block();
  ready_.insert(ready_.end(), deletes_.begin(), deletes_.end());
  deletes_.clear();
  for (const uint64_t coins : cached_) {
    first_.push_back(coins_.made());
    for (uint64_t i = 0; i < coins; i++) {
      ready_.push_back({OperationKind::kPut, coins_.made(), 0});
      coins_.Add();
    }
  }
  cached_.clear();
  flushed_ = block_;
  ready_.push_back({OperationKind::kCommit, 0, 0});
}

bool Utxo::Next(Operation *operation) {
  if (given_ == options_.operations) return false;
  if (next_ == ready_.size()) Flush();
  *operation = ready_[next_++];
  if (++given_ == options_.operations) *operation = {OperationKind::kCommit, 0, 0};
  return true;
}

}  // namespace openremap
