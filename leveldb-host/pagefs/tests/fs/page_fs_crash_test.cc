// SPDX-License-Identifier: Apache-2.0
//
// Power goes at every step of a script, and again at every step of the mount after it; what was not durable by then
// reads old or new as chance has it (the seed is OPENREMAP_SEED, or 1). After each cut CheckPageFs finds nothing, the
// files that were synced are there, nothing reads as something else, and the order of name changes holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "pagefs/check/page_fs_check.h"
#include "pagefs/fs/page_fs.h"
#include "pagefs/metadata/metadata_format.h"
#include "pagefs/tests/device/fake_page_device.h"
#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

constexpr uint64_t kDevicePages = 300;
// Enough for the metadata areas to take turns, and for pages to be used again.
constexpr int kRounds = 8;
// Names that stay, so that a checkpoint takes several pages.
constexpr int kLasting = 10;
// A file of which each round makes a page a hole.
constexpr int kHoleyPages = kRounds + 1;

// Seeds for each single cut, and every how many-th first cut is followed by a second: with sanitizers each costs ten
// times as much.
#ifdef __SANITIZE_ADDRESS__
constexpr uint64_t kSeedsPerCut = 1;
constexpr uint64_t kFirstCutStride = 10;
#else
constexpr uint64_t kSeedsPerCut = 4;
constexpr uint64_t kFirstCutStride = 1;
#endif

std::string Bytes(size_t size, uint32_t tag) {
  std::string data(size, '\0');
  for (size_t i = 0; i < size; i++) data[i] = static_cast<char>((i * 40503u + i / 4096 * 31 + tag * 131) >> 3);
  return data;
}

std::optional<std::string> ReadAll(PageFs *fs, const std::string &name) {
  PageFs::File file;
  if (!fs->OpenForReading(name, &file).ok()) return std::nullopt;
  std::string scratch(static_cast<size_t>(fs->Offset(file)) + 1, '\0');
  Slice result;
  const Status s = fs->Read(file, 0, scratch.size(), &result, &scratch[0]);
  EXPECT_TRUE(s.ok()) << s.ToString();
  fs->CloseReading(file);
  return result.ToString();
}

// What LevelDB does, in small: a table of written and shared pages, a manifest, CURRENT by rename, removal of old
// files, a log without sync, a hole in a segment. Notes, step by step, what a crash may no longer take away.
class Script {
 public:
  // Runs until the device loses power. `generations` rounds.
  void Run(PageFs *fs, int generations) {
    Status s;
    for (int i = 0; s.ok() && i < kLasting; i++) {
      s = WriteSynced(fs, Name("lasting", i), Lasting(i));
      if (s.ok()) lasting_ = i + 1;
    }
    if (s.ok()) s = WriteSynced(fs, Name("segment", 0), Holey());
    holey_ = s.ok();
    for (int g = 1; s.ok() && g <= generations; g++) s = Round(fs, g);
  }

  // Checks a remounted file system against the notes.
  void Check(PageFs *fs) const {
    for (int i = 0; i < lasting_; i++) ASSERT_EQ(ReadAll(fs, Name("lasting", i)), Lasting(i)) << i;
    if (holey_) {
      const std::optional<std::string> segment = ReadAll(fs, Name("segment", 0));
      ASSERT_TRUE(segment.has_value());
      std::string expected = Holey();
      int g = 1;  // a hole is there if a later one is, and if its round was settled
      for (; g <= last_generation_ && segment->compare(g * kPageBytes, kPageBytes, kHole) == 0; g++) {
        expected.replace(g * kPageBytes, kPageBytes, kHole);
      }
      ASSERT_GT(g, settled_generation_);
      ASSERT_EQ(*segment, expected);
    }
    const std::optional<std::string> current = ReadAll(fs, "CURRENT");
    if (settled_generation_ > 0) {
      ASSERT_TRUE(current.has_value()) << "CURRENT is gone";
    }
    if (!current.has_value()) return;
    const int g = std::stoi(*current);
    ASSERT_GE(g, settled_generation_) << "an older CURRENT came back";
    ASSERT_LE(g, last_generation_);
    // All that CURRENT leads to was synced before the rename.
    const std::optional<std::string> manifest = ReadAll(fs, Name("MANIFEST", g));
    ASSERT_TRUE(manifest.has_value()) << g;
    ASSERT_GE(manifest->size(), Manifest(g).size());
    ASSERT_EQ(manifest->substr(0, Manifest(g).size()), Manifest(g));
    const std::optional<std::string> table = ReadAll(fs, Name("table", g));
    ASSERT_TRUE(table.has_value()) << g;
    ASSERT_EQ(*table, Table(g));
    // The log was never synced: any length, but nothing foreign.
    for (int w = 1; w <= last_generation_; w++) {
      const std::optional<std::string> log = ReadAll(fs, Name("log", w));
      if (log.has_value()) {
        ASSERT_LE(log->size(), Log(w).size());
        ASSERT_EQ(*log, Log(w).substr(0, log->size()));
      }
    }
  }

