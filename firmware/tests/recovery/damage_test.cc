// SPDX-License-Identifier: Apache-2.0
// Damage to entries and headers of the remap table and to records of the journal, which stays where it is. The device
// goes on, data that does not depend on the damaged parts is right, and the device reports the damage. Traces of a
// power cut do not count as damage.
#include <algorithm>
#include <array>

#include "recovery/recovery_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kSegment = MockDevice::kNvSegments;

class DamageTest : public RecoveryTest {
 protected:
  // Superblock 0 has a chain of three segments with nine entries, superblock 1 one of one.
  void SetUp() override {
    RecoveryTest::SetUp();
    fill(0, 0, 4, 0, 1);
    fill(1, 0, 4, 10, 5);
    dev.write_segment(3, 0, 0, 3, 1);
    dev.write_segment(8, 0, 1, 3, 1);
    dev.write_segment(4, 0, 2, 8, 1);
    dev.write_segment(6, 1, 0, 6, 1);
    for (uint32_t i = 0; i < 3; i++) {
      dev.write_entry(3, i, 0, 1, 0, 20 + i, 20 + i);
      dev.write_entry(8, i, 0, 1, 1, 30 + i, 30 + i);
      dev.write_entry(4, i, 0, 1, 2, 40 + i, 40 + i);
    }
    dev.write_entry(6, 0, 1, 1, 2, 50, 50);
    dev.write_commit(60);
  }
  uint8_t *segment(uint32_t seg) { return &dev.nvram[kSegment + seg * MockDevice::kSegBytes]; }
  uint8_t *entry(uint32_t seg, uint32_t i) { return segment(seg) + (i + 1) * ORM_REMAP_ENTRY_BYTES; }
  uint8_t *record(uint32_t i) { return &dev.nvram[MockDevice::kNvJournal + i * ORM_JOURNAL_RECORD_BYTES]; }

  orm_remap_log start() {
    recover();
    enable();
    orm_remap_log log{};
    EXPECT_EQ(
        admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX, ORM_VENDOR_LOG_PAGES_REMAP_LOG | 127u << 16)).status,
        0);
    orm_remap_log_unpack(&log, dev.host.data());
    EXPECT_EQ(log.read_only, 0u);
    EXPECT_EQ(admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX, NVME_LOG_PAGE_SMART | 127u << 16)).status, 0);
    nvme_smart_log smart{};
    nvme_smart_log_unpack(&smart, dev.host.data());
    const bool any = log.damaged_entries + log.damaged_segments + log.damaged_journal + log.damaged_words != 0;
    EXPECT_EQ(smart.critical_warning, any ? NVME_CRITICAL_WARNING_RELIABILITY : 0);
    return log;
  }
  void expect_all_but(std::initializer_list<uint32_t> lost) {
    const auto is_lost = [&](uint32_t lpn) { return std::find(lost.begin(), lost.end(), lpn) != lost.end(); };
    for (uint32_t i = 0; i < 4; i++) EXPECT_EQ(dev.l2p(i), i);
    for (uint32_t i = 0; i < 4; i++) EXPECT_EQ(dev.l2p(10 + i), kSlots + i);
    for (uint32_t row = 0; row < 3; row++) {
      for (uint32_t i = 0; i < 3; i++) {
        const uint32_t lpn = 20 + 10 * row + i;
        EXPECT_EQ(dev.l2p(lpn), is_lost(lpn) ? ORM_UNMAPPED : row) << lpn;
      }
    }
    EXPECT_EQ(dev.l2p(50), kSlots + 2) << "another chain";
  }
  void expect_no_damage_next_time(const orm_remap_log &before) {
    dev.power_cycle();
    const orm_remap_log after = start();
    EXPECT_EQ(after.damaged_entries, before.damaged_entries);
    EXPECT_EQ(after.damaged_segments, before.damaged_segments);
    EXPECT_EQ(after.damaged_journal, before.damaged_journal);
  }
};

