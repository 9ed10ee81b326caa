// SPDX-License-Identifier: Apache-2.0
//
// Finding and shrinking a difference. The devices are two fast models, one of which is made to seem wrong. The program
// `lockstep` compares the RTL with the model.
#include "lockstep/lockstep_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lockstep/lockstep_shrink.h"
#include "lockstep/lockstep_ssd.h"
#include "lockstep/random_stream.h"
#include "temp_dir.h"

namespace orm::lockstep {
namespace {

TEST(LockstepPair, TheSameDeviceTwiceIsEqual) {
  const Stream stream = random_stream(300);
  const Verdict v = compare(stream.commands, two_models(stream));
  EXPECT_TRUE(v.equal()) << v.difference;
  EXPECT_FALSE(v.parted);
  EXPECT_TRUE(v.apart.empty());
  EXPECT_GT(v.remapped, 0u);
}

/// A device that forgets a write after a MOVE: an LPN that has been moved away from reads as zeroes until a reset.
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

TEST(LockstepPair, OptionsOfEitherDeviceAreCheckedWithoutOne) {
  PairOptions options = two_models(Stream());
  EXPECT_NO_THROW(check_options(options));
  options.first = "rtl";
  options.device.firmware_remaps = true;  // of the second one, a model
  EXPECT_NO_THROW(check_options(options));
  options.second = "rtl";
  EXPECT_THROW(check_options(options), NoDevice);
  options.device.firmware_remaps = false;
  EXPECT_NO_THROW(check_options(options));
  options.device.firmware = "remotely";
  EXPECT_THROW(check_options(options), NoDevice);
  options.device.firmware.clear();
  options.first = "soc";
  options.device.wide = true;
  EXPECT_THROW(check_options(options), NoDevice);
}

}  // namespace
}  // namespace orm::lockstep