 private:
  // Long names fill the metadata areas within a few rounds.
  static std::string Name(const std::string &kind, int g) {
    return std::string(600, '/') + std::to_string(g) + "." + kind;
  }
  static std::string Holey() { return Bytes(kHoleyPages * kPageBytes + 100, 77); }
  static std::string Lasting(int i) { return Bytes(static_cast<size_t>(100 + i), static_cast<uint32_t>(3000 + i)); }
  static std::string Manifest(int g) { return Bytes(static_cast<size_t>(300 * g), static_cast<uint32_t>(g)); }
  static std::string Log(int g) { return Bytes(34 * 4096 + 500, static_cast<uint32_t>(1000 + g)); }
  static std::string Fresh(int g) { return Bytes(3 * 4096, static_cast<uint32_t>(2000 + g)); }
  // Three fresh pages, then the two first of the table before it.
  static std::string Table(int g) { return g == 1 ? Fresh(1) : Fresh(g) + Table(g - 1).substr(0, 2 * 4096) + "footer"; }

  Status WriteSynced(PageFs *fs, const std::string &name, const std::string &data) {
    PageFs::File file;
    Status s = fs->Create(name, &file);
    if (!s.ok()) return s;
    s = fs->Append(file, data, false);
    if (s.ok()) s = fs->Sync(file);
    const Status closed = fs->CloseWriting(file);
    return s.ok() ? closed : s;
  }

  Status WriteTable(PageFs *fs, int g) {
    if (g == 1) return WriteSynced(fs, Name("table", 1), Table(1));
    PageFs::File file;
    Status s = fs->Create(Name("table", g), &file);
    if (s.ok()) s = fs->Append(file, Fresh(g), true);
    PageRun run;
    if (s.ok()) s = fs->GetLpn(Name("table", g - 1), 0, 2, &run);
    if (s.ok() && run.pages == 2) s = fs->AppendRemap(file, run);
    if (s.ok() && run.pages == 1) {  // the old table lies in two extents
      s = fs->AppendRemap(file, run);
      if (s.ok()) s = fs->GetLpn(Name("table", g - 1), 4096, 1, &run);
      if (s.ok()) s = fs->AppendRemap(file, run);
    }
    if (s.ok()) s = fs->Append(file, "footer", true);
    if (s.ok()) s = fs->Sync(file);
    if (file != nullptr) (void)fs->CloseWriting(file);
    return s;
  }

  Status Round(PageFs *fs, int g) {
    last_generation_ = g;
    PageFs::File log;
    Status s = fs->Create(Name("log", g), &log);
    if (s.ok()) s = fs->Append(log, Log(g), false);
    if (log != nullptr) {
      const Status closed = fs->CloseWriting(log);
      if (s.ok()) s = closed;
    }
    if (s.ok()) s = WriteTable(fs, g);
    if (s.ok()) s = WriteSynced(fs, Name("MANIFEST", g), Manifest(g));
    if (s.ok()) s = WriteSynced(fs, "tmp", std::to_string(g));
    if (s.ok()) s = fs->Rename("tmp", "CURRENT");
    if (s.ok() && g > 1) {
      for (const char *kind : {"table", "MANIFEST", "log"}) {
        if (s.ok()) s = fs->Remove(Name(kind, g - 1));
      }
    }
    if (s.ok()) s = fs->PunchHole(Name("segment", 0), static_cast<uint64_t>(g), 1);
    // The rename is settled when the next Sync returns: this one's.
    if (s.ok()) s = WriteSynced(fs, "other", std::to_string(g));
    if (s.ok()) settled_generation_ = g;
    return s;
  }

