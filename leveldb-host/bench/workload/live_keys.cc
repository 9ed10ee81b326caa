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

// P(rank <= x) of Zipfian ranks from 1 to `records`.
class ZipfianShare {
 public:
  explicit ZipfianShare(double records) : records_(records), whole_(Sum(records) - kFirst) {}
  double operator()(double x) const { return x < 1 ? 0 : (Sum(std::min(x, records_)) - kFirst) / whole_; }

 private:
  // Of rank^-theta up to x, by Euler and Maclaurin.
  static double Sum(double x) {
    const double power = std::pow(x, -Zipfian::kYcsbTheta);
    return x < 1 ? 0 : x * power / (1 - Zipfian::kYcsbTheta) + power / 2 - Zipfian::kYcsbTheta * power / x / 12;
  }
  static inline const double kFirst = Sum(1) - 1;  // what the series is off

  const double records_, whole_;
};

double TouchedByZipfian(double records, double draws) { return TouchedRanks(records, draws, ZipfianShare(records)); }

// The same of ages from 0 to `ages`, each of which is drawn draws(age) times.
template <class Function>
double TouchedAges(double ages, Function draws) {
  double touched = 0;
  for (double end = 0; end < ages;) {
    const double begin = end;
    end = std::min(ages, std::max(begin + 1, std::floor(begin * 1.1)));
    touched += (end - begin) * -std::expm1(-draws((begin + end) / 2));
  }
  return touched;
}

// Records of workload mix that are updated or deleted once at least, `changes` of them in all, while `inserted` ones
// join those that were loaded.
double TouchedByMix(MixKeys keys, double loaded, double inserted, double changes) {
  const double all = loaded + inserted, changes_per_insert = inserted == 0 ? 0 : changes / inserted;
  switch (keys) {
    case MixKeys::kUniform: {
      if (inserted == 0) return Touched(loaded, changes);
      // One that was there when there were x records misses all changes with probability (x / all)^changes_per_insert.
      const double missed = std::pow(loaded / all, changes_per_insert);
      return loaded * (1 - missed) + inserted - (all - loaded * missed) / (changes_per_insert + 1);
    }
    case MixKeys::kLatest: {
      const ZipfianShare share(loaded + inserted / 2);
      if (inserted == 0) return TouchedRanks(loaded, changes, share);
      return TouchedAges(inserted, [&](double age) { return changes_per_insert * share(age); }) +
             TouchedAges(loaded, [&](double age) { return changes_per_insert * (share(age + inserted) - share(age)); });
    }
    case MixKeys::kZipfian:
      break;
  }
  // An inserted record is there for half of the time, on average.
  const ZipfianShare share(loaded + inserted / 2);
  const ZipfianShare beyond(all);
  return TouchedRanks(loaded, changes, share) +
         (TouchedRanks(all, changes / 2, beyond) - TouchedRanks(loaded, changes / 2, beyond));
}

// Of the records that are changed, those stay of which the last change was an update.
double LiveKeysOfMix(const SourceOptions &options) {
  const auto records = static_cast<double>(options.records), operations = static_cast<double>(options.operations);
  const MixOptions &mix = options.mix;
  const double inserted = operations * mix.insert / 100, changing = mix.update + mix.remove;
  if (mix.remove == 0) return records + inserted;
  return records + inserted -
         mix.remove / changing * TouchedByMix(mix.keys, records, inserted, operations * changing / 100);
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
  if (options.workload == Workload::kMix) return LiveKeysOfMix(options);
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
