// SPDX-License-Identifier: Apache-2.0
// Marginal superblocks (near the ECC limit, or read with a retry) are moved in the background, at a limited rate.
#include "gc/read_reclaim.h"

#include <algorithm>

#include "support/fw_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kSlots = MockDevice::kSlotsPerSb;
constexpr uint64_t kForOne = FW_READ_RECLAIM_PASS_NS / MockDevice::kSuperblocks;

class ReadReclaimTest : public FwTest {
 protected:
  void SetUp() override {
    boot_enabled();
    for (uint32_t sb = 5; sb < 9; sb++) dev.sb[sb] = {1, 16 - sb, ORM_SB_STATE_CLOSED};
    dev.free_list = {0, 1, 2, 3, 4};
  }
  // A read of it says so; an interrupt that nobody wants waits.
  void reads_weakly(uint32_t sb) {
    dev.weak.insert(sb);
    dev.irq_events |= ORM_FW_IRQ_STATUS_WEAK_READ_MASK;
    settle();
  }
  // The firmware need not be asked as often as it wants to.
  void later(uint64_t ns) {
    dev.now_ns += ns;
    fw_poll(fw_);
    settle();
  }
  void write(uint64_t slots) {
    dev.counters[ORM_COUNTER_NAND_PROGRAM_HOST] += slots;
    later(0);
  }
  // What may be reclaimed at once is, and forgotten.
  void use_up() {
    for (uint32_t i = 0; i < FW_READ_RECLAIM_BURST; i++) {
      dev.now_ns += FW_FLAGGED_NS;
      reads_weakly(5);
      dev.sb[5] = {1, 11, ORM_SB_STATE_CLOSED};
      dev.free_list = {0, 1, 2, 3, 4};
    }
    ASSERT_EQ(dev.victims.size(), FW_READ_RECLAIM_BURST);
    dev.victims.clear();
    dev.now_ns += FW_FLAGGED_NS;
  }
  // It is the only one that is cheap.
  void collect_for_room(uint32_t sb) {
    for (Superblock &s : dev.sb) s.valid = s.state == ORM_SB_STATE_CLOSED ? kSlots : 0;
    dev.sb[sb] = {1, 1, ORM_SB_STATE_CLOSED};
    dev.free_list = {0, 1};
    later(FW_FLAGGED_NS);
    dev.free_list = {0, 1, 2, 3, 4};
    later(0);
  }
  uint64_t media_errors() {
    EXPECT_EQ(admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0xFFFFFFFF, NVME_LOG_PAGE_SMART | 127u << 16)).status, 0);
    nvme_smart_log s;
    nvme_smart_log_unpack(&s, dev.host.data());
    return s.media_errors;
  }
  void pass(uint64_t ns) {
    const uint64_t until = dev.now_ns + ns;
    while (dev.now_ns < until) {
      settle();
      dev.now_ns += std::min<uint64_t>(wait, until - dev.now_ns);
    }
    settle();
  }
  orm_remap_log log() {
    nvme_submission_entry e{};
    e.opcode = NVME_ADMIN_OPCODE_GET_LOG_PAGE;
    e.nsid = 0xFFFFFFFF;
    e.prp1 = MockDevice::kHost;
    e.cdw10 = ORM_VENDOR_LOG_PAGES_REMAP_LOG | 127u << 16;
    EXPECT_EQ(admin(e).status, 0);
    orm_remap_log l;
    orm_remap_log_unpack(&l, dev.host.data());
    return l;
  }
};

class LongReadReclaimTest : public ReadReclaimTest {
 protected:
  void SetUp() override {
    dev.make_long();
    boot_enabled();
    dev.free_list = {0, 1, 2, 3, 4};
  }
};

