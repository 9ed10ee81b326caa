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

  // A remap for the firmware, which begins and does not end.
  void send_remap_that_stays() {
    dev.hold_remap = true;
    nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP, 1, 0);
    e.cdw12 = 10;
    e.cdw14 = 1;
    e.cdw15 = ORM_VENDOR_FLAGS_MOVE;
    dev.mailbox.emplace_back(uint8_t{1}, e);
  }

  orm_pointer_word pointer() {
    orm_pointer_word w;
    EXPECT_TRUE(orm_pointer_word_open(&w, &dev.nvram[0x108]));
    return w;
  }

  void map(uint32_t lpn, uint32_t slot) { orm_put_le(&dev.dram[MockDevice::kL2p + 4 * lpn], slot, 4); }
};

TEST_F(CheckpointTest, ShortJournalIsLeftAlone) {
  trims(8, 10);
  settle();
  EXPECT_EQ(dev.journal_used, 8u);
  EXPECT_EQ(dev.fences, 0u);
}

TEST_F(CheckpointTest, LongJournalIsEmptiedUpToItsNewestRecord) {
  const uint8_t bitmap = dev.trim_pointer(0).bitmap;
  map(0, 7);
  trims(10, 10);
  settle();
  EXPECT_EQ(dev.journal_used, 1u);
  EXPECT_EQ(pointer().seq, 18u) << "the record before the newest";
  EXPECT_EQ(dev.trim_pointer(0).seq, 18u);
  EXPECT_NE(dev.trim_pointer(0).bitmap, bitmap) << "once, however many records there are";
  EXPECT_FALSE(dev.trimmed(0)) << "mapped now";
  EXPECT_TRUE(dev.trimmed(1));
}

TEST_F(CheckpointTest, PointersMoveOnlyAfterTheFence) {
  dev.hold_fence = true;
  trims(10, 10);
  settle();
  EXPECT_LT(dev.trim_pointer(0).seq, 10u);
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
  send_remap_that_stays();
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

// A record may become unreadable between the scan and the pointers.
TEST_F(CheckpointTest, WhatCannotBeReadAgainStays) {
  dev.hold_fence = true;
  trims(10, 10);
  settle();
  dev.nvram[MockDevice::kNvJournal + 5 * ORM_JOURNAL_RECORD_BYTES] ^= 1;
  dev.release_fence();
  settle();
  EXPECT_EQ(pointer().seq, 14u);
  EXPECT_EQ(dev.journal_used, 5u);
  dev.hold_fence = false;
  dev.nvram[MockDevice::kNvJournal + 5 * ORM_JOURNAL_RECORD_BYTES] ^= 1;
  trims(4, 20);
  settle();
  EXPECT_EQ(pointer().seq, 22u) << "now it can be";
  EXPECT_EQ(dev.journal_used, 1u);
}

TEST_F(CheckpointTest, NorMayAllOfThem) {
  dev.hold_fence = true;
  trims(10, 10);
  settle();
  const uint64_t before = pointer().seq;
  dev.nvram[MockDevice::kNvJournal] ^= 1;
  dev.release_fence();
  settle();
  EXPECT_EQ(pointer().seq, before);
  EXPECT_EQ(dev.journal_used, 10u);
  EXPECT_EQ(dev.fences, 2u) << "the next checkpoint takes it for one of all regions";
  dev.release_fence();
  settle();
  EXPECT_EQ(pointer().seq, 18u);
  EXPECT_EQ(dev.journal_used, 1u);
}

constexpr uint32_t kRegion = ORM_TRIM_WORD_LPNS * ORM_TRIM_REGION_WORDS;

class RegionsTest : public CheckpointTest {
 protected:
  void SetUp() override {
    dev.make_long();
    boot_enabled();
  }

  /// `n` trims of one page at `lpn` each, and a last one, which stays in the journal, of LPN 0.
  void trim(uint32_t n, uint32_t lpn, uint32_t pages, uint64_t first) {
    for (uint32_t i = 0; i < n; i++)
      dev.write_journal((dev.journal_head + i) % MockDevice::kJournal, lpn, pages, first + i);
    dev.write_journal((dev.journal_head + n) % MockDevice::kJournal, 0, 1, first + n);
    dev.journal_head = (dev.journal_head + n + 1) % MockDevice::kJournal;
    dev.journal_used += n + 1;
    dev.seq = std::max(dev.seq, first + n + 1);
  }

  uint64_t seq_of(uint32_t region) { return dev.trim_pointer(region * kRegion).seq; }

  void damage(uint32_t record) { dev.nvram[MockDevice::kNvJournal + record * ORM_JOURNAL_RECORD_BYTES] ^= 1; }
  orm_remap_log log() {
    orm_remap_log log{};
    EXPECT_EQ(
        admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX, ORM_VENDOR_LOG_PAGES_REMAP_LOG | 127u << 16)).status,
        0);
    orm_remap_log_unpack(&log, dev.host.data());
    return log;
  }
};

