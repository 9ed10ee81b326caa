// SPDX-License-Identifier: Apache-2.0
#include "lockstep/lockstep_recorder.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "openremap_cmd.h"
#include "pcie_function.h"
#include "temp_dir.h"

namespace orm::lockstep {
namespace {

constexpr char kStream[] =
    "lockstep 1 seed 3 superblocks 16\n"
    "write 12 4 data 77 fua\n"
    "write 40 2 data 78 handle 2\n"
    "read 12 4\n"
    "flush\n"
    "deallocate 41+1 60+3\n"
    "zeroes 13 1 deallocate\n"
    "zeroes 14 1\n"
    "remap 12 200 1\n"
    "remap 200 300 1 move\n"
    "vector 12>210+1 40>220+1\n"
    "vector move 210>230+1\n"
    "copy 40 50 1\n"
    "placement\n"
    "placement update 1\n"
    "burst write 70 3 data 5; read 12 2; remap 40 90 1; flush\n"
    "read 100000 1\n";

class Recording : public ::testing::Test {
 protected:
  /// Runs the stream's commands on a model, while `recorder` listens.
  void run(const Stream &stream, Recorder *recorder) {
    openremap_options options{};
    options.device.kind = "model";
    options.device.superblocks = stream.device.superblocks;
    options.device.seed = stream.device.seed;
    options.create = pcie_device_create;
    options.trace = Recorder::trace;
    options.trace_arg = recorder;
    openremap_device *dev = nullptr;
    char error[256] = "";
    ASSERT_EQ(openremap_open(&options, &dev, error, sizeof error), 0) << error;
    for (const Command &c : stream.commands) (void)execute(dev, c);
    ASSERT_EQ(openremap_close(dev), 0);
  }
  static std::string without_seeds(const std::string &text) {
    return std::regex_replace(text, std::regex(" data [0-9]+"), " data N");
  }

  TempDir dir_;
  const std::string path_ = dir_.path + "/stream.txt";
};

TEST_F(Recording, IsTheStreamThatRan) {
  const Stream stream = parse_stream(kStream, "text");
  {
    Recorder recorder(path_, stream.device);
    run(stream, &recorder);
    recorder.close();
  }
  const Stream recorded = read_stream(path_);
  // `placement update` asks for the state of all handles, too.
  std::string expected = without_seeds(kStream);
  expected.replace(expected.find("placement update 1\n"), 19, "placement update 1\nplacement\n");
  EXPECT_EQ(without_seeds(to_text(recorded)), expected);
}

TEST_F(Recording, EqualDataHasEqualSeeds) {
  const Stream stream =
      parse_stream("lockstep 1 seed 3 superblocks 16\nwrite 1 1 data 5\nwrite 2 1 data 5\nwrite 3 1 data 6\n", "text");
  Recorder recorder(path_, stream.device);
  run(stream, &recorder);
  recorder.close();
  const Stream recorded = read_stream(path_);
  ASSERT_EQ(recorded.commands.size(), 3u);
  EXPECT_EQ(recorded.commands[0].value, recorded.commands[1].value);
  EXPECT_NE(recorded.commands[0].value, recorded.commands[2].value);
}

TEST_F(Recording, CommandsOnTheSamePagesAreNoBurst) {
  Recorder recorder(path_, DeviceOptions());
  nvme_submission_entry entry;
  nvme_cmd_read(&entry, 1, 8, 4);
  recorder.add({&entry, nullptr, 0, 0});
  nvme_cmd_read(&entry, 1, 20, 4);
  recorder.add({&entry, nullptr, 0, 1});
  nvme_cmd_read(&entry, 1, 11, 2);
  recorder.add({&entry, nullptr, 0, 2});
  recorder.close();
  const Stream recorded = read_stream(path_);
  ASSERT_EQ(recorded.commands.size(), 2u);
  EXPECT_EQ(to_line(recorded.commands[0]), "burst read 8 4; read 20 4");
  EXPECT_EQ(to_line(recorded.commands[1]), "read 11 2");
}

TEST_F(Recording, SaysWhatItCouldNotRecord) {
  Recorder recorder(path_, DeviceOptions());
  nvme_submission_entry entry;
  nvme_cmd_init(&entry, 0x7F, 1);
  recorder.add({&entry, nullptr, 0, 0});
  nvme_cmd_deallocate(&entry, 1, 3);  // without its list
  recorder.add({&entry, nullptr, 0, 0});
  try {
    recorder.close();
    FAIL() << "no error";
  } catch (const StreamError &e) {
    EXPECT_NE(std::string(e.what()).find("lacks 2 commands"), std::string::npos) << e.what();
  }
}

TEST_F(Recording, ToAFolderThatThereIsNotIsRefused) {
  EXPECT_THROW(Recorder(dir_.path + "/none/stream.txt", DeviceOptions()), StreamError);
}

}  // namespace
}  // namespace orm::lockstep
