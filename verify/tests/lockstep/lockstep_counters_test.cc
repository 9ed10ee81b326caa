// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_counters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace orm::lockstep {
namespace {

struct Compared {
  std::string wrong;
  std::vector<Apart> apart;
};

Compared compared(const orm_remap_log &first, const orm_remap_log &second, const Races &races = {},
                  const orm_remap_log &since_first = {}) {
  Compared c;
  c.wrong = compare_counters({"rtl", first, since_first}, {"model", second, {}}, races, &c.apart);
  return c;
}

TEST(LockstepCounters, ADifferenceIsNamedWithBothValues) {
  orm_remap_log a{}, b{};
  EXPECT_EQ(compared(a, b).wrong, "");
  a.host_write_pages = 7;
  b.host_write_pages = 8;
  b.nand_erase = 1;
  const Compared c = compared(a, b);
  EXPECT_EQ(c.wrong, "host_write_pages: rtl 7, model 8\n  nand_erase: rtl 0, model 1");
  EXPECT_TRUE(c.apart.empty());
}

TEST(LockstepCounters, CountFromTheLastPowerCycle) {
  orm_remap_log a{}, b{}, since{};
  since.host_write_pages = 5;
  a.host_write_pages = 12;
  b.host_write_pages = 7;
  EXPECT_EQ(compared(a, b, {}, since).wrong, "");
}

TEST(LockstepCounters, MayDifferByAsManyPagesAsRaced) {
  orm_remap_log a{}, b{};
  b.gc_lost_races = 3;
  Races races;
  races.raced = 2;
  EXPECT_EQ(compared(a, b, races).wrong, "gc_lost_races: rtl 0, model 3");
  races.raced = 3;
  const Compared c = compared(a, b, races);
  EXPECT_EQ(c.wrong, "");
  ASSERT_EQ(c.apart.size(), 1u);
  EXPECT_EQ(c.apart[0].name, "gc_lost_races");
  EXPECT_EQ(c.apart[0].second, 3u);
  EXPECT_EQ(c.apart[0].why, "GC raced with changes of 3 pages");
}

TEST(LockstepCounters, LookupsMayDifferByWhatChangedWhileAChainWasLoaded) {
  orm_remap_log a{}, b{};
  b.map_lookups = 7;
  Races races;
  races.loading = 2;
  EXPECT_EQ(compared(a, b, races).wrong, "map_lookups: rtl 0, model 7");
  races.loading = 3;
  const Compared c = compared(a, b, races);
  EXPECT_EQ(c.wrong, "");
  ASSERT_EQ(c.apart.size(), 1u);
  EXPECT_EQ(c.apart[0].why, "GC raced with changes of 0 pages, loaded chains beside those of 3");
  b.gc_lost_races = 1;
  EXPECT_EQ(compared(a, b, races).wrong, "gc_lost_races: rtl 0, model 1");
}

// What the host did is the same, whatever GC did.
TEST(LockstepCounters, OnceTheCollectionsHavePartedOnlyTheirCountersMayDiffer) {
  orm_remap_log a{}, b{};
  b.gc_moved_pages = 100;
  Races races;
  races.parted = true;
  EXPECT_EQ(compared(a, b, races).wrong, "");
  b.remap_pages = 1;
  EXPECT_EQ(compared(a, b, races).wrong, "remap_pages: rtl 0, model 1");
}

TEST(LockstepCounters, ACheckpointThatComesLaterLeavesMoreInTheJournal) {
  orm_remap_log a{}, b{};
  a.trim_checkpoints = 1;
  b.journal_used = 40;
  EXPECT_NE(compared(a, b).wrong, "");
  Races races;
  races.late_trims = 2;
  EXPECT_EQ(compared(a, b, races).wrong, "");
  b.trim_checkpoints = 1;
  EXPECT_EQ(compared(a, b, races).wrong, "journal_used: rtl 0, model 40") << "none of them is later";
}

}  // namespace
}  // namespace orm::lockstep