TEST_F(RegionsTest, OnlyThoseThatARecordTouchesAreLookedAt) {
  dev.count_work();
  trim(9, 2 * kRegion + 5, 1, 10);
  settle();
  EXPECT_EQ(pointer().seq, 18u);
  for (uint32_t region = 0; region < 5; region++) EXPECT_EQ(seq_of(region), region == 2 ? 18u : 0u) << region;
  EXPECT_EQ(dev.work[FW_WORK_BIT], kRegion) << "once for all records";
}

TEST_F(RegionsTest, ARecordMayReachOverSeveral) {
  trim(9, 2 * kRegion - 1, kRegion + 2, 10);
  settle();
  for (uint32_t region = 0; region < 5; region++) EXPECT_EQ(seq_of(region), region >= 1 && region <= 3 ? 18u : 0u);
}

TEST_F(RegionsTest, ARecordMayReachOverTheEndOfTheNamespace) {
  trim(9, 3 * kRegion, 65535, 10);
  settle();
  EXPECT_EQ(pointer().seq, 18u);
  for (uint32_t lpn = 3 * kRegion; lpn < dev.reg[ORM_FW_NVME_NSZE]; lpn++) ASSERT_TRUE(dev.trimmed(lpn)) << lpn;
}

// The LPN was unmapped at the region's seq, and written later. A checkpoint of other regions must not take it away.
TEST_F(RegionsTest, WhatWasWrittenSinceStaysWhenOtherRegionsAreTrimmed) {
  trim(9, kRegion + 5, 1, 10);
  settle();
  map(kRegion + 5, 7);
  trim(9, 5, 1, 30);
  settle();
  EXPECT_EQ(pointer().seq, 38u);
  EXPECT_EQ(seq_of(0), 38u);
  EXPECT_EQ(seq_of(1), 18u) << "smaller than the seq of the write";
}

TEST_F(RegionsTest, ADamagedPointerIsWrittenAnew) {
  trim(9, 5, 1, 10);
  settle();
  dev.nvram[MockDevice::kNvTrimPointers] ^= 1;
  trim(9, 5, 1, 30);
  settle();
  EXPECT_EQ(seq_of(0), 38u);
  EXPECT_TRUE(dev.trimmed(5));
  orm_remap_log log{};
  ASSERT_EQ(
      admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX, ORM_VENDOR_LOG_PAGES_REMAP_LOG | 127u << 16)).status,
      0);
  orm_remap_log_unpack(&log, dev.host.data());
  EXPECT_EQ(log.damaged_words, 1u);
}

// Power goes as soon as nothing shows the damage any more. The start must know of it.
TEST_F(RegionsTest, TheCountOfDamageIsDurableBeforeThePointerIsMadeAnew) {
  trim(9, 5, 1, 10);
  settle();
  uint8_t *const raw = &dev.nvram[MockDevice::kNvTrimPointers];
  raw[0] ^= 1;
  const std::vector<uint8_t> damaged(raw, raw + ORM_TRIM_POINTER_BYTES);
  std::vector<uint8_t> left;  // NVRAM before the first write after that of the pointer
  dev.on_nvram_write = [&] {
    if (left.empty() && !std::equal(damaged.begin(), damaged.end(), raw)) left = dev.nvram;
  };
  trim(9, 5, 1, 30);
  settle();
  dev.on_nvram_write = nullptr;
  ASSERT_FALSE(left.empty());
  dev.nvram = left;
  power_cycle();
  enable();
  orm_remap_log log{};
  ASSERT_EQ(
      admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX, ORM_VENDOR_LOG_PAGES_REMAP_LOG | 127u << 16)).status,
      0);
  orm_remap_log_unpack(&log, dev.host.data());
  EXPECT_EQ(log.damaged_words, 1u);
}

