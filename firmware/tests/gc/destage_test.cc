// SPDX-License-Identifier: Apache-2.0
// Which chains are destaged to flash, and when: after compactions, before a collection.
extern "C" {
#include "gc/destage.h"

#include "gc/gc.h"
}

#include <algorithm>

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kFull = ORM_PUT(ORM_FW_REMAP_STATUS_RESULT, ORM_REMAP_RESULT_NVRAM_FULL);
constexpr uint32_t kShort = 6;  // free segments: 4 are GC's, an eighth of the other 28 is 3
using Superblocks = std::vector<uint32_t>;

class DestageTest : public FwTest {
 protected:
  void SetUp() override { boot_enabled(); }

  void chain(uint32_t sb, uint32_t segments) {
    dev.sb[sb] = {1, 9, ORM_SB_STATE_CLOSED};
    dev.chains[sb] = {segments, 2 * sb, 1};
  }

  static uint32_t destaged(uint32_t slots, uint32_t segments = 1) {
    return ORM_PUT(ORM_FW_SB_DESTAGED_SET, 1) | ORM_PUT(ORM_FW_SB_DESTAGED_SLOTS, slots) |
           ORM_PUT(ORM_FW_SB_DESTAGED_SEGMENTS, segments);
  }

  uint16_t remap() {
    nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP, 1, 0);
    e.cdw12 = 10;
    e.cdw14 = 1;
    uint16_t status = sct_sc(run(1, e));
    settle();
    return status;
  }
  void remaps(uint32_t n) {
    for (uint32_t i = 0; i < n; i++) ASSERT_EQ(remap(), 0);
  }

  // A survey while segments are short, and then nothing until the next one is due.
  void survey() {
    dev.free_segments.resize(kShort);
    remaps(1);
    ASSERT_TRUE(dev.destagings.empty());
    remaps(FW_DESTAGE_SURVEY - 1);
    ASSERT_TRUE(dev.destagings.empty());
    ASSERT_TRUE(dev.victims.empty());
  }

  // Open ones are destaged, but not collected.
  void none_to_collect() { dev.sb[3].state = dev.sb[4].state = dev.sb[5].state = ORM_SB_STATE_OPEN; }

  uint64_t media_errors() {
    admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0, NVME_LOG_PAGE_SMART | 127u << 16));
    nvme_smart_log s;
    nvme_smart_log_unpack(&s, dev.host.data());
    return s.media_errors;
  }
};

// Entries that collections bring back to NVRAM for victims whose chains were destaged go to flash again, cold or not.
TEST_F(DestageTest, ACollectionBeginsWithGcsReserveWhole) {
  chain(3, 2);
  chain(4, 3);
  dev.sb[4].valid = 1;
  dev.free_segments.resize(MockDevice::kReserve - 1);
  dev.free_list = {0, 1, 2};
  dev.irq_events |= ORM_FW_IRQ_STATUS_FREE_LOW_MASK;
  dev.hold_gc = true;
  settle();
  EXPECT_EQ(dev.compactions, (Superblocks{4, 3})) << "first what is stale";
  EXPECT_EQ(dev.destagings, Superblocks{4}) << "until it is whole";
  EXPECT_GE(dev.free_segments.size(), MockDevice::kReserve);
  EXPECT_EQ(dev.victims, Superblocks{4});
  dev.release_gc();
  settle();
}

TEST_F(DestageTest, ForItsReserveGcGivesASuperblock) {
  chain(3, 2);
  chain(4, 3);
  dev.sb[4].valid = 1;
  dev.free_segments.resize(1);
  dev.free_list = {0, 1};
  ASSERT_EQ(FW_ALLOC_RESERVE, 2u);
  dev.hold_gc = true;
  settle();
  EXPECT_EQ(dev.destagings, Superblocks{4});
  EXPECT_EQ(dev.victims, Superblocks{3}) << "with what is free it is certain to fit";
  dev.release_gc();
  settle();
}

