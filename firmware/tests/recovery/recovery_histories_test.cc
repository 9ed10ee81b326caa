// SPDX-License-Identifier: Apache-2.0
// Recovery after random histories, with power cuts during recovery.
#include <random>

#include "recovery/recovery_fixture.h"
#include "test_seed.h"

namespace orm_test {
namespace {

// Power is cut before each NVRAM write of a recovery. The mapping and the number of free superblocks must always be the
// same in the end.
class RecoveryCutTest : public RecoveryTest {
 protected:
  // Compares with a recovery without a cut; the answer is how many cuts there were.
  int same_everywhere(uint32_t lpns) {
    std::vector<uint32_t> expected;
    size_t free = 0;
    return cut_everywhere(
        [&] {
          for (uint32_t lpn = 0; lpn < lpns; lpn++) expected.push_back(dev.l2p(lpn));
          free = dev.free_list.size();
        },
        [&](int cut) {
          for (uint32_t lpn = 0; lpn < lpns; lpn++)
            EXPECT_EQ(dev.l2p(lpn), expected[lpn]) << "cut " << cut << " lpn " << lpn;
          EXPECT_EQ(dev.free_list.size(), free) << "cut " << cut;
        });
  }
};

// Programs in it had failed. It is erased, and its next generation may be recorded, but not that it is bad. So it is
// used again.
TEST_F(RecoveryCutTest, AVictimThatWasToBeRetired) {
  for (const bool recorded : {false, true}) {
    format_blank();
    if (recorded) dev.write_block(5, 2);
    intent(5, 1, kSlots);
    fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
    EXPECT_GT(same_everywhere(kSlots), 2);
    EXPECT_EQ(dev.l2p(0), 6 * kSlots);
    EXPECT_TRUE(is_erased(5));
    EXPECT_EQ(dev.sb[5].gen, 2u);
    EXPECT_EQ(state(5), uint32_t{ORM_SB_STATE_FREE});
    dev.power_cycle();
  }
}

// Power is cut during recovery from a collection of two victims. One victim is half erased; recovery erases the two
// superblocks that hold the copies of the other one.
TEST_F(RecoveryCutTest, TwoVictims) {
  for (uint32_t place : {0u, 1u}) {
    format_blank();
    fill(9, 0, kSlots, 0, 1);
    intent(9, 1, kSlots, place);
    for (uint32_t i = 0; i < 4; i++) dev.flash[9 * kSlots + 4 * i] = Slot{};
    fill(8, 0, kSlots, 50, 101);
    intent(8, 1, kSlots, 1 - place);
    fill(1, 0, kSlots, 0, 1, ORM_STREAM_GC);     // the first one's copies
    fill(2, 0, kSlots, 50, 101, ORM_STREAM_GC);  // the second one's
    fill(4, 0, 3, 55, 106, ORM_STREAM_GC);
    dev.write_segment(3, 8, 0, 3, 1);
    dev.write_entry(3, 0, 8, 1, 2, 90, 300);  // a sharer of the second one's
    dev.write_segment(5, 2, 0, 5, 1);
    dev.write_entry(5, 0, 2, 1, 2, 90, 300);
    dev.write_commit(400);
    EXPECT_GT(same_everywhere(100), 20);
    EXPECT_EQ(dev.l2p(0), kSlots);
    EXPECT_EQ(dev.l2p(50), 8 * kSlots);
    EXPECT_EQ(dev.l2p(90), 8 * kSlots + 2);
    dev.power_cycle();
  }
}

TEST_F(RecoveryCutTest, History) {
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
  EXPECT_GT(same_everywhere(100), 20);
  EXPECT_EQ(dev.l2p(71), 1u);
  EXPECT_EQ(dev.l2p(70), ORM_UNMAPPED);
}

// Random histories against the rule "the event with the largest seq wins".
TEST_F(RecoveryTest, RandomHistories) {
  for (uint32_t history = 0; history < 30; history++) {
    SCOPED_TRACE("history " + std::to_string(history));
    std::mt19937 rng(static_cast<uint32_t>(openremap::TestSeed() * 1000003 + history));
    const uint32_t nsze = format_blank();
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
