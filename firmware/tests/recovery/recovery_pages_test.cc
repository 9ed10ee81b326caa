// SPDX-License-Identifier: Apache-2.0
// Recovery of flash pages of four slots, some of which only complete their page (padding).
#include "recovery/recovery_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kInPage = 4;
constexpr uint32_t kPadding = ORM_UNMAPPED;

class WideRecoveryTest : public RecoveryTest {
 protected:
  WideRecoveryTest() { dev.make_wide(); }

  // Page `page` of superblock `sb`, in the order of programming, with these LPNs and seqs from `seq` on.
  void page(uint32_t sb, uint32_t page, std::initializer_list<uint32_t> lpns, uint64_t seq,
            uint8_t stream = ORM_STREAM_HOST) {
    uint32_t slot = sb * kSlots + page * kInPage;
    for (uint32_t lpn : lpns) {
      dev.program(slot, lpn, lpn == kPadding ? 0 : seq++, 1, stream);
      slot++;
    }
  }
  void tear(uint32_t sb, uint32_t page) {
    for (uint32_t i = 0; i < kInPage; i++) dev.flash[sb * kSlots + page * kInPage + i].state = Page::kTorn;
  }
};

TEST_F(WideRecoveryTest, SlotsOfAllDiesAndPagesAreFound) {
  fill(0, 0, kSlots, 0, 1);
  page(1, 0, {3, 5, 7, 9}, 40);
  recover();
  for (uint32_t lpn = 0; lpn < kSlots; lpn++) {
    const bool newer = lpn % 2 == 1 && lpn >= 3 && lpn <= 9;
    EXPECT_EQ(dev.l2p(lpn), newer ? kSlots + (lpn - 3) / 2 : lpn);
  }
  EXPECT_EQ(dev.sb[0].valid, kSlots - 4);
  EXPECT_EQ(dev.seq, 44u);
}

TEST_F(WideRecoveryTest, PaddingIsGoodAndNamesNobody) {
  page(0, 0, {20, 21, kPadding, kPadding}, 7);
  page(0, 1, {22, kPadding, kPadding, kPadding}, 9);
  recover();
  EXPECT_EQ(dev.l2p(20), 0u);
  EXPECT_EQ(dev.l2p(21), 1u);
  EXPECT_EQ(dev.l2p(22), kInPage);
  EXPECT_EQ(dev.sb[0].valid, 3u);
  EXPECT_EQ(dev.seq, 10u) << "its seq of 0 is no event";
  EXPECT_EQ(dev.ref(2), 0);
  EXPECT_EQ(state(0), uint32_t{ORM_SB_STATE_CLOSED});
}

TEST_F(WideRecoveryTest, ASuperblockOfNothingButPaddingIsErased) {
  page(0, 0, {kPadding, kPadding, kPadding, kPadding}, 0);
  recover();
  EXPECT_TRUE(is_erased(0));
  EXPECT_EQ(dev.sb[0].gen, 2u);
}

TEST_F(WideRecoveryTest, ATornPageLosesAllItsSlotsAndNoOthers) {
  fill(0, 0, kSlots, 0, 1);
  page(1, 0, {0, 1, 2, 3}, 40);
  page(1, 1, {4, 5, 6, 7}, 44);
  page(1, 2, {8, 9, 10, 11}, 48);
  tear(1, 0);
  recover();
  for (uint32_t lpn = 0; lpn < 4; lpn++) EXPECT_EQ(dev.l2p(lpn), lpn) << "the older data";
  for (uint32_t lpn = 4; lpn < 12; lpn++) EXPECT_EQ(dev.l2p(lpn), kSlots + lpn);
}

// Spares of a page that a power cut has torn may be good. If a slot can be read, the page was programmed.
TEST_F(WideRecoveryTest, APageWhoseDataIsAllLostIsTornWhenNothingFollows) {
  for (const uint32_t lost : {1u, kInPage}) {
    SCOPED_TRACE(lost);
    const auto nvram = dev.nvram;
    fill(0, 0, kSlots, 0, 1);
    page(1, 0, {0, 1, 2, 3}, 40);
    page(1, 2, {4, 5, 6, 7}, 44);  // the same die's next page
    for (uint32_t i = 0; i < lost; i++) dev.flash[kSlots + 2 * kInPage + kInPage - 1 - i].state = Page::kDataLost;
    dev.flash[kSlots + 3].state = Page::kDataLost;  // something follows
    recover();
    EXPECT_EQ(dev.l2p(3), kSlots + 3);
    EXPECT_EQ(dev.l2p(7), lost == 1 ? kSlots + 2 * kInPage + 3 : 7) << "or the older data";
    EXPECT_EQ(dev.l2p(4), lost == 1 ? kSlots + 2 * kInPage : 4);
    EXPECT_EQ(dev.seq, 48u) << "no seq is used again";
    dev.power_cycle();
    dev.nvram = nvram;
    for (uint32_t slot = kSlots; slot < 2 * kSlots; slot++) dev.flash[slot].state = Page::kErased;
  }
}

