// SPDX-License-Identifier: Apache-2.0
// Recovery from flash and NVRAM contents made by hand. Each test starts from a formatted device: all generations are 1.
#include <random>

#include "fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kSlots = MockDevice::kSlotsPerSb;

class RecoveryTest : public FwTest {
 protected:
  void SetUp() override {
    boot_running();
    dev.power_cycle();
  }

  void recover() {
    boot();
    ASSERT_EQ(fw_phase(fw_), FW_RUNNING) << fw_describe(fw_);
  }

  // Slots `from`.. of superblock `sb` hold LPNs `lpn`.. with seqs `seq`..
  void fill(uint32_t sb, uint32_t from, uint32_t n, uint32_t lpn, uint64_t seq, uint8_t stream = ORM_STREAM_HOST) {
    for (uint32_t i = 0; i < n; i++) dev.program(sb * kSlots + from + i, lpn + i, seq + i, 1, stream);
  }

  void intent(uint32_t sb, uint32_t gen, uint32_t good) {
    orm_gc_intent i{};
    i.sb = static_cast<uint16_t>(sb);
    i.gen = gen;
    i.good_slots = static_cast<uint16_t>(good);
    orm_gc_intent_seal(&i, &dev.nvram[MockDevice::kNvCounters]);
  }

  bool is_erased(uint32_t sb) {
    for (uint32_t i = 0; i < kSlots; i++) {
      if (dev.flash[sb * kSlots + i].state != Page::kErased) return false;
    }
    return true;
  }

  bool was_erased(uint32_t sb) {
    for (uint32_t slot : dev.erased) {
      if (slot / kSlots == sb) return true;
    }
    return false;
  }

  uint32_t state(uint32_t sb) { return dev.sb[sb].state; }
};

TEST_F(RecoveryTest, NewestWriteWins) {
  fill(0, 0, 4, 0, 1);
  dev.program(kSlots + 0, 2, 10, 1);
  recover();
  EXPECT_EQ(dev.l2p(0), 0u);
  EXPECT_EQ(dev.l2p(1), 1u);
  EXPECT_EQ(dev.l2p(2), kSlots);
  EXPECT_EQ(dev.l2p(3), 3u);
  EXPECT_EQ(dev.l2p(4), ORM_UNMAPPED);
  EXPECT_EQ(dev.ref(0), 1);
  EXPECT_EQ(dev.ref(2), 0);
  EXPECT_EQ(dev.sb[0].valid, 3u);
  EXPECT_EQ(dev.sb[1].valid, 1u);
  EXPECT_EQ(dev.seq, 11u);
  EXPECT_EQ(dev.free_list.size(), MockDevice::kSuperblocks - 2);
}

TEST_F(RecoveryTest, TornPageLosesToOlderData) {
  fill(0, 0, 4, 0, 1);
  dev.program(kSlots, 2, 10, 1);
  dev.flash[kSlots].state = Page::kTorn;
  recover();
  EXPECT_EQ(dev.l2p(2), 2u);
  EXPECT_EQ(state(1), uint32_t{ORM_SB_STATE_FREE}) << "nothing live in it";
  EXPECT_EQ(dev.sb[1].gen, 2u) << "but it had to be erased";
  EXPECT_TRUE(was_erased(1));
}

TEST_F(RecoveryTest, ForeignSparesDoNotCount) {
  fill(0, 0, 4, 0, 1);
  dev.program(kSlots + 0, 0, 50, 7);  // another generation
  dev.program(kSlots + 1, 1, 51, 1);
  dev.flash[kSlots + 2] = dev.flash[kSlots + 1];                    // a record of another slot
  dev.flash[kSlots + 1].oob[3] ^= 1;                                // CRC
  dev.program(kSlots + 3, dev.reg[ORM_FW_NVME_NSZE] + 200, 52, 1);  // past the namespace
  recover();
  for (uint32_t lpn = 0; lpn < 4; lpn++) EXPECT_EQ(dev.l2p(lpn), lpn);
}

