// SPDX-License-Identifier: Apache-2.0
//
// The parts of db_bench's workloads: distributions at fixed seeds, and mixes of operations.
#include "bench/workload/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "bench/measure/latency.h"
#include "bench/workload/mixgraph.h"
#include "bench/workload/permutation.h"
#include "bench/workload/value_sizes.h"
#include "bench/workload/ycsb.h"
#include "bench/workload/zipfian.h"

namespace openremap {
namespace {

TEST(ZipfianTest, PopularRanksComeAsOftenAsTheyShould) {
  const Zipfian zipfian(1000);
  Random64 random(1);
  std::vector<int> counts(1000);
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; i++) counts.at(zipfian.Next(&random))++;
  // The method is exact for the first two ranks and an approximation beyond.
  for (uint64_t rank : {0, 1}) EXPECT_NEAR(counts[rank], kDraws * zipfian.Probability(rank), 600) << rank;
  for (size_t decade : {10, 100, 1000}) {
    double expected = 0;
    for (uint64_t rank = 0; rank < decade; rank++) expected += zipfian.Probability(rank);
    const int drawn = std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(decade), 0);
    EXPECT_NEAR(drawn, kDraws * expected, kDraws * 0.02) << decade;
  }
}

TEST(ZipfianTest, GrowsToWhatItWouldHaveBeen) {
  Zipfian grown(10);
  grown.Grow(500);
  const Zipfian whole(500);
  for (uint64_t rank : {0, 9, 499}) EXPECT_DOUBLE_EQ(grown.Probability(rank), whole.Probability(rank));
  Random64 one(3), two(3);
  for (int i = 0; i < 1000; i++) EXPECT_EQ(grown.Next(&one), whole.Next(&two));
}

TEST(ZipfianTest, OneAndTwoItems) {
  Random64 random(1);
  std::set<uint64_t> seen;
  for (int i = 0; i < 100; i++) {
    EXPECT_EQ(Zipfian(1).Next(&random), 0u);
    seen.insert(Zipfian(2).Next(&random));
  }
  EXPECT_EQ(seen, (std::set<uint64_t>{0, 1}));
}

TEST(PermutationTest, IsABijectionOfAnySize) {
  for (uint64_t n : {1, 2, 3, 4, 5, 16, 17, 1000, 4096}) {
    const Permutation permutation(n, 7);
    std::set<uint64_t> images;
    for (uint64_t i = 0; i < n; i++) images.insert(permutation(i));
    EXPECT_EQ(images.size(), n);
    EXPECT_LT(*images.rbegin(), n);
  }
  const Permutation one(1000, 1), other(1000, 2);
  int in_place = 0, same = 0;
  for (uint64_t i = 0; i < 1000; i++) {
    in_place += one(i) == i;
    same += one(i) == other(i);
  }
  EXPECT_LT(in_place, 10);
  EXPECT_LT(same, 10);
}

TEST(ValueSizesTest, UniformAndFixed) {
  Random64 random(1);
  const ValueSizes range = ValueSizes::Uniform(100, 1000);
  double sum = 0;
  size_t least = SIZE_MAX, most = 0;
  for (int i = 0; i < 20000; i++) {
    const size_t size = range.Of(random.Next());
    sum += static_cast<double>(size);
    least = std::min(least, size);
    most = std::max(most, size);
    EXPECT_EQ(ValueSizes::Fixed(7).Of(random.Next()), 7u);
  }
  EXPECT_EQ(least, 100u);
  EXPECT_EQ(most, 1000u);
  EXPECT_NEAR(sum / 20000, range.Mean(), 8);
}