// Die 0 has pages 0 and 2, die 1 has 1 and 3. The first erased page ends only its die's block.
TEST_F(WideRecoveryTest, AnErasedPageEndsItsDieOnly) {
  page(0, 1, {4, 5, 6, 7}, 1);
  page(0, 3, {8, 9, 10, kPadding}, 5);
  recover();
  for (uint32_t lpn = 4; lpn < 8; lpn++) EXPECT_EQ(dev.l2p(lpn), lpn);
  for (uint32_t lpn = 8; lpn < 11; lpn++) EXPECT_EQ(dev.l2p(lpn), lpn + 4);
  EXPECT_EQ(dev.sb[0].valid, 7u);
}

TEST_F(WideRecoveryTest, SuperblocksAreFilledOnAtAPage) {
  shut_down({0, 1});
  page(0, 0, {0, 1, 2, 3}, 1);
  page(0, 1, {4, kPadding, kPadding, kPadding}, 5);
  page(1, 0, {20, 21, kPadding, kPadding}, 9, ORM_STREAM_GC);
  recover();
  ASSERT_EQ(dev.restores.size(), 2u);
  EXPECT_EQ(dev.restores[0], ORM_PUT(ORM_FW_ALLOC_RESTORE_SB, 0) | ORM_PUT(ORM_FW_ALLOC_RESTORE_NEXT, 8));
  EXPECT_EQ(dev.restores[1], ORM_PUT(ORM_FW_ALLOC_RESTORE_SB, 1) | ORM_PUT(ORM_FW_ALLOC_RESTORE_NEXT, 4) |
                                 ORM_PUT(ORM_FW_ALLOC_RESTORE_STREAM, ORM_STREAM_GC));
}

TEST_F(WideRecoveryTest, UnevenOnesAreClosed) {
  shut_down({0, 1, 2});
  page(0, 0, {0, 1, 2, 3}, 1);  // part of a page, which no hardware leaves
  dev.program(kInPage, 4, 5, 1);
  page(1, 0, {20, 21, 22, 23}, 9);
  page(1, 1, {24, 25, 26, 27}, 13);
  tear(1, 1);
  page(2, 1, {30, 31, 32, 33}, 17);  // a gap
  recover();
  EXPECT_TRUE(dev.restores.empty());
  for (uint32_t sb : {0u, 1u, 2u}) EXPECT_EQ(state(sb), uint32_t{ORM_SB_STATE_CLOSED}) << sb;
}

TEST_F(WideRecoveryTest, EntriesCountWithTheSlotTheyName) {
  page(0, 0, {0, 1, 2, 3}, 1);
  page(0, 1, {4, kPadding, kPadding, kPadding}, 5);
  dev.write_segment(9, 0, 0, 9, 1);
  dev.write_entry(9, 0, 0, 1, 4, 30, 6);
  dev.write_entry(9, 1, 0, 1, 9, 31, 7);  // of a page that was not programmed
  dev.write_commit(7);
  recover();
  EXPECT_EQ(dev.l2p(30), 4u);
  EXPECT_EQ(dev.ref(4), 2);
  EXPECT_EQ(dev.l2p(31), ORM_UNMAPPED);
}

TEST_F(WideRecoveryTest, AVictimWithPaddingIsIntact) {
  fill(0, 0, 12, 0, 1);
  page(0, 3, {12, 13, kPadding, kPadding}, 13);
  intent(0, 1, kSlots);
  fill(1, 0, 4, 0, 1, ORM_STREAM_GC);
  recover();
  for (uint32_t lpn = 0; lpn < 14; lpn++) EXPECT_EQ(dev.l2p(lpn), lpn);
  EXPECT_TRUE(is_erased(1)) << "nothing is live in the target of an unfinished collection";
}

TEST_F(WideRecoveryTest, AVictimWithABlockErasedIsNot) {
  fill(5, 0, kSlots, 0, 1);
  intent(5, 1, kSlots);
  for (uint32_t i = 0; i < kSlots; i++) {
    if (dev.die_of(i) == 1) dev.flash[5 * kSlots + i] = Slot{};
  }
  fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
  recover();
  for (uint32_t lpn = 0; lpn < kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), 6 * kSlots + lpn);
  EXPECT_TRUE(was_erased(5));
  EXPECT_TRUE(is_erased(5));
}

}  // namespace
}  // namespace orm_test