TEST_F(RecoveryTest, CommittedEntriesMakeSharers) {
  fill(0, 0, 4, 0, 1);
  dev.write_segment(9, 0, 0, 9, 1);
  dev.write_entry(9, 0, 0, 1, 2, 30, 5);
  dev.write_entry(9, 1, 0, 1, 2, 31, 6);
  dev.write_entry(9, 2, 0, 1, 3, 0, 7);  // LPN 0 was remapped away from slot 0
  dev.write_commit(7);
  recover();
  EXPECT_EQ(dev.l2p(30), 2u);
  EXPECT_EQ(dev.l2p(31), 2u);
  EXPECT_EQ(dev.l2p(0), 3u);
  EXPECT_EQ(dev.ref(2), 3);
  EXPECT_EQ(dev.ref(3), 2);
  EXPECT_EQ(dev.ref(0), 0);
  EXPECT_EQ(dev.sb[0].valid, 3u);
  ASSERT_EQ(dev.chains.count(0), 1u);
  EXPECT_EQ(dev.chains[0].count, 1u);
  EXPECT_EQ(dev.chains[0].tail, 9u);
  EXPECT_EQ(dev.chains[0].fill, 3u);
  EXPECT_EQ(dev.free_segments.size(), MockDevice::kSegments - 1);
}

TEST_F(RecoveryTest, UncommittedEntriesNeverCount) {
  fill(0, 0, 4, 0, 1);
  dev.write_segment(9, 0, 0, 9, 1);
  dev.write_entry(9, 0, 0, 1, 2, 30, 5);
  dev.write_entry(9, 1, 0, 1, 2, 31, 6);
  dev.write_commit(5);
  recover();
  EXPECT_EQ(dev.l2p(30), 2u);
  EXPECT_EQ(dev.l2p(31), ORM_UNMAPPED);
  EXPECT_EQ(dev.seq, 7u) << "its seq is not used again";
  EXPECT_EQ(dev.chains[0].fill, 1u);
  dev.power_cycle();
  dev.write_commit(100);  // later commands
  recover();
  EXPECT_EQ(dev.l2p(31), ORM_UNMAPPED);
}

TEST_F(RecoveryTest, EntriesOfUnprogrammedSlotsAreWiped) {
  fill(0, 0, 4, 0, 1);
  dev.write_segment(9, 0, 0, 9, 1);
  dev.write_entry(9, 0, 0, 1, 8, 30, 3);
  dev.write_commit(4);
  recover();
  EXPECT_EQ(dev.l2p(30), ORM_UNMAPPED);
  EXPECT_TRUE(dev.chains.empty()) << "a segment without entries is given back";
  dev.power_cycle();
  fill(0, 8, 1, 50, 40);
  recover();
  EXPECT_EQ(dev.l2p(30), ORM_UNMAPPED);
}

TEST_F(RecoveryTest, TrimsCountUpToTheCommitPointer) {
  fill(0, 0, 8, 0, 1);
  dev.write_journal(0, 0, 2, 10);
  dev.write_journal(1, 4, 1, 11);
  dev.write_journal(2, 6, 2, 12);  // not committed
  fill(1, 0, 1, 4, 13);            // written after its trim
  dev.write_commit(11);
  recover();
  EXPECT_EQ(dev.l2p(0), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(1), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(2), 2u);
  EXPECT_EQ(dev.l2p(4), kSlots);
  EXPECT_EQ(dev.l2p(6), 6u);
  EXPECT_EQ(dev.seq, 14u);
  dev.power_cycle();
  dev.write_commit(100);
  recover();
  EXPECT_EQ(dev.l2p(0), ORM_UNMAPPED) << "now by the bitmap";
  EXPECT_EQ(dev.l2p(6), 6u) << "the trim that was never acknowledged stays void";
}

TEST_F(RecoveryTest, TrimBitmap) {
  fill(0, 0, 8, 0, 1);
  fill(1, 0, 1, 3, 40);
  dev.write_checkpoint(20, 0);
  dev.nvram[MockDevice::kNvBitmap] = 0x0F;
  dev.write_commit(30);
  dev.write_journal(3, 7, 1, 15);  // older than the checkpoint: the bitmap says all about it
  recover();
  for (uint32_t lpn : {0u, 1u, 2u}) EXPECT_EQ(dev.l2p(lpn), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(3), kSlots);
  EXPECT_EQ(dev.l2p(7), 7u);
}

TEST_F(RecoveryTest, DamagedPointersAreReported) {
  dev.nvram[0x100] ^= 1;
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  dev.nvram[0x100] ^= 1;
  dev.nvram[0x108] ^= 1;
  power_cycle();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
}

