// SPDX-License-Identifier: Apache-2.0
//
// Whole runs of db_bench on the host-only fake device.
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
#include "temp_dir.h"

namespace openremap {
namespace {

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
      EXPECT_EQ(SumOf(result.device.bytes_by_cause), result.device.host_write_pages * kPageBytes);
      const bool merges = workload == Workload::kFillRandom || workload == Workload::kOverwrite;
      if (merges) {
        EXPECT_EQ(result.remap.remapped_pages > 0, mode != RemapMode::kOff);
      }
    }
  }
}

// Replays the workloads that are streams of operations in two modes. Both get the same operations with the same values.
TEST(BenchRunTest, StreamsOfOperationsReadEverythingBack) {
  for (Workload workload :
       {Workload::kFillZipfian, Workload::kYcsbLoad, Workload::kYcsbA, Workload::kYcsbB, Workload::kYcsbC,
        Workload::kYcsbD, Workload::kYcsbE, Workload::kYcsbF, Workload::kMixAllRandom, Workload::kMixAllDist,
        Workload::kMixPrefixRandom, Workload::kMixPrefixDist, Workload::kMix, Workload::kUtxo}) {
    SCOPED_TRACE(WorkloadName(workload));
    BenchOptions options = Small(workload, RemapMode::kOff);
    options.num = 1000;
    options.operations = workload == Workload::kYcsbLoad ? 0 : 1500;
    options.value_size = 200;
    options.value_size_max = 1000;
    const orm::TempDir folder;
    options.trace = folder.path + "/run.txt";
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
    EXPECT_EQ(replayed.deleted_verified, written.deleted_verified);
    uint64_t operations = 0;
    for (const LatencyHistogram &latencies : replayed.latencies) operations += latencies.count();
    if (WritesBatches(workload)) {
      EXPECT_LT(operations, options.Operations()) << "only gets and commits take time";
    } else {
      EXPECT_EQ(operations, options.Operations());
    }
    EXPECT_EQ(replayed.operations, options.Operations());
  }
}

// Deletes of any keys: what was deleted is not there, neither while the mix runs nor afterwards.
TEST(BenchRunTest, AMixDeletes) {
  for (RemapMode mode : {RemapMode::kOff, RemapMode::kBlend}) {
    for (MixKeys keys : {MixKeys::kUniform, MixKeys::kZipfian, MixKeys::kLatest}) {
      BenchOptions options = Small(Workload::kMix, mode);
      options.num = 1500;
      options.operations = 4000;
      options.mix = {20, 20, 25, 30, 5, keys};
      const BenchResult result = MustRun(options);
      EXPECT_EQ(result.keys_verified, result.keys_expected);
      EXPECT_GT(result.keys_expected, 300u);
      EXPECT_GT(result.deleted_verified, 300u);
      EXPECT_GT(result.latencies.at(static_cast<size_t>(OperationKind::kDelete)).count(), 1000u);
      EXPECT_GT(result.reads, 1000u);
      EXPECT_EQ(SumOf(result.device.bytes_by_cause), result.device.host_write_pages * kPageBytes);
    }
  }
}

// In every mode spent coins are gone and all others are there, and a commit is one write of all that came before it.
TEST(BenchRunTest, CoinsAreSpentAndTheOthersStay) {
  std::map<uint64_t, uint64_t> user_bytes;
  for (RemapMode mode : RemapModes()) {
    for (uint64_t flush : {1, 6}) {
      BenchOptions options = Small(Workload::kUtxo, mode);
      options.num = 5000;
      options.operations = 30000;
      options.bloom_bits = 10;
      options.utxo = {50, flush, 20};
      const BenchResult result = MustRun(options);
      EXPECT_EQ(result.keys_verified, result.keys_expected);
      EXPECT_NEAR(static_cast<double>(result.keys_expected), 5000, 300);
      EXPECT_GT(result.deleted_verified, 8000u);
      EXPECT_GT(result.reads, 1000u);
      EXPECT_EQ(result.operations, 30000u);
      const uint64_t commits = result.latencies.at(static_cast<size_t>(OperationKind::kCommit)).count();
      EXPECT_GT(commits, 40u);
      EXPECT_LT(commits, 400u);
      for (const OperationKind kind : {OperationKind::kPut, OperationKind::kDelete}) {
        EXPECT_EQ(result.latencies.at(static_cast<size_t>(kind)).count(), 0u) << "they wait";
      }
      EXPECT_EQ(user_bytes.emplace(flush, result.user_bytes).first->second, result.user_bytes) << "in each mode";
    }
  }
}

