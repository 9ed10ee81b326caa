// SPDX-License-Identifier: Apache-2.0
#include "recovery/recovery_fixture.h"

namespace orm_test {
namespace {

class SummaryTest : public RecoveryTest {
 protected:
  explicit SummaryTest(bool wide = false) {
    if (wide) dev.make_wide();
    dev.make_summaries();
  }

  // Three superblocks are to spare.
  void SetUp() override {
    dev.options().over_provision_pct = 50;
    dev.options().placement_handles = 2;
    RecoveryTest::SetUp();
    boot_enabled();
    std::fill_n(dev.log_at(0), 2 * dev.summary_slots * ORM_SLOT_BYTES, uint8_t{0xA5});
  }

  // The hardware has filled the superblock.
  void fill_whole(uint32_t sb, uint32_t lpn, uint64_t seq) {
    fill(sb, 0, dev.data_slots(), lpn, seq);
    dev.sb[sb].state = ORM_SB_STATE_CLOSED;
    dev.sb[sb].valid = dev.data_slots();
  }

  void expect_summary(uint32_t sb) {
    for (uint32_t k = 0; k < dev.summary_slots; k++)
      EXPECT_EQ(dev.flash[dev.summary_slot(sb, k)].state, Page::kGood) << k;
  }
  void expect_none(uint32_t sb) {
    for (uint32_t k = 0; k < dev.summary_slots; k++)
      EXPECT_EQ(dev.flash[dev.summary_slot(sb, k)].state, Page::kErased) << k;
  }

  // Its log is due, and only released.
  void expect_left_out(uint32_t sb) {
    dev.finish_log(0, sb);
    settle();
    EXPECT_TRUE(dev.logs_due.empty());
    expect_none(sb);
  }

  // Power goes; a start finds by the summary what was there.
  void expect_found(uint32_t sb, uint32_t lpn) {
    power_cycle();
    ASSERT_EQ(fw_phase(fw_), FW_RUNNING) << fw_describe(fw_);
    EXPECT_EQ(dev.nand_reads, dev.summary_slots);
    for (uint32_t i = 0; i < dev.data_slots(); i++) EXPECT_EQ(dev.l2p(lpn + i), sb * kSlots + i) << i;
  }
};

TEST_F(SummaryTest, IsWrittenWhenALogIsDue) {
  fill_whole(3, 10, 100);
  dev.finish_log(1, 3);
  settle();
  EXPECT_TRUE(dev.logs_due.empty());
  expect_summary(3);
  expect_found(3, 10);
}

TEST_F(SummaryTest, OneAfterTheOther) {
  fill_whole(3, 10, 100);
  fill_whole(4, 40, 200);
  dev.finish_log(0, 3);
  dev.finish_log(1, 4);
  settle();
  expect_summary(3);
  expect_summary(4);
}

TEST_F(SummaryTest, BehindTheRecordsIsNothingOfOlderLogs) {
  fill_whole(3, 10, 100);
  dev.finish_log(0, 3);
  settle();
  const std::vector<uint8_t> &raw = dev.data[dev.summary_slot(3)];
  for (size_t i = dev.data_slots() * ORM_SLOT_RECORD_BYTES; i < raw.size() - ORM_SUMMARY_TRAILER_BYTES; i++)
    ASSERT_EQ(raw[i], 0) << i;
}

// Without a summary the superblock is probed, so its log is only released.
TEST_F(SummaryTest, IsLeftOutForASuperblockThatIsNotClosed) {
  fill_whole(3, 10, 100);
  dev.sb[3].state = ORM_SB_STATE_FREE;
  expect_left_out(3);
}

// The superblock was collected while its log was due, and is full again without a log.
TEST_F(SummaryTest, IsLeftOutForAFillingThatIsOver) {
  fill_whole(3, 10, 100);
  dev.sb[3].gen = 2;
  expect_left_out(3);
}

TEST_F(SummaryTest, IsLeftOutForOneThatIsBeingCollected) {
  fill_whole(3, 10, 100);
  dev.sb[3].valid = 0;
  dev.hold_gc = true;
  dev.free_list.resize(1);
  settle();
  ASSERT_EQ(dev.victims, std::vector<uint32_t>{3});
  expect_left_out(3);
}

// The hardware calls it closed until the next start.
TEST_F(SummaryTest, IsLeftOutForOneThatIsBad) {
  fill_whole(3, 10, 100);
  dev.sb[3].valid = 1;
  dev.worn = {3 * kSlots};
  dev.free_list.resize(1);
  settle();
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{3, 3}));
  ASSERT_EQ(dev.bad_word(), 1u << 3);
  expect_left_out(3);
}