  const std::string kHole = std::string(kPageBytes, '\0');

  bool holey_ = false;  // that file is synced
  int lasting_ = 0;     // how many of those files are synced
  int last_generation_ = 0;
  int settled_generation_ = 0;
};

// Pages of the largest checkpoint that either metadata area holds.
uint32_t CheckpointPages(FakePageDevice *device) {
  std::string page(kPageBytes, '\0');
  Superblock superblock;
  EXPECT_TRUE(device->Read(0, 1, &page[0]).ok());
  EXPECT_TRUE(superblock.Decode(page.data()).ok());
  uint32_t most = 0;
  for (uint64_t area : {0, 1}) {
    MetadataPageHeader header;
    Slice payload;
    EXPECT_TRUE(device->Read(1 + area * superblock.area_pages, 1, &page[0]).ok());
    if (DecodeMetadataPage(page.data(), &header, &payload)) most = std::max(most, header.checkpoint_pages);
  }
  return most;
}

// A device that lost power after the given number of steps of the script and is still off.
FakePageDevice Interrupted(uint64_t cut, uint64_t seed, Script *script) {
  FakePageDevice device(kDevicePages, seed);
  device.CutAfter(cut);
  std::unique_ptr<PageFs> fs;
  if (PageFs::Open(&device, &fs).ok()) script->Run(fs.get(), kRounds);
  fs.reset();
  EXPECT_FALSE(device.HasPower());
  return device;
}

void CheckIsSound(FakePageDevice *device) {
  const PageFsCheck check = CheckPageFs(device);
  ASSERT_TRUE(check.findings.empty()) << ToText(check, true);
}

void CheckWorksOn(PageFs *fs, const Script &script, FakePageDevice *device) {
  script.Check(fs);
  if (::testing::Test::HasFatalFailure()) return;
  CheckIsSound(device);
  if (::testing::Test::HasFatalFailure()) return;
  // The device holds no pages that no file needs: the mount cleaned up.
  ASSERT_LE(device->MappedPages(), fs->GetStats().used_pages);
  PageFs::File file;
  ASSERT_TRUE(fs->Create("after", &file).ok());
  ASSERT_TRUE(fs->Append(file, Bytes(100000, 9), false).ok());
  ASSERT_TRUE(fs->Sync(file).ok());
  ASSERT_TRUE(fs->CloseWriting(file).ok());
  script.Check(fs);
  if (::testing::Test::HasFatalFailure()) return;
  CheckIsSound(device);
}

// Steps of the whole script.
uint64_t ScriptSteps() {
  FakePageDevice device(kDevicePages, openremap::TestSeed());
  std::unique_ptr<PageFs> fs;
  EXPECT_TRUE(PageFs::Open(&device, &fs).ok());
  Script script;
  script.Run(fs.get(), kRounds);
  return device.Steps();
}

TEST(PageFsCrashTest, TheScriptFillsTheAreasWithLongCheckpoints) {
  FakePageDevice device(kDevicePages, openremap::TestSeed());
  std::unique_ptr<PageFs> fs;
  ASSERT_TRUE(PageFs::Open(&device, &fs).ok());
  Script script;
  script.Run(fs.get(), kRounds);
  ASSERT_GT(device.Steps(), 300u);
  ASSERT_GT(fs->GetStats().metadata_pages_written, 5 * 8u) << "areas have to take turns";
  ASSERT_GE(CheckpointPages(&device), 2u);
  script.Check(fs.get());
  fs.reset();
  ASSERT_TRUE(PageFs::Open(&device, &fs).ok());
  script.Check(fs.get());
}

