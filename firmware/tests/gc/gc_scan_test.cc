// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "gc/gc_scan.h"

#include "fw.h"
}

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class GcScanTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }

  void closed(uint32_t sb, uint32_t valid, uint32_t segments = 0) {
    dev.sb[sb] = {1, valid, ORM_SB_STATE_CLOSED};
    if (segments != 0) dev.chains[sb] = {segments, 0, 0};
  }

  uint32_t scan(gc_search what, uint32_t limit, uint32_t room = 100) {
    gc_scan_begin(fw_, what, limit);
    while (!gc_scan_poll(fw_, room)) {
    }
    return fw_->gc.scan.victim;
  }
};

TEST_F(GcScanTest, SpaceIsInTheEmptiest) {
  closed(4, 9);
  closed(5, 3);
  closed(6, 5);
  EXPECT_EQ(scan(GC_FOR_SPACE, 16), 5u);
  EXPECT_EQ(scan(GC_FOR_SPACE, 3), GC_NO_VICTIM) << "it must undercut the limit";
}

TEST_F(GcScanTest, OneWhoseSharersMayFindNoRoomIsOnlySpare) {
  closed(4, 1, 4);
  closed(5, 2, 3);
  closed(6, 9);
  EXPECT_EQ(scan(GC_FOR_SPACE, 16, 6), 4u) << "its segments, and one begun in each of two targets";
  EXPECT_EQ(scan(GC_FOR_SPACE, 16, 4), 6u);
  EXPECT_EQ(fw_->gc.scan.spare, 5u) << "the one with the shortest chain";
}

TEST_F(GcScanTest, SegmentsAreInTheLongestChain) {
  closed(4, 1, 2);
  closed(5, 9, 5);
  EXPECT_EQ(scan(GC_FOR_SEGMENTS, 1), 5u);
  EXPECT_EQ(scan(GC_FOR_CHAIN, 0), 5u);
}

TEST_F(GcScanTest, OnlyClosedOnesAreCollected) {
  dev.sb[4] = {1, 0, ORM_SB_STATE_OPEN};
  dev.sb[5] = {1, 0, ORM_SB_STATE_BAD};
  EXPECT_EQ(scan(GC_FOR_SPACE, 16), GC_NO_VICTIM);
}

TEST_F(GcScanTest, ASummaryHoldsItsSuperblock) {
  closed(4, 1);
  quiesce_set_summary(fw_, true, 4);
  EXPECT_EQ(scan(GC_FOR_SPACE, 16), GC_NO_VICTIM);
  quiesce_set_summary(fw_, false, 4);
  EXPECT_EQ(scan(GC_FOR_SPACE, 16), 4u);
}

TEST_F(GcScanTest, StopsWhenToldTo) {
  gc_scan_begin(fw_, GC_FOR_SPACE, 16);
  gc_scan_stop(fw_);
  EXPECT_EQ(fw_->gc.scan.what, GC_NO_SEARCH);
}

}  // namespace
}  // namespace orm_test