// Its erase has failed, and has not been tried again yet: it may be half erased.
TEST_F(SummaryTest, IsLeftOutForOneInDoubt) {
  fill_whole(3, 10, 100);
  fill_whole(4, 40, 200);
  dev.sb[3].valid = 1;
  dev.sb[4].valid = 2;
  dev.hold_gc = true;
  dev.free_list.resize(2);
  settle();
  dev.hand_over_gc();
  settle();
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{3, 4}));
  dev.worn = {3 * kSlots};
  dev.release_gc();
  settle();
  ASSERT_EQ(dev.victims.size(), 2u) << "no room yet";
  expect_left_out(3);
  dev.hand_over_gc();
  settle();
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{3, 4, 3}));
}

TEST_F(SummaryTest, IsLeftOutForOneThatIsToBeRetired) {
  fill_whole(3, 10, 100);
  dev.program_failed = {3};
  dev.free_list.resize(2);  // too few to retire it yet
  dev.irq_events |= ORM_FW_IRQ_STATUS_PROGRAM_FAILED_MASK;
  settle();
  ASSERT_TRUE(dev.victims.empty());
  expect_left_out(3);
}

TEST_F(SummaryTest, ItsSuperblockIsNoVictimMeanwhile) {
  fill_whole(3, 10, 100);
  dev.sb[3].valid = 0;
  dev.hold_dma = true;
  dev.finish_log(0, 3);
  settle();
  dev.free_list.resize(1);
  settle();
  EXPECT_TRUE(dev.victims.empty());
  dev.hold_dma = false;
  dev.release_dma();
  settle();
  EXPECT_EQ(dev.programmed, std::vector<uint32_t>{dev.summary_slot(3)});
  dev.now_ns += 1000000;  // when a victim is looked for again
  fw_poll(fw_);
  settle();
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{3}) << "now it is";
}

TEST_F(SummaryTest, ACommandHasTheDmaInBetween) {
  fill_whole(3, 10, 100);
  dev.hold_dma = true;
  dev.finish_log(0, 3);
  settle();
  nvme_submission_entry identify = command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER);
  dev.mailbox.emplace_back(0, identify);
  settle();
  EXPECT_TRUE(dev.completions.empty()) << "the DMA is the summary's";
  dev.hold_dma = false;
  dev.release_dma();
  settle();
  ASSERT_EQ(dev.completions.size(), 1u);
  EXPECT_EQ(dev.completions[0].status, 0);
  expect_summary(3);
}

TEST_F(SummaryTest, WaitsForTheDmaOfACommand) {
  fill_whole(3, 10, 100);
  dev.hold_dma = true;
  dev.mailbox.emplace_back(0, command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER));
  settle();
  dev.finish_log(0, 3);
  settle();
  EXPECT_TRUE(dev.completions.empty());
  expect_none(3);
  dev.hold_dma = false;
  dev.release_dma();
  settle();
  EXPECT_EQ(dev.completions.size(), 1u);
  expect_summary(3);
}

TEST_F(SummaryTest, AProgramThatFailsRetiresTheSuperblock) {
  fill_whole(3, 10, 100);
  dev.program_fails = {dev.summary_slot(3)};
  dev.finish_log(0, 3);
  settle(10000000);
  EXPECT_TRUE(dev.logs_due.empty());
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{3});
  EXPECT_EQ(dev.retired.count(3), 1u);
}

