// SPDX-License-Identifier: Apache-2.0
// Recovery of mappings and open superblocks.
extern "C" {
#include "fw.h"
}

#include "recovery/recovery_fixture.h"

namespace orm_test {
namespace {

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

TEST_F(RecoveryTest, LostDataIsStillTheNewest) {
  dev.program(0, 7, 1, 1);
  dev.program(kSlots, 7, 2, 1);
  dev.program(kSlots + MockDevice::kDies, 8, 3, 1);  // the next page of its block
  dev.flash[kSlots].state = Page::kDataLost;
  recover();
  EXPECT_EQ(dev.l2p(7), kSlots) << "reads of it fail: what was there before must not come back";
  EXPECT_EQ(dev.sb[1].valid, 2u);
  EXPECT_EQ(state(1), uint32_t{ORM_SB_STATE_CLOSED});
  EXPECT_TRUE(is_erased(0));
}

// A program that a power cut ended. The spare of its page is a separate codeword and may be good.
TEST_F(RecoveryTest, LostDataThatNothingFollowsIsATornPage) {
  dev.program(0, 7, 1, 1);
  dev.program(kSlots, 8, 2, 1);
  dev.program(kSlots + MockDevice::kDies, 7, 3, 1);
  dev.flash[kSlots + MockDevice::kDies].state = Page::kDataLost;
  dev.program(kSlots + 1, 9, 4, 1);  // another die's
  recover();
  EXPECT_EQ(dev.l2p(7), 0u) << "what was there before counts";
  EXPECT_EQ(dev.l2p(8), kSlots);
  EXPECT_EQ(dev.l2p(9), kSlots + 1);
}

// The spare of a page is good at the first read-retry level, its data at another one.
TEST_F(RecoveryTest, DataThatARetryGivesIsNotTorn) {
  fill(0, 0, 4, 0, 1);
  for (uint32_t die = 0; die < MockDevice::kDies; die++) {
    dev.program(kSlots + die, die, 10 + die, 1);
    dev.flash[kSlots + die].state = Page::kDataRetried;
  }
  dev.write_segment(9, 1, 0, 9, 1);
  dev.write_entry(9, 0, 1, 1, 2, 30, 20);
  dev.write_commit(20);
  recover();
  for (uint32_t lpn = 0; lpn < MockDevice::kDies; lpn++) EXPECT_EQ(dev.l2p(lpn), kSlots + lpn);
  EXPECT_EQ(dev.l2p(30), kSlots + 2) << "an entry for it counts, too";
}

TEST_F(RecoveryTest, TheLastPageOfABlockMayBeTornToo) {
  fill(0, 0, 1, 7, 1);
  fill(1, 0, kSlots, 20, 2);
  for (uint32_t page = 0; page < MockDevice::kPages; page++)
    dev.program(2 * kSlots + page * MockDevice::kDies, 7, 60 + page, 1);
  dev.flash[2 * kSlots + (MockDevice::kPages - 1) * MockDevice::kDies].state = Page::kDataLost;
  recover();
  EXPECT_EQ(dev.l2p(7), 2 * kSlots + (MockDevice::kPages - 2) * MockDevice::kDies);
}

// A victim whose erase was cut. Some of its slots can still be identified but not read.
TEST_F(RecoveryTest, OfTwoCopiesTheOneThatCanBeReadWins) {
  for (const bool first : {false, true}) {
    SCOPED_TRACE(first);
    const uint32_t lost = first ? 0 : kSlots, read = first ? kSlots : 0;
    MockDevice blank;
    dev.flash = blank.flash;
    dev.program(lost, 7, 5, 1);
    dev.program(lost + MockDevice::kDies, 8, 6, 1);
    dev.program(read, 7, 5, 1);
    dev.flash[lost].state = Page::kDataLost;
    recover();
    EXPECT_EQ(dev.l2p(7), read);
    dev.power_cycle();
  }
}

TEST_F(RecoveryTest, LostDataWhoseSpareIsRubbishIsATornPage) {
  dev.program(0, 7, 1, 1);
  dev.program(kSlots, 7, 2, 1);
  dev.flash[kSlots].state = Page::kDataLost;
  dev.flash[kSlots].oob[3] ^= 1;
  recover();
  EXPECT_EQ(dev.l2p(7), 0u);
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
  dev.write_checkpoint(20);
  dev.write_trims(0, 0, 0x0F, 20);
  dev.write_commit(30);
  dev.write_journal(3, 7, 1, 15);  // older than the checkpoint: the bitmap says all about it
  recover();
  for (uint32_t lpn : {0u, 1u, 2u}) EXPECT_EQ(dev.l2p(lpn), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(3), kSlots);
  EXPECT_EQ(dev.l2p(7), 7u);
}

// Power went between the pointer of a region and that of the checkpoint: the journal's records count again.
TEST_F(RecoveryTest, APointerOfARegionMayBeNewerThanTheCheckpoint) {
  fill(0, 0, 8, 0, 1);
  fill(1, 0, 1, 3, 40);
  dev.write_checkpoint(20);
  dev.write_trims(1, 0, 0x07, 35);
  dev.write_commit(50);
  dev.write_journal(3, 0, 4, 30);
  recover();
  for (uint32_t lpn : {0u, 1u, 2u}) EXPECT_EQ(dev.l2p(lpn), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(3), kSlots) << "written after the trim";
  EXPECT_EQ(dev.l2p(4), 4u);
  EXPECT_GT(dev.seq, 50u);
}

// What a region's pointer says is of events up to its seq, not up to the checkpoint's.
TEST_F(RecoveryTest, AnOldPointerOfARegionSaysNothingOfLaterWrites) {
  fill(0, 0, 8, 0, 11);
  dev.write_checkpoint(40);
  dev.write_trims(0, 0, 0x0F, 12);
  dev.write_commit(50);
  recover();
  EXPECT_EQ(dev.l2p(0), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(1), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(2), 2u);
  EXPECT_EQ(dev.l2p(3), 3u);
}

class LongRecoveryTest : public RecoveryTest {
 protected:
  void SetUp() override {
    dev.make_long();
    RecoveryTest::SetUp();
  }
};

// Two regions, of which the first has the larger seq.
TEST_F(LongRecoveryTest, EachRegionCountsUpToItsOwnSeq) {
  constexpr uint32_t kSecond = ORM_TRIM_WORD_LPNS * ORM_TRIM_REGION_WORDS;
  fill(0, 0, 2, 0, 60);
  fill(1, 0, 2, kSecond, 50);
  dev.write_checkpoint(40);
  dev.write_commit(70);
  dev.write_trims(0, 0, 0x1, 100);
  dev.write_trims(1, kSecond, 0x1, 12);
  recover();
  EXPECT_EQ(dev.l2p(0), ORM_UNMAPPED) << "60 is before 100";
  EXPECT_EQ(dev.l2p(1), 1u);
  EXPECT_EQ(dev.l2p(kSecond), kSlots) << "50 is behind 12";
  EXPECT_EQ(dev.l2p(kSecond + 1), kSlots + 1);
}

// A start that was cut has seen a larger seq than any that is left, and has written it into a pointer.
TEST_F(RecoveryTest, SeqsGoOnBehindThatOfAPointer) {
  fill(0, 0, 2, 0, 1);
  dev.write_trims(0, 0, 0x4, 500);
  dev.write_commit(10);
  recover();
  EXPECT_GT(dev.seq, 500u);
}

TEST_F(RecoveryTest, ARegionWithoutUnmappedPagesKeepsItsPointer) {
  const uint32_t nsze = format_blank();
  dev.write_commit(2000);
  for (uint32_t lpn = 0; lpn < nsze; lpn++) dev.program(lpn, lpn, 1 + lpn, 1);
  recover();
  EXPECT_EQ(dev.trim_pointer(0).seq, 0u);
  EXPECT_EQ(dev.l2p(nsze - 1), nsze - 1);
  // Damage is mended all the same.
  dev.power_cycle();
  dev.nvram[MockDevice::kNvTrimPointers] ^= 1;
  recover();
  EXPECT_NE(dev.trim_pointer(0).seq, 0u);
  for (uint32_t lpn = 0; lpn < nsze; lpn++) ASSERT_EQ(dev.l2p(lpn), lpn);
}

// The bitmap of an unused device is not filled with ones. On a large device that would be most of it.
TEST_F(RecoveryTest, ACheckpointMarksNothingWhereNothingHappened) {
  const auto marked = [this] {
    bool any = false;
    for (uint32_t lpn = 0; lpn < MockDevice::kLpns; lpn++) any = any || dev.trimmed(lpn);
    return any;
  };
  recover();
  EXPECT_FALSE(marked());
  dev.power_cycle();
  fill(0, 0, 1, 5, 1);
  recover();
  EXPECT_TRUE(marked()) << "LPN 5 was written: those beside it are marked as before";
}

TEST_F(RecoveryTest, ACheckpointMarksAllThatIsUnmappedWhenAPageCannotBeRead) {
  fill(0, 0, 2, 5, 3);
  dev.flash[0].state = dev.flash[1].state = Page::kTorn;
  dev.write_commit(10);
  recover();
  EXPECT_EQ(dev.l2p(5), ORM_UNMAPPED);
  dev.power_cycle();
  fill(1, 0, 1, 5, 3);  // what was unreadable is back; as a superblock of its own, since the torn one was erased
  recover();
  EXPECT_EQ(dev.l2p(5), ORM_UNMAPPED) << "gone once, gone for good";
}

// Its spare could not be read at the first start, so its seq was not known. At the second start it is: what was
// acknowledged between the two is newer all the same.
TEST_F(RecoveryTest, APageThatCanBeReadAgainDoesNotBeatWhatWasWrittenSince) {
  dev.program(0, 5, 10, 1);
  dev.program(1, 5, 20, 1);
  dev.flash[1].state = Page::kTorn;
  recover();
  ASSERT_EQ(dev.l2p(5), 0u);
  EXPECT_EQ(dev.seq, 11u + RECOVERY_SEQ_MARGIN);
  dev.program(kSlots, 5, dev.seq, 1);
  dev.write_segment(9, 0, 0, 9, 1);
  dev.write_entry(9, 0, 0, 1, 0, 6, dev.seq + 1);
  dev.write_commit(dev.seq + 1);
  dev.power_cycle();
  dev.flash[1].state = Page::kGood;
  recover();
  EXPECT_EQ(dev.l2p(5), kSlots);
  EXPECT_EQ(dev.l2p(6), 0u);
  EXPECT_EQ(dev.seq, 13u + RECOVERY_SEQ_MARGIN) << "nothing is unseen any more";
}

// A power cut in a start repeats it: no pointer that the first one wrote keeps the second one from going as far.
TEST_F(RecoveryTest, AStartThatIsCutGoesPastUnseenSeqsAgain) {
  dev.program(0, 5, 10, 1);
  dev.program(1, 7, 20, 1);
  dev.flash[1].state = Page::kTorn;
  const int cuts = cut_everywhere([] {},
                                  [this](int cut) {
                                    SCOPED_TRACE(cut);
                                    EXPECT_GT(dev.seq, 10u + RECOVERY_SEQ_MARGIN);
                                    EXPECT_EQ(dev.l2p(5), 0u);
                                    EXPECT_EQ(dev.l2p(7), ORM_UNMAPPED);
                                  });
  EXPECT_GT(cuts, 2);
}

TEST_F(RecoveryTest, OpenSuperblockIsClosedAfterACut) {
  fill(0, 0, 6, 0, 1);
  recover();
  EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_CLOSED});
  EXPECT_TRUE(dev.restores.empty());
}