TEST_F(RecoveryTest, OpenSuperblockIsClosedAfterACut) {
  fill(0, 0, 6, 0, 1);
  recover();
  EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_CLOSED});
  EXPECT_TRUE(dev.restores.empty());
}

class ShutdownTest : public RecoveryTest {
 protected:
  // Shuts down with the named superblocks open.
  void shut_down(std::initializer_list<uint32_t> open) {
    recover();
    enable();
    for (uint32_t sb : open) dev.sb[sb].state = ORM_SB_STATE_OPEN;
    set_cc(1 | ORM_PUT(ORM_BAR0_CC_SHN, 1));
    dev.power_cycle();
  }
};

TEST_F(ShutdownTest, OpenSuperblocksAreFilledOn) {
  shut_down({0, 1});
  fill(0, 0, 6, 0, 1);
  fill(1, 0, 1, 20, 9, ORM_STREAM_GC);
  recover();
  EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_OPEN});
  EXPECT_EQ(state(1), uint32_t{ORM_SB_STATE_OPEN});
  ASSERT_EQ(dev.restores.size(), 2u);
  EXPECT_EQ(dev.restores[0], ORM_PUT(ORM_FW_ALLOC_RESTORE_SB, 0) | ORM_PUT(ORM_FW_ALLOC_RESTORE_NEXT, 6));
  EXPECT_EQ(dev.restores[1], ORM_PUT(ORM_FW_ALLOC_RESTORE_SB, 1) | ORM_PUT(ORM_FW_ALLOC_RESTORE_NEXT, 1) |
                                 ORM_PUT(ORM_FW_ALLOC_RESTORE_STREAM, 1));
  dev.power_cycle();
  recover();
  EXPECT_TRUE(dev.restores.empty()) << "the second start follows no shutdown";
}

TEST_F(ShutdownTest, UnevenOnesAreNot) {
  shut_down({0, 1});
  fill(0, 0, 6, 0, 1);
  dev.flash[3] = Slot{};  // a gap
  fill(1, 0, 6, 20, 9);
  dev.flash[kSlots + 5].state = Page::kTorn;
  recover();
  EXPECT_TRUE(dev.restores.empty());
  EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_CLOSED});
  EXPECT_EQ(state(1), uint32_t{ORM_SB_STATE_CLOSED});
}

TEST_F(ShutdownTest, FullAndEmptyOnesAreNot) {
  shut_down({0, 1});
  fill(0, 0, kSlots, 0, 1);
  recover();
  EXPECT_TRUE(dev.restores.empty());
  EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_CLOSED});
  EXPECT_EQ(state(1), uint32_t{ORM_SB_STATE_FREE});
}

TEST_F(RecoveryTest, SuperblockWithoutLiveDataIsErased) {
  fill(0, 0, 4, 0, 1);
  fill(1, 0, 4, 0, 10);
  dev.write_segment(9, 0, 0, 9, 1);
  dev.write_entry(9, 0, 0, 1, 2, 1, 5);  // stale
  dev.write_commit(30);
  recover();
  EXPECT_TRUE(is_erased(0));
  EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_FREE});
  EXPECT_EQ(dev.sb[0].gen, 2u);
  EXPECT_TRUE(dev.chains.empty());
  EXPECT_EQ(dev.free_segments.size(), MockDevice::kSegments);
  dev.power_cycle();
  recover();
  EXPECT_EQ(dev.sb[0].gen, 2u);
  EXPECT_TRUE(dev.erased.empty());
  EXPECT_EQ(dev.l2p(2), kSlots + 2);
}

TEST_F(RecoveryTest, SuperblockThatDoesNotEraseIsRetired) {
  dev.flash[0].state = Page::kTorn;
  dev.erase_fails = true;
  recover();
  EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_BAD});
  EXPECT_EQ(dev.free_list.size(), MockDevice::kSuperblocks - 1);
}

TEST_F(RecoveryTest, UnfinishedCollectionLeavesNothingInItsTarget) {
  fill(0, 0, kSlots, 0, 1);  // the victim, whole
  intent(0, 1, kSlots);
  fill(1, 0, 5, 0, 1, ORM_STREAM_GC);  // copies with the same seqs
  recover();
  for (uint32_t lpn = 0; lpn < kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), lpn);
  EXPECT_EQ(state(1), uint32_t{ORM_SB_STATE_FREE});
  EXPECT_TRUE(is_erased(1));
}

