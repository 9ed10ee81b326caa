// SPDX-License-Identifier: Apache-2.0
// What the explorer cuts, on the model. The crash explorer itself finds seeded defects: `./openremap crash --mutants`.
#include "crash/explorer.h"

#include <gtest/gtest.h>

#include <string>

#include "lockstep/lockstep_ssd.h"

namespace orm::crash {
namespace {

lockstep::Stream two_writes() {
  lockstep::Stream stream;
  stream.device.superblocks = 8;
  for (uint64_t lpn = 0; lpn < 2; ++lpn) {
    lockstep::Command c;
    c.kind = lockstep::Kind::kWrite;
    c.lpn = lpn;
    c.pages = 1;
    c.value = 1 + lpn;
    c.flag = true;  // FUA
    stream.commands.push_back(c);
  }
  return stream;
}

/// What the functions print, with the totals, and what end() returns.
template <typename Use>
std::string printed(const ExplorerOptions &options, int code, Use use) {
  ::testing::internal::CaptureStdout();
  Explorer explorer(options);
  use(explorer);
  EXPECT_EQ(explorer.end(), code);
  return ::testing::internal::GetCapturedStdout();
}

TEST(Explorer, CutsAtEachEventOfAScript) {
  ExplorerOptions options;
  options.start_cuts = 0;
  uint64_t events = 0;
  const std::string text = printed(options, 0, [&](Explorer &e) {
    events = e.once(two_writes(), {}, "writes").events;
    EXPECT_TRUE(e.cut_nothing());
    e.exhaust(two_writes(), "writes");
    EXPECT_FALSE(e.cut_nothing());
  });
  ASSERT_GE(events, 4u) << "a program begins and ends for each";
  EXPECT_NE(text.find("\n" + std::to_string(events) + " cuts, 0 violations\n"), std::string::npos) << text;
}

TEST(Explorer, MakesAsManyRandomCutsAsAskedFor) {
  ExplorerOptions options;
  options.device.superblocks = 8;
  options.commands = 20;
  options.cuts = 3;
  options.shutdowns = true;
  const std::string text = printed(options, 0, [](Explorer &e) {
    EXPECT_FALSE(e.ran());
    e.explore();
    EXPECT_TRUE(e.ran());
  });
  EXPECT_EQ(text.find("runs without a cut: 0 shutdowns"), std::string::npos) << text;
  EXPECT_NE(text.find(" cuts, 0 violations\n"), std::string::npos) << text;
}

// The devices of some seeds lose too many superblocks at their format.
TEST(Explorer, GoesOnWithTheNextSeedWhereADeviceIsWornOutFromTheBeginning) {
  ExplorerOptions options;
  options.device.superblocks = 8;
  options.device.faults = "erase-fail=0.05";
  options.commands = 20;
  options.cuts = 20;
  uint64_t worn = 0;
  for (options.device.seed = 1; worn == 0 && options.device.seed < 200; options.device.seed += 20) {
    const std::string text = printed(options, 0, [](Explorer &e) { e.explore(); });
    const size_t at = text.find(" blocks went bad, ");
    ASSERT_NE(at, std::string::npos) << text;
    worn = std::stoull(text.substr(text.find(", ", at) + 2));
  }
  EXPECT_GT(worn, 0u);
}

TEST(Explorer, EndsWhereEachDeviceIsWornOutFromTheBeginning) {
  ExplorerOptions options;
  options.device.superblocks = 8;
  options.device.faults = "erase-fail=1";
  Explorer explorer(options);
  EXPECT_THROW(explorer.explore(), lockstep::NoDevice);
  EXPECT_FALSE(explorer.ran());
}

TEST(Explorer, OptionsThatMakeNoDevice) {
  ExplorerOptions options;
  options.device.cache = "BAD";
  Explorer explorer(options);
  lockstep::Stream stream = two_writes();
  stream.device.cache = "BAD";
  EXPECT_THROW((void)explorer.once(stream, {}, "bad"), lockstep::NoDevice);
  EXPECT_FALSE(explorer.ran());
}

}  // namespace
}  // namespace orm::crash