// It is collected although there is room, and although others are emptier. Then it is used again.
TEST_F(ReadReclaimTest, AClosedSuperblockIsCollected) {
  reads_weakly(6);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{6});
  EXPECT_TRUE(dev.retired.empty());
  EXPECT_EQ(dev.sb[6].state, uint32_t{ORM_SB_STATE_FREE});
  EXPECT_EQ(log().read_reclaims, 1u);
  dev.power_cycle();
  boot_enabled();
  EXPECT_EQ(log().read_reclaims, 0u) << "figures are saved now and then";
}

TEST_F(ReadReclaimTest, TheirNumberOutlivesAShutdown) {
  reads_weakly(6);
  set_cc(ORM_PUT(ORM_BAR0_CC_EN, 1) | ORM_PUT(ORM_BAR0_CC_SHN, 1));
  dev.power_cycle();
  boot_enabled();
  EXPECT_EQ(log().read_reclaims, 1u);
}

// The firmware checks it now and then, and sleeps in between.
TEST_F(ReadReclaimTest, AnOpenOneWaitsUntilItIsFull) {
  dev.sb[7].state = ORM_SB_STATE_OPEN;
  reads_weakly(7);
  pass(10'000'000'000);
  uint64_t looks = 0;
  dev.on_access = [&](uint32_t offset) { looks += offset == ORM_FW_SB_STATE; };
  fw_poll(fw_);
  settle();
  EXPECT_GT(wait, 0u);
  dev.now_ns += wait;
  settle();
  EXPECT_GE(wait, 1'000'000'000u);
  EXPECT_LE(looks, 1u);
  dev.on_access = nullptr;
  EXPECT_TRUE(dev.victims.empty());
  reads_weakly(6);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{6}) << "a new one does not wait for that";
  pass(10'000'000'000);
  dev.sb[7].state = ORM_SB_STATE_CLOSED;
  pass(2'000'000'000);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{6, 7}));
}

// Reads of worn flash are weak, however recently its data was written.
TEST_F(ReadReclaimTest, AFewGoAtOnceAndTheNextOneWaits) {
  dev.sb[4] = {1, 12, ORM_SB_STATE_CLOSED};
  dev.weak = {4, 5, 6, 7, 8};
  reads_weakly(8);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{8, 7, 6, 5}));
  EXPECT_GE(wait, FW_READ_RECLAIM_LOOK_NS) << "there is nothing to do meanwhile";
  later(kForOne - 1);
  EXPECT_EQ(dev.victims.size(), FW_READ_RECLAIM_BURST);
  later(1);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{8, 7, 6, 5, 4}));
  EXPECT_EQ(log().read_reclaims, 5u);
}

// A year of reads, in which all data is weak as soon as it is written.
TEST_F(ReadReclaimTest, NotMoreThanAPassInItsTime) {
  constexpr uint64_t kYear = 365ull * 24 * 3600 * 1000000000, kStep = kYear / 1000;
  for (uint64_t t = 0; t < kYear; t += kStep) {
    for (uint32_t sb = 5; sb < 9; sb++) {
      dev.sb[sb].state = ORM_SB_STATE_CLOSED;
      dev.sb[sb].valid = kSlots - 1;
      dev.weak.insert(sb);
    }
    dev.free_list = {0, 1, 2, 3, 4};
    dev.irq_events |= ORM_FW_IRQ_STATUS_WEAK_READ_MASK;
    later(kStep);
  }
  EXPECT_LE(log().read_reclaims, kYear / kForOne + FW_READ_RECLAIM_BURST);
  EXPECT_GE(log().read_reclaims, kYear / kForOne);
}

TEST_F(ReadReclaimTest, UnlessMuchIsWritten) {
  use_up();
  reads_weakly(6);
  later(FW_READ_RECLAIM_LOOK_NS);
  EXPECT_TRUE(dev.victims.empty());
  write(FW_READ_RECLAIM_WRITES * kSlots - 1);
  EXPECT_TRUE(dev.victims.empty());
  dev.on_gc = [&] { dev.counters[ORM_COUNTER_NAND_PROGRAM_GC] += FW_READ_RECLAIM_WRITES * kSlots; };
  write(1);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{6});
  dev.on_gc = nullptr;
  reads_weakly(7);
  later(FW_READ_RECLAIM_LOOK_NS);
  EXPECT_EQ(dev.victims.size(), 1u) << "what a read reclaim writes pays for none";
  write(FW_READ_RECLAIM_WRITES * kSlots);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{6, 7}));
}