class ShutdownTest : public RecoveryTest {};

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

// Damage that is told of makes the saved state one of no clean shutdown, before superblocks are settled.
TEST_F(ShutdownTest, OpenSuperblocksAreFilledOnAlsoAfterDamage) {
  shut_down({0});
  fill(0, 0, 6, 0, 10);
  dev.write_checkpoint(5);
  dev.write_trims(0, 0, uint64_t{1} << 14, 5);
  dev.nvram[MockDevice::kNvBitmap] ^= 1;
  recover();
  EXPECT_EQ(fw_->state.damaged[DAMAGE_WORD], 1u);
  EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_OPEN});
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

// Nothing tore its last page: reads of it fail, older data does not come back.
TEST_F(ShutdownTest, TheLastPageOfAnOpenOneIsNotTorn) {
  fill(0, 0, 1, 7, 1);
  shut_down({1});
  dev.program(kSlots, 7, 20, 1);
  dev.program(kSlots + 1, 8, 21, 1);
  dev.flash[kSlots].state = Page::kDataLost;
  recover();
  EXPECT_EQ(dev.l2p(7), kSlots);
  EXPECT_EQ(dev.l2p(8), kSlots + 1);
  EXPECT_EQ(state(1), uint32_t{ORM_SB_STATE_OPEN});
}

// That of another one may be, by a cut before the shutdown.
TEST_F(ShutdownTest, TheLastPageOfAClosedOneMayBeTorn) {
  fill(0, 0, 1, 7, 1);
  dev.program(kSlots, 7, 20, 1);
  dev.program(kSlots + 1, 8, 21, 1);
  dev.flash[kSlots].state = Page::kDataLost;
  shut_down({});
  recover();
  EXPECT_EQ(dev.l2p(7), 0u);
  EXPECT_EQ(dev.l2p(8), kSlots + 1);
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

// The power cycle forgets that a program failed, but the page itself still shows it. Its sharers are dropped with it.
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

// A record may cover more pages than one poll handles.
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

}  // namespace
}  // namespace orm_test
