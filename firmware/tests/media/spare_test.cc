// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class SpareTest : public FwTest {
 protected:
  void SetUp() override { boot_running(); }
};

TEST_F(SpareTest, ShrinksByEachSuperblockThatGoesBad) {
  const uint32_t all = spare_superblocks(fw_);
  ASSERT_GT(all, 0u);
  EXPECT_EQ(spare_percent(fw_), 100);
  for (uint32_t lost = 1; lost <= all; lost++) {
    EXPECT_EQ(spare_write_protected(fw_), 0u) << lost;
    bad_add(fw_, lost);
    EXPECT_EQ(spare_superblocks(fw_), all - lost);
    EXPECT_EQ(spare_percent(fw_), 100 * (all - lost) / all);
  }
  EXPECT_EQ(spare_write_protected(fw_), uint32_t{ORM_READ_ONLY_WORN});
}

TEST_F(SpareTest, WhatWasBadAtTheFormatIsNoLoss) {
  bad_add(fw_, 1);
  bad_set_at_format(fw_, 1);
  EXPECT_EQ(spare_percent(fw_), 100);
  EXPECT_EQ(spare_write_protected(fw_), 0u);
}

TEST_F(SpareTest, ADeviceThatCanOnlyBeReadSaysWhy) {
  read_only_enter(fw_, ORM_READ_ONLY_POINTER);
  EXPECT_EQ(spare_write_protected(fw_), uint32_t{ORM_READ_ONLY_POINTER});
}

}  // namespace
}  // namespace orm_test
