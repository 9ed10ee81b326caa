// SPDX-License-Identifier: Apache-2.0
#include "fast/gc/gc_fixture.h"

namespace orm::fast {
namespace {

constexpr uint32_t kSb = 2, kLpn = 1000;

class FastGcDestager : public FastGc {
 protected:
  using FastGc::FastGc;
  GcOutcome destage() { return wait(gc_.destage(kSb)); }
  /// Nothing has happened to the chain of `entries`.
  void check_as_it_was(uint32_t entries) {
    EXPECT_EQ(wait(table_.walk(kSb)).size(), entries);
    EXPECT_EQ(table_.destaged(kSb).set, 0u);
    EXPECT_EQ(superblocks_[kSb].epoch, 0u);
    EXPECT_EQ(named(kSb, 1, 0), ORM_UNMAPPED);
    EXPECT_EQ(counted(ORM_COUNTER_CHAINS_DESTAGED), 0u);
    EXPECT_FALSE(share_lock_.owns(kShareLockGc));
  }
};

class FastGcDestagerWide : public FastGcDestager {
 protected:
  FastGcDestagerWide() : FastGcDestager(parse_geometry(PCIE_WIDE_GEOMETRY)) {}
};

TEST_F(FastGcDestager, WritesWhatIsLiveAndFreesTheSegments) {
  const uint32_t live = kDestageEntries + 45, dead = 20;
  share_many(kSb, kLpn, live + dead);
  for (uint32_t i = 0; i < dead; ++i) map(map_.unmap(kLpn + i));
  const uint32_t segments = table_.segments(kSb);
  const uint64_t seq = seq_.value();
  const GcOutcome outcome = destage();
  EXPECT_TRUE(outcome.ok);
  EXPECT_FALSE(outcome.refused || outcome.full);
  EXPECT_EQ(outcome.segments, segments);
  EXPECT_EQ(table_.free_segments(), p_.k.segments);
  EXPECT_EQ(seq_.value(), seq + 1) << "one for all slots";
  const Destaged &part = table_.destaged(kSb);
  EXPECT_EQ(part.set, 1u);
  EXPECT_EQ(part.slots, 2u);
  EXPECT_EQ(part.segments, (live + p_.entries_per_seg - 1) / p_.entries_per_seg);
  EXPECT_EQ(record(kSb).set, 1u);
  EXPECT_EQ(record(kSb).epoch, 1u);
  EXPECT_EQ(record(kSb).gen, 100 + kSb);
  EXPECT_EQ(superblocks_[kSb].epoch, 1u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_META), 2u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_GC), 0u);
  EXPECT_EQ(counted(ORM_COUNTER_CHAINS_DESTAGED), 1u);
  EXPECT_EQ(counted(ORM_COUNTER_ENTRIES_DESTAGED), live);

  uint32_t last_offset = 0, left = live;
  std::vector<uint32_t> lpns;
  for (uint32_t k = 0; k < part.slots; ++k) {
    const uint32_t slot = named(kSb, 1, k);
    ASSERT_NE(slot, ORM_UNMAPPED);
    EXPECT_EQ(map(map_.refs(slot)).count, 1u);
    const uint8_t *raw = read(slot);
    orm_destage_header header;
    ASSERT_TRUE(orm_destage_header_open(&header, raw));
    EXPECT_EQ(header.sb, kSb);
    EXPECT_EQ(header.gen, 100 + kSb);
    EXPECT_EQ(header.epoch, 1u);
    EXPECT_EQ(header.entries, std::min(left, kDestageEntries));
    EXPECT_EQ(header.index, k);
    EXPECT_EQ(header.slots, 2u);
    left -= header.entries;
    for (uint32_t i = 1; i <= header.entries; ++i) {
      orm_remap_entry e;
      ASSERT_TRUE(orm_remap_entry_open(&e, raw + i * ORM_REMAP_ENTRY_BYTES, kSb, header.gen, header.epoch)) << i;
      EXPECT_GE(e.offset, last_offset);
      EXPECT_EQ(e.offset, (e.lpn - kLpn) % p_.slots_per_sb);
      EXPECT_EQ(e.seq, 1 + e.lpn - kLpn);
      last_offset = e.offset;
      lpns.push_back(e.lpn);
    }
    const uint8_t *const rest = raw + (header.entries + 1u) * ORM_REMAP_ENTRY_BYTES;
    EXPECT_TRUE(std::all_of(rest, raw + ORM_SLOT_BYTES, [](uint8_t byte) { return byte == 0; }));
    orm_oob_record oob;
    ASSERT_TRUE(orm_oob_record_open(&oob, raw + ORM_SLOT_BYTES));
    EXPECT_EQ(oob.lpn, p_.destage_lpn_of(kSb, 1, k));
    EXPECT_EQ(oob.gen, superblocks_[p_.superblock_of(slot)].gen);
    EXPECT_EQ(oob.seq, seq);
    EXPECT_EQ(oob.stream, ORM_STREAM_GC);
    EXPECT_EQ(oob.version, ORM_FORMAT_VERSION);
    EXPECT_EQ(oob.slot, slot);
  }
  EXPECT_EQ(left, 0u);
  std::sort(lpns.begin(), lpns.end());
  for (uint32_t i = 0; i < live; ++i) ASSERT_EQ(lpns[i], kLpn + dead + i);
}

