// SPDX-License-Identifier: Apache-2.0
#include "value_log/segment_ledger.h"

#include <gtest/gtest.h>

#include "util/coding.h"
#include "value_log/value_pointer.h"

namespace openremap {
namespace {

using leveldb::Slice;

constexpr uint64_t kNobody = UINT64_MAX;

std::string Pointer(uint64_t segment, uint32_t bytes) {
  std::string tagged;
  AppendPointer({segment, 0, bytes, 0, false}, &tagged);
  return tagged;
}

SegmentChanges Added(uint64_t segment, uint64_t bytes) {
  SegmentChanges changes;
  changes.added[segment] = bytes;
  return changes;
}

SegmentChanges Dropped(uint64_t segment, uint64_t bytes) {
  SegmentChanges changes;
  changes.dropped[segment] = bytes;
  return changes;
}

TEST(SegmentChangesTest, CountsPointersOnly) {
  SegmentChanges changes;
  std::string value;
  AppendInline("abc", &value);
  changes.Add(value);
  changes.Drop(Slice());
  EXPECT_TRUE(changes.empty());
  changes.Add(Pointer(7, 100));
  changes.Add(Pointer(7, 50));
  changes.Drop(Pointer(8, 1));
  EXPECT_EQ(changes.added, (std::map<uint64_t, uint64_t>{{7, 150}}));
  EXPECT_EQ(changes.dropped, (std::map<uint64_t, uint64_t>{{8, 1}}));
}

TEST(SegmentChangesTest, ComeBackFromTheManifest) {
  SegmentChanges changes;
  changes.added = {{7, 150}, {uint64_t{1} << 50, uint64_t{1} << 60}};
  changes.dropped = {{3, 9}};
  changes.collected = {1, 2};
  std::string bytes;
  changes.EncodeTo(&bytes);
  SegmentChanges read;
  Slice input(bytes);
  uint32_t tag = 0;
  while (leveldb::GetVarint32(&input, &tag)) ASSERT_TRUE(read.Decode(tag, &input));
  EXPECT_TRUE(input.empty());
  EXPECT_EQ(read.added, changes.added);
  EXPECT_EQ(read.dropped, changes.dropped);
  EXPECT_EQ(read.collected, changes.collected);
  for (const uint32_t other : {0u, 7u, 64u, 68u}) {
    Slice fields("\x01\x01");
    EXPECT_FALSE(read.Decode(other, &fields));
  }
  Slice cut("\x01");
  EXPECT_FALSE(read.Decode(65, &cut));
}

TEST(SegmentLedgerTest, TheComparatorsNameTellsOfTheValueLog) {
  SegmentLedger ledger;
  EXPECT_TRUE(ledger.Adopt("name", "name"));
  EXPECT_FALSE(ledger.separated());
  EXPECT_EQ(ledger.StoredName("name"), "name");
  const std::string stored = SegmentLedger::StoredName("name", true);
  EXPECT_NE(stored, "name");
  EXPECT_TRUE(SegmentLedger::SaysSeparated(stored));
  EXPECT_FALSE(SegmentLedger::SaysSeparated("name"));
  EXPECT_TRUE(ledger.Adopt(stored, "name"));
  EXPECT_TRUE(ledger.separated());
  EXPECT_EQ(ledger.StoredName("name"), stored);
  EXPECT_FALSE(ledger.Adopt(stored, "other"));
  EXPECT_FALSE(ledger.Adopt("other", "name"));
}

TEST(SegmentLedgerTest, ASegmentDiesWithItsLastBytes) {
  SegmentLedger ledger;
  EXPECT_FALSE(ledger.Keeps(5, 1, kNobody)) << "unknown";
  ledger.Apply(Added(5, 100), 2, 0);
  ledger.Apply(Dropped(5, 60), 3, 0);
  EXPECT_EQ(ledger.Total().live(), 40u);
  EXPECT_TRUE(ledger.Keeps(5, 3, kNobody));
  ledger.Apply(Dropped(5, 40), 4, 0);
  EXPECT_TRUE(ledger.segments().empty());
  EXPECT_TRUE(ledger.Keeps(5, 3, kNobody)) << "version 3 has pointers to it";
  EXPECT_FALSE(ledger.Keeps(5, 4, kNobody));
  ledger.Forget(5);
  EXPECT_FALSE(ledger.Keeps(5, 1, kNobody));
  EXPECT_EQ(ledger.Total().added, 0u);
  EXPECT_EQ(ledger.changes(), 3u);
}

TEST(SegmentLedgerTest, AFlushMayBringASegmentBack) {
  SegmentLedger ledger;
  ledger.Apply(Added(5, 100), 2, 0);
  ledger.Apply(Dropped(5, 100), 3, 0);
  ledger.Apply(Added(5, 10), 4, 0);
  EXPECT_TRUE(ledger.Keeps(5, 9, kNobody));
  EXPECT_EQ(ledger.Total().live(), 10u);
}

TEST(SegmentLedgerTest, ACollectedSegmentStaysForVersionsAndSequenceNumbersBefore) {
  SegmentLedger ledger;
  ledger.Apply(Added(5, 100), 2, 10);
  SegmentChanges changes;
  changes.collected = {5, 6};
  ledger.Apply(changes, 3, 50);
  EXPECT_FALSE(ledger.Keeps(6, 1, 1)) << "never heard of";
  EXPECT_TRUE(ledger.Keeps(5, 2, kNobody));
  EXPECT_TRUE(ledger.Keeps(5, 3, 49));
  EXPECT_FALSE(ledger.Keeps(5, 3, 50));
  // Its hidden pointers are dropped one by one, which changes nothing.
  ledger.Apply(Dropped(5, 30), 4, 60);
  EXPECT_EQ(ledger.Total().live(), 0u);
  EXPECT_FALSE(ledger.Keeps(5, 4, kNobody));
}

TEST(SegmentLedgerTest, ANewManifestMakesTheSameLedger) {
  SegmentLedger ledger, again;
  ledger.Apply(Added(5, 100), 2, 0);
  ledger.Apply(Added(6, 70), 3, 0);
  ledger.Apply(Dropped(5, 60), 4, 0);
  again.Apply(ledger.Content(), 0, 0);
  ASSERT_EQ(again.segments().size(), 2u);
  EXPECT_EQ(again.segments().at(5).added, 100u);
  EXPECT_EQ(again.segments().at(5).live(), 40u);
  EXPECT_EQ(again.segments().at(6).live(), 70u);
  EXPECT_EQ(again.Total().live(), 110u);
}

TEST(SegmentLedgerTest, AMovedSegmentIsKeptInItsFile) {
  SegmentLedger ledger;
  SegmentChanges changes;
  changes.added[5] = 1000;
  ledger.Apply(changes, 1, 0);
  changes = SegmentChanges();
  changes.dropped[5] = 200;
  changes.moved[5] = {9, 700};
  ledger.Apply(changes, 2, 40);
  EXPECT_EQ(ledger.segments().at(5).size(), 700u);
  EXPECT_EQ(ledger.segments().at(5).live(), 800u) << "with hidden ones, which compactions drop one by one";
  EXPECT_TRUE(ledger.Keeps(9, 3, UINT64_MAX));
  EXPECT_TRUE(ledger.Keeps(5, 1, UINT64_MAX)) << "for a version";
  EXPECT_TRUE(ledger.Keeps(5, 2, 39)) << "for a snapshot";
  EXPECT_FALSE(ledger.Keeps(5, 2, 40));
  ledger.Forget(5);
  EXPECT_TRUE(ledger.Keeps(9, 3, UINT64_MAX));

  // A new manifest says so, too.
  std::string encoded;
  ledger.Content().EncodeTo(&encoded);
  SegmentChanges decoded;
  leveldb::Slice input = encoded;
  for (uint32_t tag = 0; !input.empty();) {
    ASSERT_TRUE(leveldb::GetVarint32(&input, &tag));
    ASSERT_TRUE(decoded.Decode(tag, &input)) << tag;
  }
  SegmentLedger again;
  again.Apply(decoded, 0, 0);
  EXPECT_EQ(again.segments().at(5).moved.file, 9u);
  EXPECT_FALSE(again.Keeps(5, 0, 0));
  EXPECT_TRUE(again.Keeps(9, 0, 0));

  // It moves again, and dies.
  changes = SegmentChanges();
  changes.moved[5] = {12, 300};
  ledger.Apply(changes, 3, 50);
  EXPECT_TRUE(ledger.Keeps(9, 3, 49));
  EXPECT_FALSE(ledger.Keeps(9, 3, 50));
  EXPECT_TRUE(ledger.Keeps(12, 3, 50));
  changes = SegmentChanges();
  changes.dropped[5] = 800;
  ledger.Apply(changes, 4, 60);
  EXPECT_TRUE(ledger.segments().empty());
  EXPECT_TRUE(ledger.Keeps(12, 3, UINT64_MAX));
  EXPECT_FALSE(ledger.Keeps(12, 4, UINT64_MAX));
}

TEST(SegmentLedgerTest, AMoveOfASegmentThatDiedDoesNothing) {
  SegmentLedger ledger;
  SegmentChanges changes;
  changes.moved[5] = {9, 700};
  ledger.Apply(changes, 2, 40);
  EXPECT_FALSE(ledger.Keeps(9, 0, 0));
  EXPECT_TRUE(ledger.segments().empty());
}

// ---- What was punched ----

TEST(SegmentLedgerTest, WhatPunchingLeftIsTheSizeAndCountsAsBefore) {
  SegmentLedger ledger;
  SegmentChanges changes;
  changes.added[5] = 1000;
  changes.dropped[5] = 400;
  ledger.Apply(changes, 1, 10);
  changes = SegmentChanges();
  changes.punched[5] = 650;
  changes.punched[6] = 1;  // it died meanwhile
  ledger.Apply(changes, 2, 20);
  EXPECT_EQ(ledger.segments().size(), 1u);
  EXPECT_EQ(ledger.segments().at(5).size(), 650u);
  EXPECT_EQ(ledger.segments().at(5).file_bytes(), 1000u);
  EXPECT_EQ(ledger.segments().at(5).live(), 600u);
  ledger.Punched(5, 610);
  ledger.Apply(changes, 3, 30);  // an older edit that was waiting
  EXPECT_EQ(ledger.segments().at(5).size(), 610u);
  // A new manifest has it, and the fields come back.
  std::string record;
  ledger.Content().EncodeTo(&record);
  leveldb::Slice input(record);
  SegmentChanges back;
  for (uint32_t tag = 0; !input.empty();) {
    ASSERT_TRUE(leveldb::GetVarint32(&input, &tag));
    ASSERT_TRUE(back.Decode(tag, &input));
  }
  SegmentLedger again;
  again.Apply(back, 0, 0);
  EXPECT_EQ(again.segments().at(5).size(), 610u);
  EXPECT_EQ(again.segments().at(5).live(), 600u);
  // Its next file has what it is said to have.
  changes = SegmentChanges();
  changes.moved[5] = {9, 605};
  again.Apply(changes, 4, 40);
  EXPECT_EQ(again.segments().at(5).size(), 605u);
  changes = SegmentChanges();
  changes.dropped[5] = 600;
  again.Apply(changes, 5, 50);
  EXPECT_TRUE(again.segments().empty());
}

TEST(SegmentLedgerTest, PagesMayGoWhenNoReaderIsOlder) {
  SegmentLedger ledger;
  SegmentChanges changes;
  changes.added[5] = changes.added[6] = 100;
  ledger.Apply(changes, 1, 10);
  EXPECT_EQ(ledger.Punchable(9, 99), 0u);
  changes = SegmentChanges();
  changes.punchable = {5};
  EXPECT_TRUE(changes.empty()) << "it is not stored";
  std::string record;
  changes.EncodeTo(&record);
  EXPECT_EQ(record, "");
  ledger.Apply(changes, 2, 20);
  changes.punchable = {6};
  ledger.Apply(changes, 3, 30);
  EXPECT_EQ(ledger.Punchable(1, 99), 0u) << "a version";
  EXPECT_EQ(ledger.Punchable(2, 19), 0u) << "a snapshot or an iterator";
  EXPECT_EQ(ledger.Punchable(2, 20), 5u);
  ledger.TakePunchable();
  EXPECT_EQ(ledger.Punchable(2, 20), 0u);
  EXPECT_EQ(ledger.Punchable(3, UINT64_MAX), 6u);
}

}  // namespace
}  // namespace openremap
