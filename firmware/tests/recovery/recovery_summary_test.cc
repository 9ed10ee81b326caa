// SPDX-License-Identifier: Apache-2.0
// Starts that find summaries of full superblocks.
#include "recovery/recovery_fixture.h"

namespace orm_test {
namespace {

class RecoverySummaryTest : public RecoveryTest {
 protected:
  explicit RecoverySummaryTest(bool wide = false) {
    if (wide) dev.make_wide();
    dev.make_summaries();
  }

  uint32_t slots() const { return dev.data_slots(); }

  // Superblock `sb` is full of LPNs `lpn`.. with seqs `seq`..; its summary says so.
  void fill_whole(uint32_t sb, uint32_t lpn, uint64_t seq, uint8_t stream = ORM_STREAM_HOST) {
    fill(sb, 0, slots(), lpn, seq, stream);
    write_summary(sb, stream);
  }

  void write_summary(uint32_t sb, uint8_t stream = ORM_STREAM_HOST) {
    std::vector<uint8_t> raw(dev.summary_slots * ORM_SLOT_BYTES, 0);
    for (uint32_t i = 0; i < slots(); i++) {
      orm_oob_record oob;
      if (!orm_oob_record_open(&oob, dev.flash[sb * kSlots + i].oob.data()) || oob.lpn == ORM_UNMAPPED) continue;
      orm_slot_record r{};
      r.lpn = oob.lpn;
      r.gen = oob.gen;
      r.seq = oob.seq;
      r.sb = static_cast<uint16_t>(sb);
      orm_slot_record_pack(&r, &raw[i * ORM_SLOT_RECORD_BYTES]);
    }
    orm_summary_trailer t = trailer(sb);
    t.stream = stream;
    put_summary(sb, raw, t);
  }

  static orm_summary_trailer trailer(uint32_t sb, uint32_t gen = 1) {
    orm_summary_trailer t{};
    t.mark = ORM_SUMMARY_MARK;
    t.gen = gen;
    t.sb = static_cast<uint16_t>(sb);
    t.version = ORM_FORMAT_VERSION;
    return t;
  }

  // What the spares of the data slots say from now on is not what they held.
  void spoil_spares(uint32_t sb) {
    for (uint32_t die = 0; die < dev.dies(); die++) {
      for (uint32_t i = 1; i < MockDevice::kPages; i++) {
        const uint32_t offset = i * dev.dies() + die;
        if (dev.slots_per_page == 1 && offset < slots()) dev.flash[sb * kSlots + offset].state = Page::kTorn;
      }
    }
  }

  std::vector<uint8_t> &trailer_slot(uint32_t sb) { return dev.data[dev.summary_slot(sb, dev.summary_slots - 1)]; }

