// SPDX-License-Identifier: Apache-2.0
//
// Random file operations, power cuts at random steps of the device, in mounts too, and an oracle that knows what may be
// there. OPENREMAP_SEED seeds them; a failure names its seed and run.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "pagefs/check/page_fs_check.h"
#include "pagefs/device/coarse_page_device.h"
#include "pagefs/fs/page_fs.h"
#include "pagefs/tests/device/fake_page_device.h"
#include "pagefs/tests/fs/file_oracle.h"
#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr uint64_t kRuns = 12;
#else
constexpr uint64_t kRuns = 60;
#endif
constexpr uint64_t kCutsPerRun = 40;
constexpr uint64_t kDevicePages = 300;

struct RunCounts {
  uint64_t cuts = 0, mount_cuts = 0, remapped = 0, refused = 0, full = 0, remounts = 0, open_states = 0;
  uint64_t punched = 0, metadata_full = 0;
};

// Names of files that a run chooses among. More than half of them are long.
struct NameSet {
  uint64_t names = 10;
  size_t long_bytes = 500;
};

// One device and its file system through many cuts.
template <class Device>
class CrashRun {
 public:
  // Neighbouring seeds have all four pairs of options.
  explicit CrashRun(uint64_t seed, const NameSet &name_set = {})
      : random_(seed), name_set_(name_set), device_(kDevicePages, seed) {
    options_.deallocate = seed % 2 == 0;
    options_.allocation = seed / 2 % 2 == 0 ? Allocation::kFirst : Allocation::kNext;
    device_.placements = 1 + static_cast<unsigned>(Below(8));
    device_.refuse = [this](const std::vector<RemapRun> &) { return Below(4) == 0; };
  }

  // What went wrong; empty: nothing.
  std::string Run(RunCounts *counts) {
    counts_ = counts;
    Mount();
    for (uint64_t cut = 0; wrong_.empty() && cut < kCutsPerRun; cut++) {
      device_.CutAfter(Below(uint64_t{1} << (2 + Below(7))));
      while (wrong_.empty() && device_.HasPower()) Step();
      if (!wrong_.empty()) break;
      counts_->cuts++;
      counts_->open_states += oracle_.States() > 1 ? 1 : 0;
      PowerOff();
      Mount();
    }
    PowerOff();
    return wrong_;
  }

 private:
  struct Writer {
    FileOracle::Id id;
    PageFs::File file;
    bool table;
  };

  uint64_t Below(uint64_t n) { return random_() % n; }
  // Of no meaning when power has gone.
  void Wrong(const std::string &what) {
    if (wrong_.empty() && device_.HasPower()) wrong_ = what;
  }
  // False: power has gone, there was no space, or something is wrong.
  bool Good(const std::string &what, const Status &s) {
    if (s.ok()) return device_.HasPower();
    if (IsNoSpaceLeft(s)) {
      counts_->full++;
      if (s.ToString().find("for metadata") != std::string::npos) counts_->metadata_full++;
    } else {
      Wrong(what + ": " + s.ToString());
    }
    return false;
  }
  // Long ones fill the metadata areas soon.
  std::string Name() {
    const uint64_t n = Below(name_set_.names);
    return std::string(n % 10 < 5 ? name_set_.long_bytes : 3, '/') + std::to_string(n) + (n % 5 == 0 ? ".log" : ".ldb");
  }
  std::string Bytes() {
    std::string bytes(1 + Below(Below(8) == 0 ? 400000 : 6000), '\0');
    if (Below(3) == 0) bytes.resize((bytes.size() / kPageBytes + 1) * kPageBytes);
    for (char &c : bytes) {
      noise_ = noise_ * 6364136223846793005u + 1442695040888963407u;
      c = static_cast<char>(noise_ >> 40);
    }
    return bytes;
  }
  Writer *AnyWriter() {
    if (writers_.empty()) return nullptr;
    return &writers_[Below(writers_.size())];
  }
  std::string AnyName() {
    const FileOracle::Names &names = oracle_.names();
    return names.empty() ? Name() : std::next(names.begin(), static_cast<std::ptrdiff_t>(Below(names.size())))->first;
  }