TEST_F(DestageTest, WithOneSuperblockFreeGcDestagesIntoTheOneThatItFills) {
  chain(3, 2);
  chain(4, 3);
  dev.sb[4].valid = 1;
  dev.free_segments.resize(1);
  dev.free_list = {0};
  dev.hold_gc = true;
  settle();
  EXPECT_TRUE(dev.destagings.empty()) << "it fills none";
  ASSERT_EQ(dev.victims, Superblocks{3}) << "the shortest chain is tried";
  dev.release_gc();
  settle();
}

TEST_F(DestageTest, ColdChainsGoLongestFirstUntilSegmentsAreNoLongerShort) {
  chain(3, 2);
  chain(4, 5);
  chain(5, 3);
  none_to_collect();
  survey();
  dev.compactions.clear();
  dev.free_segments.resize(1);
  remaps(1);
  EXPECT_EQ(dev.compactions, (Superblocks{4, 5, 3})) << "compactions first";
  EXPECT_EQ(dev.destagings, (Superblocks{4, 5}));
  EXPECT_EQ(dev.free_segments.size(), 9u);
  EXPECT_TRUE(dev.victims.empty());
}

TEST_F(DestageTest, AtMostFourInOneReclaim) {
  for (uint32_t sb = 0; sb < 6; sb++) chain(sb, 2);
  for (uint32_t sb = 0; sb < 6; sb++) dev.sb[sb].state = ORM_SB_STATE_OPEN;
  survey();
  dev.on_destage = [this] { dev.free_segments.resize(kShort); };
  remaps(1);
  EXPECT_EQ(dev.destagings.size(), FW_DESTAGE_MOST);
  remaps(1);
  EXPECT_EQ(dev.destagings.size(), 6u);
}

TEST_F(DestageTest, ChainThatHasGrownIsNotCold) {
  chain(3, 3);
  chain(4, 4);
  none_to_collect();
  survey();
  dev.chains[4].count++;
  remaps(1);
  EXPECT_EQ(dev.destagings, Superblocks{3});
  dev.free_segments.resize(kShort);
  dev.chains[4].count++;
  remaps(FW_DESTAGE_SURVEY);
  EXPECT_EQ(dev.destagings, Superblocks{3}) << "nor at the next survey";
  remaps(2 * FW_DESTAGE_SURVEY);
  EXPECT_EQ(dev.destagings, (Superblocks{3, 4})) << "it is now";
}

// Segment reclaims may follow each other from one remap to the next.
TEST_F(DestageTest, ShortTimeWithoutGrowthIsNotCold) {
  chain(3, 6);
  none_to_collect();
  dev.free_segments.resize(1);
  for (uint32_t i = 0; i + 1 < FW_DESTAGE_SURVEY; i++) {
    dev.stale[3] = i < 4 ? 1 : 0;  // gives something, but too little
    remaps(1);
    EXPECT_TRUE(dev.destagings.empty());
  }
}

TEST_F(DestageTest, ChainThatGrowsAfterItsSurveyIsNotColdAnyMore) {
  chain(3, 3);
  none_to_collect();
  survey();
  dev.destage_outcome[3] = ORM_FW_GC_STATUS_REFUSED_MASK;
  remaps(1);
  EXPECT_EQ(dev.destagings.size(), 1u);
  chain(4, 1);
  remaps(FW_DESTAGE_SURVEY + 1);
  EXPECT_EQ(dev.destagings.size(), 1u);
  chain(4, 5);
  remaps(FW_GC_FRUITLESS - 1);
  EXPECT_EQ(dev.destagings.size(), 1u);
}

TEST_F(DestageTest, OneSegmentIsTooShort) {
  chain(3, 1);
  survey();
  remaps(1);
  EXPECT_TRUE(dev.destagings.empty());
}

