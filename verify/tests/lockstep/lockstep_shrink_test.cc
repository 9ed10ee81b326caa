// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_shrink.h"

#include <gtest/gtest.h>

#include <iterator>
#include <vector>

#include "lockstep/random_stream.h"

namespace orm::lockstep {
namespace {

TEST(LockstepShrink, FindsTheFewThatMatter) {
  const std::vector<Command> commands = random_stream(600).commands;
  // Fails while a copy comes before a deallocation that comes before a flush.
  const auto fails = [](const std::vector<Command> &list) {
    size_t step = 0;
    constexpr Kind kOrder[] = {Kind::kCopy, Kind::kDeallocate, Kind::kFlush};
    for (const Command &c : list) {
      if (step < std::size(kOrder) && c.kind == kOrder[step]) ++step;
    }
    return step == std::size(kOrder);
  };
  ASSERT_TRUE(fails(commands));
  const Shrunk shrunk = shrink(commands, {fails, nullptr, 2000});
  EXPECT_TRUE(shrunk.minimal);
  ASSERT_EQ(shrunk.commands.size(), 3u);
  EXPECT_EQ(shrunk.commands[1].ranges.size(), 1u) << "lists get shorter too";
}

TEST(LockstepShrink, StopsWhenItsRunsAreUsedUp) {
  const std::vector<Command> commands = random_stream(600).commands;
  uint64_t told = 0;
  const ShrinkOptions options{[](const std::vector<Command> &list) { return list.size() > 1; },
                              [&](uint64_t runs, const std::vector<Command> &) { told = runs; }, 5};
  const Shrunk shrunk = shrink(commands, options);
  EXPECT_FALSE(shrunk.minimal);
  EXPECT_EQ(shrunk.runs, 5u);
  EXPECT_EQ(told, 5u);
  EXPECT_TRUE(options.fails(shrunk.commands));
}

}  // namespace
}  // namespace orm::lockstep