  void Step() {
    switch (Below(17)) {
      case 0:
      case 1:
        return Create();
      case 2:
        return OpenForAppending();
      case 3:
        return Rename();
      case 4:
        return Remove();
      case 5:
      case 6:
        return Close();
      case 7:
      case 8:
      case 9:
        if (Writer *writer = AnyWriter()) Sync(writer);
        return;
      case 10:
      case 11:
        return Remap();
      case 12:
        if (Below(16) == 0) Remount();
        return;
      case 13:
        return Punch();
      default:
        return Append();
    }
  }

  void Create() {
    if (writers_.size() >= 4) return;
    const std::string name = Name();
    PageFs::File file;
    if (!Good("create", fs_->Create(name, &file))) return;
    const int level = static_cast<int>(Below(5)) - 2;
    fs_->Place(file, std::max(level, -1));
    writers_.push_back({oracle_.Create(name), file, level >= 0});
  }
  void OpenForAppending() {
    if (writers_.size() >= 4 || oracle_.names().empty()) return;
    const std::string name = AnyName();
    const FileOracle::Id id = oracle_.names().at(name);
    for (const Writer &writer : writers_) {
      if (writer.id == id) return;
    }
    PageFs::File file;
    if (!Good("open for appending", fs_->OpenForAppending(name, &file))) return;
    if (fs_->Offset(file) != oracle_.file(id).bytes.size()) Wrong("'" + name + "' does not go on where it ended");
    writers_.push_back({id, file, tables_.count(id) != 0});
  }
  void Append() {
    Writer *writer = AnyWriter();
    if (writer == nullptr) return;
    const std::string bytes = Bytes();
    const Status s = fs_->Append(writer->file, bytes, Below(2) == 0);
    // Also when power goes in the middle of it: what is in memory is then the oracle's to expect no more of.
    if (s.ok() || !device_.HasPower()) oracle_.file(writer->id).bytes += bytes;
    (void)Good("append", s);
  }
  void Sync(Writer *writer) {
    // Its place in the order is before that of anything later, also when the power goes meanwhile.
    oracle_.Grown(writer->id);
    if (Good("sync", fs_->Sync(writer->file)) && !writer->table) oracle_.Durable();
  }
  void Close() {
    if (writers_.empty()) return;
    const auto at = writers_.begin() + static_cast<std::ptrdiff_t>(Below(writers_.size()));
    const Writer writer = *at;
    writers_.erase(at);
    if (writer.table) tables_[writer.id] = true;
    oracle_.Grown(writer.id);
    (void)Good("close", fs_->CloseWriting(writer.file));
  }
  void Rename() {
    if (oracle_.names().empty()) return;
    const std::string from = AnyName(), to = Name();
    const Status s = fs_->Rename(from, to);
    if (from != to && s.ok()) oracle_.Rename(from, to);
    (void)Good("rename", s);
  }
  void Remove() {
    if (oracle_.names().empty()) return;
    const std::string name = AnyName();
    const Status s = fs_->Remove(name);
    if (s.ok()) oracle_.Remove(name);
    (void)Good("remove", s);
  }
  // Pages of one file become pages of another, which is synced at once: until then the source may not go.
  void Remap() {
    Writer *writer = AnyWriter();
    if (writer == nullptr || oracle_.names().empty()) return;
    std::string &bytes = oracle_.file(writer->id).bytes;
    const std::string source = AnyName();
    const FileOracle::Id id = oracle_.names().at(source);
    const std::string from = oracle_.file(id).bytes;
    if (id == writer->id || bytes.size() % kPageBytes != 0 || from.size() < kPageBytes) return;
    const uint64_t offset = Below(from.size() / kPageBytes) * kPageBytes;
    PageRun run;
    const Status found = fs_->GetLpn(source, offset, 1 + Below(20), &run);
    if (found.IsNotSupportedError() || (found.ok() && run.pages == 0)) return;
    if (!Good("GetLpn", found) || !Good("remap", fs_->AppendRemap(writer->file, run))) return;
    bytes += from.substr(offset, run.pages * kPageBytes);
    Sync(writer);
  }
  // A hole anywhere: where a writer still has the pages it is refused.
  void Punch() {
    if (oracle_.names().empty()) return;
    const std::string name = AnyName();
    const FileOracle::Id id = oracle_.names().at(name);
    const uint64_t pages = oracle_.file(id).bytes.size() / kPageBytes;
    if (pages == 0) return;
    const uint64_t first = Below(pages);
    const uint64_t count = 1 + Below(std::min<uint64_t>(pages - first, 12));
    const Status s = fs_->PunchHole(name, first, count);
    if (s.IsNotSupportedError()) return;
    if (!Good("punch", s)) return;
    oracle_.Punch(id, static_cast<size_t>(first * kPageBytes), static_cast<size_t>(count * kPageBytes));
    counts_->punched += count;
  }
  // In order: nothing may be lost.
  void Remount() {
    while (!writers_.empty()) Close();
    if (!device_.HasPower() || !wrong_.empty()) return;
    NoteRemaps();
    fs_.reset();
    if (!device_.HasPower()) return;
    oracle_.Durable();
    counts_->remounts++;
    if (!CheckPageFs(&device_).clean) Wrong("not marked as ended in order");
    std::unique_ptr<PageFs> fs;
    if (!Good("mount", PageFs::Open(&device_, &fs, options_))) return;
    fs_ = std::move(fs);
    Verify();
  }

