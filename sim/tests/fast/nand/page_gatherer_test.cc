// SPDX-License-Identifier: Apache-2.0
#include "nand/page_gatherer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "io/program_tracker.h"

namespace orm::fast {
namespace {

struct Client final : NandListener {
  void nand_done(const NandDone &done) override {
    EXPECT_EQ(done.page, nullptr) << "slot by slot";
    dones.push_back(done);
  }
  std::vector<NandDone> dones;
};

class Gatherer : public ::testing::Test {
 protected:
  static constexpr uint32_t kEntries = 2;

  explicit Gatherer(const Geometry &geometry = {2, 2, 64, 8, 4}) : p_(geometry) {
    for (uint32_t sb = 0; sb < p_.superblocks; ++sb) {
      table_.set(sb, {100 + sb, 0, SbState::kFree});
      if (sb < 8) allocator_.freed(sb);
    }
    pages_.link(&client_, [this](uint32_t page) { closing_.push_back(page); });
    scheduler_.listen(NandClient::kHostWrite, &pages_);
    scheduler_.listen(NandClient::kHostRead, &reader_);
  }

  /// A program of the slot from the buffer, for LPN 1000 + slot.
  bool ask(uint32_t slot, uint32_t buf, uint8_t stream = ORM_STREAM_HOST) {
    orm_oob_record oob{};
    oob.lpn = 1000 + slot;
    oob.gen = 100 + p_.superblock_of(slot);
    oob.seq = 1 + slot;
    oob.stream = stream;
    oob.version = ORM_FORMAT_VERSION;
    oob.slot = slot;
    orm_oob_record_seal(&oob, buffers_.spare(buf));
    std::memset(buffers_.data(buf), int(buf + 1), ORM_SLOT_BYTES);
    return pages_.accept({NandRequestOp::kProgram, NandClient::kHostWrite, slot, buf});
  }
  uint32_t take(AllocStream stream = AllocStream::kHost) {
    Allocation a;
    EXPECT_TRUE(allocator_.take(stream, &a));
    return a.slot;
  }
  void run() {
    while (sim_.next() != Simulation::kNever) sim_.step();
  }
  orm_oob_record read(uint32_t slot, uint8_t *first_byte = nullptr) {
    const uint32_t buf = p_.read_buf_base;
    EXPECT_TRUE(scheduler_.accept({NandRequestOp::kRead, NandClient::kHostRead, slot, buf}));
    run();
    orm_oob_record oob{};
    EXPECT_EQ(reader_.dones.back().status, NandStatus::kOk);
    EXPECT_TRUE(orm_oob_record_open(&oob, buffers_.spare(buf)));
    if (first_byte != nullptr) *first_byte = buffers_.data(buf)[0];
    return oob;
  }
  uint64_t counted(orm_counter which) { return counters_.value(which); }

  const Params p_;
  Simulation sim_{0};
  Counters counters_;
  SuperblockTable table_{p_};
  Allocator allocator_{sim_, p_, table_};
  BufferRam buffers_{p_};
  NandModel nand_{p_.nand(), NandTiming(), "", 1};
  NandScheduler scheduler_{sim_, p_, nand_, NandTiming(), buffers_, counters_};
  PageGatherer pages_{{sim_, p_, buffers_, allocator_, scheduler_, kEntries}};
  Client client_, reader_;
  std::vector<uint32_t> closing_;
};

TEST_F(Gatherer, AFullPageIsProgrammedOnceAndAnsweredSlotBySlot) {
  for (uint32_t slot = 0; slot < 3; ++slot) ASSERT_TRUE(ask(slot, 5 - slot));
  run();
  EXPECT_EQ(nand_.counters().programs, 0u);
  ASSERT_TRUE(ask(3, 7));
  run();
  EXPECT_EQ(nand_.counters().programs, 1u);
  ASSERT_EQ(client_.dones.size(), 4u);
  const uint32_t bufs[] = {5, 4, 3, 7};
  for (uint32_t slot = 0; slot < 4; ++slot) {
    EXPECT_EQ(client_.dones[slot].slot, slot);
    EXPECT_EQ(client_.dones[slot].buf, bufs[slot]);
    EXPECT_EQ(client_.dones[slot].status, NandStatus::kOk);
    uint8_t byte = 0;
    EXPECT_EQ(read(slot, &byte).lpn, 1000 + slot);
    EXPECT_EQ(byte, bufs[slot] + 1);
  }
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_HOST), 4u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_PAD), 0u);
  EXPECT_TRUE(closing_.empty());
}

