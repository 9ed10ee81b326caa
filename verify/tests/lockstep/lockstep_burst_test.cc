// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_burst.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lockstep/lockstep_generator.h"
#include "lockstep/lockstep_stream.h"
#include "test_seed.h"

namespace orm::lockstep {
namespace {

/// Pages that a part changes, and those that it reads or takes.
void pages_of(const Command &c, std::set<uint64_t> *changed, std::set<uint64_t> *taken) {
  const auto range = [](uint64_t lpn, uint64_t pages, std::set<uint64_t> *to) {
    for (uint64_t i = 0; i < pages; ++i) to->insert(lpn + i);
  };
  const bool remaps = c.kind == Kind::kRemap || c.kind == Kind::kRemapVector || c.kind == Kind::kCopy;
  std::vector<openremap_remap_range> ranges = c.ranges;
  if (ranges.empty() && c.kind != Kind::kFlush) ranges = {{c.lpn, c.dst, c.pages}};
  const bool moves = c.kind != Kind::kCopy && c.flag;
  for (const openremap_remap_range &r : ranges) {
    range(r.src, r.pages, c.kind == Kind::kRead || (remaps && !moves) ? taken : changed);
    if (remaps) range(r.dst, r.pages, changed);
  }
}

TEST(LockstepBurst, PartsOfQuickBurstsMeetOnlyOnPagesThatNoneChanges) {
  SCOPED_TRACE("seed " + std::to_string(openremap::TestSeed()));
  Generator generator(openremap::TestSeed(), 400, {Mix::kQuick});
  std::map<Kind, unsigned> kinds;
  unsigned met = 0;
  for (int i = 0; i < 2000; ++i) {
    std::set<uint64_t> changed, taken;
    for (const Command &part : generator.next().parts) {
      ASSERT_TRUE(may_be_part(part.kind));
      ++kinds[part.kind];
      std::set<uint64_t> changes, takes;
      pages_of(part, &changes, &takes);
      for (const uint64_t lpn : changes) {
        ASSERT_TRUE(changed.insert(lpn).second) << lpn;
        ASSERT_EQ(taken.count(lpn), 0u) << lpn;
      }
      for (const uint64_t lpn : takes) {
        ASSERT_EQ(changed.count(lpn), 0u) << lpn;
        met += !taken.insert(lpn).second;
      }
    }
  }
  EXPECT_GT(met, 500u) << "commands in flight on one LPN";
  EXPECT_EQ(kinds.size(), 8u);
  for (const auto &[kind, count] : kinds) EXPECT_GT(count, 200u) << word(kind);
}

}  // namespace
}  // namespace orm::lockstep