  void NoteRemaps() {
    const RemapStats remap = fs_->GetStats().remap;
    counts_->remapped += remap.remapped_pages;
    counts_->refused += remap.fallback_pages;
  }
  void PowerOff() {
    if (fs_ != nullptr) {
      for (const Writer &writer : writers_) (void)fs_->CloseWriting(writer.file);
      NoteRemaps();
    }
    writers_.clear();
    tables_.clear();  // a mount knows nothing of them
    fs_.reset();
    device_.PowerOn(random_());
  }
  // Some mounts are cut, too.
  void Mount() {
    for (int tries = 0;; tries++) {
      const PageFsCheck check = CheckPageFs(&device_);
      if (!check.findings.empty()) return Wrong("file system: " + check.findings.front());
      if (tries < 3 && Below(4) == 0) device_.CutAfter(Below(8));
      const Status s = PageFs::Open(&device_, &fs_, options_);
      if (device_.HasPower()) {
        device_.CutAfter(UINT32_MAX);
        if (Good("mount", s)) Verify();
        return;
      }
      counts_->mount_cuts++;
      fs_.reset();
      device_.PowerOn(random_());
    }
  }
  void Verify() {
    std::map<std::string, std::string> found;
    for (const std::string &name : fs_->Names()) {
      PageFs::File file;
      if (!Good("open", fs_->OpenForReading(name, &file))) return;
      std::string scratch(static_cast<size_t>(fs_->Offset(file)) + 1, '\0');
      Slice bytes;
      const Status s = fs_->Read(file, 0, scratch.size(), &bytes, &scratch[0]);
      fs_->CloseReading(file);
      if (!Good("read", s)) return;
      found[name] = bytes.ToString();
    }
    const std::string wrong = oracle_.Recovered(found);
    if (!wrong.empty()) return Wrong(wrong);
    const PageFsCheck check = CheckPageFs(&device_, /*read_files=*/true);
    if (!check.findings.empty()) return Wrong("file system, mounted: " + check.findings.front());
    if (check.free_pages != fs_->GetSpace().free_pages) Wrong("the file system and its check count differently");
    if (options_.deallocate && Device::kDeallocatesAll && device_.MappedPages() > fs_->GetStats().used_pages) {
      Wrong("pages of nobody are mapped");
    }
    if (!options_.deallocate && device_.deallocate_commands != 0) Wrong("deallocates");
  }

