// SPDX-License-Identifier: Apache-2.0
//
// Streams as text, and finding and shrinking a difference. The devices are two fast models, one of which is made to seem
// wrong: what the RTL and the model make of the same commands is for the program `lockstep` to say.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lockstep/lockstep_burst.h"
#include "lockstep/lockstep_generator.h"
#include "lockstep/lockstep_pair.h"
#include "lockstep/lockstep_shrink.h"
#include "lockstep/lockstep_stream.h"
#include "temp_dir.h"
#include "test_seed.h"

namespace orm::lockstep {
namespace {

Stream random_stream(uint64_t commands) {
  Stream stream;
  stream.device.seed = openremap::TestSeed();
  Generator generator(stream.device.seed, 400);
  for (uint64_t i = 0; i < commands; ++i) stream.commands.push_back(generator.next());
  return stream;
}

PairOptions two_models(const Stream &stream) {
  PairOptions o;
  o.device = stream.device;
  o.first = o.second = "model";
  return o;
}

std::string parse_error(const std::string &text) {
  try {
    (void)parse_stream(text, "file");
  } catch (const StreamError &e) {
    return e.what();
  }
  return "none";
}

std::string command_error(const std::string &line) { return parse_error("lockstep 1 seed 1 superblocks 8\n" + line); }

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

TEST(LockstepCommands, PartsOfQuickBurstsMeetOnlyOnPagesThatNoneChanges) {
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

TEST(LockstepStream, TextGivesTheSameCommands) {
  Stream stream = random_stream(2000);
  Generator quick(stream.device.seed, 400, {Mix::kQuick});
  for (int i = 0; i < 2000; ++i) stream.commands.push_back(quick.next());
  const std::string text = to_text(stream);
  const Stream again = parse_stream(text, "text");
  EXPECT_EQ(again.device.seed, stream.device.seed);
  EXPECT_EQ(again.device.superblocks, stream.device.superblocks);
  ASSERT_EQ(again.commands.size(), stream.commands.size());
  EXPECT_EQ(to_text(again), text);
}

TEST(LockstepStream, PlacementHandles) {
  const Stream s = parse_stream(
      "lockstep 1 seed 9 superblocks 8\nwrite 1 2 data 3 fua handle 65535\nplacement\n"
      "placement update 2\n",
      "file");
  ASSERT_EQ(s.commands.size(), 3u);
  EXPECT_EQ(s.commands[0].handle, 65535);
  EXPECT_EQ(s.commands[1].handle, -1);
  EXPECT_EQ(s.commands[2].handle, 2);
  EXPECT_EQ(command_error("write 1 2 data 3 handle 65536"), "file:2: a placement handle is at most 65535");
  EXPECT_EQ(command_error("placement update"), "file:2: placement handle is missing");
}

TEST(LockstepStream, BlankNvram) {
  const std::string text = "lockstep 1 seed 9 superblocks 8\nwrite 1 2 data 3\nblank\nread 1 2\nblank ones\n";
  const Stream s = parse_stream(text, "file");
  ASSERT_EQ(s.commands.size(), 4u);
  EXPECT_EQ(to_text(s), text);
  EXPECT_EQ(command_error("blank zeroes"), "file:2: 'zeroes' is too much");
  const Verdict v = compare(s.commands, two_models(s));
  EXPECT_EQ(v.difference, "");
  EXPECT_EQ(v.at, 4u);
}

TEST(LockstepStream, RemarksAndBlanksAreLeftOut) {
  const Stream s = parse_stream(
      "# by hand\n\nlockstep 1 seed 9 superblocks 12 segments 70 geometry 4x2x64x64 wide no-rest stalls # so\n  flush  "
      "\n#\nreset\n",
      "file");
  EXPECT_EQ(s.device.seed, 9u);
  EXPECT_EQ(s.device.superblocks, 12u);
  EXPECT_TRUE(s.device.wide);
  EXPECT_EQ(s.device.geometry, "4x2x64x64");
  EXPECT_EQ(s.device.segments, 70u);
  EXPECT_EQ(to_text(s),
            "lockstep 1 seed 9 superblocks 12 segments 70 geometry 4x2x64x64 wide no-rest stalls\nflush\nreset\n");
  EXPECT_TRUE(s.device.no_rest);
  EXPECT_TRUE(s.device.stalls);
  ASSERT_EQ(s.commands.size(), 2u);
  EXPECT_EQ(s.commands[1].kind, Kind::kReset);
}

TEST(LockstepStream, ErrorsNameTheLineAndWhatIsWrong) {
  EXPECT_EQ(parse_error(""), "file: an empty stream");
  EXPECT_EQ(parse_error("flush\n"), "file:1: not a command stream: the first line begins with 'lockstep'");
  EXPECT_EQ(parse_error("lockstep 2 seed 1 superblocks 8"), "file:1: a stream of version 2; this program reads 1");
  EXPECT_EQ(parse_error("lockstep 1 seed x superblocks 8"), "file:1: 'x' is no seed");
  EXPECT_EQ(parse_error("lockstep 1 seed 1 superblocks 7"), "file:1: superblocks are from 8 to 64");
  EXPECT_EQ(command_error("wriet 3"), "file:2: no command 'wriet'");
  EXPECT_EQ(command_error("read 3"), "file:2: number of pages is missing");
  EXPECT_EQ(command_error("read 3 0"), "file:2: a number of pages is from 1 to 65536");
  EXPECT_EQ(command_error("read -3 1"), "file:2: '-3' is no LPN");
  EXPECT_EQ(command_error("read 99999999999999999999 1"), "file:2: '99999999999999999999' is too large");
  EXPECT_EQ(command_error("write 3 1 7"), "file:2: 'data' is missing");
  EXPECT_EQ(command_error("flush now"), "file:2: 'now' is too much");
  EXPECT_EQ(command_error("deallocate"), "file:2: ranges are from 1 to 256");
  EXPECT_EQ(command_error("deallocate 3>4+1"), "file:2: '3>4+1' is no range LPN+PAGES");
  EXPECT_EQ(command_error("vector 3+1"), "file:2: '3+1' is no range SOURCE>TARGET+PAGES");
  EXPECT_EQ(command_error("burst flush; reset"),
            "file:2: a burst is of read, write, zeroes, deallocate, remap, vector, copy and flush");
  EXPECT_EQ(command_error("burst"), "file:2: a burst has from 1 to 64 commands");
}

TEST(LockstepStream, AFileThatIsNotThere) {
  EXPECT_THROW((void)read_stream("/nonexistent/stream"), StreamError);
  EXPECT_THROW(write_stream("/nonexistent/stream", Stream()), StreamError);
}

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

TEST(LockstepPair, TheSameDeviceTwiceIsEqual) {
  const Stream stream = random_stream(300);
  const Verdict v = compare(stream.commands, two_models(stream));
  EXPECT_TRUE(v.equal()) << v.difference;
  EXPECT_FALSE(v.parted);
  EXPECT_TRUE(v.apart.empty());
  EXPECT_GT(v.remapped, 0u);
}

/// A device that forgets a write after a MOVE: one that has been moved away from reads as zeroes until it is reset.
Fault forgetful() {
  return [moved = false](const Command &c, Outcome *answer) mutable {
    if (c.kind == Kind::kRemap && c.flag && answer->statuses == std::vector<int>{0}) moved = true;
    if (c.kind == Kind::kReset || c.kind == Kind::kPowerCycle) moved = false;
    if (moved && c.kind == Kind::kRead) std::fill(answer->data.begin(), answer->data.end(), uint8_t(0));
  };
}

TEST(LockstepPair, AnInjectedDifferenceIsFoundShrunkAndReplayed) {
  Stream stream = random_stream(1500);
  PairOptions options = two_models(stream);
  options.fault = forgetful;
  const Verdict found = compare(stream.commands, options);
  ASSERT_FALSE(found.equal());
  stream.commands.resize(found.at);

  const Shrunk shrunk = shrink(
      stream.commands, {[&](const std::vector<Command> &c) { return !compare(c, options).equal(); }, nullptr, 500});
  EXPECT_TRUE(shrunk.minimal);
  // Data to move, the move, and data to read: as few as it takes.
  EXPECT_LE(shrunk.commands.size(), 4u) << to_text({stream.device, shrunk.commands});

  const TempDir dir;
  const std::string path = (std::filesystem::path(dir.path) / "stream.txt").string();
  write_stream(path, {stream.device, shrunk.commands});
  const Stream replayed = read_stream(path);
  const Verdict again = compare(replayed.commands, options);
  EXPECT_FALSE(again.equal());
  EXPECT_EQ(again.at, replayed.commands.size());
  EXPECT_NE(again.difference.find("the data read differ"), std::string::npos) << again.difference;
  options.fault = nullptr;
  EXPECT_TRUE(compare(replayed.commands, options).equal()) << "the devices themselves agree";
}

TEST(LockstepPair, ADeviceThatCannotBeMadeIsSaid) {
  PairOptions options = two_models(Stream());
  options.device.superblocks = 1;
  EXPECT_THROW((void)compare({}, options), std::runtime_error);
}

}  // namespace
}  // namespace orm::lockstep