TEST_F(RecoveryTest, HalfErasedVictimLosesToTheCopies) {
  fill(5, 0, kSlots, 0, 1);
  intent(5, 1, kSlots);
  for (uint32_t page = 0; page < MockDevice::kPages; page++) dev.flash[5 * kSlots + page * 4] = Slot{};  // die 0
  fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
  recover();
  for (uint32_t lpn = 0; lpn < kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), 6 * kSlots + lpn);
  EXPECT_EQ(state(5), uint32_t{ORM_SB_STATE_FREE});
  EXPECT_TRUE(was_erased(5));
  EXPECT_EQ(dev.sb[5].gen, 2u);
}

TEST_F(RecoveryTest, VictimThatLooksErasedIsErasedAgain) {
  intent(5, 1, kSlots);
  recover();
  EXPECT_TRUE(was_erased(5));
  EXPECT_EQ(dev.sb[5].gen, 2u);
  dev.power_cycle();
  recover();
  EXPECT_TRUE(dev.erased.empty()) << "once is enough";
}

TEST_F(RecoveryTest, FinishedIntentMeansNothing) {
  dev.write_block_gen(5, 2);
  intent(5, 1, kSlots);
  recover();
  EXPECT_TRUE(dev.erased.empty());
}

TEST_F(RecoveryTest, ChainsAreLinked) {
  fill(0, 0, 4, 0, 1);
  fill(1, 0, 4, 10, 5);
  dev.write_segment(3, 0, 0, 3, 1);
  dev.write_segment(8, 0, 1, 3, 1);
  dev.write_segment(4, 0, 2, 8, 1);
  dev.write_segment(6, 1, 0, 6, 1);
  for (uint32_t i = 0; i < 3; i++) {
    dev.write_entry(3, i, 0, 1, 0, 20 + i, 20 + i);
    dev.write_entry(8, i, 0, 1, 1, 30 + i, 30 + i);
  }
  dev.write_entry(4, 0, 0, 1, 2, 40, 40);
  dev.write_entry(6, 1, 1, 1, 2, 41, 41);
  dev.write_commit(50);
  recover();
  ASSERT_EQ(dev.chains.size(), 2u);
  EXPECT_EQ(dev.chains[0].count, 3u);
  EXPECT_EQ(dev.chains[0].tail, 4u);
  EXPECT_EQ(dev.chains[0].fill, 1u);
  EXPECT_EQ(dev.links, (std::map<uint32_t, uint32_t>{{4, 8}, {8, 3}}));
  EXPECT_EQ(dev.chains[1].count, 1u);
  EXPECT_EQ(dev.chains[1].fill, 2u) << "up to the last entry that counts";
  EXPECT_EQ(dev.free_segments.size(), MockDevice::kSegments - 4);
  EXPECT_EQ(dev.ref(0), 4);
}

TEST_F(RecoveryTest, NewestSegmentsWithoutEntriesAreGivenBack) {
  fill(0, 0, 4, 0, 1);
  dev.write_segment(3, 0, 0, 3, 1);
  dev.write_segment(8, 0, 1, 3, 1);
  dev.write_entry(3, 0, 0, 1, 0, 20, 20);
  dev.write_entry(8, 0, 0, 1, 0, 21, 99);
  dev.write_commit(50);
  recover();
  EXPECT_EQ(dev.chains[0].count, 1u);
  EXPECT_EQ(dev.chains[0].tail, 3u);
  dev.power_cycle();
  recover();
  EXPECT_EQ(dev.chains[0].tail, 3u);
  EXPECT_EQ(dev.free_segments.size(), MockDevice::kSegments - 1);
}

TEST_F(RecoveryTest, StrayAndBrokenSegmentsAreFree) {
  fill(0, 0, 4, 0, 1);
  dev.write_segment(3, 0, 1, 9, 1);   // its predecessor is not there
  dev.write_segment(4, 0, 0, 4, 5);   // another generation
  dev.write_segment(5, 11, 0, 5, 1);  // a free superblock
  dev.write_segment(6, 99, 0, 6, 1);  // no such superblock
  dev.write_segment(7, 0, 2, 7, 1);   // points at itself
  recover();
  EXPECT_TRUE(dev.chains.empty());
  EXPECT_EQ(dev.free_segments.size(), MockDevice::kSegments);
}

