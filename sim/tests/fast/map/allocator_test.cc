// SPDX-License-Identifier: Apache-2.0
//
// Slots for pages of the host whose program failed, and what the others leave for them; slots that are nobody's.
#include "map/allocator.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "lib/invariant.h"

namespace orm::fast {
namespace {

constexpr AllocStream kFirst = host_stream(0), kSecond = host_stream(1);

class FastAllocator : public ::testing::Test {
 protected:
  explicit FastAllocator(const Geometry &geometry = {}) : p_(geometry) {
    for (uint32_t sb = 0; sb < p_.superblocks; ++sb) table_.set(sb, {100 + sb, 0, SbState::kFree});
    allocator_.set_reserve(2);
  }
  void free_up(uint32_t first, uint32_t superblocks) {
    for (uint32_t i = 0; i < superblocks; ++i) allocator_.freed(first + i);
  }
  void take(AllocStream stream, uint32_t slots) {
    Allocation a;
    for (uint32_t i = 0; i < slots; ++i) ASSERT_TRUE(allocator_.take(stream, &a)) << i << " of " << slots;
  }

  const Params p_;
  Simulation sim_{0};
  SuperblockTable table_{p_};
  Allocator allocator_{sim_, p_, table_};
  const uint32_t open_to_all_ = p_.data_slots - p_.kept_slots;
  Allocation got_;
  AllocStream stream_ = kFirst;
};

TEST_F(FastAllocator, TheEndOfASuperblockIsKeptWhileTheReserveIsNotWhole) {
  free_up(7, 3);
  ASSERT_NO_FATAL_FAILURE(take(kFirst, open_to_all_));
  ASSERT_NO_FATAL_FAILURE(take(AllocStream::kGc, 1));
  ASSERT_EQ(allocator_.free(), 1u);
  EXPECT_FALSE(allocator_.take(kFirst, &got_));
  for (uint32_t i = open_to_all_; i < p_.data_slots; ++i) {
    ASSERT_TRUE(allocator_.take_urgent(&stream_, &got_)) << i;
    EXPECT_EQ(got_.slot, p_.slot_at(7, i));
  }
  EXPECT_EQ(stream_, kFirst);
  // A superblock of the reserve is the last way.
  ASSERT_TRUE(allocator_.take_urgent(&stream_, &got_));
  EXPECT_EQ(got_.slot, p_.slot_at(9, 0));
  EXPECT_EQ(got_.gen, 109u);
  EXPECT_EQ(table_[7].state, SbState::kClosed);
  EXPECT_EQ(allocator_.free(), 0u);
}

TEST_F(FastAllocator, AWholeReserveKeepsNothing) {
  free_up(7, 3);
  ASSERT_NO_FATAL_FAILURE(take(kFirst, p_.data_slots));
  EXPECT_FALSE(allocator_.take(kFirst, &got_)) << "but opens no superblock";
  EXPECT_EQ(allocator_.free(), 2u);
}

TEST_F(FastAllocator, AnotherHandlesSuperblockComesBeforeTheReserve) {
  free_up(7, 4);
  ASSERT_NO_FATAL_FAILURE(take(kSecond, 5));
  ASSERT_NO_FATAL_FAILURE(take(kFirst, p_.data_slots));
  ASSERT_TRUE(allocator_.take_urgent(&stream_, &got_));
  EXPECT_EQ(stream_, kSecond);
  EXPECT_EQ(got_.slot, p_.slot_at(7, 5));
  EXPECT_EQ(allocator_.free(), 2u);
}

TEST_F(FastAllocator, AFreeSuperblockBeyondTheReserveComesBeforeAnotherHandles) {
  free_up(7, 5);
  ASSERT_NO_FATAL_FAILURE(take(kSecond, 5));
  ASSERT_NO_FATAL_FAILURE(take(kFirst, p_.data_slots));
  ASSERT_TRUE(allocator_.take_urgent(&stream_, &got_));
  EXPECT_EQ(stream_, kFirst);
  EXPECT_EQ(got_.slot, p_.slot_at(9, 0));
}

TEST_F(FastAllocator, WithoutAnyRoomThereIsNoSlot) {
  EXPECT_FALSE(allocator_.take_urgent(&stream_, &got_));
  free_up(7, 1);
  ASSERT_NO_FATAL_FAILURE(take(AllocStream::kGc, 1));
  EXPECT_FALSE(allocator_.take_urgent(&stream_, &got_)) << "GC's is not for the host";
  EXPECT_EQ(stream_, kFirst);
}

TEST_F(FastAllocator, GcTakesTheLastSuperblockWhenTheHostsProgramsHaveLanded) {
  bool busy = true;
  uint32_t told = 0;
  allocator_.link([&] { return busy; }, [&] { ++told; });
  free_up(7, 1);
  EXPECT_FALSE(allocator_.take(AllocStream::kGc, &got_));
  EXPECT_EQ(told, 1u);
  EXPECT_TRUE(allocator_.gc_held());
  busy = false;
  ASSERT_TRUE(allocator_.take(AllocStream::kGc, &got_));
  EXPECT_EQ(got_.slot, p_.slot_at(7, 0));
  EXPECT_FALSE(allocator_.gc_held());
  EXPECT_EQ(told, 1u);
}

TEST_F(FastAllocator, GcDoesNotWaitWhileTheHostHasRoom) {
  uint32_t told = 0;
  allocator_.link([] { return true; }, [&] { ++told; });
  allocator_.set_reserve(0);
  free_up(7, 2);
  ASSERT_NO_FATAL_FAILURE(take(kSecond, open_to_all_ - 1));
  ASSERT_TRUE(allocator_.take(AllocStream::kGc, &got_)) << "a slot more than is kept";
  EXPECT_EQ(told, 0u);
}

/// Superblocks that were opened and closed, in order of that.
struct Followed {
  explicit Followed(Allocator *allocator) {
    allocator->follow([this](uint32_t sb) { opened.push_back(sb); },
                      [this](uint32_t sb, bool whole) { closed.emplace_back(sb, whole); });
  }
  std::vector<uint32_t> opened;
  std::vector<std::pair<uint32_t, bool>> closed;
};
using Closed = std::vector<std::pair<uint32_t, bool>>;

TEST_F(FastAllocator, TheSlotsOfTheSummaryAreNobodys) {
  const Followed followed(&allocator_);
  ASSERT_EQ(p_.summary_slots, 1u);
  free_up(7, 5);
  ASSERT_NO_FATAL_FAILURE(take(kFirst, p_.data_slots));
  EXPECT_EQ(allocator_.look(kFirst), ORM_PUT(ORM_FW_ALLOC_OPEN_SB, 7) |
                                         ORM_PUT(ORM_FW_ALLOC_OPEN_NEXT, p_.slots_per_sb - 1) |
                                         ORM_FW_ALLOC_OPEN_FULL_MASK | ORM_FW_ALLOC_OPEN_OPEN_MASK);
  EXPECT_EQ(followed.opened, std::vector<uint32_t>{7});
  EXPECT_TRUE(followed.closed.empty()) << "closed when the next slot is asked for";
  ASSERT_TRUE(allocator_.take(kFirst, &got_));
  EXPECT_EQ(got_.slot, p_.slot_at(8, 0));
  EXPECT_EQ(followed.opened, (std::vector<uint32_t>{7, 8}));
  EXPECT_EQ(followed.closed, (Closed{{7, true}}));
  ASSERT_NO_FATAL_FAILURE(take(AllocStream::kGc, p_.data_slots + 1));
  EXPECT_EQ(followed.closed, (Closed{{7, true}, {9, true}}));
}

TEST_F(FastAllocator, ASuperblockThatFirmwareEndsIsNotWhole) {
  const Followed followed(&allocator_);
  free_up(7, 5);
  ASSERT_NO_FATAL_FAILURE(take(kFirst, p_.data_slots - 1));
  allocator_.close(0);
  ASSERT_NO_FATAL_FAILURE(take(kFirst, p_.data_slots));
  EXPECT_EQ(followed.closed, (Closed{{7, false}}));
  allocator_.close(0);  // it is full anyhow
  ASSERT_NO_FATAL_FAILURE(take(kSecond, 1));
  EXPECT_EQ(followed.closed, (Closed{{7, false}, {8, true}}));
}

TEST_F(FastAllocator, FirmwareRestoresNoStreamAtASummary) {
  free_up(8, 5);
  table_.set(7, {107, 0, SbState::kOpen});
  EXPECT_THROW(allocator_.restore(kFirst, 7, p_.data_slots), ModelStopped);
  allocator_.restore(kFirst, 7, p_.data_slots - 1);
  ASSERT_TRUE(allocator_.take(kFirst, &got_));
  EXPECT_EQ(got_.slot, p_.slot_at(7, p_.data_slots - 1));
  ASSERT_TRUE(allocator_.take(kFirst, &got_));
  EXPECT_EQ(got_.slot, p_.slot_at(8, 0));
}

class FastAllocatorOfPages : public FastAllocator {
 protected:
  FastAllocatorOfPages() : FastAllocator({2, 2, 64, 32, 4}) {}
};

TEST_F(FastAllocatorOfPages, APageThatGoesAsItIsMayBeTheLastBeforeTheSummary) {
  const Followed followed(&allocator_);
  ASSERT_EQ(p_.summary_slots, 4u);
  free_up(7, 5);
  ASSERT_NO_FATAL_FAILURE(take(kFirst, p_.data_slots - 2));
  EXPECT_TRUE(allocator_.offers(kFirst, &got_));
  allocator_.skip(p_.slot_at(7, p_.data_slots - 4));
  EXPECT_FALSE(allocator_.offers(kFirst, &got_));
  ASSERT_TRUE(allocator_.take(kFirst, &got_));
  EXPECT_EQ(got_.slot, p_.slot_at(8, 0));
  EXPECT_EQ(followed.closed, (Closed{{7, true}}));
}

class FastAllocatorWithoutSummaries : public FastAllocator {
 protected:
  FastAllocatorWithoutSummaries() : FastAllocator({2, 2, 64, 16}) {}
};

TEST_F(FastAllocatorWithoutSummaries, AllSlotsAreForData) {
  const Followed followed(&allocator_);
  ASSERT_EQ(p_.summary_slots, 0u);
  free_up(7, 5);
  ASSERT_NO_FATAL_FAILURE(take(kFirst, p_.slots_per_sb));
  EXPECT_EQ(allocator_.look(kFirst),
            ORM_PUT(ORM_FW_ALLOC_OPEN_SB, 7) | ORM_FW_ALLOC_OPEN_FULL_MASK | ORM_FW_ALLOC_OPEN_OPEN_MASK);
  ASSERT_TRUE(allocator_.take(kFirst, &got_));
  EXPECT_EQ(followed.closed, (Closed{{7, true}}));
}

}  // namespace
}  // namespace orm::fast
