// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/mixgraph.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace openremap {
namespace {

std::vector<double> RangeShares(const MixgraphParameters &p, uint64_t ranges, uint64_t seed) {
  std::vector<double> shares;
  double sum = 0;
  for (uint64_t i = 1; i <= ranges; i++) {
    const auto x = static_cast<double>(i);
    shares.push_back(ranges == 1 ? 1 : p.range_a * std::exp(p.range_b * x) + p.range_c * std::exp(p.range_d * x));
    sum += shares.back();
  }
  for (double &share : shares) share /= sum;
  // Popular ranges lie anywhere in the key space.
  Random64 random(seed ^ 0x72616e676573);
  for (size_t i = shares.size(); i > 1; i--) std::swap(shares[i - 1], shares[random.Below(i)]);
  return shares;
}

}  // namespace

double MixgraphParameters::RankShare(double x, uint64_t records) const {
  const double scale = static_cast<double>(records) / static_cast<double>(keys);
  return std::min(1.0, key_a * std::pow(x / scale, key_b));
}

double MixgraphParameters::MostRank(uint64_t records) const {
  const double scale = static_cast<double>(records) / static_cast<double>(keys);
  return std::pow(1 / key_a, 1 / key_b) * scale;
}

ValueSizes MixgraphValueSizes() {
  const MixgraphParameters p;
  return ValueSizes::Pareto(p.value_k, p.value_sigma, p.most_value);
}

Mixgraph::Mixgraph(const SourceOptions &options, const MixgraphParameters &parameters)
    : parameters_(parameters),
      options_(options),
      random_(options.seed ^ 0x6d6978),
      range_shares_(RangeShares(parameters, prefix() ? std::min(parameters.ranges, options.records) : 1, options.seed)),
      kinds_("kinds of operations", {law_.put_ratio, law_.get_ratio, 1 - law_.put_ratio - law_.get_ratio}),
      range_check_("key ranges", RangeShares(law_, range_shares_.size(), options.seed)),
      ranks_(
          "ranks of keys", [this](uint64_t x) { return law_.RankShare(static_cast<double>(x), options_.records); },
          static_cast<uint64_t>(std::ceil(law_.MostRank(options.records)))),
      scans_(
          "scan lengths",
          [this](uint64_t x) { return ParetoModuloCdf(x, law_.scan_k, law_.scan_sigma, law_.most_scanned); },
          law_.most_scanned) {
  double sum = 0;
  for (double share : range_shares_) range_ends_.push_back(sum += share);
}

bool Mixgraph::prefix() const {
  return options_.workload == Workload::kMixPrefixRandom || options_.workload == Workload::kMixPrefixDist;
}

bool Mixgraph::dist() const {
  return options_.workload == Workload::kMixAllDist || options_.workload == Workload::kMixPrefixDist;
}

uint64_t Mixgraph::Range() {
  const auto end = std::upper_bound(range_ends_.begin(), range_ends_.end(), random_.Unit());
  return std::min<uint64_t>(static_cast<uint64_t>(end - range_ends_.begin()), range_ends_.size() - 1);
}

// Which keys are popular is scattered by a hash, as in RocksDB.
uint64_t Mixgraph::KeyBelow(uint64_t keys) {
  if (!dist()) return random_.Below(keys);
  const double scale = static_cast<double>(options_.records) / static_cast<double>(parameters_.keys);
  const double x = std::pow(random_.Unit() / parameters_.key_a, 1 / parameters_.key_b) * scale;
  const auto rank = static_cast<uint64_t>(std::ceil(x));
  ranks_.Add(rank);
  return Random64(rank).Below(keys);
}

uint64_t Mixgraph::ScanLength() {
  const double x = std::min(ParetoInverse(1 - random_.Unit(), parameters_.scan_k, parameters_.scan_sigma), 1e15);
  const auto length = static_cast<uint64_t>(x);
  return length > parameters_.most_scanned ? length % parameters_.most_scanned : length;
}

bool Mixgraph::Next(Operation *operation) {
  if (given_++ == options_.operations) return false;
  const double dice = random_.Unit();
  OperationKind kind = OperationKind::kScan;
  if (dice < parameters_.get_ratio) {
    kind = OperationKind::kGet;
  } else if (dice < parameters_.get_ratio + parameters_.put_ratio) {
    kind = OperationKind::kPut;
  }
  const uint64_t ranges = range_shares_.size();
  const uint64_t range = ranges == 1 ? 0 : Range();
  const uint64_t begin = options_.records * range / ranges, end = options_.records * (range + 1) / ranges;
  *operation = {kind, begin + KeyBelow(end - begin), 0};
  kinds_.Add(static_cast<size_t>(kind));
  range_check_.Add(range);
  if (kind == OperationKind::kScan) {
    const uint64_t length = ScanLength();
    scans_.Add(length);
    operation->length = std::max<uint64_t>(length, 1);
  }
  return true;
}

std::string Mixgraph::SelfCheck() const {
  for (const std::string &deviation :
       {kinds_.Deviation(), range_check_.Deviation(), ranks_.Deviation(), scans_.Deviation()}) {
    if (!deviation.empty()) return deviation;
  }
  return "";
}

}  // namespace openremap
