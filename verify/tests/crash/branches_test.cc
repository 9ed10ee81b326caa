// SPDX-License-Identifier: Apache-2.0
// Runs that go on from copies of the process are those that begin anew.
#include "crash/branches.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "lockstep/lockstep_generator.h"
#include "lockstep/lockstep_pair.h"
#include "lockstep/lockstep_ssd.h"

namespace orm::crash {
namespace {

using lockstep::Command;
using lockstep::Kind;

RunOptions options() {
  RunOptions o;
  o.device.superblocks = 8;
  return o;
}

std::vector<Command> writes(uint64_t n) {
  std::vector<Command> commands;
  for (uint64_t i = 0; i < n; ++i) {
    Command c;
    c.kind = Kind::kWrite;
    c.lpn = i % 3;
    c.pages = 1;
    c.value = 1 + i;
    c.flag = true;  // FUA
    commands.push_back(c);
  }
  return commands;
}

void expect_equal(const RunResult &a, const RunResult &b, const std::string &where) {
  EXPECT_EQ(a.wrong, b.wrong) << where;
  EXPECT_EQ(a.at, b.at) << where;
  EXPECT_EQ(a.cuts, b.cuts) << where;
  EXPECT_EQ(a.sessions, b.sessions) << where;
  EXPECT_EQ(a.events, b.events) << where;
  EXPECT_EQ(a.pages, b.pages) << where;
  EXPECT_EQ(a.summaries, b.summaries) << where;
  EXPECT_EQ(a.snapshots, b.snapshots) << where;
  EXPECT_EQ(a.starts, b.starts) << where;
}

/// Each of `cuts` at every `every`th event, from a copy and from the beginning.
void compare(const std::vector<Command> &commands, uint64_t every) {
  Branches branches(commands, options());
  const RunResult whole = run(commands, options());
  expect_equal(branches.whole(), whole, "no cut");
  EXPECT_EQ(branches.whole().log.host_write_pages, whole.log.host_write_pages);
  EXPECT_EQ(whole.stores, 0u) << "the model has no CPU";
  ASSERT_GT(whole.events, every);
  for (uint64_t event = 1; event <= whole.events + 1; event += every) {
    for (const Cuts &cuts : {Cuts{event}, Cuts{event, 3}, Cuts{event, 5, 2}}) {
      RunOptions anew = options();
      anew.sessions = {cuts};
      const RunResult expected = run(commands, anew);
      expect_equal(branches.cut(cuts), expected, to_text({cuts}));
      EXPECT_EQ(expected.cuts, event > whole.events ? 0 : cuts.size()) << to_text({cuts});
    }
  }
}

TEST(Branches, AreTheRunsThatBeginAnew) { compare(writes(12), 1); }

TEST(Branches, OfRandomCommandsToo) {
  const uint64_t pages = lockstep::namespace_pages(options().device, "model");
  lockstep::Generator generator(5, pages, {lockstep::Mix::kUsual, false, false, false});
  std::vector<Command> commands;
  for (int i = 0; i < 60; ++i) commands.push_back(generator.next());
  compare(commands, 97);
}

TEST(Branches, OfMoreCommandsThanThereAreCopies) { compare(writes(450), 211); }

TEST(Branches, SayThatACopyEndedWithoutAResult) {
  RunOptions o = options();
  const pid_t here = getpid();
  o.after = [here](size_t, uint64_t, openremap_device *) {
    if (getpid() != here) raise(SIGKILL);
  };
  Branches branches(writes(4), o);
  try {
    (void)branches.cut({branches.whole().events + 1});
    FAIL() << "the copy was killed";
  } catch (const std::runtime_error &e) {
    EXPECT_NE(std::string(e.what()).find("Killed"), std::string::npos) << e.what();
  }
  EXPECT_EQ(branches.cut({1}).cuts, 1u) << "the others are there";
}

TEST(Branches, PassOnWhatACopyThrew) {
  RunOptions o = options();
  const pid_t here = getpid();
  o.after = [here](size_t, uint64_t, openremap_device *) {
    if (getpid() != here) throw std::runtime_error("thrown in a copy");
  };
  Branches branches(writes(4), o);
  EXPECT_THROW(
      try { (void)branches.cut({branches.whole().events + 1}); } catch (const std::runtime_error &e) {
        EXPECT_STREQ(e.what(), "thrown in a copy");
        throw;
      },
      std::runtime_error);
}

TEST(Branches, OptionsThatMakeNoDevice) {
  RunOptions o = options();
  o.device.segments = 1;
  EXPECT_THROW(Branches(writes(1), o), lockstep::NoDevice);
}

TEST(Result, AsBytes) {
  RunResult result;
  result.wrong = "what\nis wrong";
  result.at = "write 1";
  result.cuts = 3;
  result.starts = {7, 9};
  result.worn_out = true;
  result.stores = 77;
  result.log.gc_moved_pages = 12;
  const std::string bytes = pack_result(result);
  const RunResult back = unpack_result(bytes);
  expect_equal(back, result, "");
  EXPECT_TRUE(back.worn_out);
  EXPECT_EQ(back.stores, 77u);
  EXPECT_EQ(back.log.gc_moved_pages, 12u);
  EXPECT_THROW((void)unpack_result(bytes.substr(0, bytes.size() - 1)), std::runtime_error);
  EXPECT_THROW((void)unpack_result(bytes + "x"), std::runtime_error);
  EXPECT_THROW((void)unpack_result(""), std::runtime_error);
}

}  // namespace
}  // namespace orm::crash
