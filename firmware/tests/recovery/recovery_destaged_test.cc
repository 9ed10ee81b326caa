// SPDX-License-Identifier: Apache-2.0
// Recovery of destaged parts of chains, and of the traces of unfinished destagings.
#include "recovery/recovery_destaged_fixture.h"

namespace orm_test {
namespace {

TEST_F(DestagedRecoveryTest, EntriesOfTheNamedSetMakeSharers) {
  two_chains();
  dev.write_segment(9, 0, 0, 9, 1, 3);  // the chain goes on in NVRAM
  dev.write_entry(9, 0, 0, 1, 1, 32, 23, 3);
  dev.data_delay = 3;
  recover();
  EXPECT_EQ(dev.l2p(30), 1u);
  EXPECT_EQ(dev.l2p(31), 2u);
  EXPECT_EQ(dev.l2p(32), 1u);
  EXPECT_EQ(dev.l2p(40), kSlots + 3) << "an epoch before the record's: compactions leave the set alone";
  EXPECT_EQ(dev.ref(1), 3);
  EXPECT_EQ(dev.ref(2), 2);
  EXPECT_EQ(dev.ref(kSlots + 3), 2);
  EXPECT_EQ(dev.chains[0].count, 1u);
  EXPECT_EQ(dev.destaged[0], part(1, 2, 1));
  EXPECT_EQ(dev.destaged[1], part(2, 1, 1));
  EXPECT_EQ(set_l2p(0, 1, 0), kHome);
  EXPECT_EQ(set_l2p(0, 1, 1), kHome + 1);
  EXPECT_EQ(set_l2p(1, 2, 0), kHome + 2);
  EXPECT_EQ(set_l2p(0, 2, 0), ORM_UNMAPPED);
  for (uint32_t i = 0; i < 3; i++) EXPECT_EQ(dev.ref(kHome + i), 1) << i;
  EXPECT_EQ(dev.sb[5].valid, 3u) << "its slots are data like any other";
  EXPECT_EQ(state(5), uint32_t{ORM_SB_STATE_CLOSED});
  EXPECT_EQ(dev.seq, 62u);
  EXPECT_EQ(dev.block_set(0), 1);
  EXPECT_EQ(media_errors(), 0u);
}

TEST_F(DestagedRecoveryTest, SegmentsThatItsEntriesWouldFill) {
  fill(0, 0, 4, 0, 1);
  destage(kHome, 0, 1, 3, 60,
          {{entry(1, 30, 20), entry(1, 31, 21), entry(1, 32, 22)}, {entry(2, 33, 23), entry(2, 34, 24)}});
  dev.write_block(0, 1, 3, 1);
  dev.write_commit(50);
  recover();
  EXPECT_EQ(dev.destaged[0], part(1, 2, 2)) << "5 entries, 3 in a segment";
}

TEST_F(DestagedRecoveryTest, FullSlots) {
  fill(0, 0, 4, 0, 1);
  Entries many;
  for (uint32_t i = 0; i < 255; i++) many.push_back(entry(i % 4, 30 + i % 60, 100 + i));
  destage(kHome, 0, 1, 3, 700, {many, many});
  dev.write_block(0, 1, 3, 1);
  dev.write_commit(600);
  recover();
  EXPECT_EQ(dev.destaged[0], part(1, 2, 170));
  for (uint32_t i = 255 - 60; i < 255; i++) EXPECT_EQ(dev.l2p(30 + i % 60), i % 4);
  EXPECT_EQ(media_errors(), 0u);
}

TEST_F(DestagedRecoveryTest, NewerEventsBeatEntries) {
  two_chains();
  fill(2, 0, 1, 30, 40);
  dev.write_journal(0, 31, 1, 41);
  recover();
  EXPECT_EQ(dev.l2p(30), 2 * kSlots);
  EXPECT_EQ(dev.l2p(31), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(40), kSlots + 3);
}

TEST_F(DestagedRecoveryTest, TheOtherSetIsNobodys) {
  two_chains();
  destage(6 * kSlots, 0, 2, 4, 70, {{entry(3, 33, 24)}, {entry(3, 34, 25)}});  // power went before the record
  destage(6 * kSlots + 2, 3, 1, 1, 71, {{entry(0, 35, 26)}});  // no record names any set of superblock 3
  for (int again = 0; again < 2; again++) {
    recover();
    for (uint32_t lpn : {33u, 34u, 35u}) EXPECT_EQ(dev.l2p(lpn), ORM_UNMAPPED);
    for (uint32_t k : {0u, 1u}) EXPECT_EQ(set_l2p(0, 2, k), ORM_UNMAPPED);
    EXPECT_EQ(set_l2p(3, 1, 0), ORM_UNMAPPED);
    EXPECT_EQ(state(6), uint32_t{ORM_SB_STATE_FREE}) << "nothing else was in it";
    EXPECT_EQ(dev.sb[6].gen, 2u);
    EXPECT_EQ(dev.l2p(30), 1u);
    EXPECT_EQ(set_l2p(0, 1, 0), kHome);
    EXPECT_EQ(dev.destaged.count(3), 0u);
    EXPECT_EQ(dev.seq, 72u) << "numbers are not used twice";
    EXPECT_EQ(media_errors(), 0u);
    dev.power_cycle();
  }
}

TEST_F(DestagedRecoveryTest, OfSeveralUsesOfASetTheNewestCounts) {
  two_chains();
  destage(6 * kSlots, 0, 1, 1, 55, {{entry(3, 33, 18)}, {entry(3, 34, 19)}});
  recover();
  EXPECT_EQ(set_l2p(0, 1, 0), kHome);
  EXPECT_EQ(set_l2p(0, 1, 1), kHome + 1);
  EXPECT_EQ(dev.l2p(33), ORM_UNMAPPED);
  EXPECT_EQ(dev.destaged[0], part(1, 2, 1));
}

TEST_F(DestagedRecoveryTest, ASmallerUseThanTheOneBefore) {
  two_chains();
  destage(6 * kSlots, 1, 2, 1, 55, {{entry(3, 33, 18)}, {entry(3, 34, 19)}});
  recover();
  EXPECT_EQ(set_l2p(1, 2, 0), kHome + 2);
  EXPECT_EQ(set_l2p(1, 2, 1), ORM_UNMAPPED) << "its LPN is not that of the new one";
  EXPECT_EQ(dev.l2p(34), ORM_UNMAPPED);
  EXPECT_EQ(dev.ref(6 * kSlots + 1), 0);
  EXPECT_EQ(dev.destaged[1], part(2, 1, 1));
  EXPECT_EQ(media_errors(), 0u);
}

// A slot of an earlier use may be all that is left in the place of a slot of a set's newest use. It must not be taken
// for part of the newest use.
TEST_F(DestagedRecoveryTest, SlotsOfTwoUsesAreNoSet) {
  two_chains();
  destage(6 * kSlots, 0, 1, 3, 55, {{entry(3, 33, 18)}, {entry(3, 34, 19)}});
  dev.flash[kHome].state = Page::kTorn;
  recover();
  EXPECT_EQ(dev.l2p(31), 2u);
  EXPECT_EQ(dev.l2p(33), ORM_UNMAPPED);
  EXPECT_EQ(set_l2p(0, 1, 0), ORM_UNMAPPED);
  expect_contained();
}

// GC moves the slots as data: the copy has the same seq.
TEST_F(DestagedRecoveryTest, CopiesOfItsSlots) {
  two_chains();
  const auto nvram = dev.nvram;
  const auto flash = dev.flash;
  const auto data = dev.data;
  for (bool intact : {true, false}) {
    dev.nvram = nvram;
    dev.flash = flash;
    dev.data = data;
    intent(5, 1, 3);
    for (uint32_t i = 0; i < 3; i++) {
      const uint32_t copy = 6 * kSlots + i;
      dev.program(copy, MockDevice::destage_lpn(i / 2, 1 + i / 2, i % 2), 60 + i / 2, 1, ORM_STREAM_GC);
      dev.data[copy] = dev.data[kHome + i];
    }
    if (!intact) dev.flash[kHome + 2] = Slot{};
    recover();
    EXPECT_EQ(set_l2p(0, 1, 0), intact ? kHome : 6 * kSlots);
    EXPECT_EQ(set_l2p(1, 2, 0), intact ? kHome + 2 : 6 * kSlots + 2);
    EXPECT_EQ(dev.l2p(31), 2u);
    EXPECT_EQ(dev.l2p(40), kSlots + 3);
    EXPECT_EQ(state(intact ? 6 : 5), uint32_t{ORM_SB_STATE_FREE});
    EXPECT_EQ(media_errors(), 0u);
    dev.power_cycle();
  }
}

TEST_F(DestagedRecoveryTest, DamagedHeaders) {
  auto change = [](orm_destage_header &h, int what) {
    if (what == 0) h.sb = 2;
    if (what == 1) h.gen = 2;
    if (what == 2) h.epoch = 4;  // the record has not come to it
    if (what == 3) h.index = 1;
    if (what == 4) h.slots = 0;
    if (what == 5) h.slots = 1;  // the other one says 2
    if (what == 6) h.slots = 3;
    if (what == 7) h.entries = 256;
    if (what == 8) h.epoch = 2;  // the other one says 3
  };
  const auto nvram = dev.nvram;
  for (int what = 0; what < 9; what++) {
    SCOPED_TRACE(what);
    const uint32_t k = what == 5 || what == 8 ? 1 : 0;
    start_over(nvram);
    two_chains();
    orm_destage_header h = header(0, 3, 1, k, 2);
    change(h, what);
    orm_destage_header_seal(&h, dev.data[kHome + k].data());
    recover();
    EXPECT_EQ(dev.l2p(30 + k), ORM_UNMAPPED);
    EXPECT_EQ(dev.l2p(31 - k), 2 - k) << "what can be read counts";
    EXPECT_EQ(set_l2p(0, 1, 0), kHome) << "the slots go with the chain";
    EXPECT_EQ(dev.destaged[0], part(1, 2, 1));
    expect_contained();
    dev.power_cycle();
  }
}

TEST_F(DestagedRecoveryTest, HeaderWithABadCrc) {
  two_chains();
  dev.data[kHome][3] ^= 1;
  recover();
  EXPECT_EQ(dev.l2p(30), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(31), 2u);
  expect_contained();
}

TEST_F(DestagedRecoveryTest, MissingSlots) {
  const auto nvram = dev.nvram;
  for (uint32_t k : {0u, 1u}) {
    SCOPED_TRACE(k);
    start_over(nvram);
    two_chains();
    dev.flash[kHome + k].state = Page::kTorn;
    recover();
    EXPECT_EQ(dev.l2p(30 + k), ORM_UNMAPPED);
    EXPECT_EQ(dev.l2p(31 - k), 2 - k);
    EXPECT_EQ(set_l2p(0, 1, k), ORM_UNMAPPED);
    EXPECT_EQ(dev.destaged[0], part(1, 2, 1));
    expect_contained();
    dev.power_cycle();
  }
}

// The probe succeeded, but the read fails.
TEST_F(DestagedRecoveryTest, UnreadableSlot) {
  two_chains();
  dev.unreadable = {kHome};
  recover();
  EXPECT_EQ(dev.l2p(30), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(31), 2u);
  EXPECT_EQ(set_l2p(0, 1, 0), kHome);
  expect_contained();
}

TEST_F(DestagedRecoveryTest, NothingOfASetCanBeRead) {
  two_chains();
  dev.unreadable = {kHome, kHome + 1};
  recover();
  for (uint32_t k : {0u, 1u}) {
    EXPECT_EQ(dev.l2p(30 + k), ORM_UNMAPPED);
    EXPECT_EQ(set_l2p(0, 1, k), ORM_UNMAPPED);
    EXPECT_EQ(dev.ref(kHome + k), 0);
  }
  EXPECT_EQ(dev.destaged.count(0), 0u) << "the chain goes on without it";
  expect_contained();
  dev.power_cycle();
  dev.unreadable.clear();
  recover();
  EXPECT_EQ(dev.l2p(30), ORM_UNMAPPED) << "what has been gone once does not come back: the host may know it as gone";
  EXPECT_EQ(dev.l2p(40), kSlots + 3);
}

TEST_F(DestagedRecoveryTest, DamagedEntry) {
  two_chains();
  destage(kHome, 0, 1, 3, 60, {{entry(1, 30, 20), entry(2, 31, 21), entry(3, 32, 22)}});
  dev.flash[kHome + 1].state = Page::kTorn;
  dev.data[kHome][2 * ORM_REMAP_ENTRY_BYTES + 1] ^= 1;
  recover();
  EXPECT_EQ(dev.l2p(30), 1u);
  EXPECT_EQ(dev.l2p(31), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(32), 3u);
  EXPECT_EQ(dev.destaged[0], part(1, 1, 1));
  expect_contained();
}

TEST_F(DestagedRecoveryTest, EntriesOfAnEarlierLife) {
  two_chains();
  orm_destage_header h = header(0, 3, 1, 0, 1);
  dev.write_destaged(kHome, 60, 1, 1, h, {entry(1, 30, 20)});
  dev.flash[kHome + 1].state = Page::kTorn;
  dev.write_block(0, 2, 3, 1);  // a record that the set is none of
  for (uint32_t i = 0; i < 4; i++) dev.program(i, i, 30 + i, 2);
  recover();
  EXPECT_EQ(dev.l2p(30), ORM_UNMAPPED);
  EXPECT_EQ(set_l2p(0, 1, 0), ORM_UNMAPPED);
  expect_contained();
}

TEST_F(DestagedRecoveryTest, EntriesThatDoNotCount) {
  two_chains();
  destage(kHome, 0, 1, 3, 60,
          {{entry(1, 30, 20), entry(2, 31, 51), entry(9, 32, 22), entry(kSlots, 33, 23), entry(1, 200, 24)},
           {entry(2, 34, 90)}});
  recover();
  EXPECT_EQ(dev.l2p(30), 1u);
  EXPECT_EQ(dev.l2p(31), ORM_UNMAPPED) << "not committed";
  EXPECT_EQ(dev.l2p(32), ORM_UNMAPPED) << "its slot is erased";
  EXPECT_EQ(dev.l2p(33), ORM_UNMAPPED) << "another superblock's";
  EXPECT_EQ(dev.l2p(34), ORM_UNMAPPED);
  EXPECT_EQ(dev.seq, 91u) << "their numbers are not used again";
  EXPECT_EQ(dev.ref(1), 2);
}

TEST_F(DestagedRecoveryTest, RecordsThatNameNoSet) {
  dev.write_block(3, 1, 1, 3);
  recover();
  EXPECT_TRUE(dev.reg[ORM_FW_NVME_STATE] & ORM_FW_NVME_STATE_WRITE_PROTECTED_MASK) << "the record is damaged";
}

TEST_F(DestagedRecoveryTest, SetOnHardwareThatHasNone) {
  two_chains();
  dev.reg[ORM_FW_CAP_DESTAGE] = 0;
  dev.reg[ORM_FW_CAP_DESTAGE_LPN] = MockDevice::kLpns;
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
}

TEST_F(DestagedRecoveryTest, NamespaceThatReachesThemIsRefused) {
  dev.reg[ORM_FW_CAP_DESTAGE] = 4;  // 96 LPNs; 112 are in the namespace
  dev.reg[ORM_FW_CAP_DESTAGE_LPN] = MockDevice::kLpns - 8 * MockDevice::kSuperblocks;
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
}

TEST_F(DestagedRecoveryTest, NamespaceIsSmallerWhereTheyNeedTheLpns) {
  MockDevice blank;
  dev.nvram = blank.nvram;
  dev.reg[ORM_FW_CAP_DESTAGE] = 4;
  dev.reg[ORM_FW_CAP_DESTAGE_LPN] = MockDevice::kLpns - 8 * MockDevice::kSuperblocks;
  recover();
  EXPECT_EQ(dev.reg[ORM_FW_NVME_NSZE], 96u);
}

// Journal and bitmap do not cover their LPNs. The LPNs between the namespace and them belong to nobody.
TEST_F(DestagedRecoveryTest, TrimsDoNotReachThem) {
  two_chains();
  dev.write_journal(0, 100, 65535, 45);
  for (uint32_t lpn = 0; lpn < MockDevice::kLpns; lpn += ORM_TRIM_WORD_LPNS)
    dev.write_trims(0, lpn, (uint64_t{1} << ORM_TRIM_WORD_LPNS) - 1, 15);
  dev.write_checkpoint(15);
  fill(2, 0, 1, MockDevice::kDestageLpn - 1, 62);
  fill(2, 1, 1, 111, 63);
  for (int again = 0; again < 2; again++) {
    recover();
    EXPECT_EQ(set_l2p(0, 1, 0), kHome);
    EXPECT_EQ(set_l2p(1, 2, 0), kHome + 2);
    EXPECT_EQ(dev.l2p(30), 1u);
    EXPECT_EQ(dev.l2p(0), ORM_UNMAPPED) << "by the bitmap";
    EXPECT_EQ(dev.l2p(111), 2 * kSlots + 1);
    EXPECT_EQ(dev.l2p(MockDevice::kDestageLpn - 1), ORM_UNMAPPED);
    dev.power_cycle();
  }
}

// Its chain has no live entries, nor does the superblock that only held its set.
TEST_F(DestagedRecoveryTest, SuperblockWithoutLiveDataLosesItsSet) {
  fill(0, 0, 4, 0, 1);
  fill(1, 0, 4, 10, 5);
  destage(kHome, 0, 1, 3, 60, {{entry(1, 11, 20)}});
  destage(6 * kSlots, 5, 2, 2, 61, {{entry(0, 31, 21)}});  // nor has the one that held its set's set
  destage(7 * kSlots, 1, 1, 1, 62, {{entry(1, 32, 22)}});
  fill(2, 0, 4, 0, 70);
  fill(2, 4, 1, 11, 75);
  fill(2, 5, 1, 31, 76);
  dev.write_block(0, 1, 3, 1);
  dev.write_block(5, 1, 2, 2);
  dev.write_block(1, 1, 1, 1);
  fill(8, 0, 1, 50, 30);
  destage(4 * kSlots, 8, 1, 1, 63, {{entry(0, 51, 31)}});
  destage(9 * kSlots, 4, 1, 1, 64, {{entry(0, 52, 32)}});  // 4 is looked at before 8, and has to be again
  fill(2, 6, 3, 50, 77);
  dev.write_block(8, 1, 1, 1);
  dev.write_block(4, 1, 1, 1);
  dev.write_commit(80);
  for (int again = 0; again < 2; again++) {
    recover();
    for (uint32_t sb : {0u, 5u, 6u, 4u, 8u, 9u}) {
      EXPECT_EQ(state(sb), uint32_t{ORM_SB_STATE_FREE}) << sb;
      EXPECT_TRUE(is_erased(sb));
      EXPECT_EQ(dev.sb[sb].gen, 2u);
      EXPECT_EQ(dev.block_set(sb), 0);
      EXPECT_EQ(dev.destaged.count(sb), 0u);
      EXPECT_EQ(dev.sb[sb].valid, 0u);
    }
    EXPECT_EQ(set_l2p(0, 1, 0), ORM_UNMAPPED);
    EXPECT_EQ(set_l2p(5, 2, 0), ORM_UNMAPPED);
    EXPECT_EQ(dev.ref(kHome), 0);
    EXPECT_EQ(dev.l2p(32), kSlots + 1);
    EXPECT_EQ(dev.destaged[1], part(1, 1, 1));
    EXPECT_EQ(dev.block_set(1), 1);
    EXPECT_EQ(media_errors(), 0u);
    dev.power_cycle();
  }
}

TEST_F(DestagedRecoveryTest, SlotOfItsOwnSetKeepsNoSuperblock) {
  fill(0, 0, 4, 0, 1);
  destage(4, 0, 1, 3, 60, {{entry(1, 30, 20)}, {entry(2, 31, 21)}});
  fill(2, 0, 4, 0, 70);
  fill(2, 4, 2, 30, 75);
  dev.write_block(0, 1, 3, 1);
  dev.write_commit(80);
  recover();
  EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_FREE});
  EXPECT_EQ(set_l2p(0, 1, 0), ORM_UNMAPPED);
  EXPECT_EQ(dev.sb[0].valid, 0u);
}