  void expect_mapped(uint32_t sb, uint32_t lpn) {
    for (uint32_t i = 0; i < slots(); i++) EXPECT_EQ(dev.l2p(lpn + i), sb * kSlots + i) << i;
    EXPECT_EQ(dev.sb[sb].valid, slots());
    EXPECT_EQ(state(sb), uint32_t{ORM_SB_STATE_CLOSED});
  }
};

TEST_F(RecoverySummaryTest, SaysWhatTheSlotsHold) {
  fill_whole(3, 10, 100);
  recover();
  expect_mapped(3, 10);
  EXPECT_GE(dev.seq, 100u + slots());
  EXPECT_EQ(dev.nand_reads, 1u);
  // Of each superblock the first slot of each die, and of this one whether there is a summary.
  EXPECT_EQ(dev.nand_probes, MockDevice::kSuperblocks * dev.dies() + 1);
}

TEST_F(RecoverySummaryTest, NewerEventsElsewhereWin) {
  fill_whole(3, 10, 100);
  fill(5, 0, 3, 11, 500);
  recover();
  EXPECT_EQ(dev.l2p(10), 3 * kSlots);
  EXPECT_EQ(dev.l2p(11), 5 * kSlots);
  EXPECT_EQ(dev.l2p(13), 5 * kSlots + 2);
  EXPECT_EQ(dev.sb[3].valid, slots() - 3);
}

TEST_F(RecoverySummaryTest, CountsWhereSparesHaveBecomeUnreadable) {
  fill_whole(3, 10, 100);
  spoil_spares(3);
  recover();
  expect_mapped(3, 10);
}

TEST_F(RecoverySummaryTest, SuperblocksThatAreNotFullAreProbed) {
  fill(3, 0, slots(), 10, 100);  // full, but power went before its summary
  fill(5, 0, 6, 40, 200);
  recover();
  expect_mapped(3, 10);
  EXPECT_EQ(dev.l2p(45), 5 * kSlots + 5);
  EXPECT_EQ(dev.nand_reads, 0u);
}

TEST_F(RecoverySummaryTest, RecordsOfAnotherFillingSayNothing) {
  fill(3, 0, slots(), 10, 100);
  dev.program(3 * kSlots + 7, ORM_UNMAPPED, 0, 1);  // completes a page
  write_summary(3);
  std::vector<uint8_t> raw = trailer_slot(3);
  orm_slot_record old{};
  old.lpn = 90;
  old.gen = 1;
  old.seq = 1000;
  old.sb = 4;
  orm_slot_record_pack(&old, &raw[7 * ORM_SLOT_RECORD_BYTES]);
  put_summary(3, raw, trailer(3));
  recover();
  EXPECT_EQ(dev.l2p(90), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(17), ORM_UNMAPPED);
  EXPECT_EQ(dev.sb[3].valid, slots() - 1);
}

// One bit anywhere in it is wrong. The spares are probed instead, and give the same result.
TEST_F(RecoverySummaryTest, ADamagedOneIsNotBelieved) {
  fill_whole(3, 10, 100);
  const std::vector<uint8_t> good = trailer_slot(3);
  for (size_t byte = 0; byte < ORM_SLOT_BYTES; byte += byte < 256 || byte >= 4080 ? 1 : 97) {
    trailer_slot(3) = good;
    trailer_slot(3)[byte] ^= static_cast<uint8_t>(1u << (byte % 8));
    dev.power_cycle();
    recover();
    expect_mapped(3, 10);
    EXPECT_EQ(dev.nand_probes, MockDevice::kSuperblocks * dev.dies() + 1 + slots() - dev.dies()) << byte;
    if (HasFailure()) FAIL() << "byte " << byte;
  }
}

TEST_F(RecoverySummaryTest, OneThatIsTornOrCannotBeReadIsNotBelieved) {
  fill_whole(3, 10, 100);
  for (Page page : {Page::kTorn, Page::kDataLost, Page::kErased}) {
    dev.flash[dev.summary_slot(3)].state = page;
    dev.power_cycle();
    recover();
    expect_mapped(3, 10);
  }
}

TEST_F(RecoverySummaryTest, OneOfAnotherGenerationOrSuperblockIsNotBelieved) {
  for (const auto &[gen, sb] : {std::pair{2u, 3u}, {1u, 4u}}) {
    fill_whole(3, 10, 100);
    std::vector<uint8_t> raw = trailer_slot(3);
    orm_slot_record lie{};
    lie.lpn = 90;
    lie.gen = 1;
    lie.seq = 1000;
    lie.sb = 3;
    orm_slot_record_pack(&lie, raw.data());
    put_summary(3, raw, trailer(sb, gen));
    dev.power_cycle();
    recover();
    EXPECT_EQ(dev.l2p(90), ORM_UNMAPPED);
    expect_mapped(3, 10);
  }
}

TEST_F(RecoverySummaryTest, OneOfAnotherFormatIsRefused) {
  fill_whole(3, 10, 100);
  orm_summary_trailer t = trailer(3);
  t.version++;
  put_summary(3, trailer_slot(3), t);
  boot();
  EXPECT_STREQ(fw_describe(fw_), "media format version unknown");
  EXPECT_TRUE(dev.erased.empty());
}

// Some of its blocks may be erased, but not the one with the summary.
TEST_F(RecoverySummaryTest, ASuperblockWhoseEraseMayHaveBegunIsProbed) {
  fill_whole(3, 10, 100);
  intent(3, 1, slots());
  for (uint32_t i = 0; i < slots(); i += dev.dies()) dev.flash[3 * kSlots + i] = Slot{};
  recover();
  EXPECT_EQ(dev.nand_reads, 0u);
  EXPECT_EQ(dev.l2p(10), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(11), 3 * kSlots + 1);
}

TEST_F(RecoverySummaryTest, WithAnIntentThatDoesNotPassAllAreProbed) {
  fill_whole(3, 10, 100);
  intent(5, 1, slots());
  dev.nvram[MockDevice::kNvCounters] ^= 1;
  recover();
  EXPECT_EQ(dev.nand_reads, 0u);
  expect_mapped(3, 10);
}

TEST_F(RecoverySummaryTest, WithADamagedBadWordItsSuperblocksAreProbed) {
  fill_whole(3, 10, 100);
  dev.nvram[MockDevice::kNvCounters + ORM_NV_BAD_OFFSET] ^= 1;
  recover();
  EXPECT_EQ(dev.nand_reads, 0u);
  expect_mapped(3, 10);
}

TEST_F(RecoverySummaryTest, ReadOnlyStartsGoBySparesAlone) {
  fill_whole(3, 10, 100);
  dev.nvram[0x100] ^= 1;  // the commit pointer
  recover();
  EXPECT_EQ(dev.nand_reads, 0u);
  expect_mapped(3, 10);
}

// No part of an unused snapshot may pass for a summary, or for data.
TEST_F(RecoverySummaryTest, PagesOfASnapshotAreNone) {
  for (uint32_t i = 0; i < kSlots; i++) {
    dev.flash[3 * kSlots + i] = {Page::kGood, {}};
    dev.data[3 * kSlots + i].assign(ORM_SLOT_BYTES, 0);
  }
  recover();
  EXPECT_TRUE(was_erased(3));
  EXPECT_EQ(state(3), uint32_t{ORM_SB_STATE_FREE});
}

TEST_F(RecoverySummaryTest, OfGarbageCollectionSayWhatDestagedSlotsHold) {
  fill(3, 0, slots(), 10, 100, ORM_STREAM_GC);
  dev.program(3 * kSlots + 2, MockDevice::destage_lpn(6, 1, 0), 300, 1, ORM_STREAM_GC);
  write_summary(3, ORM_STREAM_GC);
  recover();
  EXPECT_EQ(dev.l2p(12), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(13), 3 * kSlots + 3);
}

class WideRecoverySummaryTest : public RecoverySummaryTest {
 protected:
  WideRecoverySummaryTest() : RecoverySummaryTest(true) {}
};

TEST_F(WideRecoverySummaryTest, HasAPageOfSlots) {
  fill_whole(3, 10, 100);
  recover();
  EXPECT_EQ(dev.nand_reads, 4u);
  expect_mapped(3, 10);
}

TEST_F(WideRecoverySummaryTest, SlotsWithoutOneAreProbedUpToIt) {
  fill(3, 0, slots(), 10, 100);
  recover();
  expect_mapped(3, 10);
  EXPECT_EQ(dev.nand_reads, 0u);
}

}  // namespace
}  // namespace orm_test