TEST_F(DamageTest, None) {
  const orm_remap_log log = start();
  EXPECT_EQ(log.damaged_entries + log.damaged_segments + log.damaged_journal + log.damaged_words, 0u);
  expect_all_but({});
}

TEST_F(DamageTest, Entries) {
  entry(3, 1)[0] ^= 1;
  entry(8, 2)[9] ^= 0x80;
  const orm_remap_log log = start();
  EXPECT_EQ(log.damaged_entries, 2u);
  expect_all_but({21, 32});
  expect_no_damage_next_time(log);
  expect_all_but({21, 32});
}

TEST_F(DamageTest, EveryBitOfAnEntryInTheMiddle) {
  const auto good = dev.nvram;
  for (uint32_t bit = 0; bit < 128; bit++) {
    dev.nvram = good;
    dev.power_cycle();
    entry(4, 1)[bit / 8] ^= uint8_t(1u << bit % 8);
    EXPECT_EQ(start().damaged_entries, 1u) << bit;
    expect_all_but({41});
  }
}

// Nothing is lost: the header follows from its neighbours, or from the entries behind it.
TEST_F(DamageTest, HeadersAreMended) {
  const auto good = dev.nvram;
  for (uint32_t seg : {3u, 8u, 4u, 6u}) {
    for (uint32_t bit = 0; bit < 128; bit++) {
      dev.nvram = good;
      dev.power_cycle();
      segment(seg)[bit / 8] ^= uint8_t(1u << bit % 8);
      const orm_remap_log log = start();
      ASSERT_EQ(log.damaged_segments, 1u) << seg << ", bit " << bit;
      ASSERT_NO_FATAL_FAILURE(expect_all_but({}));
      ASSERT_EQ(0, std::memcmp(&good[kSegment + seg * MockDevice::kSegBytes], segment(seg), ORM_SEGMENT_HEADER_BYTES));
      EXPECT_EQ(dev.chains[0].count, 3u);
    }
  }
  expect_no_damage_next_time(start());
}

TEST_F(DamageTest, AWholeSegmentInTheMiddle) {
  for (uint32_t i = 0; i < MockDevice::kSegBytes; i++) segment(8)[i] = uint8_t(0x5A + 7 * i);
  const orm_remap_log log = start();
  EXPECT_EQ(log.damaged_entries, 3u);
  expect_all_but({30, 31, 32});
  EXPECT_EQ(dev.chains[0].count, 3u) << "what is behind it is still found";
  expect_no_damage_next_time(log);
}

TEST_F(DamageTest, TwoSegmentsInARow) {
  for (uint32_t seg : {3u, 8u}) std::fill_n(segment(seg), MockDevice::kSegBytes, uint8_t{0xA5});
  const orm_remap_log log = start();
  EXPECT_GE(log.damaged_segments, 1u);
  for (uint32_t i = 0; i < 4; i++) EXPECT_EQ(dev.l2p(i), i);
  EXPECT_EQ(dev.l2p(50), kSlots + 2) << "another chain";
}

TEST_F(DamageTest, OneThatIsNobodys) {
  std::fill_n(segment(20), ORM_SEGMENT_HEADER_BYTES, uint8_t{0xA5});
  const orm_remap_log log = start();
  EXPECT_EQ(log.damaged_segments, 1u);
  expect_all_but({});
  EXPECT_EQ(dev.free_segments.size(), MockDevice::kSegments - 4);
  expect_no_damage_next_time(log);
}

// The first half of the new header is written; the other half is the previous owner's.
TEST_F(DamageTest, ATornHeaderIsNone) {
  orm_segment_header h{};
  h.sb = 1;
  h.index = 1;
  h.gen = 1;
  h.prev = 6;
  orm_segment_header_seal(&h, segment(20));
  std::fill_n(segment(20) + 8, 8, uint8_t{0});
  EXPECT_EQ(start().damaged_segments, 0u);
  expect_all_but({});
}

