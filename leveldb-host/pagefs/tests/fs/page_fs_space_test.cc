// SPDX-License-Identifier: Apache-2.0
// Who gets pages: accounting, promises, what stays free beside logs, placement handles.
#include <gtest/gtest.h>

#include <ctime>
#include <set>

#include "pagefs/check/page_fs_check.h"
#include "pagefs/fs/page_fs.h"
#include "pagefs/tests/device/fake_page_device.h"

namespace openremap {
namespace {

using leveldb::Status;

constexpr uint64_t kDevicePages = 1000;

std::string Pages(uint64_t pages) { return std::string(pages * kPageBytes, 'x'); }

class PageFsSpaceTest : public ::testing::Test {
 protected:
  explicit PageFsSpaceTest(uint64_t pages = kDevicePages) : device_(pages) {}
  void SetUp() override { Mount(); }

  void Mount(const PageFsOptions &options = {}) {
    fs_.reset();
    const Status s = PageFs::Open(&device_, &fs_, options);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // Open for writing.
  PageFs::File Create(const std::string &name, int level = -1) {
    PageFs::File file;
    EXPECT_TRUE(fs_->Create(name, &file).ok());
    fs_->Place(file, level);
    return file;
  }
  void Write(const std::string &name, uint64_t pages, int level = -1) {
    const PageFs::File file = Create(name, level);
    ASSERT_TRUE(fs_->Append(file, Pages(pages), false).ok());
    ASSERT_TRUE(fs_->Sync(file).ok());
    ASSERT_TRUE(fs_->CloseWriting(file).ok());
  }
  // What GetSpace says adds up, is what the statistics say and, where all is durable, what the checker finds on the
  // device.
  PageFsSpace Space(bool durable = false) {
    const PageFsSpace space = fs_->GetSpace();
    EXPECT_EQ(space.total_pages, device_.Pages());
    EXPECT_EQ(space.metadata_pages + space.file_pages + space.leaving_pages + space.free_pages, space.total_pages);
    EXPECT_LE(space.promised_pages + space.reserved_pages + space.headroom_pages, space.free_pages);
    EXPECT_LE(space.largest_run_pages, space.free_pages);
    EXPECT_EQ(fs_->GetStats().free_pages, space.free_pages);
    if (durable) {
      const PageFsCheck check = CheckPageFs(&device_);
      EXPECT_TRUE(check.findings.empty()) << ToText(check, true);
      EXPECT_EQ(check.free_pages, space.free_pages);
      EXPECT_EQ(check.used_pages, space.file_pages);
      uint64_t largest = 0, free = 0;
      for (const PageRun &run : check.free_runs) {
        largest = std::max(largest, run.pages);
        free += run.pages;
      }
      EXPECT_EQ(largest, space.largest_run_pages);
      EXPECT_EQ(free, space.free_pages);
    }
    return space;
  }
  // Appends a page at a time until there is no more space; the pages that it got.
  uint64_t Fill(const PageFs::File &file, Status *refusal) {
    for (uint64_t pages = 0;; pages++) {
      *refusal = fs_->Append(file, Pages(1), false);
      if (!refusal->ok()) return pages;
    }
  }

  FakePageDevice device_;
  std::unique_ptr<PageFs> fs_;
};

// ---- Options: Deallocate, allocation -------------------------------------------------------------------------------

TEST_F(PageFsSpaceTest, WithoutDeallocateNoneIsSentAndPagesAreReused) {
  FakePageDevice fresh(kDevicePages);
  PageFsOptions options;
  options.deallocate = false;
  fs_.reset();
  ASSERT_TRUE(PageFs::Open(&fresh, &fs_, options).ok());
  Write("old", 100);
  PageRun old, reused;
  ASSERT_TRUE(fs_->GetLpn("old", 0, 100, &old).ok());
  const uint64_t free = fs_->GetSpace().free_pages;
  ASSERT_TRUE(fs_->Remove("old").ok());
  Write("settle", 1);
  EXPECT_EQ(fs_->GetSpace().free_pages, free + 99);
  EXPECT_TRUE(fresh.Mapped(old.lpn)) << "free for the file system, in use for the device";
  Write("new", 50);
  ASSERT_TRUE(fs_->GetLpn("new", 0, 50, &reused).ok());
  EXPECT_EQ(reused.lpn, old.lpn) << "first fit";
  // A mount after a power cut, which looks for pages of nobody otherwise.
  const FakePageDevice cut = fresh;
  fs_.reset();
  FakePageDevice after = cut;
  after.PowerOn(1);
  const uint64_t mapped = after.MappedPages();
  ASSERT_TRUE(PageFs::Open(&after, &fs_, options).ok());
  EXPECT_GE(after.MappedPages(), mapped);
  EXPECT_EQ(fresh.deallocate_commands + after.deallocate_commands, 0u);
  fs_.reset();
  FakePageDevice trimmed = cut;
  trimmed.PowerOn(1);
  ASSERT_TRUE(PageFs::Open(&trimmed, &fs_).ok());
  EXPECT_LT(trimmed.MappedPages(), mapped) << "the same mount with Deallocate";
  fs_.reset();
}

TEST_F(PageFsSpaceTest, WithoutDiscardAtMkfsAFullDeviceStaysFull) {
  for (const bool discard : {true, false}) {
    FakePageDevice full(kDevicePages);
    const std::string noise(kDevicePages * kPageBytes, 'n'), zeroes(kPageBytes, '\0');
    ASSERT_TRUE(full.Write({{0, kDevicePages, noise.data()}}, true).ok());
    ASSERT_TRUE(full.Write({{0, 1, zeroes.data()}}, true).ok());
    PageFsOptions options;
    options.format = Format::kIfFirstPageBlank;
    options.mkfs_discard = discard;
    fs_.reset();
    ASSERT_TRUE(PageFs::Open(&full, &fs_, options).ok());
    EXPECT_EQ(full.deallocate_commands != 0, discard);
    EXPECT_EQ(full.MappedPages() == kDevicePages, !discard);
    Write("old", 100);
    PageRun old;
    ASSERT_TRUE(fs_->GetLpn("old", 0, 100, &old).ok());
    ASSERT_TRUE(fs_->Remove("old").ok());
    Write("settle", 1);
    EXPECT_FALSE(full.Mapped(old.lpn + 50)) << "what becomes free is deallocated";
    fs_.reset();
    ASSERT_TRUE(PageFs::Open(&full, &fs_, options).ok());
    EXPECT_EQ(full.MappedPages() > kDevicePages / 2, !discard) << "after the next mount, too";
    fs_.reset();
  }
}

TEST_F(PageFsSpaceTest, NextFitRoamsOverTheDevice) {
  PageFsOptions options;
  options.allocation = Allocation::kNext;
  for (const Allocation allocation : {Allocation::kFirst, Allocation::kNext}) {
    options.allocation = allocation;
    Mount(options);
    std::set<uint64_t> places;
    for (int round = 0; round < 40; round++) {
      Write("table", 50, 2);
      PageRun run;
      Write("settle", 1);
      ASSERT_TRUE(fs_->GetLpn("table", 0, 50, &run).ok());
      EXPECT_EQ(run.pages, 50u);
      for (uint64_t i = 0; i < run.pages; i++) places.insert(run.lpn + i);
    }
    if (allocation == Allocation::kFirst) {
      EXPECT_LT(places.size(), 160u) << "the same few places";
    } else {
      EXPECT_GT(places.size(), 900u) << "all of the device";
    }
    Space(true);
  }
}

// ---- What pages are written for; reclaim units ---------------------------------------------------------------------

TEST_F(PageFsSpaceTest, PagesAreCountedByWhatTheyAreWrittenFor) {
  const uint64_t formatted = fs_->GetStats().metadata_pages_written;
  Write("000003.log", 5);
  Write("000004.ldb", 20, 0);
  Write("MANIFEST-000001", 2);
  Write("LOG", 1);
  const PageFsStats stats = fs_->GetStats();
  EXPECT_EQ(stats.log_pages_written, 5u);
  EXPECT_EQ(stats.table_pages_written, 20u);
  EXPECT_EQ(stats.other_pages_written, 3u);
  EXPECT_EQ(stats.data_pages_written, 28u);
  EXPECT_GT(stats.metadata_pages_written, formatted);
  EXPECT_EQ(device_.pages_written, stats.data_pages_written + stats.metadata_pages_written + 2)
      << "and while formatting the first checkpoint and the superblock";
}

TEST_F(PageFsSpaceTest, PagesThatARefusedRemapCopiesAreWrittenForTheirFile) {
  Write("000004.ldb", 20, 1);
  Write("settle", 1);
  PageRun run;
  ASSERT_TRUE(fs_->GetLpn("000004.ldb", 0, 20, &run).ok());
  device_.refuse = [](const std::vector<RemapRun> &) { return true; };
  const PageFs::File file = Create("000005.ldb", 2);
  ASSERT_TRUE(fs_->AppendRemap(file, run).ok());
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  EXPECT_EQ(fs_->GetStats().table_pages_written, 40u);
  EXPECT_EQ(fs_->GetStats().remap.fallback_pages, 20u);
}

TEST_F(PageFsSpaceTest, ReadsOfContentsAreCounted) {
  Write("000004.ldb", 40, 0);
  Write("settle", 1);
  PageFs::File file;
  ASSERT_TRUE(fs_->OpenForReading("000004.ldb", &file).ok());
  const PageFsStats before = fs_->GetStats();
  const auto read = [&](uint64_t first_page, uint64_t pages) {
    std::string scratch(pages * kPageBytes, '\0');
    leveldb::Slice result;
    EXPECT_TRUE(fs_->Read(file, first_page * kPageBytes, scratch.size(), &result, &scratch[0]).ok());
    const PageFsStats after = fs_->GetStats();
    return std::pair(after.data_pages_read - before.data_pages_read, after.data_spans_read - before.data_spans_read);
  };
  EXPECT_EQ(read(3, 1), std::pair(uint64_t{1}, uint64_t{1}));
  EXPECT_EQ(read(5, 8), std::pair(uint64_t{9}, uint64_t{2})) << "wherever it lies";
  EXPECT_EQ(read(0, 17), std::pair(uint64_t{26}, uint64_t{5}));
  fs_->CloseReading(file);
}

TEST_F(PageFsSpaceTest, ATableBeginsAReclaimUnit) {
  PageFsOptions options;
  options.table_units = true;
  fs_.reset();
  std::unique_ptr<PageFs> none;
  EXPECT_TRUE(PageFs::Open(&device_, &none, options).IsNotSupportedError()) << "the device tells of no units";
  device_.placements = 8;
  device_.unit_pages = 64;
  Mount(options);
  const auto unit = [this](const std::string &name) {
    PageRun run;
    EXPECT_TRUE(fs_->GetLpn(name, 0, 100, &run).ok());
    for (uint64_t i = 1; i < run.pages; i++) EXPECT_EQ(device_.unit_of[run.lpn + i], device_.unit_of[run.lpn]);
    return device_.unit_of[run.lpn];
  };
  Write("1.ldb", 40, 1);
  Write("2.log", 3);
  Write("3.ldb", 40, 1);  // in several calls: a file that is written as it grows
  Write("4.ldb", 40, 2);
  Write("settle", 1);
  EXPECT_EQ(unit("1.ldb"), 1u);
  EXPECT_EQ(unit("3.ldb"), 2u);
  EXPECT_EQ(unit("4.ldb"), 3u);
  EXPECT_EQ(unit("2.log"), 0u) << "logs begin none";
  EXPECT_EQ(fs_->GetStats().units_begun, 3u);

  // Written pages and shared ones: a table begins a unit when it has more of the first.
  PageRun source;
  ASSERT_TRUE(fs_->GetLpn("1.ldb", 0, 10, &source).ok());
  for (const uint64_t written : {9, 10, 11}) {
    const std::string name = std::to_string(written) + ".ldb";
    const PageFs::File file = Create(name, 1);
    ASSERT_TRUE(fs_->Append(file, Pages(written), true).ok());
    ASSERT_TRUE(fs_->AppendRemap(file, source).ok());
    ASSERT_TRUE(fs_->Sync(file).ok());
    ASSERT_TRUE(fs_->CloseWriting(file).ok());
    EXPECT_EQ(fs_->GetStats().units_begun, written == 11 ? 4u : 3u) << written;
  }
  Mount();
  Write("default.ldb", 10, 1);
  EXPECT_EQ(device_.units_begun, 4u);
}

class CoarseGrained : public FakePageDevice {
 public:
  using FakePageDevice::FakePageDevice;
  uint64_t WriteGranularity() const override { return 16; }
};

TEST_F(PageFsSpaceTest, ExtentsAreAlignedOrNot) {
  PageFsOptions options;
  for (const bool align : {true, false}) {
    CoarseGrained device(kDevicePages);
    options.align = align;
    fs_.reset();
    ASSERT_TRUE(PageFs::Open(&device, &fs_, options).ok());
    PageRun run;
    Write("a", 18);
    Write("b", 18);
    ASSERT_TRUE(fs_->GetLpn("b", 0, 18, &run).ok());
    EXPECT_EQ(run.lpn % 16 == 0, align) << run.lpn;
    fs_.reset();
  }
}

// ---- Accounting -----------------------------------------------------------------------------------------------------

TEST_F(PageFsSpaceTest, EveryPageIsAccountedForAllTheWay) {
  const PageFsSpace empty = Space(true);
  EXPECT_EQ(empty.file_pages, 0u);
  EXPECT_EQ(empty.largest_run_pages, empty.free_pages);

  const PageFs::File file = Create("a");
  ASSERT_TRUE(fs_->Append(file, Pages(3) + "y", false).ok());
  EXPECT_EQ(Space().promised_pages, 4u) << "in memory as yet";
  EXPECT_EQ(Space().free_pages, empty.free_pages);
  ASSERT_TRUE(fs_->Sync(file).ok());
  PageFsSpace space = Space(true);
  EXPECT_EQ(space.promised_pages, 0u);
  EXPECT_EQ(space.file_pages, 4u);
  ASSERT_TRUE(fs_->Append(file, "y", false).ok());
  EXPECT_EQ(Space().promised_pages, 0u) << "within its last page";

  Write("b", 10);
  Write("c", 5);
  ASSERT_TRUE(fs_->Remove("b").ok());
  EXPECT_EQ(Space().leaving_pages, 10u) << "the removal is not durable";
  ASSERT_TRUE(fs_->Remove("a").ok());
  ASSERT_TRUE(fs_->Sync(file).ok());
  EXPECT_EQ(Space().leaving_pages, 4u) << "still open";
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  Write("d", 1);
  space = Space(true);
  EXPECT_EQ(space.leaving_pages, 0u);
  EXPECT_EQ(space.file_pages, 6u);
  EXPECT_LT(space.largest_run_pages, space.free_pages) << "c lies between";
  Mount();
  EXPECT_EQ(Space(true).free_pages, space.free_pages);
}

TEST_F(PageFsSpaceTest, AnImageTellsWhoHasItsPages) {
  EXPECT_NE(SpaceText(CheckPageFs(&device_)).find("used by 0 files of 0 bytes, in 0 extents"), std::string::npos);
  Write("a", 3);
  Write("b", 4);
  Write("c", 5);
  ASSERT_TRUE(fs_->Remove("b").ok());
  fs_.reset();
  const uint64_t metadata = 1 + 2 * CheckPageFs(&device_).area_pages;
  const uint64_t free = kDevicePages - metadata - 8;
  EXPECT_EQ(SpaceText(CheckPageFs(&device_)),
            "        1000 pages of 4096 bytes\n"
            "          " +
                std::to_string(metadata) +
                " pages for metadata: superblock and two areas\n"
                "           8 pages used by 2 files of 32768 bytes, in 2 extents\n"
                "         " +
                std::to_string(free) +
                " pages free, in 2 runs\n"
                "         " +
                std::to_string(free - 4) + " pages in the largest of these\n");
  FakePageDevice blank(kDevicePages);
  EXPECT_EQ(SpaceText(CheckPageFs(&blank)), "no file system: page 0 reads zero\n");
}

// ---- Full -----------------------------------------------------------------------------------------------------------

TEST_F(PageFsSpaceTest, WhatWasAppendedIsNotRefusedLater) {
  const PageFs::File first = Create("first"), second = Create("second");
  ASSERT_TRUE(fs_->Append(first, Pages(20) + "y", false).ok());  // stays in memory
  Status s;
  const uint64_t more = Fill(second, &s);
  EXPECT_TRUE(s.IsIOError());
  EXPECT_NE(s.ToString().find("no space left on the device: 1 pages wanted, 0 free"), std::string::npos)
      << s.ToString();
  EXPECT_EQ(fs_->Offset(second), more * kPageBytes) << "what was refused is not there";
  ASSERT_TRUE(fs_->Append(first, Pages(1).substr(2), false).ok()) << "within its last page";
  ASSERT_TRUE(fs_->Sync(first).ok());
  ASSERT_TRUE(fs_->CloseWriting(first).ok());
  ASSERT_TRUE(fs_->CloseWriting(second).ok());
  EXPECT_EQ(Space().free_pages, 0u);
  Mount();
  uint64_t size = 0;
  ASSERT_TRUE(fs_->FileSize("first", &size).ok());
  EXPECT_EQ(size, 21 * kPageBytes - 1);
  ASSERT_TRUE(fs_->FileSize("second", &size).ok());
  EXPECT_EQ(size, more * kPageBytes);
  ASSERT_TRUE(fs_->Remove("second").ok());
  Write("third", more - 1);
  Space(true);
}

TEST_F(PageFsSpaceTest, PagesToBeSharedAreCountedToo) {
  Write("old", 300);
  PageRun run;
  ASSERT_TRUE(fs_->GetLpn("old", 0, 300, &run).ok());
  ASSERT_EQ(run.pages, 300u);
  const PageFs::File file = Create("new");
  Status s;
  int runs = 0;
  while ((s = fs_->AppendRemap(file, run)).ok()) runs++;
  EXPECT_EQ(runs, 2);
  EXPECT_NE(s.ToString().find("no space left"), std::string::npos) << s.ToString();
  EXPECT_EQ(fs_->Offset(file), 600 * kPageBytes);
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  EXPECT_EQ(Space(true).file_pages, 900u);
}

TEST_F(PageFsSpaceTest, BesideLogsStaysFreeWhatOpeningTakes) {
  const PageFs::File log = Create("/db/000001.log");
  ASSERT_TRUE(fs_->Append(log, Pages(100), false).ok());
  ASSERT_TRUE(fs_->Sync(log).ok());
  EXPECT_EQ(Space().reserved_pages, 208u);
  Status s;
  const PageFs::File table = Create("/db/000002.ldb", 1);
  Fill(table, &s);
  EXPECT_NE(s.ToString().find("208 kept for compactions and for opening the database"), std::string::npos)
      << s.ToString();
  ASSERT_TRUE(fs_->CloseWriting(table).ok());
  EXPECT_FALSE(fs_->Append(log, Pages(1), false).ok());
  ASSERT_TRUE(fs_->CloseWriting(log).ok());
  EXPECT_EQ(Space().free_pages, 208u);
  Mount();
  EXPECT_EQ(Space(true).reserved_pages, 208u);
  const PageFs::File more = Create("/db/000003.ldb", 2);
  EXPECT_FALSE(fs_->Append(more, Pages(1), false).ok());
  ASSERT_TRUE(fs_->CloseWriting(more).ok());
  Write("/db/000004.ldb", 200, 0);
  Write("/db/MANIFEST-000005", 5);
  EXPECT_EQ(Space(true).reserved_pages, 3u) << "all that is left";
  ASSERT_TRUE(fs_->Remove("/db/000001.log").ok());
  Write("/db/000006.ldb", 103, 3);
  EXPECT_EQ(Space().reserved_pages, 0u);
}

// However large the manifest of a database is that goes on for long, it can be written once more.
TEST_F(PageFsSpaceTest, BesideLogsAManifestStaysFree) {
  Write("/db/MANIFEST-000001", 40);
  Write("/db/not-a-MANIFEST-1", 20);
  EXPECT_EQ(Space().reserved_pages, 0u) << "no log, no database";
  Write("/db/000002.log", 2);
  EXPECT_EQ(Space().reserved_pages, 4u + 80 + 8);
  Mount();
  EXPECT_EQ(Space(true).reserved_pages, 4u + 80 + 8);
  Status s;
  const PageFs::File table = Create("/db/000003.ldb", 1);
  Fill(table, &s);
  ASSERT_TRUE(fs_->CloseWriting(table).ok());
  Write("/db/MANIFEST-000004", 40);
  ASSERT_TRUE(fs_->Remove("/db/MANIFEST-000001").ok());
  ASSERT_TRUE(fs_->Remove("/db/000003.ldb").ok());
  Write("/db/CURRENT", 1);
  EXPECT_EQ(Space(true).reserved_pages, 4u + 8 + 80);
  Write("/db/lost/000003.log", 10);
  EXPECT_EQ(Space().reserved_pages, 4u + 8 + 80) << "nobody opens that again";
  ASSERT_TRUE(fs_->Rename("/db/MANIFEST-000004", "/db/lost/MANIFEST-000004").ok());
  EXPECT_EQ(Space().reserved_pages, 4u + 8);
  // RocksDB's archive, in the database's folder or in that of its logs.
  ASSERT_TRUE(fs_->Rename("/db/000002.log", "/db/archive/000002.log").ok());
  Write("/wal/archive/000002.log", 3);
  EXPECT_EQ(Space().reserved_pages, 0u) << "logs that no database opens";
  Mount();
  EXPECT_EQ(Space(true).reserved_pages, 0u);
  // A database in a folder of that name.
  Write("/db/archive/CURRENT", 1);
  Write("/db/archive/000003.log", 5);
  EXPECT_EQ(Space().reserved_pages, 10u + 8);
  ASSERT_TRUE(fs_->Remove("/db/archive/000002.log").ok());
  Mount();
  EXPECT_EQ(Space(true).reserved_pages, 10u + 8);
  // One that comes into such a folder: its log's name is there before its CURRENT's.
  ASSERT_TRUE(fs_->RenameFolder("/db/archive", "/db/kept").ok());
  ASSERT_TRUE(fs_->RenameFolder("/db/kept", "/other/archive").ok());
  EXPECT_EQ(Space().reserved_pages, 10u + 8);
  Mount();
  EXPECT_EQ(Space(true).reserved_pages, 10u + 8);
}

TEST_F(PageFsSpaceTest, LogsLeaveRoomForCompactions) {
  const uint64_t headroom = Space().headroom_pages;
  EXPECT_EQ(headroom, (kDevicePages - Space().metadata_pages) / 16);
  EXPECT_FALSE(fs_->GetFileSpace().IsShort());
  Status s;
  const PageFs::File log = Create("/db/000001.log");
  const uint64_t pages = Fill(log, &s);
  EXPECT_NE(s.ToString().find("kept for compactions"), std::string::npos) << s.ToString();
  ASSERT_TRUE(fs_->Sync(log).ok());
  EXPECT_EQ(Space(true).headroom_pages, headroom);
  EXPECT_TRUE(fs_->GetFileSpace().IsShort());
  EXPECT_GE(Space().reserved_pages, pages * 2);
  const PageFs::File table = Create("/db/000002.ldb", 4);
  EXPECT_GE(Fill(table, &s), headroom);
  EXPECT_EQ(Space().headroom_pages, 0u);
  ASSERT_TRUE(fs_->CloseWriting(table).ok());
  ASSERT_TRUE(fs_->CloseWriting(log).ok());
}

TEST_F(PageFsSpaceTest, TheValueLogLeavesThatRoomToo) {
  const uint64_t headroom = Space().headroom_pages;
  Status s;
  const PageFs::File segment = Create("/db/000001.vlog", kValueLogLevel);
  Fill(segment, &s);
  EXPECT_NE(s.ToString().find("kept for compactions"), std::string::npos) << s.ToString();
  EXPECT_EQ(Space().headroom_pages, headroom);
  ASSERT_TRUE(fs_->CloseWriting(segment).ok());
  EXPECT_GT(fs_->GetStats().data_bytes_by_cause.at(static_cast<size_t>(WriteCause::kValueLog)), 0u);
}

TEST_F(PageFsSpaceTest, RenamingMakesALogOfAFileAndBack) {
  Write("/a.tmp", 10);
  EXPECT_EQ(Space().reserved_pages, 0u);
  ASSERT_TRUE(fs_->Rename("/a.tmp", "/a.log").ok());
  EXPECT_EQ(Space().reserved_pages, 28u);
  ASSERT_TRUE(fs_->Rename("/a.log", "/b").ok());
  EXPECT_EQ(Space().reserved_pages, 0u);
  Write("/b.log", 2);
  ASSERT_TRUE(fs_->Rename("/b", "/b.log").ok());
  EXPECT_EQ(Space().reserved_pages, 28u);
  Write("/b.log", 0);
  EXPECT_EQ(Space().reserved_pages, 8u);
}

// ---- Placement ------------------------------------------------------------------------------------------------------

// The placement handle of a file's pages; fails when they have several.
class PageFsPlacementTest : public PageFsSpaceTest {
 protected:
  unsigned HandleOf(const std::string &name) {
    for (const CheckedFile &file : CheckPageFs(&device_).files) {
      if (file.name != name) continue;
      const unsigned handle = device_.placed[file.extents.at(0).lpn];
      for (const PageRun &run : file.extents) {
        for (uint64_t i = 0; i < run.pages; i++)
          EXPECT_EQ(device_.placed[run.lpn + i], handle) << name << ", page " << i;
      }
      return handle;
    }
    ADD_FAILURE() << "no file " << name;
    return 0;
  }
  // Of a log, then of tables of levels 0 to 6.
  std::vector<unsigned> Handles(unsigned offered, bool placement = true, bool units = false) {
    device_.placements = offered;
    device_.unit_pages = units ? 64 : 0;
    PageFsOptions options;
    options.placement = placement;
    options.table_units = units;
    Mount(options);
    Write("/1.log", 40);
    for (int level = 0; level < 7; level++) Write("/table" + std::to_string(level), 40, level);
    Write("/settled", 1);
    std::vector<unsigned> handles = {HandleOf("/1.log")};
    for (int level = 0; level < 7; level++) handles.push_back(HandleOf("/table" + std::to_string(level)));
    // Metadata is as short-lived as the log.
    for (uint64_t lpn = 0; lpn < Space().metadata_pages; lpn++) EXPECT_EQ(device_.placed[lpn], 0u) << lpn;
    return handles;
  }
};

TEST_F(PageFsPlacementTest, EachLevelHasAHandleAndTheLogHasOne) {
  EXPECT_EQ(Handles(8), (std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(Handles(100), (std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(PageFsPlacementTest, WithFewerTheYoungestAndTheDeepestShare) {
  EXPECT_EQ(Handles(7), (std::vector<unsigned>{0, 0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Handles(6), (std::vector<unsigned>{0, 0, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(Handles(4), (std::vector<unsigned>{0, 0, 0, 1, 2, 3, 3, 3}));
  EXPECT_EQ(Handles(2), (std::vector<unsigned>{0, 0, 0, 1, 1, 1, 1, 1}));
}

// Where each table begins a unit the log would end those of tables that shared its handle.
TEST_F(PageFsPlacementTest, WithUnitsForTablesTheLogSharesNoHandle) {
  EXPECT_EQ(Handles(8, true, true), (std::vector<unsigned>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(Handles(3, true, true), (std::vector<unsigned>{0, 1, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(Handles(2, true, true), (std::vector<unsigned>{0, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(Handles(1, true, true), std::vector<unsigned>(8, 0));
}

TEST_F(PageFsPlacementTest, TheValueLogHasTheNinthOrTheDeepest) {
  const auto handle = [this](unsigned offered) {
    device_.placements = offered;
    Mount();
    Write("/1.vlog", 40, kValueLogLevel);
    Write("/settled", 1);
    return HandleOf("/1.vlog");
  };
  EXPECT_EQ(handle(9), 8u);
  EXPECT_EQ(handle(8), 7u);
  EXPECT_EQ(handle(4), 3u);
  EXPECT_EQ(handle(1), 0u);
}

TEST_F(PageFsPlacementTest, WithoutThemAllIsAsBefore) {
  EXPECT_EQ(Handles(1), std::vector<unsigned>(8, 0));
  EXPECT_EQ(Handles(0), std::vector<unsigned>(8, 0)) << "a device that counts wrongly";
  EXPECT_EQ(Handles(8, /*placement=*/false), std::vector<unsigned>(8, 0));
}

TEST_F(PageFsPlacementTest, PagesCopiedAfterARefusalArePlacedAsTheirTable) {
  device_.placements = 8;
  Mount();
  Write("/old", 4, 2);
  Write("/settled", 1);
  device_.refuse = [](const std::vector<RemapRun> &) { return true; };
  PageRun run;
  ASSERT_TRUE(fs_->GetLpn("/old", 0, 4, &run).ok());
  const PageFs::File file = Create("/new", 3);
  ASSERT_TRUE(fs_->AppendRemap(file, run).ok());
  ASSERT_TRUE(fs_->Append(file, "footer", false).ok());
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  Write("/settled", 1);
  EXPECT_EQ(fs_->GetStats().remap.fallback_pages, 4u);
  EXPECT_EQ(HandleOf("/old"), 3u);
  EXPECT_EQ(HandleOf("/new"), 4u);
}

// ---- Many files -----------------------------------------------------------------------------------------------------

class ManyFilesTest : public PageFsSpaceTest {
 protected:
  ManyFilesTest() : PageFsSpaceTest(65536) {}
};

// As a database of thousands of tables would: its checkpoints are pages for hundreds of files, an operation costs what
// it costs with few files, and a mount takes no time that anybody would notice.
TEST_F(ManyFilesTest, ThousandsCostWhatTheyShould) {
  constexpr int kFiles = 5000;
  const auto name = [](int i) { return "/db/" + std::to_string(1000000 + i).substr(1) + ".ldb"; };
  for (int i = 0; i < kFiles; i++) Write(name(i), 2, i % 7);
  Write("/db/MANIFEST", 1);
  const std::clock_t begin = std::clock();  // processor time: a busy machine does not change it
  Mount();
  EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
  ASSERT_EQ(fs_->Names().size(), kFiles + 1u);
  const uint64_t checkpoint = fs_->GetStats().metadata_pages_written;
  EXPECT_LE(checkpoint, kFiles / 60 + 1u);
  // A compaction: ten tables for ten, and a manifest.
  constexpr int kRounds = 300;
  for (int round = 0; round < kRounds; round++) {
    for (int i = 0; i < 10; i++) Write(name(kFiles + 10 * round + i), 2, 3);
    Write("/db/MANIFEST", 1);
    for (int i = 0; i < 10; i++) ASSERT_TRUE(fs_->Remove(name(10 * round + i)).ok());
  }
  // At most two pages each, as records of one commit may reach into the next; and checkpoints when an area is full.
  const uint64_t area = (Space().metadata_pages - 1) / 2;
  const uint64_t commits = 2 * kRounds;
  const uint64_t checkpoints = commits / (area - checkpoint) + 1;
  EXPECT_LE(fs_->GetStats().metadata_pages_written - checkpoint, commits + checkpoints * (checkpoint + 1));
  for (int i = 3000; i < 4000; i++) {
    ASSERT_TRUE(fs_->Rename(name(i), "/lost" + name(i)).ok());
  }
  Write("/db/MANIFEST", 1);
  Mount();
  ASSERT_EQ(fs_->Names().size(), kFiles + 1u);
  EXPECT_TRUE(fs_->Exists("/lost" + name(3999)));
  EXPECT_FALSE(fs_->Exists(name(3999)));
  EXPECT_EQ(Space(true).file_pages, 2u * kFiles + 1);
  for (const std::string &each : fs_->Names()) ASSERT_TRUE(fs_->Remove(each).ok());
  Write("/last", 1);
  EXPECT_EQ(Space(true).file_pages, 1u);
}

}  // namespace
}  // namespace openremap
