// SPDX-License-Identifier: Apache-2.0
// Runs with power cuts: their text form, and that all kinds of them occur.
#include "crash/crash_run.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "lockstep/lockstep_generator.h"
#include "lockstep/lockstep_pair.h"
#include "lockstep/lockstep_ssd.h"

namespace orm::crash {
namespace {

TEST(Sessions, AsText) {
  const Sessions sessions{{720, 112}, {300}, {5, 1, 40}};
  EXPECT_EQ(to_text(sessions), "720,112/300/5,1,40");
  EXPECT_EQ(parse_sessions("720,112/300/5,1,40"), sessions);
  EXPECT_EQ(parse_sessions("7"), Sessions{{7}});
  for (const char *wrong : {"", "0", "-1", "5,,3", "5/", "/5", "5,", "5 3", "5;3", "x", "99999999999999999999"}) {
    EXPECT_THROW(parse_sessions(wrong), std::invalid_argument) << wrong;
  }
}

constexpr uint64_t kWornSeed = 32;  // events of background work occur while its worn-out device tells why

std::vector<lockstep::Command> writes(uint64_t n) {
  std::vector<lockstep::Command> commands;
  for (uint64_t i = 0; i < n; ++i) {
    lockstep::Command c;
    c.kind = lockstep::Kind::kWrite;
    c.lpn = i;
    c.pages = 1;
    c.value = 1 + i;
    c.flag = true;  // FUA
    commands.push_back(c);
  }
  return commands;
}

RunOptions options(const Sessions &sessions) {
  RunOptions o;
  o.device.superblocks = 8;
  o.sessions = sessions;
  return o;
}

TEST(CrashRun, EverySessionGoesOnWhereTheLastOneEnded) {
  const auto commands = writes(20);
  const RunResult whole = run(commands, options({}));
  EXPECT_EQ(whole.wrong, "");
  EXPECT_EQ(whole.sessions, 0u);
  ASSERT_GE(whole.events, 40u) << "a program begins and ends for each";
  const RunResult thrice = run(commands, options({{3}, {4, 2, 1}, {5}}));
  EXPECT_EQ(thrice.wrong, "");
  EXPECT_EQ(thrice.sessions, 3u);
  EXPECT_EQ(thrice.cuts, 5u);
  EXPECT_EQ(thrice.starts.size(), 1u) << "of the first session";
}

TEST(CrashRun, OptionsThatMakeNoDevice) {
  RunOptions faults = options({}), segments = options({}), cache = options({});
  faults.device.faults = "BAD";
  segments.device.segments = 1;
  cache.device.cache = "BAD";
  EXPECT_THROW((void)run(writes(1), faults), lockstep::NoDevice);
  EXPECT_THROW((void)run(writes(1), segments), lockstep::NoDevice);
  EXPECT_THROW((void)run(writes(1), cache), lockstep::NoDevice);
}

TEST(CrashRun, ThePowerCycleAtTheEndMayBeLeftOut) {
  RunOptions brief = options({{3}});
  brief.last_start = false;
  const RunResult result = run(writes(5), brief);
  EXPECT_EQ(result.wrong, "");
  EXPECT_EQ(result.cuts, 1u);
  EXPECT_EQ(result.sessions, 1u);
}

TEST(CrashRun, OnlyTheSocHasStoresOfACpu) {
  RunOptions stores = options({{1}});
  stores.stores = true;
  EXPECT_THROW((void)run(writes(1), stores), lockstep::NoDevice);
}

TEST(CrashRun, CountsTheSnapshotsOfShutdowns) {
  auto commands = writes(3);
  lockstep::Command shutdown;
  shutdown.kind = lockstep::Kind::kShutdown;
  for (const bool stays : {false, true}) {
    shutdown.flag = stays;
    commands.push_back(shutdown);
  }
  EXPECT_EQ(run(writes(3), options({})).snapshots, 0u);
  EXPECT_EQ(run(commands, options({})).snapshots, 2u);
  EXPECT_EQ(run(commands, options({{1}})).snapshots, 0u) << "behind a cut";
}

TEST(CrashRun, CutsPastTheEndDoNotComeAbout) {
  const RunResult r = run(writes(3), options({{2}, {100'000}}));
  EXPECT_EQ(r.wrong, "");
  EXPECT_EQ(r.sessions, 1u);
  EXPECT_EQ(r.cuts, 1u);
}

// Of a new device with 8 superblocks so many may be bad that no namespace fits.
TEST(CrashRun, ADeviceThatIsWornOutFromTheBeginningIsNoViolation) {
  RunOptions worn = options({{3}});
  worn.device.faults = "erase-fail=1";
  const RunResult result = run(writes(1), worn);
  EXPECT_EQ(result.wrong, "");
  EXPECT_TRUE(result.worn_out);
  EXPECT_EQ(result.pages, 0u);
  EXPECT_EQ(result.cuts, 0u);
}

TEST(CrashRun, ChecksOptionsWithoutADevice) {
  EXPECT_NO_THROW(check(options({})));
  RunOptions faults = options({}), kind = options({}), wide = options({});
  faults.device.faults = "BAD";
  kind.kind = "floppy";
  wide.kind = "soc";
  wide.device.wide = true;
  for (const RunOptions &o : {faults, kind, wide}) EXPECT_THROW(check(o), lockstep::NoDevice);
}

// A worn-out device refuses a write, and its log tells why. A cut that hits the log must not turn that into a
// violation.
TEST(CrashRun, ACutWhileAWornOutDeviceTellsWhyIsNoViolation) {
  RunOptions worn = options({});
  worn.device.superblocks = 24;
  worn.device.seed = kWornSeed;
  worn.device.faults = "erase-fail=0.1";
  lockstep::Generator generator(worn.device.seed, lockstep::namespace_pages(worn.device, worn.kind),
                                {lockstep::Mix::kUsual, false, false, false});
  std::vector<lockstep::Command> commands;
  for (int i = 0; i < 1500; ++i) commands.push_back(generator.next());
  uint64_t last = 0;  // events before the command that is refused
  worn.after = [&last](size_t, uint64_t events, openremap_device *) { last = events; };
  const RunResult whole = run(commands, worn);
  ASSERT_EQ(whole.wrong, "");
  ASSERT_TRUE(whole.worn_out);
  ASSERT_GT(whole.worn_events, 0u) << "none can be cut: take another seed";
  worn.after = {};
  for (uint64_t event = last + 1; event <= last + 30; ++event) {
    worn.sessions = {{event}};
    EXPECT_EQ(run(commands, worn).wrong, "") << "cut at " << event;
  }
}

}  // namespace
}  // namespace orm::crash
