// SPDX-License-Identifier: Apache-2.0
// The oracle of the crash explorer: it must accept every correct result, and find every wrong one.
#include "crash/oracle.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace orm::crash {
namespace {

using lockstep::Command;
using lockstep::Kind;
using lockstep::Outcome;

constexpr uint64_t kPages = 16;

Digest data(uint64_t value, uint64_t page = 0, uint64_t pages = 1) {
  return digest(lockstep::contents(value, pages).data() + page * OPENREMAP_PAGE_BYTES);
}
Digest nothing() { return digest(std::vector<uint8_t>(OPENREMAP_PAGE_BYTES, 0).data()); }

Command write(uint64_t lpn, uint64_t value, bool fua = false, uint64_t pages = 1) {
  Command c;
  c.kind = Kind::kWrite;
  c.lpn = lpn;
  c.pages = pages;
  c.value = value;
  c.flag = fua;
  return c;
}
Command remap(uint64_t src, uint64_t dst, uint64_t pages, bool move = false) {
  Command c;
  c.kind = Kind::kRemap;
  c.lpn = src;
  c.dst = dst;
  c.pages = pages;
  c.flag = move;
  return c;
}
Command deallocate(uint64_t lpn, uint64_t pages) {
  Command c;
  c.kind = Kind::kDeallocate;
  c.ranges = {{lpn, 0, pages}};
  return c;
}
Command flush() { return Command(); }

class OracleTest : public ::testing::Test {
 protected:
  void done(const Command &c, int status = 0) { EXPECT_EQ(oracle_.answered(c, Outcome{{status}, {}}), ""); }
  /// The oracle's word on a device that lost its power and holds these.
  std::string after_cut(std::vector<std::pair<uint64_t, Digest>> held) const {
    std::vector<Digest> found(kPages, nothing());
    for (const auto &[lpn, what] : held) found[lpn] = what;
    Oracle copy = oracle_;
    return copy.recovered(found);
  }
  bool allowed(std::vector<std::pair<uint64_t, Digest>> held) const { return after_cut(std::move(held)).empty(); }

