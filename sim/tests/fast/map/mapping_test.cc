// SPDX-License-Identifier: Apache-2.0
//
// Superblocks, allocation, mapping, remap table and journal: the parts that decide what is on flash and in NVRAM.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gc/gc_lookup.h"
#include "map/allocator.h"
#include "map/map_unit.h"
#include "orm_formats.h"
#include "pcie_function.h"
#include "remap/journal.h"
#include "remap/remap_cursor.h"
#include "remap/remap_table.h"

namespace orm::fast {
namespace {

class FastMapping : public ::testing::Test {
 protected:
  FastMapping() {
    std::fill_n(dram_.data() + p_.l2p_base, 4 * p_.lpns, uint8_t(0xFF));
    std::fill_n(dram_.data() + p_.ref_base, p_.slots, uint8_t(0));
    for (uint32_t sb = 0; sb < p_.superblocks; ++sb) table_.set(sb, {100 + sb, 0, SbState::kFree});
    for (uint32_t seg = 0; seg < p_.k.segments; ++seg) remaps_.load_free(seg);
  }

  void run() {
    while (sim_.next() != Simulation::kNever) sim_.step();
  }
  template <class Awaitable>
  static Process into(Awaitable what, MapResponse *out) {
    *out = co_await what;
  }
  MapResponse ask(MapUnit::Request request) {
    MapResponse answer;
    Process p = into(request, &answer);
    p.start(sim_);
    run();
    return answer;
  }
  template <class T>
  static Process collect(Task<T> task, T *out) {
    *out = co_await std::move(task);
  }
  template <class T>
  T wait(Task<T> task) {
    T out{};
    Process p = collect(std::move(task), &out);
    p.start(sim_);
    run();
    return out;
  }