// Read reclaims that writes pay for do not use up those that the passage of time allows.
TEST_F(ReadReclaimTest, WritesPayFirst) {
  dev.sb[4] = {1, 12, ORM_SB_STATE_CLOSED};
  write(FW_READ_RECLAIM_WRITES * kSlots);
  dev.weak = {4, 5, 6, 7, 8};
  reads_weakly(8);
  EXPECT_EQ(dev.victims.size(), FW_READ_RECLAIM_BURST + 1);
}

// The superblocks are not searched after each of many reads. The interrupt is off until the next search is due.
TEST_F(ReadReclaimTest, ManyWeakReadsAreOneLook) {
  reads_weakly(6);
  const auto masked = [&] { return (dev.reg[ORM_FW_IRQ_ENABLE] & ORM_FW_IRQ_STATUS_WEAK_READ_MASK) == 0; };
  EXPECT_FALSE(masked());
  uint64_t looks = 0;
  dev.on_access = [&](uint32_t offset) { looks += offset == ORM_FW_SB_STATE; };
  for (int i = 0; i < 50; i++) reads_weakly(8);
  EXPECT_TRUE(masked());
  EXPECT_EQ(looks, 0u);
  pass(FW_FLAGGED_NS);
  EXPECT_FALSE(masked());
  EXPECT_LE(looks, 3u * MockDevice::kSuperblocks);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{6, 8}));
}

// Shortages go first: of room for the host, and of GC's own.
TEST_F(ReadReclaimTest, NotWhileSuperblocksAreShort) {
  dev.free_list = {0};
  dev.hold_gc = true;
  dev.weak.insert(5);
  dev.irq_events |= ORM_FW_IRQ_STATUS_WEAK_READ_MASK;
  settle();
  ASSERT_EQ(dev.victims, std::vector<uint32_t>{8}) << "the emptiest, for its room";
}

// One that was collected for its room needs no read reclaim any more, and was none.
TEST_F(ReadReclaimTest, ACollectionForRoomIsNone) {
  use_up();
  reads_weakly(8);
  later(FW_READ_RECLAIM_LOOK_NS);
  ASSERT_TRUE(dev.victims.empty());
  collect_for_room(8);
  ASSERT_EQ(dev.victims, std::vector<uint32_t>{8});
  EXPECT_EQ(log().read_reclaims, FW_READ_RECLAIM_BURST);
  dev.sb[8].state = ORM_SB_STATE_CLOSED;
  later(kForOne);
  EXPECT_EQ(dev.victims.size(), 1u);
}

// Collections of other weak superblocks, which are cheaper, do not delay a superblock that is not written to beyond its
// turn.
TEST_F(ReadReclaimTest, AColdOneBesideSteadyCollections) {
  use_up();
  dev.sb[5].valid = kSlots;
  reads_weakly(5);
  uint32_t collections = 0;
  while (std::count(dev.victims.begin(), dev.victims.end(), 5u) == 0 && collections < 2 * FW_READ_RECLAIM_WRITES) {
    dev.weak.insert(8);
    reads_weakly(8);
    collect_for_room(8);
    write(kSlots);
    collections++;
  }
  EXPECT_LE(collections, FW_READ_RECLAIM_WRITES);
  EXPECT_EQ(log().read_reclaims, FW_READ_RECLAIM_BURST + 1);
}

