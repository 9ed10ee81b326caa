// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "lockstep/lockstep_generator.h"
#include "lockstep/lockstep_pair.h"
#include "lockstep/random_stream.h"
#include "temp_dir.h"

namespace orm::lockstep {
namespace {

std::string parse_error(const std::string &text) {
  try {
    (void)parse_stream(text, "file");
  } catch (const StreamError &e) {
    return e.what();
  }
  return "none";
}

std::string command_error(const std::string &line) { return parse_error("lockstep 1 seed 1 superblocks 8\n" + line); }

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

TEST(LockstepStream, PagesOfSeveralSlots) {
  EXPECT_FALSE(DeviceOptions().gathers());
  DeviceOptions o;
  o.geometry = "2x2x64x32";
  EXPECT_FALSE(o.gathers());
  o.geometry = "2x2x64x32x1";
  EXPECT_FALSE(o.gathers());
  o.geometry = "2x8x64x128x4";
  EXPECT_TRUE(o.gathers());
  DeviceOptions wide;
  wide.wide = true;
  EXPECT_TRUE(wide.gathers());
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
      "# by hand\n\nlockstep 1 seed 9 superblocks 12 segments 70 geometry 4x2x64x64 cache evict,line=64 "
      "firmware remote,patience=9 wide no-rest stalls firmware-remaps # so\n  flush  "
      "\n#\nreset\n",
      "file");
  EXPECT_EQ(s.device.seed, 9u);
  EXPECT_EQ(s.device.superblocks, 12u);
  EXPECT_TRUE(s.device.wide);
  EXPECT_EQ(s.device.geometry, "4x2x64x64");
  EXPECT_EQ(s.device.segments, 70u);
  EXPECT_EQ(s.device.cache, "evict,line=64");
  EXPECT_EQ(s.device.firmware, "remote,patience=9");
  EXPECT_EQ(to_text(s),
            "lockstep 1 seed 9 superblocks 12 segments 70 geometry 4x2x64x64 cache evict,line=64 firmware "
            "remote,patience=9 wide no-rest stalls firmware-remaps\nflush\nreset\n");
  EXPECT_TRUE(s.device.no_rest);
  EXPECT_TRUE(s.device.stalls);
  EXPECT_TRUE(s.device.firmware_remaps);
  ASSERT_EQ(s.commands.size(), 2u);
  EXPECT_EQ(s.commands[1].kind, Kind::kReset);
}

TEST(LockstepStream, ErrorsNameTheLineAndWhatIsWrong) {
  EXPECT_EQ(parse_error(""), "file: an empty stream");
  EXPECT_EQ(parse_error("flush\n"), "file:1: not a command stream: the first line begins with 'lockstep'");
  EXPECT_EQ(parse_error("lockstep 2 seed 1 superblocks 8"), "file:1: a stream of version 2; this program reads 1");
  EXPECT_EQ(parse_error("lockstep 1 seed x superblocks 8"), "file:1: 'x' is no seed");
  EXPECT_EQ(parse_error("lockstep 1 seed 1 superblocks 7"), "file:1: superblocks are from 8 to 64");
  EXPECT_EQ(parse_error("lockstep 1 seed 1 superblocks 8 wide hurry"), "file:1: 'hurry' is now called 'no-rest'");
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

TEST(LockstepStream, AFolderInPlaceOfTheFile) {
  try {
    (void)read_stream("/");
    FAIL() << "it was read";
  } catch (const StreamError &e) {
    EXPECT_STREQ(e.what(), "/: is a folder");
  }
}

TEST(LockstepStream, AFileThatIsNotThere) {
  EXPECT_THROW((void)read_stream("/nonexistent/stream"), StreamError);
  EXPECT_THROW(write_stream("/nonexistent/stream", Stream()), StreamError);
}

}  // namespace
}  // namespace orm::lockstep
