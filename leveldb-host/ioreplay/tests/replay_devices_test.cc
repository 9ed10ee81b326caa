// SPDX-License-Identifier: Apache-2.0
//
// Traces of PageFS on simulated devices: the replay of one costs what the recording did, and several share a device.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>

#include "device_target.h"
#include "hdd_target.h"
#include "hybrid_target.h"
#include "pagefs/fs/page_fs.h"
#include "pagefs/trace/recording_page_device.h"
#include "pcie_function.h"
#include "replay.h"
#include "temp_dir.h"

namespace openremap {
namespace {

using leveldb::Status;

constexpr uint64_t kTablePages = 64;

struct DeviceCloser {
  void operator()(openremap_device *device) const { openremap_close(device); }
};
using Device = std::unique_ptr<openremap_device, DeviceCloser>;

Device Open(const char *kind, uint32_t superblocks) {
  openremap_options options{};
  options.create = pcie_device_create;
  options.device.kind = kind;
  options.device.superblocks = superblocks;
  openremap_device *device = nullptr;
  char error[256] = "";
  EXPECT_EQ(openremap_open(&options, &device, error, sizeof(error)), 0) << error;
  return Device(device);
}

std::map<std::string, std::string> Named(const ReplayFigures &figures) {
  std::map<std::string, std::string> named(figures.begin(), figures.end());
  named.erase("device_seconds");  // the recording also mounted, and asked for the placement handles
  return named;
}

class ReplayDevicesTest : public ::testing::Test {
 protected:
  // Writes, remaps, reads and removes `tables` tables of a file system that `live` of them fill. Returns what the
  // device counted.
  ReplayFigures Record(const std::string &path, uint32_t superblocks, uint64_t tables, uint64_t live,
                       const PageFsOptions &options = {}) {
    const Device device = Open("model", superblocks);
    NvmePageDevice pages(device.get());
    std::unique_ptr<PageTraceWriter> trace;
    EXPECT_TRUE(PageTraceWriter::Create(path, {pages.Pages(), pages.Placements()}, &trace).ok());
    RecordingPageDevice recording(&pages, trace.get());
    std::unique_ptr<PageFs> fs;
    EXPECT_TRUE(PageFs::Open(&recording, &fs, options).ok());
    std::mt19937_64 random(1);
    std::vector<std::string> names;
    for (uint64_t i = 0; i < tables; i++) {
      const std::string name = std::to_string(i) + ".ldb";
      PageFs::File file;
      EXPECT_TRUE(fs->Create(name, &file).ok());
      fs->Place(file, static_cast<int>(i % 3));
      PageRun source;
      const uint64_t shared = i % 2 == 0 || names.empty() ? 0 : kTablePages / 4;
      if (shared != 0 && fs->GetLpn(names[random() % names.size()], 0, shared, &source).ok() && source.pages != 0) {
        EXPECT_TRUE(fs->AppendRemap(file, source).ok());
      }
      const std::string bytes((kTablePages - source.pages) * kPageBytes, 'x');
      EXPECT_TRUE(fs->Append(file, bytes, true).ok());
      EXPECT_TRUE(fs->Sync(file).ok());
      EXPECT_TRUE(fs->CloseWriting(file).ok());
      names.push_back(name);
      if (names.size() > live) {
        const auto victim = names.begin() + static_cast<std::ptrdiff_t>(random() % names.size());
        EXPECT_TRUE(fs->Remove(*victim).ok());
        names.erase(victim);
      }
      // The manifest; and a table is read now and then.
      EXPECT_TRUE(fs->OpenForAppending("MANIFEST-1", &file).ok());
      EXPECT_TRUE(fs->Append(file, std::string(100, 'm'), false).ok());
      EXPECT_TRUE(fs->Sync(file).ok());
      EXPECT_TRUE(fs->CloseWriting(file).ok());
      if (i % 4 != 0) continue;
      std::string scratch(kTablePages * kPageBytes, '\0');
      leveldb::Slice read;
      EXPECT_TRUE(fs->OpenForReading(names.back(), &file).ok());
      EXPECT_TRUE(fs->Read(file, 0, scratch.size(), &read, &scratch[0]).ok());
      fs->CloseReading(file);
    }
    fs.reset();
    EXPECT_TRUE(trace->Close().ok());
    ReplayFigures figures;
    EXPECT_TRUE(DeviceTarget(device.get()).Figures(&figures).ok());
    return figures;
  }

  ReplayResult ReplayOn(const std::vector<std::string> &paths, ReplayTarget *target, const MergeOptions &options = {}) {
    MergedTrace trace;
    ReplayResult result;
    Status s = trace.Open(paths, options);
    if (s.ok()) s = trace.Begin(target->Pages(), target->Placements());
    if (s.ok()) s = Replay(&trace, target, {}, {}, &result);
    EXPECT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(result.wrong_pages, 0u);
    return result;
  }

  orm::TempDir folder_;
  const std::string path_ = folder_.path + "/trace";
};

TEST_F(ReplayDevicesTest, AReplayCostsWhatTheRecordingDid) {
  PageFsOptions options;
  options.deallocate = false;
  options.allocation = Allocation::kNext;
  for (const PageFsOptions &mount : {PageFsOptions(), options}) {
    const std::map<std::string, std::string> recorded = Named(Record(path_, 32, 400, 40, mount));
    EXPECT_NE(recorded.at("gc_pages"), "0");
    const Device device = Open("model", 32);
    DeviceTarget target(device.get());
    const ReplayResult replayed = ReplayOn({path_}, &target);
    EXPECT_EQ(Named(replayed.figures), recorded);
    EXPECT_GT(replayed.remapped_pages, 0u);
    EXPECT_GT(replayed.read_pages, 0u);
    EXPECT_EQ(replayed.deallocated_pages != 0, mount.deallocate);
  }
}

TEST_F(ReplayDevicesTest, WritersShareADevice) {
  Record(path_, 16, 100, 12);
  const Device device = Open("model", 64);
  DeviceTarget target(device.get());
  MergeOptions options;
  options.chunk = 3;
  options.split = 16;
  options.placement = ReplayPlacement::kTrace;
  const ReplayResult both = ReplayOn({path_, path_}, &target, options);
  HddTarget disk(HddCost{});
  const ReplayResult one = ReplayOn({path_}, &disk);
  EXPECT_EQ(both.remapped_pages, one.copied_pages * 2);
  EXPECT_EQ(both.written_pages, (one.written_pages - one.copied_pages) * 2);
  MergedTrace trace;
  ASSERT_TRUE(trace.Open({path_}, {}).ok());
  HybridTarget hybrid({trace.UsedPages(), 64, 14});
  const ReplayResult merged = ReplayOn({path_}, &hybrid);
  EXPECT_EQ(merged.written_pages, one.written_pages);
  EXPECT_EQ(hybrid.ftl().Check(), "");
  EXPECT_GT(hybrid.ftl().stats().erases, 0u);
}

#ifndef __SANITIZE_ADDRESS__  // the RTL is slow then
TEST_F(ReplayDevicesTest, TheRtlCountsWhatTheModelDoes) {
  const ReplayFigures recorded = Record(path_, 16, 20, 8);
  const Device device = Open("rtl", 16);
  DeviceTarget target(device.get());
  const ReplayResult replayed = ReplayOn({path_}, &target);
  EXPECT_EQ(Named(replayed.figures), Named(recorded));
  EXPECT_GT(replayed.remapped_pages, 0u);
}
#endif

}  // namespace
}  // namespace openremap