TEST_F(DamageTest, WhatIsBehindTheLastEntryIsNone) {
  std::fill_n(entry(6, 1), ORM_REMAP_ENTRY_BYTES, uint8_t{0xA5});  // never written, or of the segment's last owner
  EXPECT_EQ(start().damaged_entries, 0u);
  expect_all_but({});
}

// A cut left the second half of an entry, which has most of its seq and its CRC. The next cut leaves the first half of
// an entry for the same page at the same place. Together they would be an entry that never was.
TEST_F(DamageTest, HalvesOfTwoEntriesMakeNone) {
  dev.write_entry(6, 1, 1, 1, 3, 51, 0x10000 + 61);
  std::fill_n(entry(6, 1), 8, uint8_t{0});
  start();
  for (uint32_t i = 0; i < ORM_REMAP_ENTRY_BYTES; i++) EXPECT_EQ(entry(6, 1)[i], 0);
  const std::vector<uint8_t> empty(entry(6, 1), entry(6, 2));
  dev.write_entry(6, 1, 1, 1, 3, 51, 0x20000 + 61);
  std::copy_n(&empty[8], 8, entry(6, 1) + 8);
  dev.write_commit(0x20000);
  dev.power_cycle();
  EXPECT_EQ(start().damaged_entries, 0u);
  EXPECT_EQ(dev.l2p(51), ORM_UNMAPPED);
  expect_all_but({});
}

TEST_F(DamageTest, NorDoHalvesOfTwoRecordsOfTheJournal) {
  dev.write_journal(0, 40, 1, 61);
  dev.write_journal(1, 20, 2, 0x10000 + 62);
  std::fill_n(record(1), 8, uint8_t{0});
  dev.write_commit(61);
  start();
  EXPECT_EQ(dev.l2p(40), ORM_UNMAPPED);
  for (uint32_t i = 0; i < ORM_JOURNAL_RECORD_BYTES; i++) EXPECT_EQ(record(1)[i], 0);
  dev.write_journal(0, 41, 1, 0x10000 + 61);
  const std::vector<uint8_t> empty(record(1), record(2));
  dev.write_journal(1, 20, 2, 0x20000 + 62);
  std::copy_n(&empty[8], 8, record(1) + 8);
  dev.write_commit(0x20000);
  dev.power_cycle();
  EXPECT_EQ(start().damaged_journal, 0u);
  EXPECT_EQ(dev.l2p(41), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(20), 0u) << "was never trimmed";
}

// What a shutdown left is not looked through: nothing was torn.
TEST_F(DamageTest, WhatIsBehindTheLastEntryStaysAfterAShutdown) {
  start();
  set_cc(1 | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_ABRUPT));
  dev.power_cycle();
  std::fill_n(entry(6, 1), ORM_REMAP_ENTRY_BYTES, uint8_t{0xA5});
  EXPECT_EQ(start().damaged_entries, 0u);
  EXPECT_EQ(*entry(6, 1), 0xA5);
  expect_all_but({});
}

// A collection that the cut ended. Any of GC's appends may be torn while the victim still exists.
TEST_F(DamageTest, WhatAnUnfinishedCollectionToreIsNone) {
  fill(2, 0, 4, 60, 70, ORM_STREAM_GC);
  dev.write_segment(10, 2, 0, 10, 1);
  dev.write_entry(10, 0, 2, 1, 1, 71, 51);
  dev.write_entry(10, 1, 2, 1, 1, 72, 52);
  entry(10, 0)[3] ^= 8;
  const auto torn = dev.nvram;
  intent(1, 1, 4);
  EXPECT_EQ(start().damaged_entries, 0u);
  EXPECT_EQ(dev.l2p(72), 2 * kSlots + 1);
  dev.nvram = torn;
  dev.power_cycle();
  EXPECT_EQ(start().damaged_entries, 1u) << "without a collection nothing tears it";
}

