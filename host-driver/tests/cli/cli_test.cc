// SPDX-License-Identifier: Apache-2.0
// The command line, run over the mock controller with its input and output in memory.
#include "cli/cli.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "mock_controller.h"
#include "openremap.h"
#include "temp_dir.h"

namespace openremap {
namespace {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

std::string Contents(FILE *file) {
  std::string text;
  std::rewind(file);
  for (int c; (c = std::fgetc(file)) != EOF;) text.push_back(static_cast<char>(c));
  return text;
}

class CliTest : public ::testing::Test {
 protected:
  void SetUp() override {
    MockController::config = MockConfig();
    MockController::ForgetImages();
  }

  Outcome Cli(std::vector<std::string> arguments, const std::string &input = "") {
    arguments.insert(arguments.begin(), "openremap-cli");
    std::vector<char *> argv;
    for (std::string &argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    FILE *in = std::tmpfile(), *out = std::tmpfile(), *err = std::tmpfile();
    std::fwrite(input.data(), 1, input.size(), in);
    std::rewind(in);
    const cli_environment env = {MockController::Create, in, out, err};
    Outcome run{cli_run(&env, static_cast<int>(arguments.size()), argv.data()), Contents(out), Contents(err)};
    for (FILE *file : {in, out, err}) std::fclose(file);
    EXPECT_EQ(MockController::instance, nullptr) << "the device was left open";
    return run;
  }
  // On one device that keeps its state.
  Outcome Ssd(std::vector<std::string> arguments, const std::string &input = "") {
    arguments.insert(arguments.begin(), {"--image", "ssd"});
    return Cli(arguments, input);
  }
  void ExpectUsage(const std::vector<std::string> &arguments, const std::string &part) {
    const Outcome run = Cli(arguments);
    EXPECT_EQ(run.code, 2) << part;
    EXPECT_EQ(run.out, "");
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
};

TEST_F(CliTest, WriteRemapAndReadBackUnderTheNewNumber) {
  ASSERT_EQ(Ssd({"write", "5", "--text", "hello"}).code, 0);
  ASSERT_EQ(Ssd({"remap", "5", "1000"}).code, 0);
  const Outcome read = Ssd({"read", "1000"});
  EXPECT_EQ(read.code, 0);
  EXPECT_NE(read.out.find("|hello..."), std::string::npos) << read.out;
  EXPECT_NE(read.out.find("00001000\n"), std::string::npos) << "the dump ends after 4096 bytes";
  EXPECT_NE(Ssd({"read", "5"}).out.find("|hello"), std::string::npos);
}

TEST_F(CliTest, MoveLeavesNothingBehind) {
  ASSERT_EQ(Ssd({"write", "5", "--text", "hello"}).code, 0);
  ASSERT_EQ(Ssd({"remap", "--move", "5", "7"}).code, 0);
  EXPECT_EQ(Ssd({"read", "5"}).out.find("hello"), std::string::npos);
  EXPECT_NE(Ssd({"read", "7"}).out.find("hello"), std::string::npos);
}

TEST_F(CliTest, RangesGoOutAsOneVector) {
  ASSERT_EQ(Ssd({"write", "0", "--text", "zero"}).code, 0);
  ASSERT_EQ(Ssd({"write", "1", "--text", "one"}).code, 0);
  const Outcome run = Ssd({"--json", "remap", "--range", "0:11:1", "--range", "1:10:1"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("\"ranges\": 2, \"pages\": 2"), std::string::npos) << run.out;
  EXPECT_NE(Ssd({"read", "10"}).out.find("|one"), std::string::npos);
}

TEST_F(CliTest, CopyAndDeallocate) {
  ASSERT_EQ(Ssd({"write", "0", "--fill", "0x41", "--count", "3"}).code, 0);
  ASSERT_EQ(Ssd({"copy", "0", "100", "--count", "3"}).code, 0);
  ASSERT_EQ(Ssd({"deallocate", "0", "--count", "3"}).code, 0);
  EXPECT_EQ(Ssd({"read", "2"}).out.find("AAAA"), std::string::npos);
  EXPECT_NE(Ssd({"read", "102"}).out.find("AAAA"), std::string::npos);
}

TEST_F(CliTest, FormatWantsToBeMeant) {
  ASSERT_EQ(Ssd({"write", "7", "--text", "precious"}).code, 0);
  ASSERT_EQ(Ssd({"format"}).code, 2);
  EXPECT_NE(Ssd({"format", "--erase"}).err.find("confirm with --yes"), std::string::npos);
  EXPECT_NE(Ssd({"read", "7"}).out.find("precious"), std::string::npos);
  const Outcome run = Ssd({"--json", "format", "--yes", "--erase"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out.find("{\"command\": \"format\", \"pages\": 4096, \"erased\": true, \"device_ns\": "), 0u)
      << run.out;
  EXPECT_EQ(Ssd({"read", "7"}).out.find("precious"), std::string::npos);
  MockController::config.format_status = NVME_STATUS_INVALID_FIELD;
  EXPECT_EQ(Cli({"format", "--yes"}).code, 1);
  ExpectUsage({"format", "--yes", "7"}, "unexpected '7'");
}

TEST_F(CliTest, CrashLog) {
  EXPECT_EQ(Cli({"--json", "crash"}).out, "{\"crashes\": 0}\n");
  orm_crash_log &log = MockController::config.crash;
  log.count = 3;
  log.cause = ORM_CRASH_WATCHDOG;
  log.line = 77;
  std::memcpy(log.file, "gc.c", 4);
  std::memset(log.step, 'x', sizeof log.step);  // all of it
  orm_crash_command command{};
  command.opcode = 0x81;
  command.qid = 2;
  orm_crash_command_pack(&command, log.commands);
  const Outcome run = Cli({"--json", "crash"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out.find("{\"crashes\": 3, \"cause\": \"watchdog\", \"file\": \"gc.c\", \"line\": 77, \"step\": \"" +
                         std::string(sizeof log.step, 'x') + "\", "),
            0u)
      << run.out;
  EXPECT_NE(run.out.find("\"command_0\": \"opcode 0x81 queue 2 "), std::string::npos) << run.out;
  log.cause = ORM_CRASH_FAULT;
  EXPECT_NE(Cli({"--json", "crash"}).out.find("\"cause\": \"fault\""), std::string::npos);
  log.cause = ORM_CRASH_MEMORY;
  EXPECT_NE(Cli({"--json", "crash"}).out.find("\"cause\": \"memory\""), std::string::npos);
  log.cause = ORM_CRASH_ASSERT;
  EXPECT_NE(Cli({"--json", "crash"}).out.find("\"cause\": \"assertion\""), std::string::npos);
  EXPECT_EQ(Cli({"log", "crash"}).code, 0);
  ExpectUsage({"crash", "1"}, "unexpected '1'");
}

TEST_F(CliTest, PlacementHandles) {
  EXPECT_NE(Ssd({"placement"}).out.find("pages_left_2"), std::string::npos);
  EXPECT_EQ(Ssd({"write", "0", "--fill", "1", "--count", "3", "--handle", "1"}).code, 0);
  EXPECT_NE(Cli({"--json", "placement"}).out.find("{\"handles\": 3, \"pages_left_0\": 64,"), std::string::npos);
  EXPECT_EQ(Cli({"--json", "placement-update", "1"}).out, "{\"command\": \"placement-update\", \"handle\": 1}\n");
  EXPECT_EQ(Ssd({"placement-update", "9"}).code, 1) << "no such handle";
  ExpectUsage({"placement-update"}, "expected HANDLE");
  ExpectUsage({"write", "0", "--fill", "1", "--handle", "65536"}, "--handle");
}

TEST_F(CliTest, FilesAndStandardInputCarryData) {
  const orm::TempDir folder;
  const std::string path = folder.path + "/data";
  const std::string data(5000, 'x');
  ASSERT_EQ(Ssd({"write", "8", "--fua"}, data).code, 0);
  ASSERT_EQ(Ssd({"read", "8", "--count", "2", "--output", path}).code, 0);
  FILE *file = std::fopen(path.c_str(), "rb");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(Contents(file), data + std::string(2 * 4096 - 5000, '\0'));
  std::fclose(file);
  EXPECT_EQ(Ssd({"write", "20", "--input", path}).code, 0);
  EXPECT_NE(Ssd({"read", "20"}).out.find("|xxxx"), std::string::npos);
}

TEST_F(CliTest, JsonIsOneObject) {
  const Outcome identify = Cli({"--json", "identify"});
  EXPECT_EQ(identify.code, 0);
  EXPECT_EQ(identify.out.find("{\"model\": \"OpenRemap mock\", "), 0u) << identify.out;
  EXPECT_NE(identify.out.find("\"serial\": \"MOCK0001\""), std::string::npos);
  EXPECT_NE(identify.out.find("\"subnqn\": \"nqn.mock\""), std::string::npos);
  EXPECT_NE(identify.out.find("\"eui64\": \"0201020304050607\""), std::string::npos);
  EXPECT_NE(identify.out.find("\"nguid\": \"a00000000000000000000000000000af\""), std::string::npos);
  EXPECT_NE(identify.out.find("\"pages\": 4096,"), std::string::npos);
  EXPECT_NE(identify.out.find("\"copy\": true"), std::string::npos);
  const Outcome stats = Cli({"--json", "stats"});
  EXPECT_NE(stats.out.find("\"host_write_pages\": 0,"), std::string::npos) << stats.out;
  const Outcome log = Cli({"--json", "log", "smart", "--bytes", "8"});
  EXPECT_EQ(log.out, "{\"log_page\": 2, \"data\": \"0000000000000000\"}\n");
}

TEST_F(CliTest, TextForPeople) {
  EXPECT_NE(Cli({"identify"}).out.find("max_remap_ranges"), std::string::npos);
  EXPECT_NE(Cli({"stats"}).out.find("host_write_pages"), std::string::npos);
  EXPECT_NE(Cli({"log", "0x02"}).out.find("00000200\n"), std::string::npos);
  EXPECT_NE(Cli({"flush"}).out.find("device_ns"), std::string::npos);
}

TEST_F(CliTest, DeviceErrorsHaveNamesAndExitCodeOne) {
  const Outcome run = Cli({"read", "4096"});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.err, "openremap-cli: read: LBA Out of Range (NVMe status 0x080)\n");
  EXPECT_EQ(run.out, "");
  const Outcome remap = Cli({"--json", "remap", "1", "2"});
  EXPECT_EQ(remap.code, 1);
  EXPECT_NE(remap.out.find("\"nvme_status\": 1794}"), std::string::npos) << remap.out;
  EXPECT_NE(remap.err.find("remap_unmapped: a source page holds no data"), std::string::npos);
  EXPECT_EQ(Cli({"log", "0x77"}).code, 1);
  EXPECT_EQ(Cli({"write", "0", "--input", "/nonexistent/file"}).code, 1);
  MockController::config.create_fails = true;
  const Outcome absent = Cli({"identify"});
  EXPECT_EQ(absent.code, 1);
  EXPECT_EQ(absent.err, "openremap-cli: identify: cannot open the device: the mock was told not to start\n");
}

TEST_F(CliTest, ATimeOutNamesTheCommand) {
  MockController::config.hang_opcode = NVME_IO_OPCODE_READ;
  const Outcome read = Cli({"read", "1"});
  EXPECT_EQ(read.code, 1);
  EXPECT_EQ(read.err,
            "openremap-cli: read: Connection timed out: opcode 0x02 on queue 1 was not completed by a device that is "
            "idle\n");
}

TEST_F(CliTest, AStrangersDriveIsNamed) {
  MockController::config.vid = 0x144d;
  MockController::config.model = "Fast SSD 980";
  EXPECT_EQ(Ssd({"write", "5", "--text", "hello"}).code, 0);
  EXPECT_NE(Ssd({"read", "5"}).out.find("|hello..."), std::string::npos);
  EXPECT_NE(Ssd({"identify"}).out.find("Fast SSD 980"), std::string::npos);
  const std::string reason = "not an OpenRemap device: its PCI vendor is 0x144d and its model \"Fast SSD 980\"\n";
  const std::vector<std::vector<std::string>> ours = {
      {"remap", "5", "7"}, {"remap", "--move", "5", "7"}, {"stats"}, {"crash"}, {"log", "remap"}, {"log", "0xcb"}};
  for (const std::vector<std::string> &arguments : ours) {
    const Outcome run = Ssd(arguments);
    EXPECT_EQ(run.code, 1);
    EXPECT_EQ(run.err, "openremap-cli: " + arguments[0] + ": Operation not supported: " + reason);
  }
}

TEST_F(CliTest, WrongUseIsOneLineAndExitCodeTwo) {
  ExpectUsage({}, "no command");
  ExpectUsage({"defrag"}, "unknown command 'defrag'");
  ExpectUsage({"--frobnicate", "read", "1"}, "unknown option --frobnicate");
  ExpectUsage({"--superblocks", "0", "identify"}, "--superblocks");
  ExpectUsage({"--superblocks", "4294967296", "identify"}, "from 1 to 4294967295");
  ExpectUsage({"--superblocks", "100000", "identify"}, "identify: superblocks: 100000 is not from 1 to 64");
  ExpectUsage({"--trace", "wave.txt", "identify"}, ".vcd or .fst");
  ExpectUsage({"--image"}, "--image needs a value");
  ExpectUsage({"--reserve-image", "identify"}, "--reserve-image: needs --image");
  ExpectUsage({"--device", "/dev/ng0n1", "--image", "ssd", "identify"}, "--image: does not apply to /dev/ng0n1");
  ExpectUsage({"--device", "/dev/ng0n1", "--superblocks", "8", "identify"}, "--superblocks: does not apply");
  ExpectUsage({"--device", "/dev/ng0n1", "--trace", "a.fst", "identify"}, "--trace: does not apply");
  ExpectUsage({"--version", "identify"}, "--version: 'identify' is one argument too many");
  ExpectUsage({"--version", "--frobnicate"}, "unknown option --frobnicate");
  ExpectUsage({"identify", "please"}, "unexpected 'please'");
  ExpectUsage({"read"}, "expected LPN");
  ExpectUsage({"read", "1", "2"}, "unexpected '2'");
  ExpectUsage({"read", "one"}, "LPN: 'one' is not a number");
  ExpectUsage({"read", "1x"}, "'1x' is not a number");
  ExpectUsage({"read", "--", "-1"}, "'-1' is not a number");
  ExpectUsage({"read", "99999999999999999999"}, "is not a number");
  ExpectUsage({"read", "1", "--count", "0"}, "--count: '0' is not a number from 1");
  ExpectUsage({"read", "1", "--count"}, "--count needs a value");
  ExpectUsage({"write", "1"}, "no data");
  ExpectUsage({"write", "1", "--fill", "256"}, "--fill: '256'");
  ExpectUsage({"write", "1", "--fill", "1", "--text", "a"}, "only one of --input, --text and --fill");
  ExpectUsage({"write", "1", "--count", "1", "--text", std::string(4097, 'a')}, "longer than 1 pages");
  ExpectUsage({"remap", "1"}, "expected SRC and DST");
  ExpectUsage({"remap", "1", "2", "--count", "0"}, "--count");
  ExpectUsage({"remap", "--range", "1:2"}, "SRC:DST:COUNT");
  ExpectUsage({"remap", "--range", "1:2:0"}, "--range COUNT");
  ExpectUsage({"remap", "--range", "1:2:1", "3", "4"}, "cannot be combined with SRC");
  ExpectUsage({"copy", "1", "2", "3"}, "unexpected '3'");
  ExpectUsage({"deallocate"}, "expected LPN");
  ExpectUsage({"log"}, "a log page");
  ExpectUsage({"log", "bark"}, "log page: 'bark'");
  ExpectUsage({"log", "smart", "--bytes", "6"}, "multiple of 4");
}

TEST_F(CliTest, SaysItsVersion) {
  const Outcome version = Cli({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out, std::string("openremap-cli ") + openremap_version() + "\n");
}

TEST_F(CliTest, HelpNamesEveryCommandAndOption) {
  const Outcome help = Cli({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const cli_command *command = cli_commands; command->name != nullptr; command++) {
    EXPECT_NE(help.out.find(std::string("\n  ") + command->name), std::string::npos) << command->name;
    const Outcome one = Cli({command->name, "--help"});
    EXPECT_EQ(one.code, 0);
    EXPECT_EQ(one.out.find(std::string("Usage: openremap-cli [OPTIONS] ") + command->name), 0u);
  }
}

TEST_F(CliTest, PreconditionTellsTheRounds) {
  MockController::config.pages = 100;
  const Outcome run = Cli({"--json", "precondition", "--yes", "--progress"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out.find("{\"command\": \"precondition\", \"pages\": 100, \"wa_round_1\": 1.000000, "), 0u) << run.out;
  EXPECT_NE(run.out.find("\"wa_round_5\": 1.000000, \"steady\": true}"), std::string::npos) << run.out;
  EXPECT_NE(run.err.find("progress 100 100 fill 2\n"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("progress 100 100 random 5\n"), std::string::npos) << run.err;
  const Outcome text = Cli({"precondition", "--yes"});
  EXPECT_NE(text.out.find("wa_round_5                    1.000  write amplification\n"), std::string::npos) << text.out;
  EXPECT_EQ(text.err, "");
  MockController::config = MockConfig();
  ExpectUsage({"precondition"},
              "openremap-cli: precondition: all data on the device would be lost; confirm with --yes");
  ExpectUsage({"precondition", "--yes", "now"}, "precondition");
  ExpectUsage({"precondition", "--yes", "--seed", "x"}, "--seed");
}

TEST_F(CliTest, SteadyIsTheRuleForFiguresFromElsewhere) {
  EXPECT_EQ(Cli({"steady", "9", "1.1", "1.0", "1.1", "1.0", "1.1"}).code, 0) << "the last five";
  EXPECT_EQ(Cli({"steady", "1", "1", "1", "1"}).code, 1) << "too few";
  EXPECT_EQ(Cli({"steady", "1", "1", "1", "1", "1.3"}).code, 1) << "too far apart";
  EXPECT_EQ(Cli({"steady", "1", "1.04", "1.08", "1.12", "1.16"}).code, 1) << "they rise";
  EXPECT_EQ(Cli({"--json", "steady", "2", "2", "2", "2", "2", "2"}).out,
            "{\"command\": \"steady\", \"figures\": 6, \"steady\": true}\n");
  ExpectUsage({"steady"}, "expected FIGURE...");
  for (const char *wrong : {"x", "", "1x", "nan", "inf", "-1"}) {
    const Outcome run = Cli({"steady", "1", "--", wrong});
    EXPECT_EQ(run.code, 2) << wrong;
    EXPECT_NE(run.err.find(std::string("'") + wrong + "' is not a number from 0 on"), std::string::npos) << run.err;
  }
}

TEST_F(CliTest, SizesOfASimulatedDevice) {
  ExpectUsage({"--over-provisioning", "100", "identify"}, "--over-provisioning");
  ExpectUsage({"--over-provisioning", "0", "identify"}, "--over-provisioning");
  ExpectUsage({"--placement-handles", "0", "identify"}, "--placement-handles");
  for (const char *flag : {"--over-provisioning", "--placement-handles", "--geometry"}) {
    ExpectUsage({"--device", "/dev/ng0n1", flag, "2", "identify"},
                std::string(flag) + ": does not apply to /dev/ng0n1");
  }
}

}  // namespace
}  // namespace openremap
