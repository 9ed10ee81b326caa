// SPDX-License-Identifier: Apache-2.0
// Recovery of remap table chains, and of the traces of unfinished collections in them.
#include <random>

#include "recovery/recovery_fixture.h"
#include "test_seed.h"

namespace orm_test {
namespace {

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

// A power cut in a compaction: two chains of one superblock, and the block's record says which one counts.
class CompactionCutTest : public RecoveryTest {
 protected:
  void recover_with(uint16_t epoch) {
    fill(0, 0, 4, 0, 1);
    dev.write_segment(3, 0, 0, 3, 1, 7);
    dev.write_segment(8, 0, 1, 3, 1, 7);
    dev.write_segment(4, 0, 0, 4, 1, 8);
    dev.write_entry(3, 0, 0, 1, 1, 20, 20, 7);
    dev.write_entry(8, 0, 0, 1, 2, 21, 21, 7);
    dev.write_entry(4, 0, 0, 1, 2, 21, 21, 8);
    dev.write_entry(4, 1, 0, 1, 1, 22, 19, 7);  // what a segment's last owner left in it
    dev.write_block(0, 1, epoch);
    dev.write_commit(50);
    recover();
    EXPECT_EQ(dev.sb[0].epoch, epoch);
    EXPECT_EQ(dev.chains[0].fill, 1u);
    EXPECT_EQ(dev.l2p(21), 2u);
    EXPECT_EQ(dev.l2p(22), ORM_UNMAPPED);
    EXPECT_EQ(dev.free_segments.size(), MockDevice::kSegments - dev.chains[0].count);
  }
};

TEST_F(CompactionCutTest, BeforeTheRecordTheOldChainCounts) {
  recover_with(7);
  EXPECT_EQ(dev.chains[0].count, 2u);
  EXPECT_EQ(dev.chains[0].tail, 8u);
  EXPECT_EQ(dev.l2p(20), 1u);
}

TEST_F(CompactionCutTest, AfterTheRecordTheNewOneDoes) {
  recover_with(8);
  EXPECT_EQ(dev.chains[0].count, 1u);
  EXPECT_EQ(dev.chains[0].tail, 4u);
  EXPECT_EQ(dev.l2p(20), ORM_UNMAPPED) << "stale entries are gone with their chain";
}

// The compaction that a cut ended left segments of the next epoch, which the next compaction uses again.
class InterruptedCompactionTest : public RecoveryTest {
 protected:
  uint64_t base_ = 0;  // of all seqs: an earlier history's are below