// A cut erase had destroyed the slot of an entry, and the start that wiped the entry was cut, too.
TEST_F(DamageTest, WhatAStartToreInTheChainOfAVictimIsNone) {
  dev.write_entry(6, 1, 1, 1, 3, 51, 51);
  intent(1, 1, 4);
  entry(6, 0)[3] ^= 8;
  const auto torn = dev.nvram;
  dev.flash[kSlots + 2] = Slot{};
  EXPECT_EQ(start().damaged_entries, 0u);
  EXPECT_EQ(dev.l2p(50), ORM_UNMAPPED) << "GC had copied it before";
  EXPECT_EQ(dev.l2p(51), kSlots + 3);
  fill(1, 2, 1, 12, 7);
  dev.nvram = torn;
  dev.power_cycle();
  EXPECT_EQ(start().damaged_entries, 1u) << "none of it is erased";
}

TEST_F(DamageTest, JournalRecords) {
  for (uint32_t i = 0; i < 4; i++) dev.write_journal(i, 20 + i, 1, 51 + i);
  const auto good = dev.nvram;
  for (uint32_t i = 0; i < 3; i++) {
    dev.nvram = good;
    dev.power_cycle();
    record(i)[4] ^= 2;
    const orm_remap_log log = start();
    EXPECT_EQ(log.damaged_journal, 1u) << i;
    for (uint32_t k = 0; k < 3; k++) EXPECT_EQ(dev.l2p(20 + k) == ORM_UNMAPPED, k != i) << "the others count";
    expect_no_damage_next_time(log);
  }
  dev.nvram = good;
  dev.power_cycle();
  std::fill_n(record(1), ORM_JOURNAL_RECORD_BYTES, uint8_t{0});
  EXPECT_EQ(start().damaged_journal, 1u) << "between two that count there is none that was never written";
}

TEST_F(DamageTest, JournalRecordsThatNeedNotCount) {
  for (uint32_t i = 0; i < 4; i++) dev.write_journal(i, 20 + i, 1, 51 + i);
  dev.write_checkpoint(53);
  record(1)[4] ^= 2;  // is in the bitmap
  record(4)[0] = 77;  // the next one, torn
  record(9)[0] = 77;  // of long ago
  EXPECT_EQ(start().damaged_journal, 0u);
}

// Trimmed pages may come back; no other page may be lost. A word is one of 56 pages, a pointer of all of its region.
TEST_F(DamageTest, EachBitOfATrimWordAndOfATrimPointer) {
  fill(9, 0, 4, 14, 1);
  dev.write_checkpoint(10);
  dev.write_trims(0, 0, uint64_t{1} << 14, 10);
  const auto good = dev.nvram;
  for (const uint32_t at : {MockDevice::kNvBitmap, MockDevice::kNvTrimPointers}) {
    SCOPED_TRACE(at);
    for (uint32_t bit = 0; bit < 64; bit++) {
      dev.nvram = good;
      dev.power_cycle();
      dev.nvram[at + bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
      const orm_remap_log log = start();
      EXPECT_EQ(log.damaged_words, 1u) << bit;
      for (uint32_t k = 0; k < 4; k++) EXPECT_EQ(dev.l2p(14 + k), 9 * kSlots + k) << bit;
      expect_no_damage_next_time(log);
    }
  }
  dev.nvram = good;
  dev.power_cycle();
  EXPECT_EQ(start().damaged_words, 0u);
  EXPECT_EQ(dev.l2p(14), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(15), 9 * kSlots + 1);
}

TEST_F(DamageTest, AnIntentThatDoesNotPassMeansErasingAgain) {
  intent(9, 1, 16);
  dev.nvram[MockDevice::kNvCounters] ^= 1;
  recover();
  EXPECT_TRUE(was_erased(9));
  EXPECT_TRUE(was_erased(5)) << "any may be the one";
  EXPECT_FALSE(was_erased(0));
}

// Until GC needs its place nothing would be written over it.
TEST_F(DamageTest, AnIntentThatDoesNotPassMeansErasingOnce) {
  for (uint32_t place = 0; place < ORM_NV_INTENTS; place++) {
    SCOPED_TRACE(place);
    intent(9, 1, 16, place);
    dev.nvram[MockDevice::kNvCounters + place * ORM_GC_INTENT_BYTES + 15] ^= 1;
    recover();
    EXPECT_TRUE(was_erased(9));
    dev.power_cycle();
    recover();
    EXPECT_TRUE(dev.erased.empty());
    dev.power_cycle();
  }
}

// The counts are durable before the damaged records that they count are overwritten.
TEST_F(DamageTest, IsToldHoweverOftenPowerGoes) {
  entry(3, 1)[0] ^= 1;
  segment(8)[3] ^= 1;
  const int cuts = cut_everywhere([] {},
                                  [&](int cut) {
                                    enable();
                                    orm_remap_log log{};
                                    EXPECT_EQ(admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX,
                                                            ORM_VENDOR_LOG_PAGES_REMAP_LOG | 127u << 16))
                                                  .status,
                                              0);
                                    orm_remap_log_unpack(&log, dev.host.data());
                                    EXPECT_GE(log.damaged_entries, 1u) << "cut " << cut;
                                    EXPECT_GE(log.damaged_segments, 1u) << "cut " << cut;
                                    expect_all_but({21});
                                  });
  EXPECT_GT(cuts, 5);
}

