// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/mixgraph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace openremap {
namespace {

std::vector<Operation> All(OperationSource *source) {
  std::vector<Operation> all;
  for (Operation operation; source->Next(&operation);) all.push_back(operation);
  EXPECT_EQ(all.size(), source->count());
  return all;
}

TEST(MixgraphTest, EveryWorkloadIsWhatItsParametersSay) {
  for (Workload workload :
       {Workload::kMixAllRandom, Workload::kMixAllDist, Workload::kMixPrefixRandom, Workload::kMixPrefixDist}) {
    SCOPED_TRACE(WorkloadName(workload));
    Mixgraph mix({workload, 50000, 100000, 1});
    std::map<uint64_t, int> keys;
    const std::vector<Operation> operations = All(&mix);
    for (const Operation &o : operations) {
      ASSERT_LT(o.key, 50000u);
      ASSERT_LE(o.length, 10000u);
      keys[o.key]++;
    }
    EXPECT_EQ(mix.SelfCheck(), "");
    std::map<OperationKind, double> shares;
    for (const Operation &o : operations) shares[o.kind] += 1.0 / static_cast<double>(operations.size());
    EXPECT_NEAR(shares.at(OperationKind::kGet), 0.83, 0.006);
    EXPECT_NEAR(shares.at(OperationKind::kPut), 0.14, 0.006);
    EXPECT_NEAR(shares.at(OperationKind::kScan), 0.03, 0.003);
    // Uniform keys touch 1 - e^-2 of the key space; a law or ranges leave more of it alone.
    const bool skewed = workload != Workload::kMixAllRandom;
    EXPECT_EQ(keys.size() < 41000u, skewed) << keys.size();
    int most = 0;
    for (const auto &[key, count] : keys) most = std::max(most, count);
    const bool law = workload == Workload::kMixAllDist || workload == Workload::kMixPrefixDist;
    EXPECT_EQ(most > 1000, law) << most;
  }
}

TEST(MixgraphTest, AFewKeyRangesTakeMostAccesses) {
  const Mixgraph mix({Workload::kMixPrefixRandom, 50000, 10, 1});
  std::vector<double> shares = mix.RangeProbabilities();
  ASSERT_EQ(shares.size(), 30u);
  std::sort(shares.rbegin(), shares.rend());
  EXPECT_NEAR(shares[0], 0.791, 0.001) << "0.767 + 0.015 of 0.989";
  EXPECT_GT(shares[29], 0.0005);
  EXPECT_EQ(Mixgraph({Workload::kMixAllDist, 50000, 10, 1}).RangeProbabilities().size(), 1u);
}

// The verdict on a workload that is drawn with other parameters; "" if it passes.
std::string Judged(Workload workload, uint64_t records, uint64_t operations, const MixgraphParameters &parameters,
                   uint64_t seed = 1) {
  Mixgraph mix({workload, records, operations, seed}, parameters);
  for (Operation operation; mix.Next(&operation);) {
  }
  return mix.SelfCheck();
}

TEST(MixgraphTest, AnotherLawOfKeysIsFound) {
  for (const auto &[records, operations] :
       std::map<uint64_t, uint64_t>{{6000, 6000}, {30000, 40000}, {1000000, 1000000}}) {
    for (Workload workload : {Workload::kMixAllDist, Workload::kMixPrefixDist}) {
      for (double b : {0.3, 0.33, 0.36, 0.4}) {
        MixgraphParameters p;
        p.key_b = b;
        EXPECT_EQ(Judged(workload, records, operations, p).find("ranks of keys: bin"), 0u) << b << " of " << records;
      }
      for (double a : {0.002, 0.0027}) {
        MixgraphParameters p;
        p.key_a = a;
        EXPECT_EQ(Judged(workload, records, operations, p).find("ranks of keys: bin"), 0u) << a << " of " << records;
      }
    }
    MixgraphParameters p;
    p.key_b = 0.3;
    EXPECT_EQ(Judged(Workload::kMixAllRandom, records, operations, p), "") << "which has no ranks";
  }
  MixgraphParameters p;
  p.key_b = 0.345;
  EXPECT_NE(Judged(Workload::kMixAllDist, 1000000, 1000000, p), "");
}

TEST(MixgraphTest, OtherKindsRangesAndScansAreFound) {
  constexpr uint64_t kRecords = 30000, kOperations = 40000;
  MixgraphParameters kinds, ranges, k, sigma;
  kinds.put_ratio = 0.15;
  ranges.range_b = -2.5;
  k.scan_k = 1;
  sigma.scan_sigma = 30;
  const Workload workload = Workload::kMixPrefixDist;
  EXPECT_EQ(Judged(workload, kRecords, kOperations, kinds).find("kinds of operations: bin"), 0u);
  EXPECT_EQ(Judged(workload, kRecords, kOperations, ranges).find("key ranges: bin"), 0u);
  for (const MixgraphParameters &p : {k, sigma}) {
    EXPECT_EQ(Judged(workload, kRecords, kOperations, p).find("scan lengths: bin"), 0u);
  }
}

TEST(MixgraphTest, ChanceIsLeftAlone) {
  for (uint64_t seed = 1; seed <= 200; seed++) {
    for (uint64_t operations : {1, 20, 1000, 6000}) {
      for (Workload workload : {Workload::kMixAllDist, Workload::kMixPrefixRandom, Workload::kMixPrefixDist}) {
        ASSERT_EQ(Judged(workload, 1 + operations / 2, operations, MixgraphParameters(), seed), "") << seed;
      }
    }
  }
}

}  // namespace
}  // namespace openremap