// The scan has written one bitmap. A pointer that became unreadable afterwards does not say which: if the other one
// counted, marks of long ago would take a page away that was written since.
TEST_F(RegionsTest, APointerThatIsDamagedAfterTheScanChangesNothing) {
  for (const uint64_t seq : {10, 30}) {
    trim(9, 5, 1, seq);
    settle();
  }
  for (int round = 0; round < 2; round++) {
    const uint64_t seq = 50 + 40 * uint64_t(round);
    SCOPED_TRACE(dev.trim_pointer(0).bitmap);
    trim(9, 5, 1, seq);
    settle();
    ASSERT_TRUE(dev.trimmed(5));
    map(5, 7);  // written, with seq + 10
    dev.hold_fence = true;
    trim(9, 100, 1, seq + 11);
    settle();
    dev.nvram[MockDevice::kNvTrimPointers] ^= 1;
    dev.hold_fence = false;
    dev.release_fence();
    settle();
    EXPECT_EQ(dev.journal_used, 1u) << "the next checkpoint scans anew";
    EXPECT_EQ(seq_of(0), pointer().seq);
    EXPECT_FALSE(dev.trimmed(5));
    EXPECT_TRUE(dev.trimmed(100));
    map(5, ORM_UNMAPPED);
  }
}

// Wherever it is in the walk: the pages that it trimmed have no data in L2P.
TEST_F(RegionsTest, ARecordThatCannotBeReadTouchesAllRegions) {
  for (const std::vector<uint32_t> &records : std::vector<std::vector<uint32_t>>{{0}, {4}, {8}, {0, 1, 5, 8}}) {
    SCOPED_TRACE(testing::PrintToString(records));
    dev.forget_all();
    power_cycle();
    enable();
    map(2 * kRegion + 5, 7);
    trim(9, 5, 1, 10);
    for (uint32_t i : records) {
      dev.write_journal(i, 2 * kRegion + 6, 1, 10 + i);
      damage(i);
    }
    settle();
    EXPECT_EQ(dev.journal_used, 1u);
    const uint64_t seq = pointer().seq;
    EXPECT_EQ(seq, 18u);
    for (uint32_t region = 0; region < 5; region++) EXPECT_EQ(seq_of(region), seq) << region;
    EXPECT_TRUE(dev.trimmed(2 * kRegion + 6));
    EXPECT_FALSE(dev.trimmed(2 * kRegion + 5));
    EXPECT_EQ(log().damaged_journal, records.size());
    power_cycle();
    enable();
    EXPECT_EQ(log().damaged_journal, records.size()) << "and is told once";
  }
}

TEST_F(RegionsTest, AllRegionsAreLookedAtOnceForAllThatCannotBeRead) {
  dev.count_work();
  trim(9, 5, 1, 10);
  for (uint32_t i : {0u, 2u, 4u}) damage(i);
  settle();
  EXPECT_EQ(dev.work[FW_WORK_BIT], dev.reg[ORM_FW_NVME_NSZE]);
}

TEST_F(RegionsTest, ThoseBehindARemapUnderWayStay) {
  dev.seq = 15;
  send_remap_that_stays();
  settle();
  trim(9, 5, 1, 10);
  for (uint32_t i : {3u, 6u}) damage(i);
  settle();
  EXPECT_EQ(pointer().seq, 14u);
  EXPECT_EQ(dev.journal_used, 5u) << "the second one may be the remap's";
}

// Without a good one behind them nothing says what they are.
TEST_F(RegionsTest, AJournalWithoutAGoodRecordStays) {
  trim(9, 5, 1, 10);
  const uint64_t before = pointer().seq;
  for (uint32_t i = 0; i < 10; i++) damage(i);
  settle();
  EXPECT_EQ(pointer().seq, before);
  EXPECT_EQ(dev.journal_used, 10u);
  EXPECT_EQ(log().damaged_journal, 0u);
}

TEST_F(RegionsTest, AShutdownEndsAlthoughARecordCannotBeRead) {
  dev.hold_fence = true;
  trim(9, 5, 1, 10);
  damage(0);
  settle();
  set_cc(1 | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_ABRUPT));
  EXPECT_EQ(ORM_GET(csts(), ORM_BAR0_CSTS_SHST), uint32_t{NVME_SHUTDOWN_OCCURRING});
  dev.hold_fence = false;
  dev.release_fence();
  settle(1'000'000);
  EXPECT_EQ(ORM_GET(csts(), ORM_BAR0_CSTS_SHST), uint32_t{NVME_SHUTDOWN_COMPLETE});
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
