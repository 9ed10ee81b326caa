// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/live_keys.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "bench/workload/fill_order.h"
#include "bench/workload/keys.h"
#include "bench/workload/ycsb.h"

namespace openremap {
namespace {

constexpr uint64_t kRecords = 20000;

void PutAll(OperationSource *source, std::set<uint64_t> *keys) {
  for (Operation operation; source->Next(&operation);) {
    if (operation.kind == OperationKind::kPut) keys->insert(operation.key);
    if (operation.kind == OperationKind::kDelete) keys->erase(operation.key);
  }
}

// Number of live keys at the end, by drawing all operations of the workload.
double Drawn(const SourceOptions &options) {
  std::set<uint64_t> keys;
  if (IsMixgraph(options.workload)) {
    Random64 random(options.seed);
    for (uint64_t i = 0; i < options.records; i++) keys.insert(random.Below(options.records));
  } else if (IsYcsb(options.workload) || options.workload == Workload::kMix) {
    YcsbLoad load(options);
    PutAll(&load, &keys);
  } else if (options.workload == Workload::kUtxo) {
    for (uint64_t i = 0; i < options.records; i++) keys.insert(i);
  }
  const std::unique_ptr<OperationSource> source = MakeSource(options);
  if (source != nullptr) {
    PutAll(source.get(), &keys);
  } else {
    FillOrder order(options.workload, options.records, options.seed);
    for (uint64_t i = 0; i < options.operations; i++) keys.insert(order.Next());
  }
  return static_cast<double>(keys.size());
}

TEST(LiveKeysTest, AreThoseThatTheOperationsPut) {
  for (Workload workload :
       {Workload::kFillRandom, Workload::kFillSeq, Workload::kFillZipfian, Workload::kYcsbLoad, Workload::kYcsbA,
        Workload::kYcsbC, Workload::kYcsbD, Workload::kYcsbE, Workload::kYcsbF, Workload::kMixAllRandom,
        Workload::kMixAllDist, Workload::kMixPrefixRandom, Workload::kMixPrefixDist, Workload::kUtxo}) {
    for (uint64_t operations : {kRecords / 20, kRecords, 10 * kRecords}) {
      const SourceOptions options = {workload, kRecords, operations, 1, {}, {20, 6, 144}};
      const double drawn = Drawn(options);
      EXPECT_NEAR(LiveKeys(options), drawn, 0.02 * drawn) << WorkloadName(workload) << ", " << operations;
    }
  }
}

TEST(LiveKeysTest, AMixInsertsAndDeletes) {
  const std::vector<MixOptions> mixes = {{0, 100, 0, 0, 0, {}},   {25, 65, 10, 0, 0, {}}, {0, 30, 40, 30, 0, {}},
                                         {40, 10, 0, 40, 10, {}}, {0, 0, 0, 100, 0, {}},  {5, 5, 0, 90, 0, {}}};
  for (const MixKeys keys : {MixKeys::kUniform, MixKeys::kZipfian, MixKeys::kLatest}) {
    for (MixOptions mix : mixes) {
      mix.keys = keys;
      for (uint64_t operations : {kRecords / 20, 2 * kRecords}) {
        const SourceOptions options = {Workload::kMix, kRecords, operations, 1, mix};
        const double drawn = Drawn(options);
        EXPECT_NEAR(LiveKeys(options), drawn, 0.02 * drawn + 0.005 * kRecords)
            << static_cast<int>(keys) << ", " << mix.insert << " % inserts, " << mix.remove << " % deletes, "
            << operations;
      }
    }
  }
}

TEST(LiveKeysTest, WhatIsLoadedIsThereWhateverRuns) {
  for (uint64_t operations : {uint64_t{1}, kRecords}) {
    EXPECT_EQ(LiveKeys({Workload::kOverwrite, kRecords, operations, 1, {}}), kRecords);
    for (Workload workload : {Workload::kReadRandom, Workload::kReadSeq}) {
      EXPECT_NEAR(LiveKeys({workload, kRecords, operations, 1, {}}), 0.632 * kRecords, 0.001 * kRecords);
    }
  }
}

TEST(LiveKeysTest, OneRecord) {
  for (Workload workload : {Workload::kFillRandom, Workload::kFillZipfian, Workload::kMixPrefixDist}) {
    const double keys = LiveKeys({workload, 1, 1000, 1, {}});
    EXPECT_GT(keys, 0.8) << WorkloadName(workload) << ": 1 - e^-2";
    EXPECT_LT(keys, 1.001) << WorkloadName(workload);
  }
}

}  // namespace
}  // namespace openremap
