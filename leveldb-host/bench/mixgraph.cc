// SPDX-License-Identifier: Apache-2.0
#include "mixgraph.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace openremap {
namespace {

// Upper ends of the bins that scan lengths are checked in; the last takes the rest.
constexpr std::array<uint64_t, 7> kScanBins = {1, 10, 30, 100, 300, 1000, 10000};

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

// P(length <= x), lengths of more than the most taken modulo it.
double ScanCdf(const MixgraphParameters &p, uint64_t x) {
  const auto most = static_cast<double>(p.most_scanned);
  const auto upto = static_cast<double>(x) + 1;  // lengths are rounded down
  auto cdf = [&p](double value) { return ParetoCdf(value, p.scan_k, p.scan_sigma); };
  if (x >= p.most_scanned) return 1;
  double sum = 0;
  constexpr int kWraps = 1000;  // beyond, the tail is flat over `most`
  for (int wrap = 0; wrap < kWraps; wrap++) sum += cdf(wrap * most + upto) - cdf(wrap * most);
  return sum + (1 - cdf(kWraps * most)) * upto / most;
}

std::vector<double> ScanBinShares(const MixgraphParameters &p) {
  std::vector<double> shares;
  double before = 0;
  for (uint64_t end : kScanBins) {
    const double cdf = ScanCdf(p, end);
    shares.push_back(cdf - before);
    before = cdf;
  }
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

Mixgraph::Mixgraph(const SourceOptions &options)
    : options_(options),
      random_(options.seed ^ 0x6d6978),
      range_shares_(
          RangeShares(parameters_, prefix() ? std::min(parameters_.ranges, options.records) : 1, options.seed)),
      kinds_("kinds of operations",
             {parameters_.put_ratio, parameters_.get_ratio, 1 - parameters_.put_ratio - parameters_.get_ratio}),
      range_check_("key ranges", range_shares_),
      scans_("scan lengths", ScanBinShares(parameters_)) {
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
  const double rank = std::pow(random_.Unit() / parameters_.key_a, 1 / parameters_.key_b) * scale;
  return Random64(static_cast<uint64_t>(std::ceil(rank))).Below(keys);
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
    size_t bin = 0;
    while (length > kScanBins.at(bin)) bin++;
    scans_.Add(bin);
    operation->length = std::max<uint64_t>(length, 1);
  }
  return true;
}

std::string Mixgraph::SelfCheck() const {
  for (const DistributionCheck *check : {&kinds_, &range_check_, &scans_}) {
    const std::string deviation = check->Deviation();
    if (!deviation.empty()) return deviation;
  }
  return "";
}

}  // namespace openremap
