// SPDX-License-Identifier: Apache-2.0
//
// What lockstep says of seqs that change, or differ: identities that are made up, and those of a device.
#include "lockstep/lockstep_identity.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lockstep/lockstep_ssd.h"

namespace orm::lockstep {
namespace {

using Seqs = std::vector<uint64_t>;
constexpr uint64_t kNone = Identities::kUnmapped, kBuffer = Identities::kNotInFlash;

Identities having(Seqs seqs, uint64_t next) { return {std::move(seqs), next, {}}; }

Command write(uint64_t lpn, uint64_t pages = 1) {
  Command c;
  c.kind = Kind::kWrite;
  c.lpn = lpn;
  c.pages = pages;
  return c;
}

Command remap(Kind kind, uint64_t src, uint64_t dst, bool move = false) {
  Command c;
  c.kind = kind;
  c.lpn = src;
  c.dst = dst;
  c.pages = 1;
  c.flag = move;
  c.ranges = {{src, dst, 1}};
  return c;
}

Command burst(const std::vector<Command> &parts) {
  Command c;
  c.kind = Kind::kBurst;
  c.parts = parts;
  return c;
}

struct Case {
  const char *name;
  std::vector<Command> commands;
  Seqs after;
  const char *wrong;  // part of what is said; empty: nothing is wrong
};

/// Before the commands LPN 0 to 3 have seqs 5, 6, none, 8, and the next one is 10.
class IdentityOf : public testing::TestWithParam<Case> {};

TEST_P(IdentityOf, AnLpn) {
  IdentityWatch watch;
  ASSERT_EQ(watch.look(having({5, 6, kNone, 8}, 10)), "");
  for (const Command &c : GetParam().commands) watch.note(c);
  const std::string wrong = watch.look(having(GetParam().after, 20));
  if (*GetParam().wrong == '\0') {
    EXPECT_EQ(wrong, "");
  } else {
    EXPECT_NE(wrong.find(GetParam().wrong), std::string::npos) << wrong;
  }
}

const Case kCases[] = {
    {"StaysWithoutCommands", {}, {5, 6, kNone, 8}, ""},
    {"GrowsInACopyOfGc", {}, {5, 7, kNone, 8}, "LPN 1: its seq was 6 and is 7"},
    {"ShrinksInACopyOfGc", {}, {5, 4, kNone, 8}, "LPN 1: its seq was 6 and is 4"},
    {"IsLost", {}, {kNone, 6, kNone, 8}, "LPN 0: its seq was 5 and is 0"},
    {"ComesFromNowhere", {}, {5, 6, 3, 8}, "LPN 2"},
    {"IsNewAfterAWrite", {write(1, 2)}, {5, 10, 11, 8}, ""},
    {"MayStayAfterAWriteThatIsRefused", {write(1, 2)}, {5, 6, kNone, 8}, ""},
    {"IsOldAfterAWrite", {write(1)}, {5, 9, kNone, 8}, "LPN 1: its seq was 6 and is 9; commands since"},
    {"ChangesBesideAWrite", {write(1)}, {5, 10, kNone, 9}, "LPN 3"},
    {"WaitsInABuffer", {write(1)}, {5, kBuffer, kNone, 8}, ""},
    {"IsNewAfterARemap", {remap(Kind::kRemap, 0, 2)}, {5, 6, 10, 8}, ""},
    {"OfASourceStays", {remap(Kind::kRemap, 0, 2)}, {10, 6, 11, 8}, "LPN 0"},
    {"OfASourceThatMovedGoes", {remap(Kind::kRemap, 0, 2, true)}, {kNone, 6, 10, 8}, ""},
    {"IsNewAfterAVector", {remap(Kind::kRemapVector, 0, 2)}, {5, 6, 10, 8}, ""},
    {"IsNewAfterACopy", {remap(Kind::kCopy, 0, 1)}, {5, 10, kNone, 8}, ""},
    {"GoesWithADeallocation", {remap(Kind::kDeallocate, 0, 1)}, {kNone, 6, kNone, 8}, ""},
    {"IsNewAfterABurst", {burst({write(0), remap(Kind::kRemap, 1, 2)})}, {10, 6, 11, 8}, ""},
    {"ChangesBesideABurst", {burst({write(0)})}, {10, 7, kNone, 8}, "LPN 1"},
    {"IsAnotherAfterAFormat", {remap(Kind::kFormat, 0, 0)}, {kNone, 2, 3, kNone}, ""},
};
INSTANTIATE_TEST_SUITE_P(Lockstep, IdentityOf, testing::ValuesIn(kCases),
                         [](const auto &test) { return std::string(test.param.name); });

TEST(LockstepSeqs, AreEqualButForTheOrderInABurst) {
  EqualSeqs seqs(3);
  const Outcome done{{0}, {}, false}, refused{{1}, {}, false};
  EXPECT_EQ(seqs.compare(having({1, 2, 3}, 4), having({1, 2, 3}, 4)), "");
  EXPECT_NE(seqs.compare(having({1, 2, 3}, 4), having({1, 2, 3}, 5)), "") << "the next seq";
  EXPECT_NE(seqs.compare(having({1, 2, 3}, 6), having({1, 2, 4}, 6)), "");
  EXPECT_EQ(seqs.compare(having({1, 2, kBuffer}, 6), having({1, 2, 4}, 6)), "");
  seqs.note(burst({write(1), write(2)}), {{0, 0, 0}, {}, false});
  EXPECT_EQ(seqs.compare(having({1, 4, 5}, 6), having({1, 5, 4}, 6)), "");
  EXPECT_NE(seqs.compare(having({1, 4, 5}, 6), having({2, 5, 4}, 6)), "");
  seqs.note(write(1), refused);
  EXPECT_EQ(seqs.compare(having({1, 4, 5}, 6), having({1, 5, 4}, 6)), "");
  seqs.note(write(1), done);
  EXPECT_NE(seqs.compare(having({1, 6, 5}, 7), having({1, 5, 4}, 7)), "");
  EXPECT_EQ(seqs.compare(having({1, 6, 5}, 7), having({1, 6, 4}, 7)), "");
}

TEST(LockstepIdentities, OfADeviceAreItsSeqs) {
  const Ssd ssd("model", DeviceOptions());
  const Command pages = write(3, 2), copy = remap(Kind::kRemap, 3, 7);
  ASSERT_EQ(execute(ssd.get(), pages).statuses, std::vector<int>{0});
  ASSERT_EQ(execute(ssd.get(), copy).statuses, std::vector<int>{0});
  ASSERT_TRUE(rest(ssd.get()));
  const Identities now = identities(ssd.tables());
  ASSERT_EQ(now.seqs.size(), ssd.pages());
  EXPECT_EQ(now.seqs[2], Identities::kUnmapped);
  EXPECT_EQ(now.seqs[4], now.seqs[3] + 1);
  EXPECT_EQ(now.seqs[7], now.seqs[4] + 1);
  EXPECT_EQ(now.next_seq, now.seqs[7] + 1);
  EXPECT_TRUE(now.wrong.empty());
}

TEST(LockstepIdentities, TellOfMappingsThatARecoveryWouldNotFind) {
  const Ssd ssd("model", DeviceOptions());
  ASSERT_EQ(execute(ssd.get(), write(0, 2)).statuses, std::vector<int>{0});
  ASSERT_TRUE(rest(ssd.get()));
  crash::Tables tables = ssd.tables();
  std::swap(tables.l2p[0], tables.l2p[1]);
  ASSERT_EQ(identities(tables).wrong.size(), 2u);
  EXPECT_NE(identities(tables).wrong[0].find("LPN 0 names slot"), std::string::npos);
  tables = ssd.tables();
  tables.l2p[1] = ORM_UNMAPPED;
  ASSERT_EQ(identities(tables).wrong.size(), 1u);
  EXPECT_NE(identities(tables).wrong[0].find("LPN 1 is unmapped"), std::string::npos);
}

}  // namespace
}  // namespace orm::lockstep