// A database that ignores deletes is told by the gets of the mix and afterwards.
class KeepingDevice : public BenchDevice {
 public:
  leveldb::Env *env() override { return &env_; }
  leveldb::Status ReadStats(DeviceStats *stats) override {
    *stats = DeviceStats();
    return leveldb::Status::OK();
  }
  uint64_t FreeBytes() const override { return UINT64_MAX; }
  std::vector<std::pair<std::string, std::string>> Geometry() const override { return {}; }

 private:
  // Loses the log, where the deletes are, when the database is opened again.
  class KeepingEnv : public leveldb::EnvWrapper {
   public:
    KeepingEnv() : EnvWrapper(&memory_) {}
    leveldb::Status NewSequentialFile(const std::string &name, leveldb::SequentialFile **file) override {
      if (name.find(".log") != std::string::npos) {
        (void)leveldb::WriteStringToFile(&memory_, "", "/empty");
        return memory_.NewSequentialFile("/empty", file);
      }
      return memory_.NewSequentialFile(name, file);
    }

   private:
    MemoryRemapEnv memory_;
  };
  KeepingEnv env_;
};

TEST(BenchRunTest, KeysThatComeBackAreReported) {
  KeepingDevice device;
  BenchOptions options = Small(Workload::kMix, RemapMode::kOff);
  options.num = 300;
  options.operations = 100;
  options.value_size = 1000;
  options.mix = {0, 0, 0, 100, 0, MixKeys::kUniform};
  BenchResult result;
  Progress progress;
  const leveldb::Status s = RunBench(options, &device, &progress, &result);
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_GT(result.verify_mismatches, 50u);
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

// Level 0 has more tables when they are compacted, so each table below is written less often.
TEST(BenchRunTest, LateCompactionsWriteLess) {
  BenchOptions options = Small(Workload::kFillRandom, RemapMode::kOff);
  options.num = 12000;
  options.max_file_size = 16384;
  const BenchResult eager = MustRun(options);
  options.compactions = Compactions::kLate;
  const BenchResult late = MustRun(options);
  EXPECT_EQ(late.keys_verified, late.keys_expected);
  EXPECT_EQ(late.user_bytes, eager.user_bytes);
  EXPECT_LT(late.device.host_write_pages * 10, eager.device.host_write_pages * 9);
  EXPECT_LT(eager.levels.at(0).files, 4u) << "where LevelDB compacts";
  EXPECT_LT(late.levels.at(0).files, 8u) << "where LevelDB slows writers down";
  const BenchResult again = MustRun(options);
  EXPECT_EQ(again.device.host_write_pages, late.device.host_write_pages);
}

// Memtables that fill while much is to be compacted are flushed: no write waits for ever.
TEST(BenchRunTest, LateCompactionsInEveryModeWithAValueLog) {
  for (RemapMode mode : {RemapMode::kOff, RemapMode::kBlend}) {
    BenchOptions options = Small(Workload::kMix, mode);
    options.operations = 6000;
    options.mix = {10, 50, 20, 15, 5, MixKeys::kUniform};
    options.compactions = Compactions::kLate;
    options.separate = true;
    options.value_log_segment_bytes = 65536;
    const BenchResult result = MustRun(options);
    EXPECT_EQ(result.keys_verified, result.keys_expected);
    EXPECT_GT(result.value_log.at("segments"), 0u);
  }
}

// Tells how often its recording was ended, and whether tables were read afterwards.
class RecordedDevice : public BenchDevice {
 public:
  leveldb::Env *env() override { return &env_; }
  leveldb::Status ReadStats(DeviceStats *stats) override {
    *stats = DeviceStats();
    return leveldb::Status::OK();
  }
  leveldb::Status EndRecording() override {
    ended++;
    return leveldb::Status::OK();
  }
  leveldb::Status ForgetCached() override {
    ended_before_reading = ended;
    return leveldb::Status::OK();
  }
  uint64_t FreeBytes() const override { return UINT64_MAX; }
  std::vector<std::pair<std::string, std::string>> Geometry() const override { return {}; }

  int ended = 0;
  int ended_before_reading = 0;

 private:
  MemoryRemapEnv env_;
};

TEST(BenchRunTest, TheRecordingEndsBeforeAllIsReadBackIfAsked) {
  for (bool verify : {true, false}) {
    RecordedDevice device;
    BenchOptions options = Small(Workload::kFillRandom, RemapMode::kOff);
    options.trace_verify = verify;
    BenchResult result;
    Progress progress;
    ASSERT_TRUE(RunBench(options, &device, &progress, &result).ok());
    EXPECT_EQ(result.keys_verified, result.keys_expected);
    EXPECT_EQ(device.ended_before_reading, verify ? 0 : 1);
  }
}

// Tells its listener of a flush at each reading of its counters, none of which is during the workload, and of reads by
// gets.
class ToldDevice : public RecordedDevice {
 public:
  leveldb::Status ReadStats(DeviceStats *stats) override {
    *stats = DeviceStats();
    stats->erases = 10 * ++readings_;
    stats->most_erases = 3;
    if (listener_) listener_(DeviceCall::kFlush, 1);
    return leveldb::Status::OK();
  }
  FileReads ReadsOfFiles() const override {  // asked by each measured get
    if (listener_) listener_(DeviceCall::kRead, 5000);
    return {};
  }
  void Listen(DeviceCallListener listener) override { listener_ = std::move(listener); }
  bool listens() const { return static_cast<bool>(listener_); }

 private:
  uint64_t readings_ = 0;
  DeviceCallListener listener_;
};

TEST(BenchRunTest, CallsToTheDeviceAreTimedDuringTheWorkload) {
  ToldDevice device;
  BenchOptions options = Small(Workload::kReadRandom, RemapMode::kOff);
  BenchResult result;
  Progress progress;
  ASSERT_TRUE(RunBench(options, &device, &progress, &result).ok());
  const auto of = [&result](DeviceCall call) { return result.device_latencies.at(static_cast<size_t>(call)); };
  EXPECT_GE(of(DeviceCall::kRead).count(), result.reads);
  EXPECT_EQ(of(DeviceCall::kRead).Percentile(0.999), 5000u);
  EXPECT_EQ(of(DeviceCall::kFlush).count(), 0u) << "of the counters, before and after";
  EXPECT_FALSE(device.listens()) << "while all is read back";
  EXPECT_EQ(result.device.erases, 10u) << "during the workload";
  EXPECT_EQ(result.device.most_erases, 3u) << "at its end";
}

// The project's goal at its default sizes, measured at the host. Garbage collection adds to the writes of both modes.
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

// Level sizes that follow the data are not blend's alone: stock LevelDB's hide fewer old entries then, too.
TEST(BenchRunTest, StockTakesLessSpaceWithLevelsThatFollowTheData) {
  BenchOptions options = Small(Workload::kFillRandom, RemapMode::kOff);
  options.num = 6000;
  const uint64_t fixed = MustRun(options).device.used_pages;
  options.dynamic_levels = true;
  EXPECT_LT(MustRun(options).device.used_pages, fixed);
}

// The same tables of blend, and the same number of blocks that are kept, for more writes.
TEST(BenchRunTest, WhatIsNotRemappedIsWritten) {
  std::map<RemapBlocks, BenchResult> results;
  for (const RemapBlocks blocks : {RemapBlocks::kAll, RemapBlocks::kAttached, RemapBlocks::kNone}) {
    BenchOptions options = Small(Workload::kFillRandom, RemapMode::kBlend);
    options.remap_blocks = blocks;
    results[blocks] = MustRun(options);
  }
  const auto written = [&results](RemapBlocks blocks) { return results[blocks].device.host_write_pages; };
  EXPECT_LT(written(RemapBlocks::kAll), written(RemapBlocks::kAttached));
  EXPECT_LT(written(RemapBlocks::kAttached), written(RemapBlocks::kNone));
  EXPECT_EQ(results[RemapBlocks::kNone].remap.remapped_pages, 0u);
  for (const auto &[blocks, result] : results) {
    EXPECT_EQ(result.device.used_pages, results[RemapBlocks::kAll].device.used_pages) << static_cast<int>(blocks);
  }
}

// A device that loses one page. The run must detect it, and still report its figures.
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

// A device of so many bytes of appended data.
class SmallDevice : public BenchDevice {
 public:
  explicit SmallDevice(uint64_t bytes) : env_(bytes) {}
  leveldb::Env *env() override { return &env_; }
  leveldb::Status ReadStats(DeviceStats *stats) override {
    *stats = DeviceStats();
    stats->host_write_pages = reads_++ * 100;
    return leveldb::Status::OK();
  }
  uint64_t FreeBytes() const override { return UINT64_MAX; }
  std::vector<std::pair<std::string, std::string>> Geometry() const override { return {}; }

 private:
  class SmallEnv : public leveldb::EnvWrapper {
   public:
    explicit SmallEnv(uint64_t bytes) : EnvWrapper(&memory_), left_(bytes) {}
    leveldb::Status NewWritableFile(const std::string &name, leveldb::WritableFile **file) override {
      leveldb::WritableFile *made = nullptr;
      leveldb::Status s = memory_.NewWritableFile(name, &made);
      *file = s.ok() ? new SmallFile(made, &left_) : nullptr;
      return s;
    }

   private:
    class SmallFile : public leveldb::WritableFile {
     public:
      SmallFile(leveldb::WritableFile *file, uint64_t *left) : file_(file), left_(left) {}
      leveldb::Status Append(const leveldb::Slice &data) override {
        if (data.size() > *left_) return leveldb::Status::IOError("no space left on the device: none");
        *left_ -= data.size();
        return file_->Append(data);
      }
      leveldb::Status Close() override { return file_->Close(); }
      leveldb::Status Flush() override { return file_->Flush(); }
      leveldb::Status Sync() override { return file_->Sync(); }

     private:
      const std::unique_ptr<leveldb::WritableFile> file_;
      uint64_t *const left_;
    };

    MemoryRemapEnv memory_;
    uint64_t left_;
  };
  SmallEnv env_;
  uint64_t reads_ = 0;
};

// What was measured until then is told.
TEST(BenchRunTest, NoSpaceIsAResult) {
  SmallDevice device(4 << 20);
  BenchResult result;
  Progress progress;
  const leveldb::Status s = RunBench(Small(Workload::kFillRandom, RemapMode::kOff), &device, &progress, &result);
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  EXPECT_TRUE(result.full);
  EXPECT_GT(result.user_bytes, 500000u);
  EXPECT_LT(result.user_bytes, 3000000u);
  EXPECT_EQ(result.device.host_write_pages, 100u);
  EXPECT_EQ(result.keys_verified, 0u);
  EXPECT_FALSE(MustRun(Small(Workload::kFillRandom, RemapMode::kOff)).full);
}

TEST(BenchRunTest, DamageIsReported) {
  LossyDevice device;
  BenchResult result;
  Progress progress;
  leveldb::Status s = RunBench(Small(Workload::kFillRandom, RemapMode::kOff), &device, &progress, &result);
  EXPECT_FALSE(s.ok());
}

}  // namespace
}  // namespace openremap