TEST(ValueSizesTest, MixgraphValuesHaveMeanAndTailOfTheirPareto) {
  Random64 random(1);
  const ValueSizes sizes = MixgraphValueSizes();
  constexpr int kDraws = 200000;
  double sum = 0;
  std::array<int, 3> below{};
  constexpr std::array<double, 3> kEnds = {10, 50, 200};
  for (int i = 0; i < kDraws; i++) {
    const size_t size = sizes.Of(random.Next());
    ASSERT_GE(size, 1u);
    ASSERT_LE(size, 1024u);
    sum += static_cast<double>(size);
    for (size_t bin = 0; bin < kEnds.size(); bin++) below.at(bin) += static_cast<double>(size) < kEnds.at(bin);
  }
  EXPECT_NEAR(sum / kDraws, 34.5, 1) << "as the workload's authors say";
  for (size_t bin = 0; bin < kEnds.size(); bin++) {
    EXPECT_NEAR(below.at(bin), kDraws * ParetoCdf(kEnds.at(bin), 0.2615, 25.45), 1500) << kEnds.at(bin);
  }
}

TEST(ValueSizesTest, CdfIsOfWhatIsDrawn) {
  Random64 random(1);
  constexpr int kDraws = 200000;
  // One with a tail that is taken modulo 60 often, and many times over.
  for (const ValueSizes &sizes : {ValueSizes::Fixed(7), ValueSizes::Uniform(20, 60), ValueSizes::Pareto(2.5, 14, 60)}) {
    std::array<int, 70> counts{};
    for (int i = 0; i < kDraws; i++) counts.at(sizes.Of(random.Next()))++;
    int upto = 0;
    for (size_t x = 0; x < counts.size(); x++) {
      upto += counts.at(x);
      EXPECT_NEAR(upto, kDraws * sizes.Cdf(x), 900) << x;
    }
  }
}

TEST(ValueSizesTest, ParetoInverseIsTheCdfs) {
  for (double k : {0.0, 0.2615, 2.517}) {
    for (double u : {0.9, 0.5, 0.01}) EXPECT_NEAR(ParetoCdf(ParetoInverse(u, k, 14.2), k, 14.2), 1 - u, 1e-9);
  }
}

std::vector<Operation> All(OperationSource *source) {
  std::vector<Operation> all;
  for (Operation operation; source->Next(&operation);) all.push_back(operation);
  EXPECT_EQ(all.size(), source->count());
  return all;
}

std::map<OperationKind, double> Shares(const std::vector<Operation> &operations) {
  std::map<OperationKind, double> shares;
  for (const Operation &o : operations) shares[o.kind] += 1.0 / static_cast<double>(operations.size());
  return shares;
}

TEST(YcsbTest, MixesOfOperations) {
  using K = OperationKind;
  const std::map<Workload, std::map<K, double>> expected = {
      {Workload::kYcsbA, {{K::kPut, 0.5}, {K::kGet, 0.5}}},
      {Workload::kYcsbB, {{K::kPut, 0.05}, {K::kGet, 0.95}}},
      {Workload::kYcsbC, {{K::kGet, 1}}},
      {Workload::kYcsbD, {{K::kPut, 0.05}, {K::kGet, 0.95}}},
      {Workload::kYcsbE, {{K::kPut, 0.05}, {K::kScan, 0.95}}},
      {Workload::kYcsbF, {{K::kReadModifyWrite, 0.5}, {K::kGet, 0.5}}},
  };
  for (const auto &[workload, shares] : expected) {
    SCOPED_TRACE(WorkloadName(workload));
    const SourceOptions options = {workload, 2000, 50000, 1};
    const auto source = MakeSource(options);
    const std::map<K, double> drawn = Shares(All(source.get()));
    EXPECT_EQ(drawn.size(), shares.size());
    for (const auto &[kind, share] : shares) EXPECT_NEAR(drawn.at(kind), share, 0.01) << OperationKindName(kind);
  }
}

