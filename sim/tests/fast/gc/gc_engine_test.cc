// SPDX-License-Identifier: Apache-2.0
// Collections of superblocks with a destaged part of their chain.
#include <map>

#include "fast/gc/gc_fixture.h"

namespace orm::fast {
namespace {

constexpr uint32_t kSb = 2, kLpn = 1000, kSlots = 6;

class FastGcEngine : public FastGc {
 protected:
  /// Slots of LPNs 0, 1, ... with sharers in the destaged part of the chain, and some in NVRAM.
  void fill() {
    for (uint32_t i = 0; i < kSlots; ++i) {
      program(p_.slot_at(kSb, i), i, seq_.take());
      map(map_.set(i, p_.slot_at(kSb, i)));
    }
    for (uint32_t i = 0; i < kSlots; ++i) share(kSb, i, kLpn + i, seq_.take());
    ASSERT_TRUE(wait(gc_.destage(kSb)).ok);
    for (uint32_t i = 0; i < kSlots; i += 2) share(kSb, i, kLpn + 100 + i, seq_.take());
  }
  /// As firmware's window does it: what was moved well is erased.
  GcOutcome collect(uint32_t sb) {
    GcOutcome outcome = wait(gc_.collect(sb));
    if (outcome.ok) outcome.ok = wait(gc_.give_back(sb));
    return outcome;
  }
  uint32_t slot_of(uint32_t lpn) {
    const MapResponse found = map(map_.lookup(lpn));
    return found.mapped ? found.slot : ORM_UNMAPPED;
  }
};

TEST_F(FastGcEngine, AVictimsDestagedSharersMoveAndItsSetIsUnmapped) {
  fill();
  const GcOutcome outcome = collect(kSb);
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.moved, kSlots);
  EXPECT_EQ(outcome.shared, kSlots);
  for (uint32_t i = 0; i < kSlots; ++i) {
    EXPECT_NE(p_.superblock_of(slot_of(i)), kSb);
    EXPECT_EQ(slot_of(kLpn + i), slot_of(i));
    if (i % 2 == 0) {
      EXPECT_EQ(slot_of(kLpn + 100 + i), slot_of(i));
    }
  }
  EXPECT_EQ(named(kSb, 1, 0), ORM_UNMAPPED);
  EXPECT_EQ(table_.destaged(kSb).set, 0u);
  EXPECT_EQ(table_.segments(kSb), 0u);
  EXPECT_EQ(superblocks_[kSb].state, SbState::kFree);
  EXPECT_EQ(record(kSb).set, 0u);
  EXPECT_EQ(record(kSb).epoch, 0u);
  EXPECT_EQ(record(kSb).gen, 101 + kSb);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_READ_GC), kSlots + 1u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_GC), kSlots);
}

TEST_F(FastGcEngine, WithoutItsDestagedPartAVictimStays) {
  fill();
  fault_ = [](NandDone *done) {
    if (done->meta && done->op == NandRequestOp::kRead) done->status = NandStatus::kUncorrectable;
  };
  GcOutcome outcome = collect(kSb);
  EXPECT_FALSE(outcome.ok || outcome.refused || outcome.full);
  EXPECT_EQ(outcome.moved, 0u);
  EXPECT_EQ(p_.superblock_of(slot_of(0)), kSb);
  EXPECT_EQ(superblocks_[kSb].state, SbState::kClosed);
  EXPECT_NE(named(kSb, 1, 0), ORM_UNMAPPED);
  outcome = wait(gc_.destage(kSb));
  EXPECT_FALSE(outcome.ok || outcome.refused || outcome.full);
  EXPECT_EQ(table_.destaged(kSb).set, 1u);
  EXPECT_EQ(table_.segments(kSb), 1u);
  EXPECT_EQ(superblocks_[kSb].epoch, 1u);
  EXPECT_TRUE(wait(gc_.compact(kSb)).refused) << "has nothing to give back, and does not need it";
  EXPECT_FALSE(share_lock_.owns(kShareLockGc));
  fault_ = nullptr;
  EXPECT_TRUE(collect(kSb).ok);
  EXPECT_EQ(slot_of(kLpn), slot_of(0));
}

TEST_F(FastGcEngine, AVictimThatStaysKeepsItsSet) {
  fill();
  fault_ = [&](NandDone *done) {
    if (!done->meta && done->slot == p_.slot_at(kSb, 3)) done->status = NandStatus::kUncorrectable;
  };
  const GcOutcome outcome = collect(kSb);
  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.moved, kSlots - 1u);
  EXPECT_NE(named(kSb, 1, 0), ORM_UNMAPPED);
  EXPECT_EQ(table_.destaged(kSb).set, 1u);
}

TEST_F(FastGcEngine, ADestagingWaitsForTheVictimThatIsErased) {
  fill();
  share_many(1, kLpn + 200, 5);
  ASSERT_TRUE(wait(gc_.collect(kSb)).ok);
  EXPECT_EQ(named(kSb, 1, 0), ORM_UNMAPPED) << "before the erase";
  GcOutcome outcome;
  bool ended = false;
  Process p = into(gc_.destage(1), &outcome, &ended);
  p.start(sim_);
  run();
  EXPECT_FALSE(ended);
  EXPECT_FALSE(share_lock_.owns(kShareLockGc));
  EXPECT_TRUE(wait(gc_.give_back(kSb)));
  EXPECT_TRUE(ended && outcome.ok);
  EXPECT_EQ(table_.destaged(1).set, 1u);
}

/// Slots of a destaged part are moved like any others when the superblock that they are in is collected.
TEST_F(FastGcEngine, TheSlotsOfAPartMoveLikeData) {
  fill();
  const uint32_t from = named(kSb, 1, 0), home = p_.superblock_of(from);
  Allocation next;
  while (superblocks_[home].state == SbState::kOpen) {
    ASSERT_TRUE(allocator_.take(AllocStream::kGc, &next));
    ASSERT_NO_FATAL_FAILURE(program(next.slot, kLpn + 500, seq_.take()));
  }
  const GcOutcome outcome = collect(home);
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.moved, 1u);
  EXPECT_NE(named(kSb, 1, 0), from);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_META), 1u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_GC), 1u);
  EXPECT_TRUE(collect(kSb).ok);
  EXPECT_EQ(slot_of(kLpn + 1), slot_of(1));
}

}  // namespace
}  // namespace orm::fast