TEST_F(SummaryTest, WithoutItsLogTheSuperblockIsNotToBlame) {
  fill_whole(3, 10, 100);
  dev.dma_status = NVME_STATUS_INTERNAL_ERROR;
  dev.finish_log(0, 3);
  settle(10000000);
  EXPECT_TRUE(dev.logs_due.empty());
  expect_none(3);
  EXPECT_TRUE(dev.victims.empty());
}

TEST_F(SummaryTest, AShutdownWaitsForThoseThatAreDue) {
  fill_whole(3, 10, 100);
  dev.hold_dma = true;
  dev.finish_log(0, 3);
  settle();
  set_cc(1 | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_NORMAL));
  EXPECT_EQ(ORM_GET(csts(), ORM_FW_NVME_CSTS_SHST), uint32_t{NVME_SHUTDOWN_OCCURRING});
  dev.hold_dma = false;
  dev.release_dma();
  settle(10000000);
  EXPECT_EQ(ORM_GET(csts(), ORM_FW_NVME_CSTS_SHST), uint32_t{NVME_SHUTDOWN_COMPLETE});
  expect_summary(3);
}

TEST_F(SummaryTest, NoneIsBegunAfterAShutdown) {
  fill_whole(3, 10, 100);
  set_cc(1 | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_ABRUPT));
  settle(10000000);
  dev.finish_log(0, 3);
  settle(10000000);
  expect_none(3);
}

// Power is cut before each of its programs. The start finds the same data with the part of it that exists.
TEST_F(SummaryTest, CutAnywhereLosesNothing) {
  fill_whole(3, 10, 100);
  std::vector<Slot> flash = dev.flash;
  dev.finish_log(0, 3);
  settle();
  const std::vector<Slot> whole = dev.flash;
  for (uint32_t k = 0; k <= dev.summary_slots; k++) {
    dev.flash = flash;
    for (uint32_t i = 0; i < k; i++) dev.flash[dev.summary_slot(3, i)] = whole[dev.summary_slot(3, i)];
    if (k < dev.summary_slots) dev.flash[dev.summary_slot(3, k)].state = Page::kTorn;
    power_cycle();
    ASSERT_EQ(fw_phase(fw_), FW_RUNNING);
    for (uint32_t i = 0; i < dev.data_slots(); i++) EXPECT_EQ(dev.l2p(10 + i), 3 * kSlots + i) << k;
    EXPECT_EQ(state(3), uint32_t{ORM_SB_STATE_CLOSED});
  }
}

class LongSummaryTest : public SummaryTest {
 protected:
  LongSummaryTest() { dev.make_summaries(3); }
};

// A cut that leaves the page with the trailer leaves the others, too, because a page that was never programmed must not
// be read.
TEST_F(LongSummaryTest, ThePageWithTheTrailerComesWhenTheOthersAreThere) {
  fill_whole(3, 10, 100);
  dev.hold_nand = true;
  dev.finish_log(1, 3);
  settle();
  EXPECT_EQ(dev.programmed, (std::vector<uint32_t>{dev.summary_slot(3, 0), dev.summary_slot(3, 1)}));
  dev.hold_nand = false;
  settle();
  expect_summary(3);
  expect_found(3, 10);
}

TEST_F(LongSummaryTest, AFailedPageLeavesTheTrailerOut) {
  fill_whole(3, 10, 100);
  dev.program_fails = {dev.summary_slot(3, 1)};
  dev.hold_gc = true;
  dev.finish_log(1, 3);
  settle(10000000);
  EXPECT_TRUE(dev.logs_due.empty());
  EXPECT_EQ(dev.flash[dev.summary_slot(3, 2)].state, Page::kErased);
}

class WideSummaryTest : public SummaryTest {
 protected:
  WideSummaryTest() : SummaryTest(true) {}
};

TEST_F(WideSummaryTest, IsAWholePage) {
  fill_whole(3, 10, 100);
  dev.finish_log(1, 3);
  settle();
  expect_summary(3);
  EXPECT_EQ(dev.programmed, std::vector<uint32_t>{dev.summary_slot(3)});
  expect_found(3, 10);
}

}  // namespace
}  // namespace orm_test
