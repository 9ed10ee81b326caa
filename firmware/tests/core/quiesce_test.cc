// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "core/quiesce.h"

#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class QuiesceTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }
};

TEST_F(QuiesceTest, NothingIsHeldByADeviceThatRuns) {
  EXPECT_FALSE(quiesce_shuts_down(fw_));
  EXPECT_FALSE(quiesce_is_shut(fw_));
  EXPECT_FALSE(quiesce_is_at_rest(fw_));
  EXPECT_EQ(quiesce_refusal(fw_), FW_OK);
  EXPECT_FALSE(quiesce_format_holds_gc(fw_));
  EXPECT_FALSE(quiesce_summary_runs(fw_));
}

TEST_F(QuiesceTest, ADrainLetsCommandsHaveTheirCollections) {
  quiesce_set_shutdown(fw_, QUIESCE_DRAIN);
  EXPECT_TRUE(quiesce_shuts_down(fw_));
  EXPECT_TRUE(quiesce_is_shut(fw_)) << "nothing is inside";
  EXPECT_FALSE(quiesce_is_at_rest(fw_));
  quiesce_set_command(fw_, true);
  EXPECT_FALSE(quiesce_is_shut(fw_)) << "firmware's command may need room";
  quiesce_set_command(fw_, false);
  dev.io_quiet = false;
  EXPECT_FALSE(quiesce_io_quiet(fw_));
  EXPECT_FALSE(quiesce_is_shut(fw_)) << "so may the hardware's";
}

TEST_F(QuiesceTest, RestDoesNotDependOnWhatIsInside) {
  dev.io_quiet = false;
  quiesce_set_shutdown(fw_, QUIESCE_REST);
  EXPECT_TRUE(quiesce_is_at_rest(fw_));
  EXPECT_TRUE(quiesce_is_shut(fw_));
}

TEST_F(QuiesceTest, ASnapshotMustNotBeWrittenOver) {
  quiesce_set_snapshot(fw_, true);
  EXPECT_TRUE(quiesce_is_at_rest(fw_));
  EXPECT_FALSE(quiesce_shuts_down(fw_)) << "the controller may have been enabled again";
  quiesce_set_snapshot(fw_, false);
  EXPECT_FALSE(quiesce_is_at_rest(fw_));
}

TEST_F(QuiesceTest, AFormatRefusesCommandsBeforeItTakesTheCollector) {
  quiesce_set_format(fw_, FW_FORMATTING, false);
  EXPECT_EQ(quiesce_refusal(fw_), FW_FORMATTING);
  EXPECT_FALSE(quiesce_format_holds_gc(fw_));
  quiesce_set_format(fw_, FW_FORMATTING, true);
  EXPECT_TRUE(quiesce_format_holds_gc(fw_));
}

TEST_F(QuiesceTest, ASummaryHoldsItsSuperblockOnly) {
  quiesce_set_summary(fw_, true, 3);
  EXPECT_TRUE(quiesce_summary_runs(fw_));
  EXPECT_TRUE(quiesce_summary_holds(fw_, 3));
  EXPECT_FALSE(quiesce_summary_holds(fw_, 4));
  quiesce_set_summary(fw_, false, 3);
  EXPECT_FALSE(quiesce_summary_holds(fw_, 3));
}

TEST_F(QuiesceTest, AShutdownAndTheNextEnablingPushTheirFlags) {
  set_cc(ORM_PUT(ORM_BAR0_CC_EN, 1) | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_NORMAL));
  settle(1'000'000);
  EXPECT_TRUE(quiesce_shuts_down(fw_));
  EXPECT_TRUE(quiesce_is_at_rest(fw_));
  set_cc(0);
  settle(1'000'000);
  enable();
  settle(1'000'000);
  EXPECT_FALSE(quiesce_shuts_down(fw_));
  EXPECT_FALSE(quiesce_is_at_rest(fw_));
}

}  // namespace
}  // namespace orm_test
