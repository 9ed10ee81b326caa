// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/mix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "bench/workload/ycsb.h"

namespace openremap {
namespace {

constexpr uint64_t kRecords = 2000, kOperations = 50000;

SourceOptions Options(const MixOptions &mix) { return {Workload::kMix, kRecords, kOperations, 7, mix}; }

std::vector<Operation> All(const SourceOptions &options) {
  std::vector<Operation> all;
  const auto source = MakeSource(options);
  for (Operation operation; source->Next(&operation);) all.push_back(operation);
  EXPECT_EQ(all.size(), source->count());
  EXPECT_EQ(source->SelfCheck(), "");
  return all;
}

TEST(MixTest, SharesAreThoseAskedFor) {
  using K = OperationKind;
  const std::vector<Operation> all = All(Options({20, 30, 25, 15, 10, MixKeys::kUniform}));
  std::map<K, double> shares;
  for (const Operation &o : all) shares[o.kind] += 1.0 / kOperations;
  const std::map<K, double> expected = {{K::kPut, 0.5}, {K::kGet, 0.25}, {K::kDelete, 0.15}, {K::kScan, 0.1}};
  EXPECT_EQ(shares.size(), expected.size());
  for (const auto &[kind, share] : expected) EXPECT_NEAR(shares[kind], share, 0.01) << OperationKindName(kind);
}

TEST(MixTest, ASingleKindHasNoOther) {
  for (const Operation &o : All(Options({0, 0, 0, 100, 0, MixKeys::kZipfian})))
    EXPECT_EQ(o.kind, OperationKind::kDelete);
}

// Inserts put records that were never there, and all else goes to records that were, deleted or not.
TEST(MixTest, OnlyInsertsGoToNewRecords) {
  for (const MixKeys keys : {MixKeys::kUniform, MixKeys::kZipfian, MixKeys::kLatest}) {
    for (const MixOptions &mix : {MixOptions{30, 0, 30, 20, 20, keys}, MixOptions{0, 50, 20, 20, 10, keys}}) {
      const SourceOptions options = Options(mix);
      std::set<uint64_t> put;
      YcsbLoad load(options);
      for (Operation operation; load.Next(&operation);) EXPECT_TRUE(put.insert(operation.key).second);
      EXPECT_EQ(put.size(), kRecords);
      for (const Operation &o : All(options)) {
        ASSERT_LT(o.key, KeySpaceSize(options));
        const bool inserts = o.kind == OperationKind::kPut && mix.insert != 0;
        ASSERT_EQ(put.insert(o.key).second, inserts);
        if (o.kind != OperationKind::kScan) continue;
        EXPECT_GE(o.length, 1u);
        EXPECT_LE(o.length, Mix::kMostScanned);
      }
    }
  }
}

TEST(MixTest, KeysAreAsPopularAsTheyShouldBe) {
  const auto most = [](MixKeys keys) {
    std::map<uint64_t, int> reads;
    for (const Operation &o : All(Options({0, 0, 100, 0, 0, keys}))) reads[o.key]++;
    return std::max_element(reads.begin(), reads.end(), [](auto &x, auto &y) { return x.second < y.second; })->second;
  };
  EXPECT_LT(most(MixKeys::kUniform), 60) << "25 on average";
  const double popular = kOperations * Zipfian(kRecords).Probability(0);
  EXPECT_NEAR(most(MixKeys::kZipfian), popular, 300);
  EXPECT_NEAR(most(MixKeys::kLatest), popular, 300);
}

TEST(MixTest, LatestFollowsTheInserts) {
  const SourceOptions options = Options({20, 0, 80, 0, 0, MixKeys::kLatest});
  const Permutation scatter(KeySpaceSize(options), options.seed);
  std::map<uint64_t, uint64_t> record_of;
  for (uint64_t record = 0; record < KeySpaceSize(options); record++) record_of[scatter(record)] = record;
  uint64_t records = kRecords, young = 0, total = 0;
  for (const Operation &o : All(options)) {
    if (o.kind == OperationKind::kPut) {
      EXPECT_EQ(record_of[o.key], records++);
      continue;
    }
    total++;
    young += record_of[o.key] + 100 >= records;
  }
  EXPECT_GT(young * 2, total);
}

}  // namespace
}  // namespace openremap
