// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "core/result.h"
}

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

TEST(ResultTest, EveryResultHasATextOfItsOwn) {
  std::set<std::string> texts;
  for (int r = 0; r < FW_RESULT_COUNT; r++) texts.insert(fw_result_text(static_cast<fw_result_t>(r)));
  EXPECT_EQ(texts.size(), static_cast<size_t>(FW_RESULT_COUNT));
  EXPECT_STREQ(fw_result_text(FW_RESULT_COUNT), "unknown result");
}

TEST(ResultTest, OnlySuccessIsSuccess) {
  EXPECT_EQ(fw_result_status(FW_OK), 0);
  for (int r = 1; r < FW_RESULT_COUNT; r++) EXPECT_NE(fw_result_status(static_cast<fw_result_t>(r)), 0) << r;
  EXPECT_EQ(fw_result_status(FW_RESULT_COUNT), NVME_STATUS_INTERNAL_ERROR);
}

TEST(ResultTest, RefusalsOfRemapAreToldApart) {
  std::set<uint16_t> status;
  for (fw_result_t r : {FW_REMAP_OVERLAP, FW_REMAP_UNMAPPED, FW_REMAP_SHARERS, FW_REMAP_FULL, FW_REMAP_EMPTY})
    status.insert(fw_result_status(r));
  EXPECT_EQ(status.size(), 5u);
  for (uint16_t s : status) EXPECT_EQ(s >> 8, NVME_STATUS_TYPE_VENDOR);
}

}  // namespace