TEST_F(Gatherer, PaddingNamesNoLpn) {
  const uint8_t stream = uint8_t(host_stream(2));
  const uint32_t first = p_.slot_at(3, 0);
  ASSERT_TRUE(ask(first, 1, stream));
  ASSERT_TRUE(ask(first + 1, 2, stream));
  pages_.close_all();
  EXPECT_EQ(closing_, std::vector<uint32_t>{first});
  run();
  ASSERT_EQ(client_.dones.size(), 2u) << "padding has no client";
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_HOST), 2u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_PAD), 2u);
  for (uint32_t slot = first + 2; slot < first + 4; ++slot) {
    uint8_t byte = 0;
    const orm_oob_record oob = read(slot, &byte);
    EXPECT_EQ(oob.lpn, ORM_UNMAPPED);
    EXPECT_EQ(oob.seq, 0u);
    EXPECT_EQ(oob.gen, 103u);
    EXPECT_EQ(oob.stream, stream);
    EXPECT_EQ(oob.version, ORM_FORMAT_VERSION);
    EXPECT_EQ(oob.slot, slot);
    EXPECT_EQ(byte, 3) << "the data of the last slot";
  }
}

TEST_F(Gatherer, TheAllocatorGoesOnBehindAClosedPage) {
  ASSERT_TRUE(ask(take(), 0));
  ASSERT_TRUE(ask(take(), 1));
  const uint32_t other = take(host_stream(1));
  pages_.close_all();
  EXPECT_FALSE(ask(other, 3)) << "the page goes first";
  EXPECT_EQ(&pages_.room(other), &pages_.sent);
  EXPECT_EQ(take(), 4u);
  EXPECT_EQ(take(host_stream(1)), other + 1) << "its page is another";
  run();
  // The last page of the superblock.
  for (uint32_t slot = 5; slot < p_.slots_per_sb - 3; ++slot) EXPECT_EQ(take(), slot);
  ASSERT_TRUE(ask(p_.slots_per_sb - 4, 2));
  pages_.close_all();
  EXPECT_EQ(table_[0].state, SbState::kOpen);
  EXPECT_EQ(p_.superblock_of(take()), 2u);
  EXPECT_EQ(table_[0].state, SbState::kClosed);
}

TEST_F(Gatherer, APageWhoseLastSlotWasGivenUpTakesNothingFromTheNext) {
  for (uint32_t slot = 0; slot < 4; ++slot) EXPECT_EQ(take(), slot);
  for (uint32_t slot = 0; slot < 3; ++slot) ASSERT_TRUE(ask(slot, slot));
  pages_.close_all();
  EXPECT_EQ(take(), 4u);
}

TEST_F(Gatherer, ASlotOnItsWayIsWaitedFor) {
  ASSERT_TRUE(ask(0, 0));
  ASSERT_TRUE(ask(4, 1));
  pages_.hold(1);
  pages_.close_all();
  EXPECT_EQ(closing_, std::vector<uint32_t>{4}) << "the other page does not wait";
  run();
  EXPECT_EQ(nand_.counters().programs, 1u);
  ASSERT_TRUE(ask(1, 2));
  pages_.let_go();
  EXPECT_EQ(closing_, (std::vector<uint32_t>{4, 0}));
  run();
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_HOST), 3u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_PAD), 5u);
}

TEST_F(Gatherer, ASlotOnItsWayMayCompleteAMarkedPage) {
  for (uint32_t slot = 0; slot < 3; ++slot) ASSERT_TRUE(ask(slot, slot));
  pages_.hold(3);
  pages_.close_all();
  ASSERT_TRUE(ask(3, 3));
  pages_.let_go();
  run();
  EXPECT_TRUE(closing_.empty());
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_PAD), 0u);
}

TEST_F(Gatherer, AReaderEndsThePageItWants) {
  ASSERT_TRUE(ask(0, 0));
  ASSERT_TRUE(ask(16, 1));
  EXPECT_TRUE(pages_.may_read(4));
  EXPECT_TRUE(closing_.empty());
  EXPECT_FALSE(pages_.may_read(0));
  EXPECT_FALSE(pages_.may_read(0)) << "not before the scheduler has it";
  EXPECT_EQ(closing_, std::vector<uint32_t>{0});
  run();
  EXPECT_TRUE(pages_.may_read(0));
  EXPECT_EQ(read(0).lpn, 1000u);
  EXPECT_EQ(nand_.counters().programs, 1u) << "the other page still gathers";
}