// What an unfinished collection left in a chain that goes on to live is taken out again.
TEST_F(RecoveryTest, EntriesOfUnfinishedCopiesGiveTheirSegmentsBack) {
  fill(0, 0, kSlots, 0, 1);  // the victim, whole; a sharer of each of 8 slots
  dev.write_segment(0, 0, 0, 0, 1);
  dev.write_segment(1, 0, 1, 0, 1);
  dev.write_segment(2, 0, 2, 1, 1);
  for (uint32_t i = 0; i < 8; i++) dev.write_entry(i / 3, i % 3, 0, 1, i, 60 + i, 30 + i);
  fill(1, 0, 2, 40, 50, ORM_STREAM_GC);  // the target: from a collection before, then the copies
  dev.write_segment(10, 1, 0, 10, 1);
  dev.write_entry(10, 0, 1, 1, 0, 80, 52);
  for (uint32_t i = 0; i < 8; i++) dev.program(kSlots + 2 + i, i, 1 + i, 1, ORM_STREAM_GC);
  dev.write_segment(11, 1, 1, 10, 1);
  dev.write_segment(12, 1, 2, 11, 1);
  for (uint32_t i = 0; i < 8; i++) dev.write_entry(10 + (i + 1) / 3, (i + 1) % 3, 1, 1, 2 + i, 60 + i, 30 + i);
  dev.write_commit(60);
  intent(0, 1, kSlots);
  for (int again = 0; again < 2; again++) {
    recover();
    EXPECT_EQ(dev.chains[0].count, 3u);
    ASSERT_EQ(dev.chains.count(1), 1u);
    EXPECT_EQ(dev.chains[1].count, 1u);
    EXPECT_EQ(dev.chains[1].tail, 10u);
    EXPECT_EQ(dev.chains[1].fill, 1u);
    EXPECT_EQ(dev.free_segments.size(), MockDevice::kSegments - 4);
    for (uint32_t i = 0; i < 8; i++) EXPECT_EQ(dev.l2p(60 + i), i);
    EXPECT_EQ(dev.l2p(80), kSlots);
    dev.power_cycle();
  }
}

// Power goes again and again in the middle of a collection; whatever it had got to, the next start has as much room.
TEST_F(RecoveryTest, CutsInTheMiddleOfCollectionsUseNothingUp) {
  fill(0, 0, kSlots, 0, 1);
  for (uint32_t i = 0; i < 12; i++) {
    if (i % 3 == 0) dev.write_segment(i / 3, 0, i / 3, i == 0 ? 0 : i / 3 - 1, 1);
    dev.write_entry(i / 3, i % 3, 0, 1, i, 60 + i, 30 + i);
  }
  fill(1, 0, 2, 40, 50, ORM_STREAM_GC);
  dev.write_commit(60);
  recover();
  const size_t segments = dev.free_segments.size(), superblocks = dev.free_list.size();
  std::mt19937 rng(1);
  for (int cut = 0; cut < 20; cut++) {
    SCOPED_TRACE("cut " + std::to_string(cut));
    const uint32_t target = dev.free_list[rng() % dev.free_list.size()], gen = dev.sb[target].gen;
    const std::vector<uint32_t> spare = dev.free_segments;
    intent(0, 1, kSlots);
    const uint32_t copies = 1 + static_cast<uint32_t>(rng() % 12);
    for (uint32_t i = 0; i < copies; i++) dev.program(target * kSlots + i, i, 1 + i, gen, ORM_STREAM_GC);
    for (uint32_t i = 0; i < copies; i++) {
      if (i % 3 == 0) dev.write_segment(spare[i / 3], target, i / 3, i == 0 ? spare[0] : spare[i / 3 - 1], gen);
      dev.write_entry(spare[i / 3], i % 3, target, gen, i, 60 + i, 30 + i);
    }
    dev.power_cycle();
    recover();
    EXPECT_EQ(dev.free_segments.size(), segments);
    EXPECT_EQ(dev.free_list.size(), superblocks);
    for (uint32_t i = 0; i < 12; i++) EXPECT_EQ(dev.l2p(60 + i), i);
  }
}