  std::mt19937_64 random_;
  const NameSet name_set_;
  PageFsOptions options_;
  uint64_t noise_ = 1;
  Device device_;
  std::unique_ptr<PageFs> fs_;
  std::vector<Writer> writers_;
  std::map<FileOracle::Id, bool> tables_;  // of files that were closed
  FileOracle oracle_;
  RunCounts *counts_ = nullptr;
  std::string wrong_;
};

uint64_t SeedOf(uint64_t run) { return openremap::TestSeed() * 1000003 + run; }

TEST(PageFsRandomCrashTest, WhatIsThereAfterACutMayBeThere) {
  RecordProperty("seed", std::to_string(openremap::TestSeed()));
  RunCounts counts;
  for (uint64_t run = 0; run < kRuns; run++) {
    ASSERT_EQ(CrashRun<FakePageDevice>(SeedOf(run)).Run(&counts), "")
        << "OPENREMAP_SEED=" << openremap::TestSeed() << ", run " << run;
  }
  std::printf(
      "%llu cuts, %llu in mounts; %llu pages remapped, %llu copied; %llu times no space; %llu remounts; %llu "
      "pages punched\n",
      static_cast<unsigned long long>(counts.cuts + counts.mount_cuts),
      static_cast<unsigned long long>(counts.mount_cuts), static_cast<unsigned long long>(counts.remapped),
      static_cast<unsigned long long>(counts.refused), static_cast<unsigned long long>(counts.full),
      static_cast<unsigned long long>(counts.remounts), static_cast<unsigned long long>(counts.punched));
  EXPECT_EQ(counts.cuts, kRuns * kCutsPerRun);
  EXPECT_GT(counts.mount_cuts, counts.cuts / 20);
  EXPECT_GT(counts.remapped, counts.cuts / 4);
  EXPECT_GT(counts.refused, 0u);
  EXPECT_GT(counts.punched, counts.cuts / 4);
  if (kRuns > 50) {  // too rare for the few runs with sanitizers
    EXPECT_GT(counts.full, 0u);
  }
  EXPECT_GT(counts.remounts, 0u);
  EXPECT_GT(counts.open_states, counts.cuts / 4) << "cuts with something to lose";
}

// The checker and a mount follow each cut: that the metadata fits is a promise of every state.
TEST(PageFsRandomCrashTest, MetadataThatIsNearlyFullStaysMountable) {
  RecordProperty("seed", std::to_string(openremap::TestSeed()));
  RunCounts counts;
  for (uint64_t run = 0; run < kRuns / 4; run++) {
    ASSERT_EQ(CrashRun<FakePageDevice>(SeedOf(run), {1000, 1000}).Run(&counts), "")
        << "OPENREMAP_SEED=" << openremap::TestSeed() << ", run " << run;
  }
  EXPECT_EQ(counts.cuts, kRuns / 4 * kCutsPerRun);
  EXPECT_GT(counts.metadata_full, counts.cuts / 10);
  EXPECT_GT(counts.mount_cuts, 0u);
}

TEST(PageFsRandomCrashTest, ARunRepeats) {
  RunCounts first, again;
  EXPECT_EQ(CrashRun<FakePageDevice>(SeedOf(0)).Run(&first), "");
  EXPECT_EQ(CrashRun<FakePageDevice>(SeedOf(0)).Run(&again), "");
  EXPECT_EQ(first.remapped, again.remapped);
  EXPECT_EQ(first.mount_cuts, again.mount_cuts);
  EXPECT_EQ(first.full, again.full);
}

// ---- A coarse mapping ----------------------------------------------------------------------------------------------

// The fake device behind a mapping of 8 pages an entry.
class CoarseFakeDevice : public FakePageDevice {
 public:
  static constexpr bool kDeallocatesAll = false;

  CoarseFakeDevice(uint64_t pages, uint64_t seed) : FakePageDevice(pages / 8 * 8, seed) {}
  ~CoarseFakeDevice() override { all_read_pages += coarse_.stats().read_pages; }