// The superblock was retired because programs in it had failed, and other collections followed. Nothing in it looks
// like data, so it is in use again until the next program in it fails.
TEST_F(DamageTest, TheBadWordOfOneWhoseProgramsFailed) {
  constexpr uint32_t kFailed = 7, kCopies = 8;
  dev.options().over_provision_pct = 50;
  format_blank();
  for (uint32_t i = 0; i < 3; i++) fill(i == 0 ? kFailed : i, 0, kSlots, i * kSlots, 100 * i + 1);
  dev.write_commit(1000);
  recover();
  enable();
  for (uint32_t sb : {kFailed, 1u, 2u}) dev.sb[sb] = {1, 1, ORM_SB_STATE_CLOSED};
  dev.program_failed = {kFailed};
  dev.weak = {1, 2};
  dev.irq_events |= ORM_FW_IRQ_STATUS_PROGRAM_FAILED_MASK | ORM_FW_IRQ_STATUS_WEAK_READ_MASK;
  settle();
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{kFailed, 1, 2}));
  ASSERT_EQ(dev.bad_word(), 1u << kFailed);
  EXPECT_TRUE(is_erased(kFailed));
  for (uint32_t i = 0; i < 3; i++) fill(kCopies + i, 0, kSlots, i * kSlots, 100 * i + 1, ORM_STREAM_GC);
  dev.nvram[MockDevice::kNvCounters + ORM_NV_BAD_OFFSET] ^= 1;
  dev.power_cycle();
  EXPECT_EQ(start().damaged_words, 1u);
  EXPECT_EQ(dev.reg[ORM_FW_NVME_STATE], ORM_FW_NVME_STATE_NS_READY_MASK) << "not read only";
  EXPECT_TRUE(was_erased(kFailed));
  EXPECT_EQ(state(kFailed), uint32_t{ORM_SB_STATE_FREE});
  EXPECT_EQ(dev.bad_word(), 0u);
  for (uint32_t lpn = 0; lpn < 3 * kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), kCopies * kSlots + lpn);
}

// ---- much damage: no poll may become long, or the watchdog bites

constexpr uint32_t kOwners = 60, kManySegments = 2048, kEntries = MockDevice::kSegBytes / ORM_REMAP_ENTRY_BYTES - 1;
constexpr double kPollUs = 5000;  // a watchdog bites after 100 ms

class MuchDamageTest : public DamageTest {
 protected:
  static constexpr uint32_t kLength = MockDevice::kPerChain;