// The power cycle forgets that a program failed; the page itself still says so. Its sharers go with it.
TEST_F(RecoveryTest, FailedProgramIsNoData) {
  fill(0, 0, 4, 0, 1);
  fill(1, 0, 4, 2, 10);  // LPNs 2 and 3 again, 4 and 5 for the first time
  dev.write_segment(9, 1, 0, 9, 1);
  dev.write_entry(9, 0, 1, 1, 0, 60, 20);
  dev.write_entry(9, 1, 1, 1, 1, 61, 21);
  dev.write_commit(30);
  for (uint32_t i : {0u, 2u}) dev.flash[kSlots + i].state = Page::kTorn;  // its spare may still say something
  for (int again = 0; again < 2; again++) {
    recover();
    EXPECT_EQ(dev.l2p(2), 2u) << "the older data";
    EXPECT_EQ(dev.l2p(3), kSlots + 1);
    EXPECT_EQ(dev.l2p(4), ORM_UNMAPPED) << "there is none";
    EXPECT_EQ(dev.l2p(5), kSlots + 3);
    EXPECT_EQ(dev.l2p(60), ORM_UNMAPPED);
    EXPECT_EQ(dev.l2p(61), kSlots + 1);
    EXPECT_EQ(dev.ref(kSlots), 0);
    EXPECT_EQ(state(1), uint32_t{ORM_SB_STATE_CLOSED}) << "not filled on";
    dev.power_cycle();
  }
}

// A probe's status is that of the whole page: a spare that can be read does not make a victim intact.
TEST_F(RecoveryTest, VictimWithUnreadablePagesIsNotIntact) {
  fill(5, 0, kSlots, 0, 1);
  intent(5, 1, kSlots);
  dev.flash[5 * kSlots + 7].state = Page::kTorn;
  fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
  recover();
  for (uint32_t lpn = 0; lpn < kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), 6 * kSlots + lpn);
  EXPECT_TRUE(was_erased(5));
}

// A record may cover more pages than one poll deals with.
TEST_F(RecoveryTest, LongTrimsTakeSeveralPolls) {
  fill(0, 0, 8, 0, 1);
  fill(1, 0, 2, 0, 40);
  for (uint32_t i = 0; i < MockDevice::kJournal; i++) dev.write_journal(i, i % 2, 65535, 20 + i);
  dev.write_commit(60);
  recover();
  EXPECT_EQ(dev.l2p(0), kSlots);
  EXPECT_EQ(dev.l2p(1), kSlots + 1);
  for (uint32_t lpn = 2; lpn < 8; lpn++) EXPECT_EQ(dev.l2p(lpn), ORM_UNMAPPED);
}

// One mapping, whatever happens on the way to it: power goes before each NVRAM write of a recovery, then before each of
// the recovery after that.
TEST_F(RecoveryTest, CutDuringRecovery) {
  fill(0, 0, kSlots, 0, 1);
  fill(1, 0, 7, 4, 30);
  fill(2, 0, 3, 90, 60);
  dev.flash[2 * kSlots + 1].state = Page::kTorn;
  fill(3, 0, kSlots, 40, 100);
  for (uint32_t i = 0; i < kSlots; i++) dev.program(4 * kSlots + i, 40 + i, 200 + i, 1);  // 3 is stale
  dev.write_segment(3, 0, 0, 3, 1);
  dev.write_segment(8, 0, 1, 3, 1);
  dev.write_entry(3, 0, 0, 1, 0, 70, 20);
  dev.write_entry(3, 1, 0, 1, 1, 71, 21);
  dev.write_entry(8, 0, 0, 1, 2, 72, 22);
  dev.write_entry(8, 1, 0, 1, 3, 73, 400);  // not committed
  dev.write_journal(0, 70, 1, 23);
  dev.write_journal(1, 0, 2, 24);
  dev.write_commit(300);
  intent(3, 1, kSlots);
  auto nvram = dev.nvram;
  auto flash = dev.flash;
  recover();
  std::vector<uint32_t> expected;
  for (uint32_t lpn = 0; lpn < 100; lpn++) expected.push_back(dev.l2p(lpn));
  EXPECT_EQ(dev.l2p(71), 1u);
  EXPECT_EQ(dev.l2p(70), ORM_UNMAPPED);

  int cuts = 0;
  for (;; cuts++) {
    dev.nvram = nvram;
    dev.flash = flash;
    dev.power_cycle();
    int writes = 0;
    std::vector<uint8_t> frozen_nvram;
    std::vector<Slot> frozen_flash;
    dev.on_nvram_write = [&] {
      if (writes++ != cuts) return;
      frozen_nvram = dev.nvram;
      frozen_flash = dev.flash;
    };
    boot();
    dev.on_nvram_write = nullptr;
    if (frozen_nvram.empty()) break;
    dev.nvram = frozen_nvram;
    dev.flash = frozen_flash;
    dev.power_cycle();
    recover();
    for (uint32_t lpn = 0; lpn < expected.size(); lpn++)
      ASSERT_EQ(dev.l2p(lpn), expected[lpn]) << "cut " << cuts << " lpn " << lpn;
  }
  EXPECT_GT(cuts, 20);
}