TEST_F(FastGcDestager, TheNextOneGoesToTheOtherSetWithAll) {
  share_many(kSb, kLpn, 300);
  ASSERT_TRUE(destage().ok);
  const uint32_t first = named(kSb, 1, 0);
  for (uint32_t i = 0; i < 250; ++i) map(map_.unmap(kLpn + i));
  share_many(kSb, kLpn + 300, 10);
  const GcOutcome outcome = destage();
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.segments, 1u);
  EXPECT_EQ(table_.destaged(kSb).set, 2u);
  EXPECT_EQ(table_.destaged(kSb).slots, 1u);
  EXPECT_EQ(record(kSb).set, 2u);
  EXPECT_EQ(record(kSb).epoch, 2u);
  for (uint32_t k = 0; k < 2; ++k) EXPECT_EQ(named(kSb, 1, k), ORM_UNMAPPED);
  EXPECT_EQ(map(map_.refs(first)).count, 0u);
  EXPECT_EQ(counted(ORM_COUNTER_ENTRIES_DESTAGED), 360u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_READ_GC), 2u);
  orm_destage_header header;
  ASSERT_TRUE(orm_destage_header_open(&header, read(named(kSb, 2, 0))));
  EXPECT_EQ(header.entries, 60u);
  EXPECT_EQ(header.epoch, 2u);
  share_many(kSb, kLpn + 310, 1);
  ASSERT_TRUE(destage().ok);
  EXPECT_EQ(table_.destaged(kSb).set, 1u) << "and back";
}

TEST_F(FastGcDestager, NothingLiveNeedsNoSlots) {
  share_many(kSb, kLpn, 40);
  ASSERT_TRUE(destage().ok);
  share_many(kSb, kLpn + 40, 1);
  for (uint32_t i = 0; i <= 40; ++i) map(map_.unmap(kLpn + i));
  const uint64_t seq = seq_.value();
  const GcOutcome outcome = destage();
  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.segments, 1u);
  EXPECT_EQ(seq_.value(), seq);
  EXPECT_EQ(table_.destaged(kSb).set, 0u);
  EXPECT_EQ(record(kSb).set, 0u);
  EXPECT_EQ(record(kSb).epoch, 2u);
  EXPECT_EQ(named(kSb, 1, 0), ORM_UNMAPPED);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_META), 1u);
}

TEST_F(FastGcDestager, WhatHasNothingInNvramIsRefused) {
  GcOutcome outcome = destage();
  EXPECT_TRUE(!outcome.ok && outcome.refused && !outcome.full);
  check_as_it_was(0);
  share_many(kSb, kLpn, 5);
  ASSERT_TRUE(destage().ok);
  outcome = destage();
  EXPECT_TRUE(!outcome.ok && outcome.refused);
  EXPECT_EQ(outcome.segments, 0u);
  EXPECT_EQ(table_.destaged(kSb).set, 1u) << "the destaged part stays";
  EXPECT_NE(named(kSb, 1, 0), ORM_UNMAPPED);
}

TEST_F(FastGcDestager, TheLastEpochIsKept) {
  superblocks_.set(kSb, {100 + kSb, 0, SbState::kClosed, SuperblockTable::kLastEpoch});
  share_many(kSb, kLpn, 5);
  const GcOutcome outcome = destage();
  EXPECT_TRUE(!outcome.ok && outcome.refused);
  EXPECT_EQ(wait(table_.walk(kSb)).size(), 5u);
}