  const Params p_;
  Simulation sim_{0};
  Counters counters_;
  SuperblockTable table_{p_};
  DramModel dram_{p_.dram_bytes};
  NvramModel nvram_{p_.nvram_bytes, "", 1};
  NvramPort port_{sim_, nvram_, MemoryTiming()};
  MapUnit map_{sim_, p_, dram_, table_, counters_};
  RemapTable remaps_{sim_, p_, port_, table_, counters_};
  Journal journal_{sim_, p_, port_};
};

TEST_F(FastMapping, SetUnmapAndSharersKeepRefAndValid) {
  const uint32_t slot = p_.slot_at(3, 17), other = p_.slot_at(4, 1);
  EXPECT_FALSE(ask(map_.lookup(9)).mapped);
  ask(map_.set(9, slot));
  EXPECT_EQ(ask(map_.lookup(9)).slot, slot);
  EXPECT_EQ(table_[3].valid, 1u);
  EXPECT_TRUE(ask(map_.reserve(slot)).ok);
  ask(map_.link(10, slot));
  EXPECT_EQ(ask(map_.refs(slot)).count, 2u);
  EXPECT_EQ(table_[3].valid, 1u);
  ask(map_.set(9, other));
  EXPECT_EQ(ask(map_.refs(slot)).count, 1u);
  EXPECT_TRUE(ask(map_.unmap(10)).mapped);
  EXPECT_EQ(table_[3].valid, 0u);
  EXPECT_EQ(table_[4].valid, 1u);
  EXPECT_FALSE(ask(map_.unmap(10)).mapped);
}

TEST_F(FastMapping, CasChangesOnlyWhatItExpects) {
  const uint32_t slot = p_.slot_at(3, 17), other = p_.slot_at(4, 1), third = p_.slot_at(5, 0);
  ask(map_.set(9, slot));
  EXPECT_FALSE(ask(map_.cas(9, third, other)).ok);
  EXPECT_EQ(ask(map_.lookup(9)).slot, slot);
  EXPECT_TRUE(ask(map_.cas(9, third, slot)).ok);
  EXPECT_EQ(ask(map_.lookup(9)).slot, third);
  EXPECT_EQ(table_[3].valid, 0u);
}

TEST_F(FastMapping, ReservationsEndAtTheLimit) {
  const uint32_t slot = p_.slot_at(1, 1);
  ask(map_.set(0, slot));
  for (uint32_t i = 1; i < p_.k.ref_limit; ++i) ASSERT_TRUE(ask(map_.reserve(slot)).ok) << i;
  EXPECT_FALSE(ask(map_.reserve(slot)).ok);
  ask(map_.release(slot));
  EXPECT_TRUE(ask(map_.reserve(slot)).ok);
}

TEST_F(FastMapping, BrokenInvariantsStopTheModel) {
  EXPECT_THROW(ask(map_.lookup(p_.lpns)), ModelStopped);
  EXPECT_THROW(ask(map_.release(5)), ModelStopped);
  EXPECT_THROW(table_.erased(2), ModelStopped) << "only a closed superblock is erased";
}

TEST_F(FastMapping, TheHostLeavesItsReserveToGc) {
  Allocator allocator(sim_, p_, table_);
  for (uint32_t sb : {7, 8, 9}) allocator.freed(sb);
  allocator.set_reserve(2);
  Allocation a;
  ASSERT_TRUE(allocator.take(AllocStream::kHost, &a));
  EXPECT_EQ(a.slot, p_.slot_at(7, 0));
  EXPECT_EQ(a.gen, 107u);
  for (uint32_t i = 1; i < p_.data_slots; ++i) ASSERT_TRUE(allocator.take(AllocStream::kHost, &a));
  EXPECT_EQ(table_[7].state, SbState::kOpen) << "closed when the next slot is asked for";
  EXPECT_FALSE(allocator.take(AllocStream::kHost, &a));
  EXPECT_EQ(table_[7].state, SbState::kClosed);
  ASSERT_TRUE(allocator.take(AllocStream::kGc, &a));
  EXPECT_EQ(a.slot, p_.slot_at(8, 0));
  EXPECT_EQ(allocator.free(), 1u);
}

TEST_F(FastMapping, OnlyTheStreamInsideAPageSkipsItsRest) {
  const Params wide(parse_geometry(PCIE_WIDE_GEOMETRY));
  SuperblockTable table(wide);
  for (uint32_t sb = 0; sb < 8; ++sb) table.set(sb, {100 + sb, 0, SbState::kFree});
  Allocator allocator(sim_, wide, table);
  for (uint32_t sb : {4, 5, 6, 7}) allocator.freed(sb);
  allocator.set_reserve(0);
  Allocation a;
  for (uint32_t i = 0; i < 5; ++i) ASSERT_TRUE(allocator.take(AllocStream::kHost, &a));
  for (uint32_t i = 0; i < 6; ++i) ASSERT_TRUE(allocator.take(AllocStream::kGc, &a));
  allocator.skip(wide.slot_at(4, 0));  // nothing of it is left
  allocator.skip(wide.slot_at(4, 8));  // it has not begun
  ASSERT_TRUE(allocator.take(AllocStream::kHost, &a));
  EXPECT_EQ(a.slot, wide.slot_at(4, 5));
  allocator.skip(wide.slot_at(4, 4));
  EXPECT_EQ(ORM_GET(allocator.look(AllocStream::kHost), ORM_FW_ALLOC_OPEN_NEXT), 8u);
  ASSERT_TRUE(allocator.take(AllocStream::kHost, &a));
  EXPECT_EQ(a.slot, wide.slot_at(4, 8));
  ASSERT_TRUE(allocator.take(AllocStream::kGc, &a));
  EXPECT_EQ(a.slot, wide.slot_at(5, 6));
  // Inside the last page: the superblock is full.
  for (uint32_t i = 7; i + 2 < wide.slots_per_sb; ++i) ASSERT_TRUE(allocator.take(AllocStream::kGc, &a));
  allocator.skip(wide.slot_at(5, wide.slots_per_sb - 4));
  EXPECT_FALSE(allocator.offers(AllocStream::kGc, &a));
  ASSERT_TRUE(allocator.take(AllocStream::kGc, &a));
  EXPECT_EQ(a.slot, wide.slot_at(6, 0));
  // Firmware restores at pages only.
  EXPECT_THROW(allocator.restore(host_stream(1), 7, 6), ModelStopped);
  allocator.restore(host_stream(1), 7, 8);
  ASSERT_TRUE(allocator.take(host_stream(1), &a));
  EXPECT_EQ(a.slot, wide.slot_at(7, 8));
}

TEST_F(FastMapping, ChainsAreWrittenAsTheFormatSaysAndWalkedNewestSegmentFirst) {
  const uint32_t n = p_.entries_per_seg + 3;
  EXPECT_EQ(remaps_.capacity(RemapTableUser::kGc, 6, n).segments, 2u);
  for (uint32_t i = 0; i < n; ++i) wait(remaps_.append({6, i, 1000 + i, 50 + i}));
  EXPECT_EQ(counters_.value(ORM_COUNTER_REMAP_ENTRIES), n);
  uint8_t raw[ORM_SEGMENT_HEADER_BYTES];
  orm_segment_header header;
  ASSERT_TRUE(nvram_.read(p_.nv_segments + 1 * kSegmentBytes, raw, sizeof raw));
  ASSERT_TRUE(orm_segment_header_open(&header, raw));
  EXPECT_EQ(header.sb, 6u);
  EXPECT_EQ(header.index, 1u);
  EXPECT_EQ(header.gen, 106u);
  EXPECT_EQ(header.prev, 0u);
  const std::vector<ChainEntry> found = wait(remaps_.walk(6));
  ASSERT_EQ(found.size(), n);
  EXPECT_EQ(found[0].lpn, 1000 + p_.entries_per_seg);
  EXPECT_EQ(found[3].lpn, 1000u);
  EXPECT_EQ(remaps_.capacity(RemapTableUser::kGc, 6, p_.entries_per_seg - 3).segments, 0u);
  EXPECT_EQ(remaps_.capacity(RemapTableUser::kRemapEngine, 6, 0).free, p_.k.segments - 2 - p_.k.gc_reserve_segments);
  wait(remaps_.free_chain(6));
  EXPECT_EQ(remaps_.free_segments(), p_.k.segments);
  EXPECT_TRUE(wait(remaps_.walk(6)).empty());
}

TEST_F(FastMapping, AChainSetAsideMakesRoomForOneOfTheNextEpoch) {
  for (uint32_t i = 0; i < 2; ++i) wait(remaps_.append({6, i, 1000 + i, 50 + i}));
  wait(remaps_.set_aside(6));
  EXPECT_EQ(remaps_.segments(6), 0u);
  EXPECT_EQ(remaps_.free_segments(), p_.k.segments - 1);
  table_.compacted(6);
  wait(remaps_.append({6, 1, 1001, 51}));
  ASSERT_EQ(wait(remaps_.walk(6)).size(), 1u);
  EXPECT_EQ(remaps_.free_segments(), p_.k.segments - 2);
  EXPECT_THROW(wait(remaps_.set_aside(7)), ModelStopped) << "one at a time";
}

TEST_F(FastMapping, WhatWasSetAsideIsFreed) {
  for (uint32_t i = 0; i <= p_.entries_per_seg; ++i) wait(remaps_.append({6, i, 1000 + i, 50 + i}));
  wait(remaps_.set_aside(6));
  wait(remaps_.drop_old());
  EXPECT_EQ(remaps_.free_segments(), p_.k.segments);
  EXPECT_EQ(counters_.value(ORM_COUNTER_SEGMENTS_FREED), 2u);
  EXPECT_TRUE(wait(remaps_.walk(6)).empty());
}

TEST_F(FastMapping, EntriesOfAnotherGenerationDoNotCount) {
  wait(remaps_.append({6, 1, 1000, 50}));
  table_.set(6, {107, 0, SbState::kFree, 0});
  EXPECT_TRUE(wait(remaps_.walk(6)).empty());
  EXPECT_EQ(counters_.value(ORM_COUNTER_BAD_ENTRIES), 1u);
}

TEST_F(FastMapping, TheJournalIsARingWithOneEmptyRecord) {
  journal_.load(510);
  wait(journal_.trim(40, 3, 1));
  wait(journal_.trim(50, 4, 2));
  EXPECT_EQ(journal_.head(), 0u);
  EXPECT_EQ(journal_.used(), 2u);
  EXPECT_EQ(journal_.room(), p_.k.journal_records - 3);
  uint8_t raw[ORM_JOURNAL_RECORD_BYTES];
  orm_journal_record record;
  ASSERT_TRUE(nvram_.read(p_.nv_journal + 511 * sizeof raw, raw, sizeof raw));
  ASSERT_TRUE(orm_journal_record_open(&record, raw));
  EXPECT_EQ(record.lpn, 50u);
  EXPECT_EQ(record.pages, 4u);
  wait(journal_.commit(2));
  uint8_t word[ORM_POINTER_WORD_BYTES];
  orm_pointer_word pointer;
  ASSERT_TRUE(nvram_.read(p_.nv_commit, word, sizeof word));
  ASSERT_TRUE(orm_pointer_word_open(&pointer, word));
  EXPECT_EQ(pointer.seq, 2u);
  journal_.set_tail(0);
  EXPECT_EQ(journal_.used(), 0u);
  EXPECT_THROW(journal_.set_tail(5), ModelStopped);
  EXPECT_THROW(wait(journal_.commit(1)), ModelStopped);
}

TEST_F(FastMapping, TheCursorGoesOverRangesAndStopsAtABadOne) {
  const auto put = [&](uint32_t at, uint64_t src, uint64_t dst, uint32_t nlb) {
    orm_remap_range r{};
    r.src = src;
    r.dst = dst;
    r.nlb = nlb;
    orm_remap_range_pack(&r, dram_.data() + p_.fw_dram_base + at * ORM_REMAP_RANGE_BYTES);
  };
  put(0, 10, 20, 2);
  put(1, 30, 40, 1);
  put(2, p_.lpns, 50, 1);
  RemapCursor cursor(p_, dram_);
  cursor.rewind(p_.fw_dram_base, 3);
  EXPECT_EQ(cursor.page().src, 10u);
  EXPECT_TRUE(cursor.page().first);
  EXPECT_FALSE(cursor.next());
  EXPECT_EQ(cursor.page().dst, 21u);
  EXPECT_TRUE(cursor.page().last);
  EXPECT_TRUE(cursor.next());
  EXPECT_EQ(cursor.page().src, 30u);
  EXPECT_FALSE(cursor.page().end_of_list);
  EXPECT_TRUE(cursor.next());
  EXPECT_TRUE(cursor.page().bad);
  EXPECT_TRUE(cursor.page().end_of_list);
  EXPECT_THROW(cursor.next(), ModelStopped);
  EXPECT_THROW(cursor.rewind(p_.fw_dram_base, 0), ModelStopped);
}

TEST_F(FastMapping, AnLpnStandsInALookupListOnceWithItsNewestSeq) {
  GcLookup lookup(p_);
  lookup.insert_from_chain(5, 100, 7);
  lookup.insert_from_chain(5, 101, 8);
  lookup.insert_from_chain(5, 100, 9);
  lookup.insert_from_spare(5, 102, 3, 0);
  std::vector<uint32_t> lpns;
  for (uint32_t at = lookup.head(5); at != GcLookup::kNone; at = lookup[at].next) {
    lpns.push_back(lookup[at].lpn);
    if (lookup[at].lpn == 100) {
      EXPECT_EQ(lookup[at].seq, 9u);
    }
  }
  EXPECT_EQ(lpns, (std::vector<uint32_t>{102, 101, 100}));
  EXPECT_EQ(lookup.head(6), GcLookup::kNone);
  lookup.clear();
  EXPECT_EQ(lookup.head(5), GcLookup::kNone);
}

}  // namespace
}  // namespace orm::fast
