// SPDX-License-Identifier: Apache-2.0
// Superblocks in which programs have failed: they are ended, collected before others, and retired while there is a
// spare superblock.
#include "gc/program_fail.h"

#include <algorithm>

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

class FailingTest : public FwTest {
 protected:
  // Three are to spare.
  void SetUp() override {
    dev.options().over_provision_pct = 50;
    dev.options().placement_handles = 2;
    boot_enabled();
    for (uint32_t sb = 5; sb < 9; sb++) dev.sb[sb] = {1, sb, ORM_SB_STATE_CLOSED};
    dev.free_list = {0, 1, 2, 3, 4};
  }
  void fails(uint32_t sb) {
    dev.program_failed.insert(sb);
    dev.now_ns += FW_FLAGGED_NS;
    dev.irq_events |= ORM_FW_IRQ_STATUS_PROGRAM_FAILED_MASK;
    settle();
  }
  bool is_free(uint32_t sb) { return std::find(dev.free_list.begin(), dev.free_list.end(), sb) != dev.free_list.end(); }
  uint32_t spare() {
    nvme_submission_entry e{};
    e.opcode = NVME_ADMIN_OPCODE_GET_LOG_PAGE;
    e.nsid = 0xFFFFFFFF;
    e.prp1 = MockDevice::kHost;
    e.cdw10 = NVME_LOG_PAGE_SMART | 127u << 16;
    EXPECT_EQ(admin(e).status, 0);
    nvme_smart_log s;
    nvme_smart_log_unpack(&s, dev.host.data());
    EXPECT_EQ(s.media_errors, 0u) << "nothing was lost";
    return s.available_spare;
  }
};

// It is collected although there is room, and although others are emptier.
TEST_F(FailingTest, AClosedSuperblockIsRetired) {
  EXPECT_TRUE(dev.victims.empty());
  fails(7);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{7});
  EXPECT_EQ(dev.retired, std::set<uint32_t>{7});
  EXPECT_EQ(dev.bad_word(), 1u << 7);
  EXPECT_FALSE(is_free(7));
  EXPECT_LT(spare(), 100u);
  settle(100'000'000);
  EXPECT_EQ(dev.victims.size(), 1u);
  dev.power_cycle();
  boot_enabled();
  EXPECT_EQ(dev.sb[7].state, uint32_t{ORM_SB_STATE_BAD});
  EXPECT_FALSE(is_free(7));
}

TEST_F(FailingTest, AnOpenSuperblockIsEnded) {
  dev.sb[9] = {1, 3, ORM_SB_STATE_OPEN};
  dev.sb[10] = {1, 3, ORM_SB_STATE_OPEN};
  dev.open_streams[ORM_STREAM_HOST] = ORM_PUT(ORM_FW_ALLOC_OPEN_SB, 9) | ORM_FW_ALLOC_OPEN_OPEN_MASK;
  dev.open_streams[ORM_STREAM_GC] = ORM_PUT(ORM_FW_ALLOC_OPEN_SB, 10) | ORM_FW_ALLOC_OPEN_OPEN_MASK;
  fails(9);
  EXPECT_EQ(dev.closed_handles, std::vector<uint32_t>{0});
  fails(10);
  EXPECT_EQ(dev.closed_handles, std::vector<uint32_t>{0}) << "GC's cannot be";
  EXPECT_TRUE(dev.victims.empty());
  dev.sb[9].state = ORM_SB_STATE_CLOSED;
  dev.free_list.pop_back();
  dev.now_ns += 2 * FW_FLAGGED_NS;
  fw_poll(fw_);
  settle();
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{9});
  EXPECT_EQ(dev.bad_word(), 1u << 9);
}

// Writes that were accepted need the room in it.
TEST_F(FailingTest, NotWhileSuperblocksAreShort) {
  dev.free_list = {0, 1};
  dev.hold_gc = true;
  dev.sb[9] = {1, 3, ORM_SB_STATE_OPEN};
  dev.open_streams[ORM_STREAM_HOST] = ORM_PUT(ORM_FW_ALLOC_OPEN_SB, 9) | ORM_FW_ALLOC_OPEN_OPEN_MASK;
  settle();
  ASSERT_EQ(dev.victims, std::vector<uint32_t>{5}) << "the emptiest";
  fails(9);
  fails(5);
  fails(8);
  EXPECT_TRUE(dev.closed_handles.empty());
  dev.sb[8].valid = 1;
  dev.release_gc();
  settle();
  EXPECT_TRUE(is_free(5)) << "it was begun before, and is used again";
  EXPECT_EQ(dev.closed_handles, std::vector<uint32_t>{0}) << "now there is room";
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{5, 8})) << "three are free";
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.retired, std::set<uint32_t>{8});
  EXPECT_EQ(dev.bad_word(), 1u << 8);
}

