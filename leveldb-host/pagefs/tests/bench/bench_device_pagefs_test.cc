// SPDX-License-Identifier: Apache-2.0
//
// The benchmark on whole devices: what `./openremap bench` promises at its default size holds on the fast model, and a
// small run goes through on the Verilated controller.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "bench/measure/progress.h"
#include "bench/options/options.h"
#include "bench/run/bench_run.h"
#include "bench_device.h"
#include "temp_dir.h"

namespace openremap {
namespace {

constexpr uint32_t kSuperblocks = 32;   // the launcher's default
constexpr double kMostMetadata = 0.02;  // of the bytes that the host writes
constexpr uint64_t kFew = 1200;         // enough that a compaction finds unchanged blocks

BenchResult RunOn(const std::string &device, RemapMode mode, uint64_t num, BenchOptions options = BenchOptions()) {
  options.mode = mode;
  options.num = num;
  options.device.device = device;
  options.device.superblocks = kSuperblocks;
  OpenFailure failure;
  const std::unique_ptr<BenchDevice> opened = OpenBenchDevice(options.device, &failure);
  BenchResult result;
  if (opened == nullptr) {
    ADD_FAILURE() << failure.reason;
    return result;
  }
  Progress progress;
  const leveldb::Status s = RunBench(options, opened.get(), &progress, &result);
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(result.keys_verified, result.keys_expected);
  EXPECT_GT(result.keys_verified, 0u);
  // What the file layer counts by cause is what the device was sent.
  EXPECT_EQ(
      SumOf(result.device.bytes_by_cause) + (result.device.fs_metadata_pages + result.device.coarse_pages) * kPageBytes,
      result.device.host_write_pages * kPageBytes);
  return result;
}

/// What the device writes for itself, to flash and to NVRAM, of what the host writes.
double MetadataShare(const BenchResult &result) {
  const uint64_t bytes = result.device.metadata_pages * kPageBytes + result.device.nvram_bytes;
  return static_cast<double>(bytes) / static_cast<double>(result.device.host_write_pages * kPageBytes);
}

TEST(MainJob, RetainSavesAFifthOfTheNandBytesAndGcMovesSharedPages) {
  const uint64_t num = BenchOptions().num;
  const BenchResult off = RunOn("model", RemapMode::kOff, num);
  const BenchResult retain = RunOn("model", RemapMode::kRetain, num);
  EXPECT_EQ(off.keys_verified, retain.keys_verified);
  EXPECT_EQ(off.remap.remapped_pages, 0u);
  EXPECT_GT(retain.remap.remapped_pages, 0u);
  EXPECT_LE(retain.device.nand_program_pages, off.device.nand_program_pages * 8 / 10);
  EXPECT_GT(retain.device.gc_shared_pages, 0u);
  EXPECT_GT(retain.device.nvram_bytes, off.device.nvram_bytes) << "remap entries";
  EXPECT_GT(off.device.nvram_bytes, 0u);
  EXPECT_LE(MetadataShare(off), kMostMetadata);
  EXPECT_LE(MetadataShare(retain), kMostMetadata);
  int filled = 0;
  for (const LevelResult &level : retain.levels) filled += level.files != 0;
  EXPECT_GE(filled, 3);
}

#ifndef __SANITIZE_ADDRESS__  // over a minute of the RTL's then
TEST(BenchDevicePageFs, ModelAndRtlWriteTheSameBytes) {
  const BenchResult rtl = RunOn("rtl", RemapMode::kRetain, kFew);
  const BenchResult model = RunOn("model", RemapMode::kRetain, kFew);
  EXPECT_GT(rtl.remap.remapped_pages, 0u);
  EXPECT_EQ(rtl.device.host_write_pages, model.device.host_write_pages);
  EXPECT_EQ(rtl.device.nand_program_pages, model.device.nand_program_pages);
  EXPECT_EQ(rtl.remap.remapped_pages, model.remap.remapped_pages);
  EXPECT_GT(rtl.device.sim_cycles, 0u);
}
#endif

TEST(BenchDevicePageFs, AnUnknownDeviceIsABadOption) {
  OpenFailure failure;
  BenchDeviceOptions options;
  options.device = "floppy";
  EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
  EXPECT_TRUE(failure.bad_option);
  options.device = "model";
  options.superblocks = 4;
  EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
  EXPECT_TRUE(failure.bad_option) << failure.reason;
}

// A trial's device writes no waveform, and is another one than the soc. What they cannot have is refused all the same.
TEST(BenchDevicePageFs, ATrialRefusesWhatTheRunWould) {
  const orm::TempDir folder;
  OpenFailure failure;
  BenchDeviceOptions options;
  options.trial = true;
  options.trace_file = folder.path + "/wave.txt";
  for (const char *kind : {"model", "rtl", "soc"}) {
    options.device = kind;
    failure = OpenFailure();
    EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
    EXPECT_TRUE(failure.bad_option) << failure.reason;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
}

TEST(BenchDevicePageFs, WhatIsToBeThereAlreadyIsNotMade) {
  const orm::TempDir temporary;
  const std::string &folder = temporary.path;
  BenchDeviceOptions options;
  options.device = "model";
  options.superblocks = kSuperblocks;
  options.existing = true;
  OpenFailure failure;
  EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
  EXPECT_TRUE(failure.bad_option);
  EXPECT_NE(failure.reason.find("without --image-dir"), std::string::npos) << failure.reason;
  for (const std::string &place : {folder, folder + "/new"}) {
    options.image_dir = place;
    EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
    EXPECT_TRUE(failure.bad_option);
    EXPECT_EQ(failure.reason.find("--image-dir=" + place + ": "), 0u) << failure.reason;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  options.existing = false;
  EXPECT_NE(OpenBenchDevice(options, &failure), nullptr) << failure.reason;
  options.existing = true;
  EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
  EXPECT_NE(failure.reason.find("holds no database"), std::string::npos) << "images without one: " << failure.reason;
}

// What the knobs of the device do to a run in mode off, from the same puts.
TEST(BenchDevicePageFs, KnobsChangeWhatTheyAreFor) {
  const uint64_t num = BenchOptions().num;
  BenchOptions options;
  options.device.over_provisioning = 7;
  const BenchResult usual = RunOn("model", RemapMode::kOff, num, options);
  options.device.deallocate = false;
  options.device.allocation = BenchAllocation::kNext;
  const BenchResult roaming = RunOn("model", RemapMode::kOff, num, options);
  EXPECT_EQ(roaming.device.host_write_pages, usual.device.host_write_pages);
  EXPECT_GT(roaming.device.gc_pages, usual.device.gc_pages + usual.device.host_write_pages / 10);
  EXPECT_GT(roaming.device.erases, usual.device.erases);
  EXPECT_GT(usual.device.erases, 0u);
  EXPECT_LE(usual.device.least_erases, usual.device.mean_erases);
  EXPECT_LT(usual.device.least_erases, usual.device.most_erases);
  EXPECT_GE(roaming.device.mean_erases, usual.device.mean_erases);
  options = BenchOptions();
  options.device.mapping_unit = 8;
  options.device.align = false;
  const BenchResult coarse = RunOn("model", RemapMode::kOff, num, options);
  EXPECT_EQ(usual.device.coarse_pages, 0u);
  EXPECT_GT(coarse.device.coarse_pages, coarse.device.host_write_pages / 10);
  EXPECT_EQ(SumOf(coarse.device.bytes_by_cause), SumOf(usual.device.bytes_by_cause));
  options = BenchOptions();
  options.block_size = 16384;
  const BenchResult large = RunOn("model", RemapMode::kOff, num, options);
  EXPECT_LT(SumOf(large.device.bytes_by_cause), SumOf(usual.device.bytes_by_cause)) << "a smaller index";
}

// Nothing but calls to the device takes the device's time, and each call takes some.
TEST(BenchDevicePageFs, CallsAreTimed) {
  const BenchResult result = RunOn("model", RemapMode::kRetain, kFew);
  uint64_t longest = 0;
  for (const DeviceCall call :
       {DeviceCall::kRead, DeviceCall::kWrite, DeviceCall::kFlush, DeviceCall::kDeallocate, DeviceCall::kRemap}) {
    const LatencyHistogram &times = result.device_latencies.at(static_cast<size_t>(call));
    EXPECT_GT(times.count(), 0u) << DeviceCallName(call);
    EXPECT_GT(times.Percentile(0.01), 0u) << DeviceCallName(call);
    longest = std::max(longest, times.max());
  }
  EXPECT_GT(longest, 100'000u) << "programming a page of flash takes longer";
  EXPECT_LT(static_cast<double>(longest) * 1e-9, result.device.device_seconds);
}

std::string Member(const BenchDevice &device, const std::string &name) {
  for (const auto &[member, value] : device.Geometry()) {
    if (member == name) return value;
  }
  return "";
}

TEST(BenchDevicePageFs, TheNamespaceIsAsAskedFor) {
  BenchDeviceOptions options;
  options.device = "model";
  OpenFailure failure;
  const auto usual = OpenBenchDevice(options, &failure);
  ASSERT_NE(usual, nullptr) << failure.reason;
  options.over_provisioning = 40;
  options.placement_handles = 1;
  const auto small = OpenBenchDevice(options, &failure);
  ASSERT_NE(small, nullptr) << failure.reason;
  EXPECT_LT(std::stoull(Member(*small, "namespace_bytes")), std::stoull(Member(*usual, "namespace_bytes")) * 3 / 4);
  EXPECT_GT(std::stod(Member(*small, "over_provisioning")), 0.4);
  options.placement = BenchPlacement::kTable;
  EXPECT_NE(OpenBenchDevice(options, &failure), nullptr) << failure.reason;
  options.placement_handles = 100;
  EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr);
  EXPECT_TRUE(failure.bad_option) << failure.reason;
}

TEST(BenchDevicePageFs, ADeviceIsPreconditionedAndThenEmpty) {
  const orm::TempDir temporary;
  BenchDeviceOptions options;
  options.device = "model";
  options.superblocks = kSuperblocks;
  options.image_dir = temporary.path;
  OpenFailure failure;
  auto usual = OpenBenchDevice(options, &failure);
  ASSERT_NE(usual, nullptr) << failure.reason;
  const uint64_t free = usual->FreeBytes();
  EXPECT_TRUE(usual->Precondition().empty());
  leveldb::Env *env = usual->env();
  EXPECT_TRUE(leveldb::WriteStringToFile(env, "kept", "/db/CURRENT").ok());
  usual = nullptr;
  options.precondition = true;
  uint32_t rounds = 0;
  options.on_precondition = [&rounds](const PreconditionStep &step) { rounds = step.round; };
  EXPECT_EQ(OpenBenchDevice(options, &failure), nullptr) << "a database is there";
  EXPECT_EQ(rounds, 0u);
  options.image_dir.clear();
  const auto steady = OpenBenchDevice(options, &failure);
  ASSERT_NE(steady, nullptr) << failure.reason;
  EXPECT_EQ(steady->FreeBytes(), free);
  ASSERT_GE(steady->Precondition().size(), 5u);
  EXPECT_EQ(rounds, 2 + steady->Precondition().size());
  for (const double wa : steady->Precondition()) {
    EXPECT_GT(wa, 1.2);
    EXPECT_LT(wa, 10);
  }
}

}  // namespace
}  // namespace openremap