TEST_F(DestageTest, CompactionsThatGaveTooLittle) {
  chain(3, 3);
  chain(4, 4);
  none_to_collect();
  survey();
  dev.stale[3] = 1;
  dev.free_segments.resize(4);
  remaps(1);
  EXPECT_EQ(dev.free_segments.size(), 9u);
  EXPECT_EQ(dev.destagings, Superblocks{4});
}

TEST_F(DestageTest, CompactionsThatGaveEnough) {
  chain(3, 3);
  chain(4, 4);
  none_to_collect();
  survey();
  dev.stale[3] = 2;
  remaps(1);
  EXPECT_TRUE(dev.destagings.empty());
}

TEST_F(DestageTest, CollectionWhenNoChainIsCold) {
  chain(3, 3);
  dev.free_segments.resize(kShort);
  remaps(1);
  EXPECT_TRUE(dev.destagings.empty());
  EXPECT_EQ(dev.victims, Superblocks{3});
}

TEST_F(DestageTest, NoCollectionWhenOneIs) {
  chain(3, 3);
  none_to_collect();
  survey();
  dev.sb[3].state = ORM_SB_STATE_CLOSED;
  remaps(1);
  EXPECT_EQ(dev.destagings, Superblocks{3});
  EXPECT_TRUE(dev.victims.empty());
}

TEST_F(DestageTest, SuperblocksOutOfUseAreLeftAlone) {
  chain(3, 3);
  dev.sb[3].state = ORM_SB_STATE_BAD;
  survey();
  remaps(1);
  EXPECT_TRUE(dev.destagings.empty());
}

// The namespace has 112 of 192 slots; destaged chains may take an eighth of the others.
TEST_F(DestageTest, Budget) {
  chain(3, 3);
  none_to_collect();
  dev.destaged[7] = destaged(6);
  dev.destaged[8] = destaged(4);
  survey();
  remaps(1);
  EXPECT_TRUE(dev.destagings.empty());
  dev.destaged[8] = destaged(3);
  remaps(FW_GC_FRUITLESS);
  EXPECT_EQ(dev.destagings, Superblocks{3});
}

TEST_F(DestageTest, SlotsThatItGivesBackAreInTheBudget) {
  chain(3, 3);
  none_to_collect();
  dev.destaged[7] = destaged(9);
  dev.destaged[3] = destaged(1);
  survey();
  remaps(1);
  EXPECT_EQ(dev.destagings, Superblocks{3});
}

TEST_F(DestageTest, HardwareWithoutDestaging) {
  dev.power_cycle();
  dev.reg[ORM_FW_CAP_DESTAGE] = 0;
  dev.reg[ORM_FW_CAP_DESTAGE_LPN] = MockDevice::kLpns;
  boot_enabled();
  chain(3, 3);
  none_to_collect();
  survey();
  remaps(1);
  dev.remap_results = {kFull};
  remap();
  EXPECT_TRUE(dev.destagings.empty());
}

TEST_F(DestageTest, RemapThatWaitsNeedsNoColdChain) {
  chain(3, 3);
  chain(4, 2);
  dev.sb[4].state = ORM_SB_STATE_OPEN;
  dev.remap_results = {kFull};
  dev.free_segments.resize(2);
  EXPECT_EQ(remap(), 0);
  EXPECT_EQ(dev.compactions, (Superblocks{3, 4}));
  EXPECT_EQ(dev.destagings, (Superblocks{3, 4}));
  EXPECT_TRUE(dev.victims.empty());
  EXPECT_EQ(dev.remaps.size(), 2u);
}

TEST_F(DestageTest, RemapThatWaitsTriesAgainAfterACompactionThatGaveSomething) {
  chain(3, 3);
  dev.stale[3] = 1;
  dev.remap_results = {kFull};
  dev.free_segments.resize(2);
  dev.hold_remap = true;
  dev.mailbox.emplace_back(uint8_t{1}, [] {
    nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP, 1, 0);
    e.cdw12 = 10;
    e.cdw14 = 1;
    return e;
  }());
  settle();
  dev.release_remap();
  settle();
  EXPECT_EQ(dev.remaps.size(), 2u);
  EXPECT_TRUE(dev.destagings.empty());
  dev.release_remap();
  settle();
}