TEST_F(Gatherer, WithoutAFreeEntryTheOthersAreEnded) {
  ASSERT_TRUE(ask(p_.slot_at(1, 0), 0));
  ASSERT_TRUE(ask(p_.slot_at(2, 0), 1));
  const uint32_t slot = p_.slot_at(3, 0);
  pages_.hold(slot);
  EXPECT_FALSE(ask(slot, 2));
  EXPECT_EQ(&pages_.room(slot), &pages_.sent);
  run();
  EXPECT_EQ(nand_.counters().programs, 2u);
  EXPECT_TRUE(ask(slot, 2));
  pages_.let_go();
}

/// The scheduler has the whole page, or the last slot is not accepted.
TEST_F(Gatherer, TheLastSlotWaitsForRoomInTheQueueOfItsDie) {
  for (uint32_t page = 0; page < p_.k.die_queue_depth; ++page) {
    const uint32_t first = p_.slot_at(page / 8, page % 8 * 16);  // all of die 0
    for (uint32_t sub = 0; sub < 4; ++sub) ASSERT_TRUE(ask(first + sub, sub));
  }
  const uint32_t first = p_.slot_at(1, 0);
  for (uint32_t sub = 0; sub < 3; ++sub) ASSERT_TRUE(ask(first + sub, sub));
  EXPECT_FALSE(ask(first + 3, 3));
  EXPECT_FALSE(pages_.may_read(first)) << "and is padded if it must go now";
  while (client_.dones.empty()) sim_.step();
  EXPECT_THROW(ask(first + 3, 3), ModelStopped) << "nothing comes behind `closing`";
  run();
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_PAD), 1u);
}

TEST_F(Gatherer, TheSpareIsTakenWithTheSlot) {
  ASSERT_TRUE(ask(0, 0));
  std::fill_n(buffers_.spare(0), ORM_OOB_RECORD_BYTES, uint8_t(0));
  pages_.close_all();
  run();
  EXPECT_EQ(read(0).lpn, 1000u);
}

TEST_F(Gatherer, SlotsOutOfOrderStopTheModel) {
  EXPECT_THROW(ask(1, 0), ModelStopped) << "a page begins with its first slot";
  ASSERT_TRUE(ask(4, 0));
  EXPECT_THROW(ask(6, 1), ModelStopped);
}

TEST_F(Gatherer, AFenceEndsWhatWasGatheredBeforeItsEpoch) {
  ProgramTracker tracker(sim_);
  tracker.on_turn([this] { pages_.close_all(); });
  const auto fence = [](ProgramTracker &t, int *count) -> Process {
    co_await t.fence();
    ++*count;
  };
  int over = 0;
  ASSERT_TRUE(ask(0, 0));
  const bool first = tracker.issued();
  Process one = fence(tracker, &over);
  one.start(sim_);
  run();
  EXPECT_EQ(closing_, std::vector<uint32_t>{0});
  ASSERT_TRUE(ask(4, 1));
  const bool second = tracker.issued();
  EXPECT_NE(first, second);
  Process two = fence(tracker, &over);
  two.start(sim_);
  run();
  EXPECT_EQ(client_.dones.size(), 1u) << "the second fence waits for its turn, and so does the page";
  EXPECT_EQ(over, 0);
  tracker.landed(first);
  EXPECT_EQ(closing_, (std::vector<uint32_t>{0, 4}));
  run();
  EXPECT_EQ(over, 1);
  tracker.landed(second);
  run();
  EXPECT_EQ(over, 2);
}

class NarrowGatherer : public Gatherer {
 protected:
  NarrowGatherer() : Gatherer(Geometry{}) {}
};

TEST_F(NarrowGatherer, PagesOfOneSlotAreHandedOn) {
  ASSERT_TRUE(ask(0, 0));
  pages_.hold(1);
  EXPECT_TRUE(pages_.may_read(0));
  pages_.close_all();
  pages_.let_go();
  run();
  ASSERT_EQ(client_.dones.size(), 1u);
  EXPECT_EQ(client_.dones[0].slot, 0u);
  EXPECT_EQ(nand_.counters().programs, 1u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_PAD), 0u);
  EXPECT_TRUE(closing_.empty());
}

}  // namespace
}  // namespace orm::fast