TEST_F(FastGcDestager, AfterAFailedProgramNothingHasHappened) {
  share_many(kSb, kLpn, 300);
  uint32_t programs = 0;
  fault_ = [&](NandDone *done) {
    if (done->op == NandRequestOp::kProgram && ++programs == 2) done->status = NandStatus::kFailed;
  };
  const GcOutcome outcome = destage();
  EXPECT_FALSE(outcome.ok || outcome.refused || outcome.full);
  EXPECT_EQ(outcome.segments, 0u);
  check_as_it_was(300);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_META), 2u);
  fault_ = nullptr;
  ASSERT_TRUE(destage().ok);
  EXPECT_EQ(table_.destaged(kSb).set, 1u);
}

TEST_F(FastGcDestager, WaitsForHostProgramsAndTheMapLock) {
  share_many(kSb, kLpn, 5);
  const bool epoch = tracker_.issued();
  map_lock_.acquire(kMapLockTrim).await_ready();
  GcOutcome outcome;
  bool ended = false;
  Process p = into(gc_.destage(kSb), &outcome, &ended);
  p.start(sim_);
  run();
  EXPECT_EQ(model_.counters().programs, 0u) << "a write that made an entry stale may still be volatile";
  tracker_.landed(epoch);
  run();
  EXPECT_EQ(model_.counters().programs, 0u) << "a seq is drawn under the mapLock";
  map_lock_.release(kMapLockTrim);
  run();
  EXPECT_TRUE(ended && outcome.ok);
  EXPECT_FALSE(map_lock_.owns(kMapLockGc));
}

TEST_F(FastGcDestager, TheDestagedPartCountsTowardTheChain) {
  share_many(kSb, kLpn, 2 * p_.entries_per_seg + 1);
  ASSERT_TRUE(destage().ok);
  const uint32_t room = (p_.k.segments_per_chain - 3) * p_.entries_per_seg;
  EXPECT_TRUE(table_.capacity(RemapTableUser::kRemapEngine, kSb, room).fits);
  EXPECT_FALSE(table_.capacity(RemapTableUser::kRemapEngine, kSb, room + 1).fits);
  EXPECT_THROW(table_.place(kSb, {3, 1, 1}), ModelStopped) << "no such set";
  EXPECT_THROW(table_.place(kSb, {1, p_.destage_slots + 1, 1}), ModelStopped);
  EXPECT_THROW(table_.place(kSb, {1, 0, 0}), ModelStopped) << "a set without slots";
  EXPECT_THROW(table_.place(kSb, {1, 1, p_.k.segments_per_chain + 1}), ModelStopped);
  wait(table_.free_chain(kSb));
  EXPECT_EQ(table_.destaged(kSb).set, 0u);
}

TEST_F(FastGcDestager, ACompactionLeavesTheDestagedPartAlone) {
  share_many(kSb, kLpn, 10);
  ASSERT_TRUE(destage().ok);
  share_many(kSb, kLpn + 100, 2 * p_.entries_per_seg);
  for (uint32_t i = 0; i < 40; ++i) map(map_.unmap(kLpn + 100 + i));
  EXPECT_TRUE(wait(gc_.compact(kSb)).ok);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_READ_GC), 0u);
  EXPECT_EQ(record(kSb).set, 1u);
  EXPECT_EQ(record(kSb).epoch, 2u);
  ASSERT_TRUE(destage().ok) << "its entries have the epoch of their header";
  EXPECT_EQ(counted(ORM_COUNTER_BAD_ENTRIES), 0u);
  EXPECT_EQ(counted(ORM_COUNTER_ENTRIES_DESTAGED), 10u + 10u + 22u);
}

TEST_F(FastGcDestagerWide, ABegunPageIsCompleted) {
  share_many(kSb, kLpn, 300);
  ASSERT_TRUE(destage().ok);
  EXPECT_EQ(model_.counters().programs, 1u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_META), 2u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_GC), 0u);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_PAD), 2u);
  share_many(kSb, kLpn + 300, 1);
  ASSERT_TRUE(destage().ok);
  EXPECT_EQ(counted(ORM_COUNTER_NAND_PROGRAM_PAD), 4u);
}

}  // namespace
}  // namespace orm::fast
