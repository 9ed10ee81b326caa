// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "gc/segment_reclaim.h"
}

#include "gc/gc_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kFull = ORM_PUT(ORM_FW_REMAP_STATUS_RESULT, ORM_REMAP_RESULT_NVRAM_FULL);

class SegmentReclaimTest : public GcTest {};

TEST_F(SegmentReclaimTest, ChainsAreCompactedBeforeAnythingIsCollectedForSegments) {
  closed(3, 5);
  dev.sb[4] = {1, 9, ORM_SB_STATE_OPEN};  // data that stays where it is may still be written to
  dev.chains[3] = {2, 0, 1};
  dev.chains[4] = {3, 2, 1};
  dev.chains[5] = {1, 6, 1};
  dev.stale = {{3, 1}, {5, 1}};
  dev.free_segments.resize(5);  // 4 are GC's, an eighth of the other 28 is 3
  nvme_submission_entry e = remap();
  EXPECT_EQ(run(1, e).status, 0);
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{4, 3, 5})) << "longest first, until segments are no longer short";
  EXPECT_TRUE(dev.victims.empty());
  settle();
  EXPECT_EQ(dev.compactions.size(), 3u);
  EXPECT_EQ(dev.free_segments.size(), 7u);
}

TEST_F(SegmentReclaimTest, ChainsThatAllHaveBeenLookedAtAreLookedAtAgain) {
  dev.sb[4] = {1, 9, ORM_SB_STATE_OPEN};
  dev.chains[4] = {3, 2, 1};
  dev.free_segments.resize(5);
  EXPECT_EQ(run(1, remap()).status, 0);
  settle();
  dev.stale[4] = 2;
  for (uint32_t i = 1; i < FW_GC_FRUITLESS; i++) EXPECT_EQ(run(1, remap()).status, 0);
  EXPECT_EQ(dev.compactions, std::vector<uint32_t>{4}) << "not for every remap when there was nothing to be had";
  EXPECT_EQ(run(1, remap()).status, 0);
  settle();
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{4, 4}));
  EXPECT_EQ(dev.free_segments.size(), 7u);
}

// Remaps end without firmware. Firmware is told of those that leave few segments, and counts them with its own.
TEST_F(SegmentReclaimTest, RemapsOfTheHardwareMakeChainsGrowToo) {
  EXPECT_EQ(dev.reg[ORM_FW_SEG_LOW], 4u + 28u / 8u) << "GC's, and an eighth of the others";
  dev.sb[4] = {1, 9, ORM_SB_STATE_OPEN};
  dev.chains[4] = {3, 2, 1};
  dev.stale[4] = 2;
  dev.free_segments.resize(5);
  settle();
  EXPECT_TRUE(dev.compactions.empty()) << "nothing has happened";
  dev.counters[ORM_COUNTER_REMAPS_BY_HARDWARE]++;
  dev.irq_events |= ORM_FW_IRQ_STATUS_SEG_LOW_MASK;
  EXPECT_TRUE(dev.irq());
  settle();
  EXPECT_EQ(dev.compactions, std::vector<uint32_t>{4});
  EXPECT_EQ(dev.free_segments.size(), 7u);
  EXPECT_FALSE(dev.irq());
}

TEST_F(SegmentReclaimTest, RemapThatFindsNoRoomHasAllChainsLookedAtAgain) {
  dev.sb[4] = dev.sb[3] = {1, 9, ORM_SB_STATE_OPEN};
  dev.chains[4] = {3, 2, 1};
  dev.chains[3] = {2, 6, 1};
  dev.stale[3] = 1;
  dev.free_segments.resize(6);
  EXPECT_EQ(run(1, remap()).status, 0);
  settle();
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{4, 3}));
  dev.stale[4] = 2;
  dev.remap_results = {kFull};
  EXPECT_EQ(run(1, remap()).status, 0);
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{4, 3, 4, 3})) << "longest first, each once";
}

TEST_F(SegmentReclaimTest, RemapThatFindsNoRoomMayLackItInAnyChain) {
  for (uint32_t sb = 0; sb < 6; sb++) {
    dev.chains[sb] = {9 - sb, 2 * sb, 1};
    dev.stale[sb] = 1;
  }
  dev.remap_results = {kFull};
  EXPECT_EQ(run(1, remap()).status, 0);
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}))
      << "there are segments enough: it is the place in one chain that it lacks";
}

TEST_F(SegmentReclaimTest, RemapThatStillFindsNoRoomHasASuperblockCollected) {
  closed(7, 3);
  dev.chains[7] = {3, 4, 1};
  dev.stale[7] = 1;
  dev.destage_outcome[7] = ORM_FW_GC_STATUS_REFUSED_MASK;
  dev.hold_gc = false;
  dev.remap_results = {kFull, kFull};
  EXPECT_EQ(run(1, remap()).status, 0);
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{7, 7}));
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{7});
}

// The remap is answered when the victims under way have ended, even if more victims are needed.
TEST_F(SegmentReclaimTest, RemapThatFindsNoRoomGoesOnBesideCollections) {
  for (uint32_t sb = 4; sb < 12; sb++) {
    closed(sb, 5);
    dev.chains[sb] = {2, 2 * sb, 1};
    dev.destage_outcome[sb] = ORM_FW_GC_STATUS_REFUSED_MASK;
  }
  dev.free_list = {0, 1};
  dev.remap_results = {kFull, kFull};
  settle();
  ASSERT_EQ(dev.victims.size(), 1u);
  const size_t before = dev.completions.size();
  dev.mailbox.emplace_back(1, remap());
  settle();
  size_t collections = 0;
  for (; dev.completions.size() == before && collections < 30; collections++) {
    hand_over();
    const uint32_t victim = dev.victims.front();
    dev.release_gc();
    dev.free_list.pop_back();  // it is filled with the copies
    closed(victim, 5, dev.sb[victim].gen);
    dev.victims.erase(dev.victims.begin());
    settle();
  }
  EXPECT_EQ(dev.completions.size(), before + 1) << "it need not be good: nothing was to be had";
  EXPECT_LE(collections, 4u);
}

TEST_F(SegmentReclaimTest, NotEveryChainIsReadForOneRemap) {
  for (uint32_t sb = 0; sb < 12; sb++) dev.chains[sb] = {2, 2 * sb, 1};
  closed(7, 3);
  dev.free_segments.resize(5);
  EXPECT_EQ(run(1, remap()).status, 0);
  settle();
  EXPECT_EQ(dev.compactions.size(), 8u);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{7});
  dev.release_gc();
  for (uint32_t i = 0; i < FW_GC_FRUITLESS; i++) EXPECT_EQ(run(1, remap()).status, 0);
  settle();
  EXPECT_EQ(dev.compactions.size(), 12u) << "the pass goes on with the other chains";
}

TEST_F(SegmentReclaimTest, LongestChainIsCollectedWhenNoneHasAnythingStale) {
  closed(3, 5);
  closed(4, 9);
  dev.chains[3] = {1, 0, 1};
  dev.chains[4] = {2, 2, 1};
  nvme_submission_entry e = remap();
  EXPECT_EQ(run(1, e).status, 0);
  EXPECT_TRUE(dev.victims.empty());
  dev.free_segments.resize(6);  // 4 are GC's, an eighth of the other 28 is 3
  EXPECT_EQ(run(1, e).status, 0);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{4});
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.victims.size(), 1u) << "once for each remap";
  EXPECT_EQ(dev.compactions, (std::vector<uint32_t>{4, 3}));
}

}  // namespace
}  // namespace orm_test
