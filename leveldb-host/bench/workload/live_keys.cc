// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/live_keys.h"

#include <algorithm>
#include <cmath>

#include "bench/workload/mixgraph.h"
#include "bench/workload/ycsb.h"
#include "bench/workload/zipfian.h"

namespace openremap {
namespace {

// Of `keys` that are as likely, those that `draws` draw at least once.
double Touched(double keys, double draws) { return keys == 0 ? 0 : keys * -std::expm1(-draws / keys); }

// The same of ranks from 1 to `ranks` that are drawn with P(rank <= x) = share(x). Ranks side by side are nearly as
// likely: blocks that double would do, these are finer.
template <class Function>
double TouchedRanks(double ranks, double draws, Function share) {
  double touched = 0;
  for (double end = 0; end < ranks;) {
    const double begin = end;
    end = std::min(ranks, std::max(begin + 1, std::floor(begin * 1.1)));
    touched += Touched(end - begin, draws * (share(end) - share(begin)));
  }
  return touched;
}

double TouchedByZipfian(double records, double draws) {
  const auto sum = [](double x) {  // of rank^-theta up to x, by Euler and Maclaurin
    const double power = std::pow(x, -Zipfian::kYcsbTheta);
    return x < 1 ? 0 : x * power / (1 - Zipfian::kYcsbTheta) + power / 2 - Zipfian::kYcsbTheta * power / x / 12;
  };
  const double first = sum(1) - 1;  // what the series is off
  const double whole = sum(records) - first;
  return TouchedRanks(records, draws, [&](double x) { return x < 1 ? 0 : (sum(x) - first) / whole; });
}

// Random puts of all records, then the workload's own, in each key range.
double LiveKeysOfMixgraph(const SourceOptions &options) {
  const MixgraphParameters p;
  const Mixgraph mix(options);
  const double most_rank = std::ceil(p.MostRank(options.records));
  const std::vector<double> &ranges = mix.RangeProbabilities();
  const double keys = static_cast<double>(options.records) / static_cast<double>(ranges.size());
  double live = 0;
  for (const double share : ranges) {
    double puts = static_cast<double>(options.operations) * p.put_ratio * share;
    // Each rank is a key drawn once.
    if (mix.dist()) puts = TouchedRanks(most_rank, puts, [&](double x) { return p.RankShare(x, options.records); });
    live += Touched(keys, keys + puts);
  }
  return live;
}

}  // namespace

double LiveKeys(const SourceOptions &options) {
  const auto records = static_cast<double>(options.records), operations = static_cast<double>(options.operations);
  if (IsMixgraph(options.workload)) return LiveKeysOfMixgraph(options);
  switch (options.workload) {
    case Workload::kFillRandom:
      return Touched(records, operations);
    case Workload::kFillSeq:
      return std::min(records, operations);
    case Workload::kReadRandom:
    case Workload::kReadSeq:
      return Touched(records, records);
    case Workload::kFillZipfian:
      return TouchedByZipfian(records, operations);
    case Workload::kYcsbD:
    case Workload::kYcsbE:
      return records + operations * Ycsb::kInsertPercent / 100;
    default:
      return records;  // loaded, each of them
  }
}

}  // namespace openremap
