// SPDX-License-Identifier: Apache-2.0
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class CheckpointTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }

  // `n` trims of single pages with seqs from `first`, the newest at the head.
  void trims(uint32_t n, uint64_t first) {
    for (uint32_t i = 0; i < n; i++) dev.write_journal((dev.journal_head + i) % MockDevice::kJournal, i, 1, first + i);
    dev.journal_head = (dev.journal_head + n) % MockDevice::kJournal;
    dev.journal_used += n;
    dev.seq = std::max(dev.seq, first + n);
  }

  orm_pointer_word pointer() {
    orm_pointer_word w;
    EXPECT_TRUE(orm_pointer_word_open(&w, &dev.nvram[0x108]));
    return w;
  }

  bool marked(uint32_t lpn) { return dev.trimmed(pointer().tag, lpn); }

  void map(uint32_t lpn, uint32_t slot) { orm_put_le(&dev.dram[MockDevice::kL2p + 4 * lpn], slot, 4); }
};

TEST_F(CheckpointTest, ShortJournalIsLeftAlone) {
  trims(8, 10);
  settle();
  EXPECT_EQ(dev.journal_used, 8u);
  EXPECT_EQ(dev.fences, 0u);
}

TEST_F(CheckpointTest, LongJournalIsEmptiedUpToItsNewestRecord) {
  uint8_t tag = pointer().tag;
  map(0, 7);
  trims(10, 10);
  settle();
  EXPECT_EQ(dev.journal_used, 1u);
  EXPECT_EQ(pointer().seq, 18u) << "the record before the newest";
  EXPECT_NE(pointer().tag, tag);
  EXPECT_FALSE(marked(0)) << "mapped now";
  EXPECT_TRUE(marked(1));
}

TEST_F(CheckpointTest, PointerMovesOnlyAfterTheFence) {
  dev.hold_fence = true;
  trims(10, 10);
  settle();
  EXPECT_EQ(dev.fences, 1u);
  EXPECT_EQ(dev.journal_used, 10u);
  EXPECT_LT(pointer().seq, 10u);
  EXPECT_FALSE(dev.irq()) << "a long journal does not keep the firmware busy meanwhile";
  dev.release_fence();
  settle();
  EXPECT_EQ(dev.journal_used, 1u);
  EXPECT_EQ(pointer().seq, 18u);
}

TEST_F(CheckpointTest, RecordThatIsNotInNvramYetEndsIt) {
  trims(10, 10);
  dev.write_journal(4, 0, 1, 3);  // what an earlier lap left where the fifth is about to be
  settle();
  EXPECT_EQ(pointer().seq, 13u);
  EXPECT_EQ(dev.journal_used, 6u);
}

TEST_F(CheckpointTest, RecordsOfARemapUnderWayStay) {
  trims(4, 10);
  dev.seq = 14;
  dev.hold_remap = true;
  nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP, 1, 0);
  e.cdw12 = 10;
  e.cdw14 = 1;
  e.cdw15 = ORM_VENDOR_FLAGS_MOVE;
  dev.mailbox.emplace_back(uint8_t{1}, e);
  settle();
  trims(6, 14);  // the remap's own
  settle();
  EXPECT_EQ(pointer().seq, 13u);
  EXPECT_EQ(dev.journal_used, 6u);
}

TEST_F(CheckpointTest, NothingToDropIsNoReasonToSpin) {
  trims(10, 10);
  dev.write_journal(0, 0, 1, 0);  // not written yet
  settle();
  EXPECT_EQ(dev.fences, 0u);
  EXPECT_GT(wait, 0u);
  EXPECT_LT(wait, FW_POLL_IDLE);
  EXPECT_FALSE(dev.irq());
  dev.write_journal(0, 0, 1, 10);
  settle(wait);
  EXPECT_EQ(dev.journal_used, 1u);
}

TEST_F(CheckpointTest, RingWrapsAround) {
  dev.journal_head = 12;
  trims(10, 50);
  settle();
  EXPECT_EQ(dev.journal_used, 1u);
  EXPECT_EQ(pointer().seq, 58u);
}

}  // namespace
}  // namespace orm_test