// While one collection is erased the next one is moved. It may be a read reclaim if enough superblocks are free.
TEST_F(ReadReclaimTest, BesideAnErase) {
  for (const bool room : {true, false}) {
    dev.hold_gc = true;
    dev.victims.clear();
    dev.sb[5] = {1, kSlots, ORM_SB_STATE_CLOSED};
    dev.sb[6] = dev.sb[7] = dev.sb[8] = {1, 1, ORM_SB_STATE_CLOSED};
    dev.free_list = {0, 1};
    if (room) dev.free_list.push_back(2);
    fw_poll(fw_);
    settle();
    ASSERT_EQ(dev.victims, std::vector<uint32_t>{6});
    reads_weakly(5);
    later(FW_FLAGGED_NS);
    dev.hand_over_gc();
    settle();
    EXPECT_EQ(dev.victims, (std::vector<uint32_t>{6, room ? 5u : 7u}));
    dev.free_list = {0, 1, 2, 3, 4};
    dev.hold_gc = false;
    dev.release_gc();
    dev.release_gc();
    settle();
    EXPECT_EQ(std::count(dev.victims.begin(), dev.victims.end(), 5u), 1);
  }
}

// The search took more than one poll, and host writes used the room up meanwhile.
TEST_F(LongReadReclaimTest, NotWhenRoomHasGoneMeanwhile) {
  for (const bool gone : {false, true}) {
    const uint32_t sb = gone ? 71 : 70;
    dev.sb[sb] = {1, kSlots, ORM_SB_STATE_CLOSED};
    dev.weak.insert(sb);
    dev.irq_events |= ORM_FW_IRQ_STATUS_WEAK_READ_MASK;
    dev.now_ns += FW_FLAGGED_NS;
    for (int poll = 0; poll < 2; poll++) fw_poll(fw_);
    ASSERT_EQ(std::count(dev.victims.begin(), dev.victims.end(), sb), 0);
    if (gone) dev.free_list = {0, 1};
    fw_poll(fw_);
    EXPECT_EQ(std::count(dev.victims.begin(), dev.victims.end(), sb), gone ? 0 : 1);
    settle();
    EXPECT_EQ(std::count(dev.victims.begin(), dev.victims.end(), sb), gone ? 0 : 1);
  }
}

// One of its slots cannot be read. It is tried again later, but not endlessly in a row.
TEST_F(ReadReclaimTest, OneThatCannotBeEmptiedStays) {
  dev.gc_ok = false;
  reads_weakly(6);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{6});
  EXPECT_EQ(dev.sb[6].state, uint32_t{ORM_SB_STATE_CLOSED});
  pass(5'000'000);
  EXPECT_EQ(dev.victims.size(), 1u);
  EXPECT_EQ(log().read_reclaims, 0u);
  pass(10'000'000'000);
  EXPECT_EQ(dev.victims.size(), 2u) << "nothing of it was moved, so nothing will be";
  EXPECT_GE(wait, 100'000'000u);
}

// It keeps its mark, because it is not erased, but it is not searched for again.
TEST_F(ReadReclaimTest, OneThatDoesNotEraseIsForgotten) {
  dev.worn = {6 * kSlots};
  reads_weakly(6);
  pass(100'000'000);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{6, 6}));
  EXPECT_EQ(dev.bad_word(), 1u << 6);
  EXPECT_EQ(wait, FW_POLL_IDLE);
  reads_weakly(6);
  pass(100'000'000);
  EXPECT_EQ(dev.victims.size(), 2u);
  EXPECT_EQ(wait, FW_POLL_IDLE);
}

// The data of a copy whose program failed is still in its old place: nothing is lost.
TEST_F(ReadReclaimTest, AFailedProgramIsNoMediaError) {
  dev.copies_fail = true;
  reads_weakly(6);
  EXPECT_EQ(dev.victims, std::vector<uint32_t>{6});
  EXPECT_EQ(media_errors(), 0u);
  pass(100'000'000);
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{6, 6}));
  EXPECT_EQ(media_errors(), 0u);
  EXPECT_EQ(log().read_reclaims, 1u);
  dev.gc_ok = false;  // a read fails
  reads_weakly(7);
  EXPECT_EQ(media_errors(), 1u);
}

}  // namespace
}  // namespace orm_test