TEST_F(FailingTest, AnotherOneWhoseRoomIsNeededComesBack) {
  dev.free_list = {0};
  dev.hold_gc = true;
  dev.program_failed = {5};
  dev.irq_events |= ORM_FW_IRQ_STATUS_PROGRAM_FAILED_MASK;
  settle();
  ASSERT_EQ(dev.victims, std::vector<uint32_t>{5});
  dev.release_gc();
  settle();
  EXPECT_TRUE(dev.retired.empty());
  EXPECT_TRUE(is_free(5));
  EXPECT_EQ(dev.bad_word(), 0u);
}

// Without the last spare superblock nothing could be written, so the superblock stays in use.
TEST_F(FailingTest, NotTheLastOneToSpare) {
  for (uint32_t sb = 5; sb < 9; sb++) {
    dev.free_list = {0, 1, 2, 3, 4};
    fails(sb);
  }
  EXPECT_EQ(dev.retired, (std::set<uint32_t>{5, 6}));
  EXPECT_EQ(spare(), 33u) << "of three";
  EXPECT_EQ(dev.reg[ORM_FW_NVME_STATE], ORM_FW_NVME_STATE_NS_READY_MASK);
  EXPECT_EQ(wait, FW_POLL_IDLE);
  dev.sb[7].valid = 1;
  dev.free_list = {0, 1};
  fw_poll(fw_);
  settle();
  ASSERT_GT(dev.victims.size(), 2u);
  EXPECT_EQ(dev.victims[2], 7u);
  EXPECT_TRUE(is_free(7)) << "used on";
  EXPECT_EQ(dev.bad_word(), 1u << 5 | 1u << 6);
}

// A block whose programs fail again and again would use up all room. A device that can only be read is better.
TEST_F(FailingTest, TheLastOneToSpareForOneThatFailsAgain) {
  for (uint32_t sb = 5; sb < 9; sb++) {
    dev.free_list = {0, 1, 2, 3, 4};
    fails(sb);
  }
  ASSERT_EQ(dev.retired, (std::set<uint32_t>{5, 6}));
  dev.sb[7].valid = 1;
  dev.free_list = {0, 1};
  fw_poll(fw_);
  settle();
  ASSERT_TRUE(is_free(7)) << "used on";
  dev.free_list = {0, 1, 2, 3, 4};
  dev.program_failed.erase(7);
  dev.sb[7] = {1, 7, ORM_SB_STATE_CLOSED};
  fails(7);
  EXPECT_EQ(dev.retired, (std::set<uint32_t>{5, 6, 7}));
  EXPECT_EQ(dev.bad_word(), 1u << 5 | 1u << 6 | 1u << 7);
  EXPECT_EQ(spare(), 0u);
  EXPECT_TRUE(dev.reg[ORM_FW_NVME_STATE] & ORM_FW_NVME_STATE_WRITE_PROTECTED_MASK);
  settle(100'000'000);
  EXPECT_EQ(dev.retired.count(8), 0u) << "failed once";
}

// The room that the first one takes is known when it is gone.
TEST_F(FailingTest, OneAfterTheOther) {
  dev.free_list = {0, 1, 2};
  dev.hold_gc = true;
  dev.program_failed = {5, 6};
  dev.irq_events |= ORM_FW_IRQ_STATUS_PROGRAM_FAILED_MASK;
  settle();
  ASSERT_EQ(dev.victims, std::vector<uint32_t>{5});
  ASSERT_EQ(dev.retired, std::set<uint32_t>{5});
  dev.hand_over_gc();
  settle();
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{5, 6})) << "for its room";
  EXPECT_EQ(dev.retired, std::set<uint32_t>{5});
  dev.hold_gc = false;
  dev.release_gc();
  dev.release_gc();
  settle();
  EXPECT_TRUE(is_free(6));
  EXPECT_EQ(dev.bad_word(), 1u << 5);
}

// Two handles fill such superblocks, and only one superblock is free that nobody needs.
TEST_F(FailingTest, EachThatIsEndedTakesOne) {
  for (uint32_t handle : {0u, 1u}) {
    dev.sb[9 + handle] = {1, 3, ORM_SB_STATE_OPEN};
    dev.open_streams[ORM_STREAM_HOST + ORM_STREAM_HANDLE * handle] =
        ORM_PUT(ORM_FW_ALLOC_OPEN_SB, 9 + handle) | ORM_FW_ALLOC_OPEN_OPEN_MASK;
  }
  dev.free_list = {0, 1, 2};
  dev.hold_gc = true;
  dev.program_failed = {10};
  fails(9);
  EXPECT_EQ(dev.closed_handles, std::vector<uint32_t>{0});
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.closed_handles, (std::vector<uint32_t>{0, 1})) << "when another one is free";
}

