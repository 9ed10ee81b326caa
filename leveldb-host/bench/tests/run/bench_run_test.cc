// SPDX-License-Identifier: Apache-2.0
//
// db_bench on the host-only fake: command line, keys, and whole runs.
#include "bench/run/bench_run.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/progress.h"
#include "bench/options/options.h"
#include "bench/report.h"
#include "bench/workload/keys.h"
#include "bench_device.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

ParseResult Parse(std::vector<std::string> arguments, BenchOptions *options, std::string *error) {
  arguments.insert(arguments.begin(), "db_bench");
  std::vector<char *> argv;
  for (std::string &argument : arguments) argv.push_back(&argument[0]);
  return ParseBenchOptions(static_cast<int>(argv.size()), argv.data(), options, error);
}

TEST(BenchOptionsTest, TakesEveryFlag) {
  BenchOptions options;
  std::string error;
  ASSERT_EQ(Parse({"--workload=overwrite",
                   "--device=mem",
                   "--mode=retain",
                   "--num=77",
                   "--value-size=10",
                   "--key-size=12",
                   "--seed=18446744073709551615",
                   "--write-buffer=65536",
                   "--max-file-size=65536",
                   "--level1-bytes=131072",
                   "--level-ratio=4",
                   "--fill-space=12",
                   "--blend-runs=5",
                   "--blend-space=20",
                   "--blend-filter-bits=8",
                   "--last-level-ratio=0",
                   "--bloom-bits=9",
                   "--sync-every=10",
                   "--placement=off",
                   "--superblocks=3",
                   "--json=out.json",
                   "--image-dir=i",
                   "--trace-file=t.fst",
                   "--record-file=r.txt"},
                  &options, &error),
            ParseResult::kRun)
      << error;
  EXPECT_EQ(options.workload, Workload::kOverwrite);
  EXPECT_EQ(options.mode, RemapMode::kRetain);
  EXPECT_EQ(options.num, 77u);
  EXPECT_EQ(options.value_size, 10u);
  EXPECT_EQ(options.key_size, 12u);
  EXPECT_EQ(options.seed, UINT64_MAX);
  EXPECT_EQ(options.write_buffer, 65536u);
  EXPECT_EQ(options.max_file_size, 65536u);
  EXPECT_EQ(options.level1_bytes, 131072u);
  EXPECT_EQ(options.level_ratio, 4);
  EXPECT_EQ(options.fill_space_percent, 12);
  EXPECT_EQ(options.blend_runs, 5);
  EXPECT_EQ(options.blend_space_percent, 20);
  EXPECT_EQ(options.blend_filter_bits, 8);
  EXPECT_EQ(options.last_level_ratio, 0);
  EXPECT_EQ(options.bloom_bits, 9);
  EXPECT_EQ(options.sync_every, 10u);
  EXPECT_FALSE(options.device.placement);
  EXPECT_TRUE(BenchOptions().device.placement);
  EXPECT_FALSE(options.device.existing);
  EXPECT_EQ(options.device.superblocks, 3u);
  EXPECT_EQ(options.json, "out.json");
  EXPECT_EQ(options.device.image_dir, "i");
  EXPECT_EQ(options.device.trace_file, "t.fst");
  EXPECT_EQ(options.device.record_file, "r.txt");
}

