// SPDX-License-Identifier: Apache-2.0
#include "full/full_oracle.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "full/full_commands.h"
#include "openremap.h"
#include "test_seed.h"

namespace orm::full {
namespace {

using Data = std::array<uint8_t, OPENREMAP_PAGE_BYTES>;

void write(Oracle *oracle, uint64_t lpn) {
  const std::vector<Change> changes = {{lpn, oracle->written()}};
  oracle->begin(changes);
  oracle->apply(changes);
}

void share(Oracle *oracle, uint64_t src, uint64_t dst) {
  const std::vector<Change> changes = {{dst, oracle->page(src)}};
  oracle->begin(changes);
  oracle->apply(changes);
}

TEST(FullOracle, FindsAByteThatDiffersAndDataWhereThereIsNone) {
  Oracle oracle(4);
  write(&oracle, 1);
  Data data;
  fill_page(oracle.page(1).content, data.data());
  EXPECT_EQ(oracle.check(1, data.data()), "");
  EXPECT_NE(oracle.check(2, data.data()), "");
  data[4095] ^= 1;
  EXPECT_NE(oracle.check(1, data.data()), "");
  data.fill(0);
  EXPECT_EQ(oracle.check(2, data.data()), "");
  EXPECT_NE(oracle.check(1, data.data()), "");
}

TEST(FullOracle, KnowsWhoSharesASlot) {
  Oracle oracle(5);
  for (const uint64_t lpn : {0, 1, 2}) write(&oracle, lpn);
  share(&oracle, 0, 1);
  share(&oracle, 0, 3);
  const uint64_t slot = oracle.page(0).slot;
  EXPECT_EQ(oracle.sharers(slot), 3u);
  EXPECT_EQ(oracle.most_sharers(), 3u);
  EXPECT_EQ(oracle.without_own_slot(), (std::vector<uint64_t>{1, 3, 4}));
  write(&oracle, 0);
  EXPECT_EQ(oracle.sharers(slot), 2u);
}

TEST(FullOracle, CountsSharersOfRemapsUnderWay) {
  Oracle oracle(3);
  write(&oracle, 0);
  const uint64_t slot = oracle.page(0).slot;
  const std::vector<Change> changes = {{1, oracle.page(0)}, {2, oracle.page(0)}};
  oracle.begin(changes);
  EXPECT_EQ(oracle.sharers(slot), 3u);
  oracle.cancel(changes);
  EXPECT_EQ(oracle.sharers(slot), 1u);
  EXPECT_EQ(oracle.page(1).slot, 0u);
}

TEST(FullOracle, ClaimsAllPagesOrNone) {
  Oracle oracle(8);
  ASSERT_TRUE(oracle.claim(2, 2));
  EXPECT_FALSE(oracle.claim(0, 3));
  EXPECT_TRUE(oracle.claim(0, 2));
  oracle.release(2, 2);
  EXPECT_TRUE(oracle.claim(2, 1));
}

/// Commands that have not been released have no pages in common, and the sources of remaps are mapped.
TEST(FullGenerator, DrawsCommandsThatDoNotMeet) {
  SCOPED_TRACE("seed " + std::to_string(openremap::TestSeed()));
  Oracle oracle(4096);
  for (uint64_t lpn = 0; lpn < oracle.pages(); ++lpn) write(&oracle, lpn);
  Generator generator(&oracle, openremap::TestSeed());
  std::set<Kind> kinds;
  for (const Storm &storm : kStorms) {
    for (int round = 0; round < 100; ++round) {
      std::vector<Command> flying;
      std::set<uint64_t> taken;
      for (int n = 0; n < 20; ++n) {
        const auto command = generator.next(storm, true);
        if (!command) continue;
        std::set<uint64_t> own;
        for (const openremap_remap_range &r : command->ranges) {
          for (uint64_t i = 0; i < r.pages; ++i) {
            EXPECT_TRUE(taken.insert(r.dst + i).second) << name_of(command->kind) << " of LPN " << r.dst + i;
            if (!is_remap(command->kind)) continue;
            EXPECT_TRUE(command->kind == Kind::kCopy || oracle.page(r.src + i).slot != 0);
            const bool again = !own.insert(r.src + i).second;  // a fan has one source
            EXPECT_TRUE(again || taken.insert(r.src + i).second) << name_of(command->kind) << " from " << r.src + i;
          }
        }
        kinds.insert(command->kind);
        flying.push_back(*command);
      }
      for (const Command &command : flying) {
        oracle.begin(command.changes);
        oracle.apply(command.changes);
        release(&oracle, command);
      }
    }
  }
  EXPECT_EQ(kinds.size(), kKinds);
}

}  // namespace
}  // namespace orm::full