// The erase of a victim has begun or ended, and its record is not written yet. So the record still names the set of the
// previous filling.
TEST_F(DestagedRecoveryTest, ErasedSuperblockWithTheRecordOfItsLastLife) {
  two_chains();
  intent(0, 1, kSlots);
  for (uint32_t i = 0; i < 4; i++) dev.flash[i] = Slot{};
  for (int again = 0; again < 2; again++) {
    recover();
    EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_FREE});
    EXPECT_EQ(dev.sb[0].gen, 2u);
    EXPECT_EQ(dev.block_set(0), 0);
    EXPECT_EQ(dev.l2p(30), ORM_UNMAPPED);
    EXPECT_EQ(dev.ref(kHome), 0);
    EXPECT_EQ(dev.sb[5].valid, 1u);
    EXPECT_EQ(media_errors(), 0u);
    dev.power_cycle();
  }
}

TEST_F(DestagedRecoveryTest, SuperblockThatDoesNotEraseHasNoSet) {
  two_chains();
  fill(2, 0, 4, 0, 70);
  fill(2, 4, 2, 30, 75);
  dev.erase_fails = true;
  recover();
  EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_BAD});
  EXPECT_EQ(dev.destaged.count(0), 0u);
  EXPECT_EQ(dev.block_set(0), 0);
}

TEST_F(DestagedRecoveryTest, OpenSuperblockKeepsItsSet) {
  shut_down({0});
  two_chains();
  recover();
  EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_OPEN});
  EXPECT_EQ(dev.destaged[0], part(1, 2, 1));
  EXPECT_EQ(dev.l2p(30), 1u);
}

}  // namespace
}  // namespace orm_test