// Every operation names an existing key, or inserts one that never existed.
TEST(YcsbTest, ReadsWhatExistsAndInsertsWhatDoesNot) {
  for (Workload workload : {Workload::kYcsbA, Workload::kYcsbD, Workload::kYcsbE}) {
    SCOPED_TRACE(WorkloadName(workload));
    const SourceOptions options = {workload, 500, 4000, 9};
    std::set<uint64_t> there;
    YcsbLoad load(options);
    for (const Operation &o : All(&load)) EXPECT_TRUE(there.insert(o.key).second);
    EXPECT_EQ(there.size(), 500u);
    const bool inserts = workload != Workload::kYcsbA;
    const auto source = MakeSource(options);
    for (const Operation &o : All(source.get())) {
      ASSERT_LT(o.key, KeySpaceSize(options));
      if (inserts && o.kind == OperationKind::kPut) {
        EXPECT_TRUE(there.insert(o.key).second);
      } else {
        EXPECT_EQ(there.count(o.key), 1u);
      }
      if (o.kind == OperationKind::kScan) {
        EXPECT_GE(o.length, 1u);
        EXPECT_LE(o.length, Ycsb::kMostScanned);
      }
    }
  }
}

TEST(YcsbTest, TheSameRecordsStayPopularAndOfDTheLatest) {
  std::map<uint64_t, int> reads;
  const auto a = MakeSource({Workload::kYcsbC, 10000, 20000, 1});
  for (const Operation &o : All(a.get())) reads[o.key]++;
  const int most =
      std::max_element(reads.begin(), reads.end(), [](auto &x, auto &y) { return x.second < y.second; })->second;
  EXPECT_NEAR(most, 20000 * Zipfian(10000).Probability(0), 250);
  // Of D half the reads go to few of the newest records.
  const SourceOptions options = {Workload::kYcsbD, 10000, 20000, 1};
  const Permutation scatter(KeySpaceSize(options), options.seed);
  std::map<uint64_t, uint64_t> age_of;
  for (uint64_t record = 0; record < KeySpaceSize(options); record++) age_of[scatter(record)] = record;
  uint64_t records = 10000, young = 0, total = 0;
  const auto d = MakeSource(options);
  for (const Operation &o : All(d.get())) {
    if (o.kind == OperationKind::kPut) {
      EXPECT_EQ(age_of[o.key], records);
      records++;
      continue;
    }
    total++;
    young += age_of[o.key] + 100 >= records;
  }
  EXPECT_GT(young * 2, total);
}

TEST(LatencyHistogramTest, PercentilesAreSixPercentOffAtMost) {
  LatencyHistogram histogram;
  EXPECT_EQ(histogram.Percentile(0.5), 0u);
  for (uint64_t i = 1; i <= 100000; i++) histogram.Add(i * 10);
  EXPECT_EQ(histogram.count(), 100000u);
  EXPECT_EQ(histogram.max(), 1000000u);
  EXPECT_EQ(histogram.Percentile(1), 1000000u);
  for (double share : {0.01, 0.5, 0.95, 0.999}) {
    EXPECT_NEAR(static_cast<double>(histogram.Percentile(share)), share * 1e6, share * 1e6 * 0.0625) << share;
  }
  LatencyHistogram extremes;
  for (uint64_t value : {uint64_t{0}, uint64_t{3}, UINT64_MAX}) extremes.Add(value);
  EXPECT_EQ(extremes.Percentile(0.3), 0u);
  EXPECT_EQ(extremes.Percentile(0.6), 3u);
  EXPECT_EQ(extremes.Percentile(1), UINT64_MAX);
}

TEST(WorkloadTest, NamesAreTakenBack) {
  Workload workload = Workload::kYcsbF;
  EXPECT_FALSE(ParseWorkload("ycsbz", &workload));
  EXPECT_EQ(workload, Workload::kYcsbF);
  ASSERT_TRUE(ParseWorkload("mixprefixdist", &workload));
  EXPECT_EQ(workload, Workload::kMixPrefixDist);
  EXPECT_EQ(WorkloadNames().substr(0, 19), "fillrandom|fillseq|");
}

TEST(WorkloadTest, StreamsAreThoseThatHaveASource) {
  for (int i = 0; i <= static_cast<int>(Workload::kMix); i++) {
    const auto workload = static_cast<Workload>(i);
    EXPECT_EQ(IsStream(workload), MakeSource({workload, 10, 10, 1, {25, 65, 10, 0, 0, MixKeys::kLatest}}) != nullptr)
        << WorkloadName(workload);
  }
}

}  // namespace
}  // namespace openremap
