// SPDX-License-Identifier: Apache-2.0
#include "bench/options/parse_options.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

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
                   "--blend-rule=runs",
                   "--blend-space=20",
                   "--blend-filter-bits=8",
                   "--last-level-ratio=0",
                   "--dynamic-levels=on",
                   "--remap-blocks=attached",
                   "--bloom-bits=9",
                   "--sync-every=10",
                   "--placement=table",
                   "--allocation=next",
                   "--deallocate=off",
                   "--align=off",
                   "--journal=data",
                   "--side=all",
                   "--mkfs-discard=off",
                   "--mapping-unit=8",
                   "--over-provisioning=7",
                   "--placement-handles=4",
                   "--precondition=on",
                   "--block-size=32768",
                   "--seek-compactions=off",
                   "--superblocks=3",
                   "--json=out.json",
                   "--image-dir=i",
                   "--trace-file=t.fst",
                   "--record-file=r.txt",
                   "--trace-pages=p"},
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
  EXPECT_EQ(options.blend_rule, BlendRule::kRuns);
  EXPECT_EQ(options.blend_space_percent, 20);
  EXPECT_EQ(options.blend_filter_bits, 8);
  EXPECT_EQ(options.last_level_ratio, 0);
  EXPECT_TRUE(options.dynamic_levels);
  EXPECT_FALSE(BenchOptions().dynamic_levels);
  EXPECT_EQ(options.remap_blocks, RemapBlocks::kAttached);
  EXPECT_EQ(BenchOptions().remap_blocks, RemapBlocks::kAll);
  EXPECT_EQ(options.bloom_bits, 9);
  EXPECT_EQ(options.sync_every, 10u);
  EXPECT_EQ(options.device.placement, BenchPlacement::kTable);
  EXPECT_EQ(options.device.allocation, BenchAllocation::kNext);
  EXPECT_FALSE(options.device.deallocate);
  EXPECT_FALSE(options.device.align);
  EXPECT_EQ(options.device.journal, BenchJournal::kData);
  EXPECT_EQ(options.device.side, BenchSide::kAll);
  EXPECT_FALSE(options.device.mkfs_discard);
  EXPECT_EQ(options.device.mapping_unit, 8u);
  EXPECT_EQ(options.device.over_provisioning, 7u);
  EXPECT_EQ(options.device.placement_handles, 4u);
  EXPECT_TRUE(options.device.precondition);
  EXPECT_EQ(options.block_size, 32768u);
  EXPECT_FALSE(options.seek_compactions);
  EXPECT_FALSE(BenchOptions().device.WantsPageFs());
  EXPECT_TRUE(BenchOptions().seek_compactions);
  EXPECT_FALSE(options.device.existing);
  EXPECT_EQ(options.device.superblocks, 3u);
  EXPECT_EQ(options.json, "out.json");
  EXPECT_EQ(options.device.image_dir, "i");
  EXPECT_EQ(options.device.trace_file, "t.fst");
  EXPECT_EQ(options.device.record_file, "r.txt");
  EXPECT_EQ(options.device.page_trace_file, "p");
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
                          "--blend-rule=literal",
                          "--dynamic-levels=yes",
                          "--remap-blocks=some",
                          "--blend-filter-bits=21",
                          "--superblocks=-1",
                          "--json=",
                          "--operations=1000000001",
                          "--value-size-max=10",
                          "--trace=t.txt",
                          "--sync-every=-1",
                          "--placement=yes",
                          "--placement=on",
                          "--allocation=best",
                          "--journal=on",
                          "--side=log",
                          "--deallocate=1",
                          "--mapping-unit=0",
                          "--mapping-unit=9",
                          "--over-provisioning=100",
                          "--placement-handles=129",
                          "--block-size=1023",
                          "--seek-compactions=",
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
  EXPECT_EQ(Parse({"--precondition=on", "--check=1"}, &options, &error), ParseResult::kError);
  EXPECT_EQ(error, "--precondition=on: cannot be combined with --check");
  options = BenchOptions();
  EXPECT_EQ(Parse({"--workload=overwrite", "--check=1"}, &options, &error), ParseResult::kError);
  EXPECT_EQ(Parse({"--key-size=8", "--num=100000001"}, &options, &error), ParseResult::kError) << "8 digits name 10^8";
}

TEST(BenchOptionsTest, TheSharesOfAMixAddUp) {
  BenchOptions options;
  std::string error;
  EXPECT_EQ(Parse({"--workload=mix"}, &options, &error), ParseResult::kRun) << error;
  options = BenchOptions();
  ASSERT_EQ(Parse({"--workload=mix", "--mix-insert=0", "--mix-update=10", "--mix-read=20", "--mix-delete=30",
                   "--mix-scan=40", "--mix-keys=latest"},
                  &options, &error),
            ParseResult::kRun)
      << error;
  EXPECT_EQ(options.mix.insert, 0);
  EXPECT_EQ(options.mix.update, 10);
  EXPECT_EQ(options.mix.read, 20);
  EXPECT_EQ(options.mix.remove, 30);
  EXPECT_EQ(options.mix.scan, 40);
  EXPECT_EQ(options.mix.keys, MixKeys::kLatest);
  for (const auto &[arguments, said] : std::map<std::vector<std::string>, std::string>{
           {{"--workload=mix", "--mix-delete=1"}, "add up to 101 %, not to 100"},
           {{"--workload=mix", "--mix-insert=0"}, "add up to 75 %"},
           {{"--workload=mix", "--utxo-flush=1"}, "--utxo-flush=1: does not apply to mix, only to utxo"},
           {{"--workload=utxo", "--utxo-outputs=0"}, "--utxo-outputs=0: expected 1..1000000"},
           {{"--workload=ycsba", "--mix-delete=1"}, "--mix-delete=1: does not apply to ycsba, only to mix"},
           {{"--workload=mix", "--mix-keys=hot"}, "--mix-keys=hot: expected uniform|zipfian|latest"},
           {{"--workload=mix", "--mix-read=101"}, "--mix-read=101: expected 0..100"}}) {
    options = BenchOptions();
    EXPECT_EQ(Parse(arguments, &options, &error), ParseResult::kError);
    EXPECT_NE(error.find(said), std::string::npos) << error;
  }
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

TEST(BenchOptionsTest, ACombinationThatIsExcludedNamesBothOptions) {
  BenchOptions options;
  std::string error;
  EXPECT_EQ(Parse({"--workload=ycsba", "--trace=t.txt", "--replay=r.txt"}, &options, &error), ParseResult::kError);
  EXPECT_EQ(error, "--trace=t.txt: cannot be combined with --replay");
  options = BenchOptions();
  EXPECT_EQ(Parse({"--workload=readseq", "--trace=t.txt"}, &options, &error), ParseResult::kError);
  EXPECT_EQ(error.find("--trace=t.txt: does not apply to readseq, only to fillzipfian, ycsbload, "), 0u) << error;
}

}  // namespace
}  // namespace openremap