// If segments are not short, the remap may lack room in one chain.
TEST_F(DestageTest, RemapThatWaitsHasTheLongestChainCollectedFirstWhenSegmentsAreNotShort) {
  chain(3, 3);
  chain(4, 4);
  chain(5, 2);
  chain(6, 3);
  dev.remap_results = {kFull, kFull, kFull, kFull};
  EXPECT_EQ(remap(), 0);
  EXPECT_EQ(dev.victims, (Superblocks{4, 5}));
  EXPECT_EQ(dev.destagings, (Superblocks{3, 6})) << "or a great many segments";
}

TEST_F(DestageTest, FewFreeSuperblocks) {
  chain(3, 3);
  dev.free_list = {0, 1};
  ASSERT_EQ(FW_ALLOC_RESERVE, 2u);
  dev.free_segments.resize(kShort);
  dev.remap_results = {kFull};
  dev.hold_gc = true;
  nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP, 1, 0);
  e.cdw12 = 10;
  e.cdw14 = 1;
  dev.sb[3].valid = MockDevice::kSlotsPerSb;  // no victim for its space
  dev.mailbox.emplace_back(uint8_t{1}, e);
  settle();
  EXPECT_TRUE(dev.destagings.empty()) << "the destager would wait for GC";
  EXPECT_EQ(dev.victims, Superblocks{3});
}

TEST_F(DestageTest, JustEnoughFreeSuperblocks) {
  chain(3, 3);
  dev.free_list = {0, 1, 2};
  dev.sb[3].valid = MockDevice::kSlotsPerSb;
  dev.free_segments.resize(kShort);
  dev.remap_results = {kFull};
  EXPECT_EQ(remap(), 0);
  EXPECT_EQ(dev.destagings, Superblocks{3});
}

TEST_F(DestageTest, FailedOnesAreLeftAloneUntilACollection) {
  chain(3, 4);
  chain(4, 3);
  chain(5, 2);
  none_to_collect();
  dev.destage_outcome[3] = 0;
  dev.destage_outcome[4] = ORM_FW_GC_STATUS_REFUSED_MASK;
  survey();
  remaps(1);
  EXPECT_EQ(dev.destagings, (Superblocks{3, 4, 5}));
  EXPECT_EQ(media_errors(), 1u) << "one had nothing to give back";
  EXPECT_NE(std::find(dev.log.begin(), dev.log.end(), "destaging the chain of superblock 3 failed"), dev.log.end());
  dev.free_segments.resize(kShort);
  dev.destage_outcome.clear();
  remaps(2 * FW_GC_FRUITLESS);
  EXPECT_EQ(dev.destagings.size(), 3u);
  chain(7, 0);
  dev.sb[7].valid = 1;
  dev.free_list = {0, 1, 2};
  settle();
  dev.free_list = {0, 1, 2, 6, 7};
  settle();
  ASSERT_EQ(dev.victims, Superblocks{7});
  remaps(FW_GC_FRUITLESS);
  EXPECT_EQ(dev.destagings, (Superblocks{3, 4, 5, 3}));
}

TEST_F(DestageTest, FailureThatGaveNothingGoesOnToACollection) {
  chain(3, 3);
  dev.destage_outcome[3] = 0;
  dev.free_segments.resize(kShort);
  dev.remap_results = {kFull};
  EXPECT_EQ(remap(), 0);
  EXPECT_EQ(dev.destagings, Superblocks{3});
  EXPECT_EQ(dev.victims, Superblocks{3});
}

}  // namespace
}  // namespace orm_test