TEST(BenchOptionsTest, RefusesWithOneLineThatNamesTheOption) {
  for (const char *bad : {"--workload=fillfast",
                          "--device=floppy",
                          "--mode=fast",
                          "--num=0",
                          "--num=-1",
                          "--num=1e3",
                          "--num=",
                          "--value-size=16777217",
                          "--key-size=7",
                          "--seed=18446744073709551616",
                          "--write-buffer=65535",
                          "--max-file-size=1",
                          "--level1-bytes=0",
                          "--level-ratio=1",
                          "--fill-space=1001",
                          "--last-level-ratio=1",
                          "--last-level-ratio=1001",
                          "--blend-space=-1",
                          "--blend-runs=65",
                          "--blend-filter-bits=21",
                          "--superblocks=-1",
                          "--json=",
                          "--operations=1000000001",
                          "--value-size-max=10",
                          "--trace=t.txt",
                          "--sync-every=-1",
                          "--placement=yes",
                          "--check=-1",
                          "--check=6001",
                          "--nonsense=1",
                          "--num",
                          "num=5",
                          "-n"}) {
    BenchOptions options;
    std::string error;
    EXPECT_EQ(Parse({bad}, &options, &error), ParseResult::kError) << bad;
    EXPECT_FALSE(error.empty());
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
  BenchOptions options;
  std::string error;
  EXPECT_EQ(Parse({"--workload=overwrite", "--check=1"}, &options, &error), ParseResult::kError);
  EXPECT_EQ(Parse({"--key-size=8", "--num=100000001"}, &options, &error), ParseResult::kError) << "8 digits name 10^8";
}

TEST(BenchOptionsTest, FoldersWithReflinksAreLookedAtWhenOpened) {
  for (const char *device : {"--device=reflink:here", "--device=reflink:/there/it/is", "--device=reflink:"}) {
    BenchOptions options;
    std::string error;
    EXPECT_EQ(Parse({device}, &options, &error), ParseResult::kRun) << error;
    OpenFailure failure;
    EXPECT_EQ(OpenBenchDevice(options.device, &failure), nullptr);
    EXPECT_TRUE(failure.bad_option);
    EXPECT_EQ(failure.reason.find(device), 0u) << failure.reason;
  }
  BenchOptions options;
  std::string error;
  EXPECT_EQ(Parse({"--device=reflinks"}, &options, &error), ParseResult::kError);
}

TEST(BenchOptionsTest, CheckWantsAnExistingDatabase) {
  BenchOptions options;
  std::string error;
  EXPECT_EQ(Parse({"--check=0"}, &options, &error), ParseResult::kRun) << error;
  EXPECT_EQ(options.check, 0u);
  EXPECT_TRUE(options.device.existing);
}

TEST(BenchOptionsTest, Help) {
  BenchOptions options;
  std::string error;
  EXPECT_EQ(Parse({"--help"}, &options, &error), ParseResult::kHelp);
  EXPECT_NE(BenchUsage().find("--level-ratio="), std::string::npos);
}

TEST(KeySpaceTest, KeysAreSortedDistinctAndOfTheSize) {
  KeySpace keys(1000, 16, ValueSizes::Fixed(10), 1);
  std::string last, key;
  for (uint64_t i = 0; i < keys.size(); i++) {
    keys.Key(i, &key);
    EXPECT_EQ(key.size(), 16u);
    EXPECT_LT(last, key);
    last = key;
  }
  EXPECT_EQ(key, "0000000000000999");
}

TEST(KeySpaceTest, ValuesAreFunctionsOfSeedKeyAndVersion) {
  const ValueSizes sizes = ValueSizes::Fixed(100);
  KeySpace one(10, 16, sizes, 1), same(10, 16, sizes, 1), other(10, 16, sizes, 2);
  std::string a, b, c, d;
  EXPECT_FALSE(one.Exists(3));
  one.Put(3, &a);
  same.Put(3, &b);
  other.Put(3, &c);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_EQ(a.size(), 100u);
  one.Put(3, &d);
  EXPECT_NE(a, d) << "a new version";
  one.Value(3, &a);
  EXPECT_EQ(a, d);
  one.Put(4, &b);
  EXPECT_NE(b, d);
  EXPECT_EQ(one.live(), 2u);
}

BenchOptions Small(Workload workload, RemapMode mode) {
  BenchOptions options;
  options.workload = workload;
  options.mode = mode;
  options.device.device = "mem";
  options.num = 3000;
  options.write_buffer = 65536;
  options.max_file_size = 65536;
  options.level1_bytes = 262144;
  options.level_ratio = 4;
  return options;
}

BenchResult MustRun(const BenchOptions &options) {
  BenchResult result;
  OpenFailure failure;
  std::unique_ptr<BenchDevice> device = OpenBenchDevice(options.device, &failure);
  EXPECT_NE(device, nullptr) << failure.reason;
  Progress progress;
  leveldb::Status s = RunBench(options, device.get(), &progress, &result);
  EXPECT_TRUE(s.ok()) << s.ToString();
  return result;
}

TEST(BenchRunTest, EveryWorkloadInEveryModeReadsEverythingBack) {
  for (Workload workload :
       {Workload::kFillRandom, Workload::kFillSeq, Workload::kOverwrite, Workload::kReadRandom, Workload::kReadSeq}) {
    for (RemapMode mode : RemapModes()) {
      SCOPED_TRACE(std::to_string(static_cast<int>(workload)) + " " + RemapModeName(mode));
      const BenchResult result = MustRun(Small(workload, mode));
      EXPECT_GT(result.keys_expected, 1500u);
      EXPECT_EQ(result.keys_verified, result.keys_expected);
      EXPECT_EQ(result.verify_mismatches, 0u);
      const bool reads = workload == Workload::kReadRandom || workload == Workload::kReadSeq;
      EXPECT_EQ(result.user_bytes, reads ? 0u : 3000000u);
      EXPECT_EQ(result.reads > 0, reads);
      EXPECT_EQ(result.operations, workload == Workload::kReadSeq ? result.reads : 3000u);
      EXPECT_GE(result.device.host_write_pages * kPageBytes, result.user_bytes * 2);
      const bool merges = workload == Workload::kFillRandom || workload == Workload::kOverwrite;
      if (merges) {
        EXPECT_EQ(result.remap.remapped_pages > 0, mode != RemapMode::kOff);
      }
    }
  }
}

// Those that are streams of operations, replayed, in two modes: the same operations on the same values.
TEST(BenchRunTest, StreamsOfOperationsReadEverythingBack) {
  for (Workload workload :
       {Workload::kFillZipfian, Workload::kYcsbLoad, Workload::kYcsbA, Workload::kYcsbB, Workload::kYcsbC,
        Workload::kYcsbD, Workload::kYcsbE, Workload::kYcsbF, Workload::kMixAllRandom, Workload::kMixAllDist,
        Workload::kMixPrefixRandom, Workload::kMixPrefixDist}) {
    SCOPED_TRACE(WorkloadName(workload));
    BenchOptions options = Small(workload, RemapMode::kOff);
    options.num = 1000;
    options.operations = workload == Workload::kYcsbLoad ? 0 : 1500;
    options.value_size = 200;
    options.value_size_max = 1000;
    options.trace = ::testing::TempDir() + "/run.txt";
    const BenchResult written = MustRun(options);
    options.replay = std::exchange(options.trace, "");
    options.mode = RemapMode::kBlend;
    options.bloom_bits = 10;
    const BenchResult replayed = MustRun(options);
    EXPECT_EQ(written.keys_verified, written.keys_expected);
    EXPECT_EQ(replayed.keys_verified, written.keys_verified);
    EXPECT_EQ(replayed.user_bytes, written.user_bytes);
    EXPECT_EQ(replayed.reads, written.reads);
    EXPECT_EQ(replayed.live_bytes, written.live_bytes);
    uint64_t operations = 0;
    for (const LatencyHistogram &latencies : replayed.latencies) operations += latencies.count();
    EXPECT_EQ(operations, options.Operations());
    EXPECT_EQ(replayed.operations, options.Operations());
  }
}

TEST(BenchRunTest, CpuTimeIsThatOfLevelDb) {
  BenchOptions options = Small(Workload::kFillRandom, RemapMode::kRetain);
  const BenchResult fill = MustRun(options);
  EXPECT_GT(fill.background_cpu_seconds, 0);
  EXPECT_GT(fill.host_cpu_seconds, fill.background_cpu_seconds);
  EXPECT_LT(fill.host_cpu_seconds, fill.wall_seconds);
  options.workload = Workload::kYcsbC;
  options.write_buffer = 16 << 20;  // nothing is flushed
  const BenchResult gets = MustRun(options);
  EXPECT_GT(gets.host_cpu_seconds, 0);
  EXPECT_EQ(gets.background_cpu_seconds, 0);
}

TEST(BenchRunTest, RepeatsToTheByte) {
  for (RemapMode mode : {RemapMode::kOff, RemapMode::kRetain, RemapMode::kSkip, RemapMode::kBlend}) {
    const BenchResult one = MustRun(Small(Workload::kFillRandom, mode));
    const BenchResult two = MustRun(Small(Workload::kFillRandom, mode));
    EXPECT_EQ(one.device.host_write_pages, two.device.host_write_pages);
    EXPECT_EQ(one.device.host_read_pages, two.device.host_read_pages);
    EXPECT_EQ(one.device.used_pages, two.device.used_pages);
    EXPECT_EQ(one.remap.remapped_pages, two.remap.remapped_pages);
    EXPECT_EQ(one.keys_verified, two.keys_verified);
  }
}

// The project's promise at its default sizes, on the host's side of it: garbage collection adds to both.
TEST(BenchRunTest, KeptBlocksSaveAFifthOfTheWrites) {
  BenchOptions options;
  options.device.device = "mem";
  std::map<RemapMode, uint64_t> pages, space;
  for (RemapMode mode : RemapModes()) {
    options.mode = mode;
    const BenchResult result = MustRun(options);
    pages[mode] = result.device.host_write_pages;
    space[mode] = result.device.used_pages;
    size_t levels = 0;
    for (const LevelResult &level : result.levels) levels += level.files != 0;
    EXPECT_GE(levels, mode == RemapMode::kBlend ? 2u : 3u) << RemapModeName(mode) << " has as many as the data take";
  }
  EXPECT_LT(pages[RemapMode::kBase], pages[RemapMode::kOff]);
  EXPECT_LT(pages[RemapMode::kRetain] * 10, pages[RemapMode::kOff] * 8);
  for (RemapMode mode : {RemapMode::kFill, RemapMode::kSkip}) {
    EXPECT_LT(pages[mode] * 10, pages[RemapMode::kOff] * 8) << RemapModeName(mode);
    EXPECT_LT(space[mode] * 10, space[RemapMode::kOff] * 11) << RemapModeName(mode) << " may take a tenth more space";
  }
  EXPECT_LT(pages[RemapMode::kBlend] * 10, pages[RemapMode::kOff] * 7);
  EXPECT_LT(space[RemapMode::kBlend] * 10, space[RemapMode::kOff] * 13) << "what newer runs may hide, at worst";
}

// Small items gain too.
TEST(BenchRunTest, SmallItemsGain) {
  for (size_t value_size : {84, 240}) {
    BenchOptions options;
    options.device.device = "mem";
    options.value_size = value_size;
    options.num = 6000000 / (16 + value_size);
    options.mode = RemapMode::kOff;
    const uint64_t stock = MustRun(options).device.host_write_pages;
    options.mode = RemapMode::kSkip;
    EXPECT_LT(MustRun(options).device.host_write_pages * 100, stock * 97) << value_size;
    options.mode = RemapMode::kBlend;
    EXPECT_LT(MustRun(options).device.host_write_pages * 100, stock * 75) << value_size;
  }
}

// A device that loses one page must be found out, and the figures still come.
class LossyDevice : public BenchDevice {
 public:
  leveldb::Env *env() override { return &env_; }
  leveldb::Status ReadStats(DeviceStats *stats) override {
    *stats = DeviceStats();
    return leveldb::Status::OK();
  }
  uint64_t FreeBytes() const override { return UINT64_MAX; }
  std::vector<std::pair<std::string, std::string>> Geometry() const override { return {}; }

 private:
  // Returns what an older version of a table would: the value of another version.
  class LossyEnv : public leveldb::EnvWrapper {
   public:
    LossyEnv() : EnvWrapper(&memory_) {}
    leveldb::Status NewWritableFile(const std::string &name, leveldb::WritableFile **file) override {
      leveldb::Status s = memory_.NewWritableFile(name, file);
      if (s.ok() && name.find(".ldb") != std::string::npos && tables_++ == 3) {
        (*file)->Append(std::string(1, '\0'));  // all that follows is a byte off
      }
      return s;
    }

   private:
    MemoryRemapEnv memory_;
    int tables_ = 0;
  };
  LossyEnv env_;
};

TEST(BenchRunTest, DamageIsReported) {
  LossyDevice device;
  BenchResult result;
  Progress progress;
  leveldb::Status s = RunBench(Small(Workload::kFillRandom, RemapMode::kOff), &device, &progress, &result);
  EXPECT_FALSE(s.ok());
}

TEST(ReportTest, IsOneJsonObjectWithoutNotANumber) {
  const BenchOptions options = Small(Workload::kReadSeq, RemapMode::kRetain);
  OpenFailure failure;
  std::unique_ptr<BenchDevice> device = OpenBenchDevice(options.device, &failure);
  const std::string json = ReportJson(options, *device, BenchResult());
  EXPECT_EQ(json.front(), '{');
  EXPECT_EQ(json.substr(json.size() - 2), "}\n");
  EXPECT_EQ(json.find(": nan"), std::string::npos);
  EXPECT_EQ(json.find(": -nan"), std::string::npos);
  EXPECT_EQ(json.find(": inf"), std::string::npos);
  for (const char *member : {"workload",
                             "device",
                             "mode",
                             "seed",
                             "geometry",
                             "user_bytes",
                             "host_bytes",
                             "nand_bytes",
                             "gc_pages",
                             "gc_shared_pages",
                             "metadata_pages",
                             "nvram_bytes",
                             "wa1",
                             "wa2",
                             "wa",
                             "remapped_pages",
                             "remap_fallbacks",
                             "unchanged_ratio",
                             "levels",
                             "space_amplification",
                             "latency_us",
                             "device_seconds",
                             "host_cpu_seconds",
                             "background_cpu_seconds",
                             "operations",
                             "sim_cycles",
                             "evaluated_cycles",
                             "sim_cpu_seconds",
                             "wall_seconds",
                             "keys_verified",
                             "keys_expected"}) {
    EXPECT_NE(json.find('"' + std::string(member) + "\": "), std::string::npos) << member;
  }
}

TEST(ReportTest, UnwritablePathIsAnError) {
  EXPECT_FALSE(WriteReport("/nonexistent/folder/x.json", "{}").ok());
  std::string error;
  EXPECT_TRUE(CanWriteReport("-", &error));
  for (const std::string &path : {std::string("/nonexistent/folder/x.json"), ::testing::TempDir()}) {
    error.clear();
    EXPECT_FALSE(CanWriteReport(path, &error));
    EXPECT_EQ(error.find("--json=" + path + ": "), 0u) << error;
  }
  const std::string good = ::testing::TempDir() + "/report.json";
  EXPECT_TRUE(CanWriteReport(good, &error));
  EXPECT_EQ(std::fopen((good + ".tmp").c_str(), "r"), nullptr) << "the attempt leaves nothing";
}

TEST(BenchDeviceTest, WrongOptionsAreToldFromFailures) {
  BenchDeviceOptions options;
  options.device = "mem";
  options.superblocks = 7;
  OpenFailure failure;
  EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
  EXPECT_TRUE(failure.bad_option);
  EXPECT_NE(failure.reason.find("--superblocks"), std::string::npos);
  options.device = "floppy";
  EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
  EXPECT_TRUE(failure.bad_option);
}

}  // namespace
}  // namespace openremap
