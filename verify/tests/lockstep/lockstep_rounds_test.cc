// SPDX-License-Identifier: Apache-2.0
// Rounds of two fast models, which are equal. Differences: lockstep_pair_test.cc.
#include "lockstep/lockstep_rounds.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "lockstep/lockstep_ssd.h"
#include "temp_dir.h"

namespace orm::lockstep {
namespace {

RoundsOptions two_models() {
  RoundsOptions o;
  o.device.superblocks = 12;
  o.first = o.second = "model";
  o.commands = 60;
  o.round = 30;
  return o;
}

/// What a run prints; `code` is its exit code.
template <typename Run>
std::string printed(int code, Run run) {
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run(), code);
  return ::testing::internal::GetCapturedStdout();
}

std::string content(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(LockstepRounds, RunUntilThereWereEnoughCommands) {
  const TempDir dir;
  RoundsOptions o = two_models();
  o.summary = dir.path + "/summary.json";
  o.least_commands = o.commands;
  const std::string text = printed(0, [&] { return random_rounds(o); });
  EXPECT_NE(text.find("of 2 rounds had storms"), std::string::npos) << text;
  EXPECT_NE(content(o.summary).find("\"rounds\": 2"), std::string::npos) << content(o.summary);
  clear_summary(o.summary);
  EXPECT_FALSE(std::filesystem::exists(o.summary));
  EXPECT_THROW(clear_summary(dir.path + "/none/summary.json"), StreamError);
}

TEST(LockstepRounds, TooFewEventsAreAFailure) {
  RoundsOptions o = two_models();
  o.least_moved = 1'000'000;
  const std::string text = printed(1, [&] { return random_rounds(o); });
  EXPECT_NE(text.find("NOT equal: pages that GC moved: "), std::string::npos) << text;
}

TEST(LockstepRounds, WhatWasRecordedIsReplayed) {
  const TempDir dir;
  RoundsOptions o = two_models();
  o.commands = 30;
  o.power_cycles = 2;
  o.record = dir.path + "/round.txt";
  const std::string recorded = printed(0, [&] { return random_rounds(o); });
  EXPECT_NE(recorded.find(" commands in " + o.record), std::string::npos) << recorded;
  EXPECT_GE(read_stream(o.record).commands.size(), 30u);
  RoundsOptions again = two_models();
  again.replay = o.record;
  again.least_commands = 30;
  (void)printed(0, [&] { return replay(again); });
  again.replay = dir.path + "/none.txt";
  EXPECT_THROW((void)replay(again), StreamError);
}

}  // namespace
}  // namespace orm::lockstep