// A slot cannot be read. So the slot stays, and so does its superblock.
TEST_F(FailingTest, OneThatCannotBeEmptiedStays) {
  dev.gc_ok = false;
  fails(6);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{6});
  EXPECT_EQ(dev.bad_word(), 0u);
  EXPECT_EQ(dev.sb[6].state, uint32_t{ORM_SB_STATE_CLOSED});
  settle(5'000'000);
  EXPECT_EQ(dev.victims.size(), 1u) << "not again at once";
  settle(1'000'000'000);
  EXPECT_EQ(dev.victims.size(), 2u) << "nothing of it was moved, so nothing will be";
  EXPECT_GE(wait, 1'000'000'000u);
}

// It keeps its mark, because it is not erased, but it is not searched for again.
TEST_F(FailingTest, OneThatDoesNotEraseIsForgotten) {
  dev.worn = {6 * MockDevice::kSlotsPerSb};
  fails(6);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{6, 6}));
  EXPECT_EQ(dev.bad_word(), 1u << 6);
  EXPECT_EQ(wait, FW_POLL_IDLE);
  fails(6);
  EXPECT_EQ(dev.victims.size(), 2u);
  EXPECT_EQ(wait, FW_POLL_IDLE);
}

// Collections for room must not be preceded by a search in vain each time.
TEST_F(FailingTest, AnOpenOneIsLookedAtNowAndThen) {
  for (uint32_t sb = 5; sb < 9; sb++) dev.sb[sb].valid = MockDevice::kSlotsPerSb;
  dev.sb[9] = {1, 3, ORM_SB_STATE_OPEN};
  dev.open_streams[ORM_STREAM_GC] = ORM_PUT(ORM_FW_ALLOC_OPEN_SB, 9) | ORM_FW_ALLOC_OPEN_OPEN_MASK;
  fails(9);
  settle(1'000'000'000);
  uint64_t looks = 0;
  dev.on_access = [&](uint32_t offset) { looks += offset == ORM_FW_SB_STATE && dev.reg[ORM_FW_SB_SELECT] == 9; };
  for (int i = 0; i < 10; i++) {
    dev.sb[8] = {1, 1, ORM_SB_STATE_CLOSED};
    dev.free_list = {0, 1};
    fw_poll(fw_);
    settle();
    dev.free_list = {0, 1, 2, 3, 4};
    fw_poll(fw_);
    settle();
  }
  EXPECT_EQ(dev.victims.size(), 10u);
  EXPECT_LT(looks, 10u * 3) << "twice for room, and now and then for wear";
  dev.on_access = nullptr;
  dev.sb[9].state = ORM_SB_STATE_CLOSED;
  dev.now_ns += wait;
  settle();
  EXPECT_EQ(dev.retired, std::set<uint32_t>{9});
}

class LongFailingTest : public FailingTest {
 protected:
  void SetUp() override {
    dev.make_long();
    boot_enabled();
    dev.free_list = {0, 1, 2, 3, 4};
  }
  void again() { dev.irq_events |= ORM_FW_IRQ_STATUS_PROGRAM_FAILED_MASK; }
};

// Programs fail faster than all superblocks can be checked.
TEST_F(LongFailingTest, EachLookComesToItsEnd) {
  dev.sb[70] = {1, 5, ORM_SB_STATE_CLOSED};
  dev.program_failed = {70};
  for (int poll = 0; poll < 8; poll++) {
    again();
    fw_poll(fw_);
  }
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{70});
  dev.irq_events = 0;
  dev.sb[1] = {1, 5, ORM_SB_STATE_CLOSED};
  settle(FW_FLAGGED_NS);
  again();
  fw_poll(fw_);
  dev.program_failed = {1};  // which this look has passed
  again();
  settle(FW_FLAGGED_NS);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{70, 1})) << "one more look";
}

// The search took more than one poll, and host writes used the room up meanwhile.
TEST_F(LongFailingTest, NotWhenRoomHasGoneMeanwhile) {
  for (const bool gone : {false, true}) {
    const uint32_t sb = gone ? 71 : 70;
    dev.sb[sb] = {1, MockDevice::kSlotsPerSb, ORM_SB_STATE_CLOSED};
    dev.program_failed.insert(sb);
    dev.now_ns += FW_FLAGGED_NS;
    again();
    for (int poll = 0; poll < 2; poll++) fw_poll(fw_);
    ASSERT_EQ(std::count(dev.victims.begin(), dev.victims.end(), sb), 0);
    if (gone) dev.free_list = {0, 1};
    fw_poll(fw_);
    settle();
    EXPECT_EQ(std::count(dev.victims.begin(), dev.victims.end(), sb), gone ? 0 : 1);
  }
  EXPECT_EQ(dev.retired, std::set<uint32_t>{70});
}

}  // namespace
}  // namespace orm_test