// Random histories against the rule "the event with the largest seq wins".
TEST_F(RecoveryTest, RandomHistories) {
  for (uint32_t seed = 1; seed <= 30; seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 rng(seed);
    MockDevice blank;
    dev.nvram = blank.nvram;
    dev.flash = blank.flash;
    dev.power_cycle();
    recover();
    uint32_t nsze = dev.reg[ORM_FW_NVME_NSZE];
    dev.power_cycle();
    std::vector<uint32_t> map(nsze, ORM_UNMAPPED);
    uint64_t seq = 1;
    uint32_t slot = 0, journal = 0;
    std::vector<uint32_t> entries(MockDevice::kSuperblocks, 0);
    std::vector<std::vector<uint32_t>> segments(MockDevice::kSuperblocks);
    uint32_t next_segment = 0;
    auto below = [&rng](uint32_t n) { return static_cast<uint32_t>(rng() % n); };
    for (int step = 0; step < 120; step++, seq++) {
      uint32_t lpn = below(nsze), other = below(nsze);
      switch (below(4)) {
        case 0:
        case 1:
          if (slot == 10 * kSlots) break;
          dev.program(slot, lpn, seq, 1);
          map[lpn] = slot++;
          break;
        case 2: {
          if (map[other] == ORM_UNMAPPED) break;
          uint32_t sb = map[other] / kSlots, n = entries[sb] % 3;
          if (n == 0) {
            if (next_segment == MockDevice::kSegments || segments[sb].size() == MockDevice::kPerChain) break;
            uint32_t prev = segments[sb].empty() ? next_segment : segments[sb].back();
            dev.write_segment(next_segment, sb, static_cast<uint32_t>(segments[sb].size()), prev, 1);
            segments[sb].push_back(next_segment++);
          }
          dev.write_entry(segments[sb].back(), n, sb, 1, map[other] % kSlots, lpn, seq);
          entries[sb]++;
          map[lpn] = map[other];
          break;
        }
        default: {
          if (journal == MockDevice::kJournal) break;
          uint32_t n = 1 + below(std::min(4u, nsze - lpn));
          dev.write_journal(journal++, lpn, n, seq);
          for (uint32_t i = 0; i < n; i++) map[lpn + i] = ORM_UNMAPPED;
        }
      }
    }
    dev.write_commit(seq);
    for (int again = 0; again < 2; again++) {
      recover();
      std::vector<uint32_t> refs(MockDevice::kLpns, 0), valid(MockDevice::kSuperblocks, 0);
      for (uint32_t lpn = 0; lpn < nsze; lpn++) {
        ASSERT_EQ(dev.l2p(lpn), map[lpn]) << "lpn " << lpn;
        if (map[lpn] != ORM_UNMAPPED && refs[map[lpn]]++ == 0) valid[map[lpn] / kSlots]++;
      }
      for (uint32_t s = 0; s < refs.size(); s++) ASSERT_EQ(dev.ref(s), refs[s]);
      for (uint32_t sb = 0; sb < valid.size(); sb++) ASSERT_EQ(dev.sb[sb].valid, valid[sb]);
      dev.power_cycle();
    }
  }
}

}  // namespace
}  // namespace orm_test