  uint64_t WriteGranularity() const override { return coarse_.WriteGranularity(); }
  Status Write(const std::vector<WriteRun> &runs, bool durable) override { return coarse_.Write(runs, durable); }
  Status Deallocate(const std::vector<PageRun> &runs) override { return coarse_.Deallocate(runs); }
  Status Remap(const std::vector<RemapRun> &runs, bool *refused) override { return coarse_.Remap(runs, refused); }

  static uint64_t all_read_pages;

 private:
  // What CoarsePageDevice calls, past the functions above.
  class Below : public FakePageDevice {
   public:
    explicit Below(FakePageDevice *fake) : FakePageDevice(0), fake_(fake) {}
    uint64_t Pages() const override { return fake_->Pages(); }
    Status Read(uint64_t lpn, uint64_t n, char *data) override { return fake_->FakePageDevice::Read(lpn, n, data); }
    Status Write(const std::vector<WriteRun> &runs, bool durable) override {
      return fake_->FakePageDevice::Write(runs, durable);
    }
    Status Deallocate(const std::vector<PageRun> &runs) override { return fake_->FakePageDevice::Deallocate(runs); }
    Status Remap(const std::vector<RemapRun> &runs, bool *refused) override {
      return fake_->FakePageDevice::Remap(runs, refused);
    }

   private:
    FakePageDevice *const fake_;
  };

  Below below_{this};
  CoarsePageDevice coarse_{&below_, 8};
};

uint64_t CoarseFakeDevice::all_read_pages = 0;

TEST(PageFsRandomCrashTest, ACoarseMappingKeepsThePromisesToo) {
  RunCounts counts;
  CoarseFakeDevice::all_read_pages = 0;
  for (uint64_t run = 0; run < kRuns / 6; run++) {
    ASSERT_EQ(CrashRun<CoarseFakeDevice>(SeedOf(run)).Run(&counts), "")
        << "OPENREMAP_SEED=" << openremap::TestSeed() << ", run " << run;
  }
  EXPECT_EQ(counts.cuts, kRuns / 6 * kCutsPerRun);
  EXPECT_GT(CoarseFakeDevice::all_read_pages, counts.cuts) << "units are modified all the time";
}

// ---- Defects made on purpose are found
// --------------------------------------------------------------------------------

class NeverFlushes : public FakePageDevice {
 public:
  using FakePageDevice::FakePageDevice;
  Status Flush() override { return Status::OK(); }
};

class KeepsMetadataInItsCache : public FakePageDevice {
 public:
  using FakePageDevice::FakePageDevice;
  Status Write(const std::vector<WriteRun> &runs, bool) override { return FakePageDevice::Write(runs, false); }
};

class RemapsOnePageBesides : public FakePageDevice {
 public:
  using FakePageDevice::FakePageDevice;
  Status Remap(const std::vector<RemapRun> &runs, bool *refused) override {
    std::vector<RemapRun> others = runs;
    if (Mapped(others.back().source + 1)) others.back().source++;
    return FakePageDevice::Remap(others, refused);
  }
};

class LosesAPageOfEachDeallocation : public FakePageDevice {
 public:
  using FakePageDevice::FakePageDevice;
  Status Deallocate(const std::vector<PageRun> &runs) override {
    std::vector<PageRun> more = runs;
    if (more.back().lpn + more.back().pages < Pages()) more.back().pages++;
    return FakePageDevice::Deallocate(more);
  }
};

template <class Device>
std::string FirstViolation() {
  RunCounts counts;
  for (uint64_t run = 0; run < 8; run++) {
    std::string wrong = CrashRun<Device>(SeedOf(run)).Run(&counts);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

TEST(PageFsRandomCrashTest, DefectsAreFound) {
  EXPECT_NE(FirstViolation<NeverFlushes>(), "");
  EXPECT_NE(FirstViolation<KeepsMetadataInItsCache>(), "");
  EXPECT_NE(FirstViolation<RemapsOnePageBesides>(), "");
  EXPECT_NE(FirstViolation<LosesAPageOfEachDeallocation>(), "");
}

}  // namespace
}  // namespace openremap