  Oracle oracle_{kPages};
};

TEST_F(OracleTest, VolatileWriteMayBeOldOrNewOrInBetween) {
  done(write(3, 1, true));
  done(write(3, 2));
  done(write(3, 3));
  EXPECT_TRUE(allowed({{3, data(1)}}));
  EXPECT_TRUE(allowed({{3, data(2)}}));
  EXPECT_TRUE(allowed({{3, data(3)}}));
  EXPECT_FALSE(allowed({}));
  EXPECT_FALSE(allowed({{3, data(4)}}));
  EXPECT_FALSE(allowed({{3, data(3)}, {4, data(3)}}));
}

TEST_F(OracleTest, FlushAndFuaAreDurable) {
  done(write(3, 1));
  done(write(4, 2));
  done(flush());
  done(write(4, 3, true));
  EXPECT_TRUE(allowed({{3, data(1)}, {4, data(3)}}));
  EXPECT_NE(after_cut({{3, data(1)}, {4, data(2)}}).find("LPN 4 holds something else; it was durable"),
            std::string::npos);
  EXPECT_NE(after_cut({{4, data(3)}}).find("LPN 3 holds nothing"), std::string::npos);
}

TEST_F(OracleTest, DeallocatedStaysSo) {
  done(write(3, 1));
  done(deallocate(3, 1));
  EXPECT_TRUE(allowed({}));
  EXPECT_FALSE(allowed({{3, data(1)}}));
}

TEST_F(OracleTest, AnsweredRemapIsDurableEvenOfAVolatileSource) {
  done(write(3, 1));
  done(remap(3, 8, 1));
  EXPECT_TRUE(allowed({{3, data(1)}, {8, data(1)}}));
  EXPECT_FALSE(allowed({{3, data(1)}}));
}

TEST_F(OracleTest, RemapUnderWayIsAllOrNothing) {
  done(write(2, 1, true, 3));
  oracle_.cut_during(remap(2, 8, 3));
  const Digest a = data(1, 0, 3), b = data(1, 1, 3), c = data(1, 2, 3);
  EXPECT_TRUE(allowed({{2, a}, {3, b}, {4, c}}));
  EXPECT_TRUE(allowed({{2, a}, {3, b}, {4, c}, {8, a}, {9, b}, {10, c}}));
  EXPECT_FALSE(allowed({{2, a}, {3, b}, {4, c}, {8, a}, {9, b}}));
  EXPECT_FALSE(allowed({{2, a}, {3, b}, {4, c}, {8, a}, {9, b}, {10, data(9)}}));
}

TEST_F(OracleTest, MoveUnderWayIsAllOrNothing) {
  done(write(2, 1, true));
  oracle_.cut_during(remap(2, 8, 1, true));
  EXPECT_TRUE(allowed({{2, data(1)}}));
  EXPECT_TRUE(allowed({{8, data(1)}}));
  EXPECT_FALSE(allowed({{2, data(1)}, {8, data(1)}}));
  EXPECT_FALSE(allowed({}));
}

TEST_F(OracleTest, PagesOfAWriteUnderWayAreApart) {
  oracle_.cut_during(write(2, 1, true, 2));
  EXPECT_TRUE(allowed({{2, data(1, 0, 2)}}));
  EXPECT_TRUE(allowed({{3, data(1, 1, 2)}}));
  EXPECT_TRUE(allowed({}));
  EXPECT_FALSE(allowed({{2, data(1, 1, 2)}}));
}

TEST_F(OracleTest, NothingComesBackOnceNvramIsBlank) {
  done(write(2, 1, true));
  Command blank;
  blank.kind = Kind::kBlank;
  oracle_.cut_during(blank);
  EXPECT_TRUE(allowed({}));
  EXPECT_FALSE(allowed({{2, data(1)}}));
  EXPECT_EQ(oracle_.answered(blank, Outcome{{-5}, {}}), "refused with status -5");
  done(write(3, 2, true));
  done(blank);
  EXPECT_TRUE(allowed({}));
  EXPECT_FALSE(allowed({{3, data(2)}}));
}

TEST_F(OracleTest, RefusedCommandChangesNothing) {
  done(write(2, 1, true));
  done(remap(2, 8, 1), 0x1C0);
  EXPECT_TRUE(allowed({{2, data(1)}}));
  EXPECT_FALSE(allowed({{2, data(1)}, {8, data(1)}}));
  oracle_.cut_during(remap(2, kPages - 1, 2));
  EXPECT_FALSE(allowed({{2, data(1)}, {kPages - 1, data(1)}}));
}

TEST_F(OracleTest, OnlyWhatMayBeRefusedIsRefused) {
  const auto said = [this](const Command &c) { return oracle_.answered(c, Outcome{{0x281}, {}}); };
  EXPECT_EQ(said(write(2, 1)), "refused with status 641");
  EXPECT_EQ(said(flush()), "refused with status 641");
  EXPECT_EQ(said(deallocate(0, kPages)), "refused with status 641");
  EXPECT_EQ(said(write(kPages - 1, 1, false, 2)), "");
  EXPECT_EQ(said(deallocate(0, kPages + 1)), "");
  EXPECT_EQ(said(remap(0, 8, 1)), "");
  Command burst;
  burst.kind = Kind::kBurst;
  burst.parts = {remap(0, 8, 1), write(5, 3)};
  EXPECT_EQ(oracle_.answered(burst, {{0, 0x281, 0}, {}}), "");
  EXPECT_EQ(oracle_.answered(burst, {{0, 0, 0x281}, {}}), "refused with status 641");
}

TEST_F(OracleTest, WhatIsThereAfterARecoveryIsDurable) {
  done(write(3, 1));
  std::vector<Digest> found(kPages, nothing());
  EXPECT_EQ(oracle_.recovered(found), "");
  EXPECT_FALSE(allowed({{3, data(1)}}));
  EXPECT_EQ(oracle_.holds(found), "");
}

TEST_F(OracleTest, ReadsAndContentsAreChecked) {
  done(write(3, 1));
  Command read;
  read.kind = Kind::kRead;
  read.lpn = 3;
  read.pages = 1;
  EXPECT_EQ(oracle_.answered(read, {{0}, lockstep::contents(1, 1)}), "");
  EXPECT_EQ(oracle_.answered(read, {{0}, lockstep::contents(2, 1)}), "LPN 3 does not read what was written");
  EXPECT_EQ(oracle_.holds(std::vector<Digest>(kPages, nothing())), "LPN 3 does not hold what was written");
}

TEST_F(OracleTest, FlushInABurstMakesDurableWhatWasThereBefore) {
  done(write(3, 1));
  Command burst;
  burst.kind = Kind::kBurst;
  burst.parts = {write(3, 2), flush(), write(5, 3, true)};
  EXPECT_EQ(oracle_.answered(burst, {{0, 0, 0, 0}, {}}), "");
  EXPECT_TRUE(allowed({{3, data(1)}, {5, data(3)}}));
  EXPECT_TRUE(allowed({{3, data(2)}, {5, data(3)}}));
  EXPECT_FALSE(allowed({{5, data(3)}}));
  EXPECT_FALSE(allowed({{3, data(2)}}));
}

}  // namespace
}  // namespace orm::crash