  // Each of the first superblocks has a chain of the greatest length. The last entry of each segment maps a page.
  void SetUp() override {
    dev.make_long();
    dev.make_segments(kManySegments, kLength);
    dev.count_work();
    RecoveryTest::SetUp();
    for (uint32_t sb = 0; sb < kOwners; sb++) {
      dev.program(sb * kSlots, sb, sb + 1, 1);
      for (uint32_t k = 0; k < kLength; k++) add(sb, k, sb * kLength + k);
    }
    dev.write_commit(100000);
  }
  void add(uint32_t sb, uint32_t index, uint32_t seg) {
    dev.write_segment(seg, sb, index, index == 0 ? seg : seg - 1, 1);
    for (uint32_t e = 0; e < kEntries; e++) dev.write_entry(seg, e, sb, 1, 0, page_of(seg), 1000 + seg * kEntries + e);
  }
  static uint32_t page_of(uint32_t seg) { return kOwners + seg; }
  void expect_all() {
    for (uint32_t sb = 0; sb < kOwners; sb++) {
      EXPECT_EQ(dev.l2p(sb), sb * kSlots);
      for (uint32_t k = 0; k < kLength; k++) ASSERT_EQ(dev.l2p(page_of(sb * kLength + k)), sb * kSlots) << sb;
      EXPECT_EQ(dev.chains[sb].count, kLength);
      EXPECT_EQ(dev.sb[sb].valid, 1u);
    }
  }
  void rubbish(uint32_t seg, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) segment(seg)[i] = static_cast<uint8_t>(seg * 31 + i * 57 + (seg >> 3) + 1);
  }

  // What the work takes on a small processor, without that of the port.
  static double us(const std::array<uint64_t, FW_WORK_KINDS> &work) {
    return 7.3 * double(work[FW_WORK_CHECK]) + 0.45 * double(work[FW_WORK_SEGMENT]) + 0.2 * double(work[FW_WORK_LPN]) +
           0.2 * double(work[FW_WORK_BIT]) + 3.3 * double(work[FW_WORK_TRIM]) + 1.6 * double(work[FW_WORK_EVENT]);
  }
  struct Start {
    int polls = 0;
    double longest_us = 0, us = 0;  // of work
    orm_remap_log log{};
  };
  Start start_in_polls() {
    Start s;
    dev.work = {};
    memory.assign(fw_size() / sizeof(std::max_align_t) + 1, {});
    fw_ = reinterpret_cast<fw *>(memory.data());
    fw_init(fw_, dev.port());
    for (; fw_phase(fw_) == FW_STARTING && s.polls < 100000; s.polls++) {
      const double before = us(dev.work);
      (void)fw_poll(fw_);
      s.longest_us = std::max(s.longest_us, us(dev.work) - before);
    }
    s.us = us(dev.work);
    EXPECT_EQ(fw_phase(fw_), FW_RUNNING) << fw_describe(fw_);
    enable();
    EXPECT_EQ(
        admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX, ORM_VENDOR_LOG_PAGES_REMAP_LOG | 127u << 16)).status,
        0);
    orm_remap_log_unpack(&s.log, dev.host.data());
    return s;
  }
  void expect_whole_again(uint64_t damaged) {
    dev.power_cycle();
    const Start s = start_in_polls();
    EXPECT_EQ(s.log.damaged_segments + s.log.damaged_entries, damaged) << "told once";
    expect_all();
  }
};

TEST_F(MuchDamageTest, RubbishInAllOtherSegments) {
  for (uint32_t seg = kOwners * kLength; seg < kManySegments; seg++) rubbish(seg, MockDevice::kSegBytes);
  const Start s = start_in_polls();
  const uint64_t damaged = s.log.damaged_segments;
  EXPECT_GT(damaged, (kManySegments - kOwners * kLength) * 9 / 10) << "a few may be half of a header";
  EXPECT_LE(damaged, kManySegments - kOwners * kLength);
  EXPECT_EQ(s.log.damaged_entries, 0u);
  EXPECT_LT(s.longest_us, kPollUs);
  expect_all();
  EXPECT_EQ(dev.free_segments.size(), kManySegments - kOwners * kLength);
  expect_whole_again(damaged);
}

