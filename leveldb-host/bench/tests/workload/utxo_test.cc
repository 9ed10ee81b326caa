// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/utxo.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace openremap {
namespace {

constexpr uint64_t kRecords = 20000, kOperations = 60000;

SourceOptions Options(const UtxoOptions &utxo, uint64_t seed = 1) {
  return {Workload::kUtxo, kRecords, kOperations, seed, {}, utxo};
}

std::vector<Operation> All(const SourceOptions &options) {
  std::vector<Operation> all;
  const std::unique_ptr<OperationSource> source = MakeSource(options);
  for (Operation operation; source->Next(&operation);) all.push_back(operation);
  EXPECT_EQ(all.size(), source->count());
  EXPECT_EQ(source->SelfCheck(), "");
  return all;
}

TEST(UtxoTest, CoinsAreMadeOnceReadWhileTheyAreThereAndSpentOnce) {
  for (const UtxoOptions &utxo : {UtxoOptions{100, 6, 144}, UtxoOptions{100, 1, 0}, UtxoOptions{7, 300, 10}}) {
    std::set<uint64_t> live;
    uint64_t made = 0;
    for (; made < kRecords; made++) live.insert(made);
    std::set<uint64_t> read;
    for (const Operation &o : All(Options(utxo))) {
      switch (o.kind) {
        case OperationKind::kPut:
          ASSERT_EQ(o.key, made) << "in order";
          live.insert(made++);
          break;
        case OperationKind::kGet:
          ASSERT_EQ(live.count(o.key), 1u);
          ASSERT_TRUE(read.insert(o.key).second) << "only before it is spent";
          break;
        case OperationKind::kDelete:
          ASSERT_EQ(live.erase(o.key), 1u);
          break;
        default:
          ASSERT_EQ(o.kind, OperationKind::kCommit);
          if (utxo.outputs == 100 && utxo.flush == 6) {
            ASSERT_NEAR(static_cast<double>(live.size()), kRecords, 600);
          }
      }
    }
    EXPECT_GT(made, kRecords + 1000);
    EXPECT_LT(made, KeySpaceSize(Options(utxo)));
  }
}

TEST(UtxoTest, EndsWithACommitWhereverThatIs) {
  for (uint64_t operations : {1, 2, 100, 1001}) {
    SourceOptions options = Options({100, 6, 144});
    options.operations = operations;
    const std::vector<Operation> all = All(options);
    EXPECT_EQ(all.back(), (Operation{OperationKind::kCommit, 0, 0}));
  }
}

TEST(UtxoTest, RepeatsByItsSeed) {
  EXPECT_EQ(All(Options({100, 6, 144}, 4)), All(Options({100, 6, 144}, 4)));
  EXPECT_FALSE(All(Options({100, 6, 144}, 4)) == All(Options({100, 6, 144}, 5)));
}

// What is made and spent between two commits is in none: the more blocks, the fewer changes for each.
TEST(UtxoTest, ALongerFlushStoresFewerCoins) {
  double before = 1;
  for (uint64_t flush : {1, 6, 144}) {
    uint64_t puts = 0, commits = 0;
    for (const Operation &o : All(Options({100, flush, 144}))) {
      puts += o.kind == OperationKind::kPut;
      commits += o.kind == OperationKind::kCommit;
    }
    // The last commit may be one of less; of 144 blocks there are few.
    const double stored = static_cast<double>(puts) / static_cast<double>(commits * flush * 100);
    if (flush == 1) {
      EXPECT_GT(stored, 0.98);
    } else {
      EXPECT_LT(stored, before - 0.05) << flush;
    }
    before = stored;
  }
}

TEST(UtxoTest, AsManyAreReadAsTheCacheLacks) {
  std::map<uint64_t, uint64_t> gets;
  for (uint64_t cache : {0, 144, 100000}) {
    for (const Operation &o : All(Options({100, 6, cache}))) gets[cache] += o.kind == OperationKind::kGet;
  }
  uint64_t deletes = 0;
  for (const Operation &o : All(Options({100, 6, 0}))) deletes += o.kind == OperationKind::kDelete;
  EXPECT_NEAR(static_cast<double>(gets.at(0)), static_cast<double>(deletes), 600) << "all that are spent";
  EXPECT_LT(gets.at(144) * 2, gets.at(0));
  EXPECT_LT(gets.at(100000), gets.at(144)) << "those of the load";
  EXPECT_GT(gets.at(100000), 1000u);
}

// The ages at which stored coins are in fact spent, of a chain that is long enough to have them.
TEST(UtxoTest, CoinsAreSpentAtTheirAges) {
  SourceOptions options = Options({50, 1, 0});
  options.operations = 250000;
  std::vector<uint64_t> block_of(kRecords, 0);  // of those in the run, from 1 on
  uint64_t block = 1, spent = 0, day = 0, dozen = 0;
  for (const Operation &o : All(options)) {
    if (o.kind == OperationKind::kPut) block_of.push_back(block);
    if (o.kind == OperationKind::kCommit) block++;
    if (o.kind != OperationKind::kDelete || block < 2 * CoinAges::kDay) continue;
    spent++;
    const uint64_t age = block_of[o.key] == 0 ? CoinAges::kMost : block - block_of[o.key];
    day += age < CoinAges::kDay;
    dozen += age < 12;
  }
  ASSERT_GT(spent, 50000u);
  EXPECT_NEAR(static_cast<double>(day) / static_cast<double>(spent), 0.80, 0.02);
  EXPECT_NEAR(static_cast<double>(dozen) / static_cast<double>(spent), 0.40, 0.02);
}

TEST(UtxoTest, AnotherLawOfAgesIsFound) {
  Utxo utxo(Options({100, 6, 144}), CoinAges(0.75, 0.95));
  for (Operation operation; utxo.Next(&operation);) {
  }
  EXPECT_EQ(utxo.SelfCheck().find("ages of spent coins: bin"), 0u) << utxo.SelfCheck();
}

TEST(UtxoTest, AFewRecordsAreEnough) {
  for (uint64_t records : {1, 3}) {
    SourceOptions options = Options({1000, 2, 0});
    options.records = records;
    options.operations = 5000;
    All(options);
  }
}

TEST(UtxoTest, ValuesAreAsLargeAsCoins) {
  const ValueSizes sizes = UtxoValueSizes();
  EXPECT_EQ(sizes.Most(), 43u);
  EXPECT_EQ(sizes.Cdf(24), 0);
  EXPECT_GT(sizes.Cdf(25), 0.1);
  EXPECT_EQ(sizes.Cdf(43), 1);
  EXPECT_NEAR(sizes.Mean(), 30.84, 0.001);
  Random64 random(1);
  double sum = 0;
  size_t least = 100, most = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; i++) {
    const size_t size = sizes.Of(random.Next());
    sum += static_cast<double>(size);
    least = std::min(least, size);
    most = std::max(most, size);
  }
  EXPECT_NEAR(sum / kDraws, sizes.Mean(), 0.05);
  EXPECT_EQ(least, 25u);
  EXPECT_EQ(most, 43u);
}

}  // namespace
}  // namespace openremap
