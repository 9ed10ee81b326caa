// SPDX-License-Identifier: Apache-2.0
//
// The commands that lockstep draws: its mapping equals a device's, and most commands find the data that they are about.
#include "lockstep/lockstep_generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lockstep/lockstep_pair.h"
#include "test_seed.h"

namespace orm::lockstep {
namespace {

constexpr uint64_t kPages = 400;

Command range(Kind kind, uint64_t src, uint64_t dst, uint64_t pages, bool flag = false) {
  Command c;
  c.kind = kind;
  c.lpn = src;
  c.dst = dst;
  c.pages = pages;
  c.flag = flag;
  c.ranges = {{src, dst, pages}};
  return c;
}

TEST(LockstepMapping, FollowsWhatCommandsDo) {
  Mapping m(kPages);
  EXPECT_FALSE(m.apply(range(Kind::kRemap, 0, 8, 1))) << "nothing there";
  EXPECT_TRUE(m.apply(range(Kind::kWrite, 0, 0, 4)));
  EXPECT_TRUE(m.apply(range(Kind::kRemap, 0, 8, 2)));
  EXPECT_EQ(m.slot(1), m.slot(9));
  EXPECT_EQ(m.sharers(m.slot(9)), 2u);
  EXPECT_TRUE(m.apply(range(Kind::kRemapVector, 2, 20, 2, true)));
  EXPECT_EQ(m.mapped_pages(), 6u) << "0, 1, 8, 9, 20, 21";
  EXPECT_FALSE(m.mapped(2, 1));
  EXPECT_FALSE(m.apply(range(Kind::kRemap, 1, 30, 2))) << "all or nothing";
  EXPECT_TRUE(m.apply(range(Kind::kCopy, 1, 30, 2))) << "a Copy does not mind";
  EXPECT_TRUE(m.mapped(30, 1));
  EXPECT_FALSE(m.mapped(31, 1));
  EXPECT_TRUE(m.apply(range(Kind::kDeallocate, 8, 0, 2)));
  EXPECT_EQ(m.sharers(m.slot(0)), 1u);
  EXPECT_TRUE(m.apply(range(Kind::kWriteZeroes, 0, 0, 2)));
  EXPECT_EQ(m.mapped_pages(), 3u);
  EXPECT_TRUE(m.apply(range(Kind::kFormat, 0, 0, 1)));
  EXPECT_EQ(m.mapped_pages(), 0u);
}

TEST(LockstepMapping, KnowsWhatIsRefused) {
  Mapping m(kPages);
  EXPECT_TRUE(m.apply(range(Kind::kWrite, 0, 0, 8)));
  EXPECT_FALSE(m.apply(range(Kind::kWrite, kPages - 1, 0, 2)));
  EXPECT_FALSE(m.apply(range(Kind::kRead, kPages, 0, 1)));
  EXPECT_FALSE(m.apply(range(Kind::kDeallocate, 0, 0, kPages + 1)));
  EXPECT_FALSE(m.apply(range(Kind::kRemap, 0, kPages - 1, 2)));
  EXPECT_FALSE(m.apply(range(Kind::kRemap, 0, 1, 2))) << "overlap";
  Command vector = range(Kind::kRemapVector, 0, 10, 1);
  vector.ranges.push_back({1, 10, 1});
  EXPECT_FALSE(m.apply(vector)) << "one target twice";
  EXPECT_EQ(m.mapped_pages(), 8u);
  for (uint64_t i = 1; i < Mapping::kMostSharers; ++i) EXPECT_TRUE(m.apply(range(Kind::kRemap, 0, 100 + i, 1)));
  EXPECT_EQ(m.sharers(m.slot(0)), Mapping::kMostSharers);
  EXPECT_FALSE(m.apply(range(Kind::kCopy, 0, 200, 1)));
}

TEST(LockstepMapping, FindsRunsBehindAPlaceAndFromTheBeginning) {
  Mapping m(kPages);
  EXPECT_FALSE(m.mapped_run(0, 1).has_value());
  EXPECT_TRUE(m.apply(range(Kind::kWrite, 10, 0, 3)));
  EXPECT_TRUE(m.apply(range(Kind::kWrite, kPages - 2, 0, 2)));
  EXPECT_EQ(m.mapped_run(0, 3), 10u);
  EXPECT_EQ(m.mapped_run(11, 2), 11u);
  EXPECT_EQ(m.mapped_run(12, 2), kPages - 2);
  EXPECT_EQ(m.mapped_run(kPages - 1, 2), 10u) << "no run goes on at the beginning";
  EXPECT_FALSE(m.mapped_run(0, 4).has_value());
}

double share(const Tally::Share &s) { return s.tried == 0 ? 0 : double(s.done) / double(s.tried); }

class LockstepMix : public testing::TestWithParam<Mix> {};

TEST_P(LockstepMix, MostCommandsFindDataAndSomeAreRefused) {
  SCOPED_TRACE("seed " + std::to_string(openremap::TestSeed()));
  PairOptions o;
  o.device.seed = openremap::TestSeed();
  o.first = o.second = "model";
  const GeneratorOptions options{GetParam(), false, true, false, true};
  Generator generator(o.device.seed, namespace_pages(o.device, o.first), options);
  std::vector<Command> commands;
  uint64_t drawn = 0;
  for (; drawn < 4000; drawn += commands.back().commands()) commands.push_back(generator.next());
  const Verdict v = compare(commands, o);
  ASSERT_TRUE(v.equal()) << v.difference;
  const Tally &t = v.tally;
  for (const Tally::Share &s : {t.remaps, t.vectors}) {
    EXPECT_GT(s.done, 50u);
    EXPECT_GT(share(s), 0.6);
    EXPECT_GT(s.tried, s.done) << "refusals are compared, too";
  }
  EXPECT_GT(share(t.copies), 0.6);
  EXPECT_GT(share(t.reads), 0.6);
  EXPECT_GT(share(t.pages), 0.25);
  EXPECT_LT(share(t.pages), 0.95);
  EXPECT_GT(v.remapped, 500u);
  EXPECT_GT(v.gc_moved, 0u);
}

INSTANTIATE_TEST_SUITE_P(Both, LockstepMix, testing::Values(Mix::kUsual, Mix::kQuick));

/// The mapping has data exactly where a device does.
TEST(LockstepGenerator, ItsMappingIsTheDevices) {
  SCOPED_TRACE("seed " + std::to_string(openremap::TestSeed()));
  Stream stream;
  stream.device.seed = openremap::TestSeed();
  Generator generator(stream.device.seed, namespace_pages(stream.device, "model"), {Mix::kQuick});
  std::vector<Command> commands;
  for (int i = 0; i < 150; ++i) commands.push_back(generator.next());
  const Mapping &mapping = generator.mapping();
  ASSERT_GT(mapping.mapped_pages(), 0u);
  for (uint64_t lpn = 0; lpn < mapping.pages(); ++lpn) commands.push_back(range(Kind::kRead, lpn, 0, 1));
  uint64_t found = 0, at = 0, wrong = 0;
  PairOptions o;
  o.device = stream.device;
  o.first = o.second = "model";
  o.fault = [&] {
    return [&](const Command &c, Outcome *answer) {
      if (at++ < 150) return;
      const bool data = std::any_of(answer->data.begin(), answer->data.end(), [](uint8_t byte) { return byte != 0; });
      found += data;
      wrong += data != mapping.mapped(c.lpn, 1);
    };
  };
  const Verdict v = compare(commands, o);
  ASSERT_TRUE(v.equal()) << v.difference;
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(found, mapping.mapped_pages());
}

/// Draws commands with corner cases, and tells each with the mapping before it.
template <class F>
void draw(uint64_t commands, bool storms, F &&f) {
  Generator generator(openremap::TestSeed(), kPages, {Mix::kQuick, false, true, storms, true});
  Mapping before(kPages);
  for (uint64_t i = 0; i < commands; ++i) {
    const Command c = generator.next();
    f(c, before);
    (void)before.apply(c);
  }
}

TEST(LockstepGenerator, MeetsTheCornersOfRemapsAndOfTheNamespace) {
  SCOPED_TRACE("seed " + std::to_string(openremap::TestSeed()));
  uint64_t full = 0, over = 0, again = 0, holes = 0, last = 0, beyond = 0;
  draw(2000, false, [&](const Command &c, const Mapping &before) {
    const uint64_t end = std::max(c.lpn, c.dst) + c.pages;
    last += c.kind != Kind::kBurst && end == kPages;
    beyond += c.kind != Kind::kBurst && end == kPages + 1;
    if (c.kind == Kind::kCopy && c.pages > 1 && end <= kPages) {
      holes += !before.mapped(c.lpn, 1) && !before.mapped(c.lpn + 1, 1) && before.mapped(c.dst, c.pages);
    }
    if (c.kind != Kind::kRemap && c.kind != Kind::kCopy && c.kind != Kind::kRemapVector) return;
    const uint64_t src = c.kind == Kind::kRemapVector ? c.ranges[0].src : c.lpn;
    if (src >= kPages || !before.mapped(src, 1)) return;
    Mapping after = before;
    const bool done = after.apply(c);
    full += done && after.sharers(after.slot(src)) == Mapping::kMostSharers;
    const uint64_t more = c.kind == Kind::kRemapVector ? c.ranges.size() : 1;
    over += !done && c.pages <= 1 && before.sharers(before.slot(src)) + more == Mapping::kMostSharers + 1;
    again += done && c.pages == 1 && c.dst < kPages && before.slot(src) == before.slot(c.dst);
  });
  EXPECT_GT(full, 5u) << "slots with as many sharers as the limit";
  EXPECT_GT(over, 5u) << "one more";
  EXPECT_GT(again, 5u) << "remaps that come again or back";
  EXPECT_GT(holes, 5u);
  EXPECT_GT(last, 10u);
  EXPECT_GT(beyond, 10u);
}

TEST(LockstepGenerator, AThirdOfAStormsCommandsRemapsTheSamePages) {
  SCOPED_TRACE("seed " + std::to_string(openremap::TestSeed()));
  uint64_t storm = 0, calm = 0;
  const auto large = [](const Command &c) { return c.kind == Kind::kCopy && c.pages == 48 && c.lpn < 64; };
  draw(1000, true, [&](const Command &c, const Mapping &) { storm += large(c); });
  draw(1000, false, [&](const Command &c, const Mapping &) { calm += large(c); });
  EXPECT_GT(storm, 250u);
  EXPECT_LT(calm, 5u);
}

TEST(LockstepGenerator, BeginsWithAFillUnlessToldOtherwise) {
  Generator filled(1, kPages), empty(1, kPages, {Mix::kUsual, false, false});
  while (filled.mapping().mapped_pages() < kPages / 2) ASSERT_EQ(filled.next().kind, Kind::kWrite);
  for (int i = 0; i < 10; ++i) (void)empty.next();
  EXPECT_LT(empty.mapping().mapped_pages(), kPages / 2);
}

}  // namespace
}  // namespace orm::lockstep