TEST(PageFsCrashTest, EveryCutLeavesAConsistentFileSystem) {
  RecordProperty("seed", std::to_string(openremap::TestSeed()));
  const uint64_t steps = ScriptSteps();
  for (uint64_t round = 0; round < kSeedsPerCut; round++) {
    for (uint64_t cut = 0; cut < steps; cut++) {
      const uint64_t seed = openremap::TestSeed() * 1000003 + round * steps + cut;
      SCOPED_TRACE("cut after step " + std::to_string(cut) + ", seed of the device " + std::to_string(seed));
      Script script;
      FakePageDevice device = Interrupted(cut, seed, &script);
      device.PowerOn(seed);
      ASSERT_NO_FATAL_FAILURE(CheckIsSound(&device));
      std::unique_ptr<PageFs> fs;
      Status s = PageFs::Open(&device, &fs);
      ASSERT_TRUE(s.ok()) << s.ToString();
      CheckWorksOn(fs.get(), script, &device);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(PageFsCrashTest, ACutDuringTheMountAfterACutIsHarmless) {
  RecordProperty("seed", std::to_string(openremap::TestSeed()));
  const uint64_t steps = ScriptSteps();
  uint64_t mounts = 0;
  for (uint64_t first = openremap::TestSeed() % kFirstCutStride; first < steps; first += kFirstCutStride) {
    const uint64_t seed = openremap::TestSeed() * 1000033 + first;
    Script script;
    const FakePageDevice interrupted = Interrupted(first, seed, &script);
    bool mounted = false;
    for (uint64_t second = 0; !mounted; second++) {
      SCOPED_TRACE("cut after step " + std::to_string(first) + ", in the mount after step " + std::to_string(second) +
                   ", seed of the device " + std::to_string(seed));
      ASSERT_LT(second, 1000u) << "the mount does not end";
      FakePageDevice device = interrupted;
      device.PowerOn(seed);
      device.CutAfter(second);
      std::unique_ptr<PageFs> fs;
      mounted = PageFs::Open(&device, &fs).ok();
      if (mounted) script.Check(fs.get());
      if (HasFatalFailure()) return;
      fs.reset();  // says that it ended in order, as far as there is power
      device.PowerOn(seed + second);
      ASSERT_NO_FATAL_FAILURE(CheckIsSound(&device));
      Status s = PageFs::Open(&device, &fs);
      ASSERT_TRUE(s.ok()) << s.ToString();
      CheckWorksOn(fs.get(), script, &device);
      if (HasFatalFailure()) return;
      mounts++;
    }
  }
  ASSERT_GT(mounts, 3 * steps / kFirstCutStride) << "mounts have to be long enough to be cut";
}

// An older file system lay here, and only its first page was erased.
TEST(PageFsCrashTest, FormattingOverAnOlderFileSystemLeavesNothingOfIt) {
  for (uint64_t cut = 0; cut < 60; cut++) {
    SCOPED_TRACE(cut);
    const uint64_t seed = openremap::TestSeed() * 1000037 + cut;
    Script old;
    FakePageDevice device = Interrupted(350, seed, &old);
    device.PowerOn(seed);
    ASSERT_TRUE(device.Deallocate({{0, 1}}).ok());
    device.CutAfter(cut);
    std::unique_ptr<PageFs> fs;
    PageFsOptions options;
    options.format = Format::kIfFirstPageBlank;
    (void)PageFs::Open(&device, &fs, options).ok();  // formats, as far as it gets
    fs.reset();
    device.PowerOn(seed + 1);
    ASSERT_NO_FATAL_FAILURE(CheckIsSound(&device));
    ASSERT_TRUE(PageFs::Open(&device, &fs, options).ok());
    ASSERT_TRUE(fs->Names().empty());
    Script script;
    CheckWorksOn(fs.get(), script, &device);
    if (HasFatalFailure()) return;
    script.Run(fs.get(), kRounds);
    script.Check(fs.get());
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace openremap