TEST_F(MuchDamageTest, AllHeadersOfAllChainsAreMended) {
  const auto good = dev.nvram;
  for (uint32_t seg = 0; seg < kOwners * kLength; seg++) rubbish(seg, ORM_SEGMENT_HEADER_BYTES);
  const Start s = start_in_polls();
  EXPECT_EQ(s.log.damaged_segments, kOwners * kLength);
  EXPECT_EQ(s.log.damaged_entries, 0u);
  EXPECT_LT(s.longest_us, kPollUs);
  expect_all();
  EXPECT_EQ(0, std::memcmp(&good[kSegment], segment(0), kOwners * kLength * MockDevice::kSegBytes));
  expect_whole_again(kOwners * kLength);
}

TEST_F(MuchDamageTest, EveryOtherHeaderAndTheFirstEntryOfEachSegment) {
  for (uint32_t seg = 0; seg < kOwners * kLength; seg++) {
    if (seg % 2 == 0) rubbish(seg, ORM_SEGMENT_HEADER_BYTES);
    entry(seg, 0)[3] ^= 0x10;
  }
  const Start s = start_in_polls();
  EXPECT_EQ(s.log.damaged_segments, kOwners * kLength / 2);
  EXPECT_EQ(s.log.damaged_entries, kOwners * kLength) << "each once, however many polls it takes";
  EXPECT_LT(s.longest_us, kPollUs);
  expect_all();
  EXPECT_EQ(entry(kLength - 1, 0)[3], 0) << "wiped";
  expect_whole_again(kOwners * kLength * 3 / 2);
}

TEST_F(MuchDamageTest, EveryHeaderOfADeviceThatCanOnlyBeRead) {
  for (uint32_t seg = 0; seg < kManySegments; seg++) {
    if (seg % 2 == 0 || seg >= kOwners * kLength) rubbish(seg, ORM_SEGMENT_HEADER_BYTES);
  }
  dev.nvram[MockDevice::kNvBlocks] ^= 1;
  const Start s = start_in_polls();
  EXPECT_EQ(s.log.read_only, uint32_t{ORM_READ_ONLY_BLOCK});
  EXPECT_LT(s.longest_us, kPollUs);
}

// Without damage the search does not begin: no entry is checked twice, and all that a start does is what it reads.
TEST_F(MuchDamageTest, NoneTakesNoWork) {
  const Start none = start_in_polls();
  EXPECT_EQ(none.log.damaged_segments + none.log.damaged_entries, 0u);
  expect_all();
  const uint64_t checks = dev.work[FW_WORK_CHECK];
  dev.power_cycle();
  std::fill_n(segment(kManySegments - 1), MockDevice::kSegBytes, uint8_t{0xA5});
  const Start one = start_in_polls();
  EXPECT_EQ(one.log.damaged_segments, 1u);
  EXPECT_GT(dev.work[FW_WORK_CHECK], checks + dev.superblocks) << "of each superblock";
  EXPECT_LE(none.polls, one.polls);
}

// A chain that is longer than what the search looks for at a time; its last header is found by its entries.
TEST_F(MuchDamageTest, TheLastHeaderOfALongChain) {
  constexpr uint32_t kLong = 1024 + 1;
  dev.per_chain = kLong;
  std::fill_n(segment(0), kManySegments * MockDevice::kSegBytes, uint8_t{0});
  for (uint32_t k = 0; k < kLong; k++) {
    dev.write_segment(k, 7, k, k == 0 ? k : k - 1, 1);
    dev.write_entry(k, 0, 7, 1, 0, page_of(5), 1000 + k);
  }
  for (uint32_t k : {500u, kLong - 1}) rubbish(k, ORM_SEGMENT_HEADER_BYTES);
  const auto start = start_in_polls();
  EXPECT_EQ(start.log.damaged_segments, 2u);
  EXPECT_EQ(dev.chains[7].count, kLong);
  EXPECT_EQ(dev.l2p(page_of(5)), 7 * kSlots);
  dev.power_cycle();
  EXPECT_EQ(start_in_polls().log.damaged_segments, 2u);
  EXPECT_EQ(dev.chains[7].count, kLong);
}

}  // namespace
}  // namespace orm_test
