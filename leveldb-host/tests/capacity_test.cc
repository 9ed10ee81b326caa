// SPDX-License-Identifier: Apache-2.0
#include "capacity.h"

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
    EXPECT_EQ(LiveBytes(Filling(workload, 1000)), 632000u);
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

TEST(CapacityTest, ADeviceSmallerThanACompactionFitsNothing) {
  EXPECT_EQ(LargestNum(Filling(Workload::kFillSeq, 1), 1000), 0u);
  std::string error;
  EXPECT_TRUE(Fits(Filling(Workload::kFillSeq, 1000000000), UINT64_MAX, &error));
}

}  // namespace
}  // namespace openremap