  // Epoch 7 counts; `left` has what the interrupted one wrote.
  void cut_once(std::initializer_list<uint32_t> left) {
    fill(0, 0, 8, 0, 1);
    dev.write_segment(20, 0, 0, 20, 1, 7);
    dev.write_entry(20, 0, 0, 1, 1, 30, base_ + 20, 7);
    uint32_t index = 0, prev = *left.begin();
    for (uint32_t seg : left) {
      dev.write_segment(seg, 0, index, prev, 1, 8);
      for (uint32_t i = 0; i < 4; i++) dev.write_entry(seg, i, 0, 1, 1, 30, base_ + 20, 8);
      prev = seg;
      index++;
    }
    dev.write_block(0, 1, 7);
    dev.write_commit(base_ + 50);
    recover();
    EXPECT_EQ(dev.chains[0].tail, 20u);
    EXPECT_EQ(dev.free_segments.size(), MockDevice::kSegments - 1);
    dev.power_cycle();
  }
  // The next one comes to its end, and a remap follows it.
  void compact_and_remap(uint32_t seg) {
    dev.write_segment(seg, 0, 0, seg, 1, 8);
    dev.write_entry(seg, 0, 0, 1, 1, 30, base_ + 20, 8);
    dev.write_entry(seg, 1, 0, 1, 2, 31, base_ + 55, 8);
    dev.write_block(0, 1, 8);
    dev.write_commit(base_ + 60);
    recover();
    ASSERT_EQ(dev.chains[0].count, 1u);
    EXPECT_EQ(dev.chains[0].tail, seg);
    EXPECT_EQ(dev.chains[0].fill, 2u) << "nothing that the interrupted one wrote counts";
    EXPECT_EQ(dev.l2p(30), 1u);
    EXPECT_EQ(dev.l2p(31), 2u) << "an acknowledged remap is gone";
  }
};

TEST_F(InterruptedCompactionTest, ALongerChainOfItsDoesNotCount) {
  cut_once({4, 5});
  compact_and_remap(12);
}

TEST_F(InterruptedCompactionTest, AnEquallyLongOneInALowerSegmentDoesNot) {
  cut_once({4});
  compact_and_remap(12);
}

TEST_F(InterruptedCompactionTest, ASecondSegmentOfItsThatFollowsTheNewFirstOneDoesNot) {
  cut_once({4, 5});
  compact_and_remap(4);
}

// Power is cut at each write of recovery's clean-up.
TEST_F(InterruptedCompactionTest, CutsWhileRecoveryClearsUp) {
  for (uint32_t after = 0; after < 40; after++) {
    base_ += 100;
    fill(0, 0, 8, 0, 1);
    dev.write_segment(20, 0, 0, 20, 1, 7);
    dev.write_entry(20, 0, 0, 1, 1, 30, base_ + 20, 7);
    dev.write_segment(4, 0, 0, 4, 1, 8);
    for (uint32_t i = 0; i < 4; i++) dev.write_entry(4, i, 0, 1, 1, 30, base_ + 20, 8);
    dev.write_block(0, 1, 7);
    dev.write_commit(base_ + 50);
    uint32_t writes = 0;
    std::vector<uint8_t> cut;
    dev.on_nvram_write = [&] {
      if (writes++ == after) cut = dev.nvram;
    };
    recover();
    dev.on_nvram_write = nullptr;
    if (cut.empty()) break;
    dev.power_cycle();
    dev.nvram = cut;
    recover();
    dev.power_cycle();
    compact_and_remap(12);
    dev.power_cycle();
    std::fill_n(&dev.nvram[MockDevice::kNvSegments], MockDevice::kSegments * MockDevice::kSegBytes, uint8_t{0});
  }
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

// A power cut lost the header of a new segment and left entries that were written with it. The superblock gets the same
// segment again.
TEST_F(RecoveryTest, EntriesWithoutTheirHeaderNeverCount) {
  const auto nvram = dev.nvram;
  const auto flash = dev.flash;
  for (const bool stale : {false, true}) {
    SCOPED_TRACE(stale);
    dev.nvram = nvram;
    dev.flash = flash;
    fill(0, 0, 4, 0, 1);
    if (stale) dev.write_segment(3, 5, 0, 3, 7);  // the header of the segment's last life
    if (stale) dev.write_entry(3, 20, 5, 7, 1, 60, 2);
    for (uint32_t i = 0; i < 3; i++) dev.write_entry(3, i, 0, 1, i, 20 + i, 11 + i);
    dev.write_commit(10);
    recover();
    EXPECT_EQ(dev.free_segments.size(), MockDevice::kSegments);
    dev.power_cycle();
    dev.write_segment(3, 0, 0, 3, 1);
    dev.write_entry(3, 0, 0, 1, 3, 30, 11);
    dev.write_commit(40);
    recover();
    EXPECT_EQ(dev.l2p(30), 3u);
    for (uint32_t lpn : {20u, 21u, 22u}) EXPECT_EQ(dev.l2p(lpn), ORM_UNMAPPED);
    EXPECT_EQ(dev.chains[0].fill, 1u);
    dev.power_cycle();
  }
}

// Entries that an unfinished collection left in a chain that stays in use are removed again.
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

// Power is cut again and again in the middle of a collection. The next start must have as much room, however far the
// collection got.
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
  std::mt19937 rng(static_cast<uint32_t>(openremap::TestSeed()));
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

}  // namespace
}  // namespace orm_test
