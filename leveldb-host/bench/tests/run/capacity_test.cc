// SPDX-License-Identifier: Apache-2.0
#include "bench/run/capacity.h"

#include <gtest/gtest.h>

namespace openremap {
namespace {

constexpr uint64_t kMiB = 1 << 20;

BenchOptions Filling(Workload workload, uint64_t num) {
  BenchOptions options;
  options.workload = workload;
  options.num = num;
  return options;  // 1000 bytes an item
}

TEST(CapacityTest, RandomPutsTouchTwoThirdsOfTheKeys) {
  EXPECT_EQ(LiveBytes(Filling(Workload::kFillSeq, 1000)), 1000000u);
  EXPECT_EQ(LiveBytes(Filling(Workload::kOverwrite, 1000)), 1000000u);
  for (Workload workload : {Workload::kFillRandom, Workload::kReadRandom, Workload::kReadSeq}) {
    EXPECT_NEAR(static_cast<double>(LiveBytes(Filling(workload, 1000))), 632000, 1000);
  }
}

TEST(CapacityTest, WhatCannotFitIsRefusedWithTheLargestThatShould) {
  std::string error;
  BenchOptions options = Filling(Workload::kFillSeq, 100000);
  EXPECT_FALSE(Fits(options, 12 * kMiB, &error));
  const uint64_t largest = LargestNum(options, 12 * kMiB);
  EXPECT_GT(largest, 5000u);
  EXPECT_LT(largest, 12582u) << "what would fit without any overhead";
  EXPECT_EQ(error.find("--num=100000: "), 0u) << error;
  EXPECT_NE(error.find("about " + std::to_string(largest)), std::string::npos) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos);
  options.num = largest;
  EXPECT_TRUE(Fits(options, 12 * kMiB, &error));
  options = Filling(Workload::kFillRandom, 1);
  const uint64_t full_blocks = LargestNum(options, 12 * kMiB);
  options.mode = RemapMode::kRetain;
  EXPECT_LT(LargestNum(options, 12 * kMiB), full_blocks) << "thin blocks take more space";
}

TEST(CapacityTest, OperationsDecideWhatIsPut) {
  std::string error;
  BenchOptions options = Filling(Workload::kFillRandom, 1000000);
  options.operations = 1000;  // 1 MB
  EXPECT_TRUE(Fits(options, 12 * kMiB, &error)) << error;
  EXPECT_EQ(LargestNum(options, 12 * kMiB), kMostNum) << "whatever the key space is";
  options.workload = Workload::kFillSeq;
  EXPECT_TRUE(Fits(options, 12 * kMiB, &error)) << error;
  options.workload = Workload::kOverwrite;
  EXPECT_FALSE(Fits(options, 12 * kMiB, &error)) << "all records are loaded before";

  options = Filling(Workload::kFillRandom, 35000);
  EXPECT_TRUE(Fits(options, 25 * kMiB, &error)) << error;
  options.operations = 300000;  // put all keys there are, nearly
  EXPECT_FALSE(Fits(options, 25 * kMiB, &error));
  EXPECT_EQ(error.find("--num=35000 with --operations=300000: "), 0u) << error;
  options.num = LargestNum(options, 25 * kMiB);
  EXPECT_GT(options.num, 10000u);
  EXPECT_TRUE(Fits(options, 25 * kMiB, &error)) << error;
}

TEST(CapacityTest, InsertsAreKeysToo) {
  std::string error;
  for (Workload workload : {Workload::kYcsbD, Workload::kYcsbE}) {
    BenchOptions options = Filling(workload, 10000);
    EXPECT_TRUE(Fits(options, 25 * kMiB, &error)) << error;
    options.operations = 400000;  // 20,000 inserts
    EXPECT_EQ(LiveBytes(options), 30000000u);
    EXPECT_FALSE(Fits(options, 25 * kMiB, &error));
    options.operations = 600000;
    EXPECT_EQ(LargestNum(options, 25 * kMiB), 0u) << "the inserts alone are too many";
    EXPECT_FALSE(Fits(options, 25 * kMiB, &error));
    EXPECT_NE(error.find("no smaller one should, either"), std::string::npos) << error;
    options.workload = Workload::kYcsbA;
    EXPECT_TRUE(Fits(options, 25 * kMiB, &error)) << error;
  }
}

TEST(CapacityTest, ADeviceSmallerThanACompactionFitsNothing) {
  EXPECT_EQ(LargestNum(Filling(Workload::kFillSeq, 1), 1000), 0u);
  std::string error;
  EXPECT_TRUE(Fits(Filling(Workload::kFillSeq, 1000000000), UINT64_MAX, &error));
}

}  // namespace
}  // namespace openremap
