// SPDX-License-Identifier: Apache-2.0
//
// CheckPageFs: file systems of many shapes have no findings, each kind of damage has one.
#include "pagefs/check/page_fs_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>

#include "pagefs/fs/page_fs.h"
#include "pagefs/metadata/metadata_log.h"
#include "pagefs/tests/device/fake_page_device.h"
#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Status;

constexpr uint64_t kDevicePages = 400;
constexpr uint64_t kAreaPages = 8;  // the least that PageFS has
constexpr uint64_t kFirstData = 1 + 2 * kAreaPages;

std::string Lines(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines) text += line + "\n";
  return text;
}

Record Create(uint64_t inode, const std::string &name) {
  Record record;
  record.type = RecordType::kCreate;
  record.inode = inode;
  record.name = name;
  return record;
}

Record Extend(uint64_t inode, uint64_t size, const std::vector<PageRun> &extents) {
  Record record;
  record.type = RecordType::kExtend;
  record.inode = inode;
  record.size = size;
  record.extents = extents;
  return record;
}

Record Named(RecordType type, const std::string &name, const std::string &second_name = "") {
  Record record;
  record.type = type;
  record.name = name;
  record.second_name = second_name;
  return record;
}

Record Punch(uint64_t inode, uint64_t first, uint64_t pages) {
  Record record;
  record.type = RecordType::kPunch;
  record.inode = inode;
  record.first = first;
  record.pages = pages;
  return record;
}

class PageFsCheckTest : public ::testing::Test {
 protected:
  void Mount(Format format = Format::kIfBlank) {
    fs_.reset();
    PageFsOptions options;
    options.format = format;
    const Status s = PageFs::Open(&device_, &fs_, options);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  Status Write(const std::string &name, size_t bytes, bool sync = true) {
    PageFs::File file;
    Status s = fs_->Create(name, &file);
    if (s.ok()) s = fs_->Append(file, std::string(bytes, 'x'), false);
    if (s.ok() && sync) s = fs_->Sync(file);
    if (file == nullptr) return s;
    const Status closed = fs_->CloseWriting(file);
    return s.ok() ? closed : s;
  }
  // No findings, and the figures are the file system's own. REQUIRES: nothing is open, all that was done is durable.
  void ExpectSound() {
    const PageFsCheck check = CheckPageFs(&device_, /*read_files=*/true);
    EXPECT_EQ(Lines(check.findings), "");
    EXPECT_EQ(Lines(check.notes), "");
    EXPECT_TRUE(check.formatted);
    EXPECT_FALSE(check.clean);
    std::vector<std::string> names;
    for (const CheckedFile &file : check.files) {
      names.push_back(file.name);
      uint64_t size = 0;
      EXPECT_TRUE(fs_->FileSize(file.name, &size).ok());
      EXPECT_EQ(file.size, size) << file.name;
    }
    EXPECT_EQ(names, fs_->Names());
    EXPECT_EQ(check.free_pages, fs_->GetStats().free_pages);
    EXPECT_EQ(check.used_pages + check.free_pages, kDevicePages - kFirstData);
  }
  void ExpectFinding(const std::string &words) {
    const PageFsCheck check = CheckPageFs(&device_, /*read_files=*/true);
    const auto has = [&](const std::string &line) { return line.find(words) != std::string::npos; };
    EXPECT_TRUE(std::any_of(check.findings.begin(), check.findings.end(), has))
        << "no finding says '" << words << "':\n"
        << ToText(check, true);
  }
  // A file system that consists of these records.
  void Make(const std::vector<Record> &records, uint32_t version = kPlainVersion) {
    MetadataLog log(&device_, 1, kAreaPages);
    log.SetVersion(version);
    ASSERT_TRUE(log.Format().ok());
    bool full = false;
    ASSERT_TRUE(log.Append(records, &full).ok());
    ASSERT_FALSE(full);
    Superblock superblock;
    superblock.pages = kDevicePages;
    superblock.area_pages = kAreaPages;
    superblock.version = version;
    Put(0, superblock.Encode());
  }
  std::string Get(uint64_t lpn) {
    std::string page(kPageBytes, '\0');
    EXPECT_TRUE(device_.Read(lpn, 1, &page[0]).ok());
    return page;
  }
  void Put(uint64_t lpn, const std::string &page) {
    ASSERT_EQ(page.size(), kPageBytes);
    ASSERT_TRUE(device_.Write({{lpn, 1, page.data()}}, /*durable=*/true).ok());
  }
  // Changes the header of a metadata page, whose checksum is good again afterwards.
  void Change(uint64_t lpn, const std::function<void(MetadataPageHeader *)> &change) {
    const std::string page = Get(lpn);
    MetadataPageHeader header;
    leveldb::Slice payload;
    ASSERT_TRUE(DecodeMetadataPage(page.data(), &header, &payload));
    change(&header);
    Put(lpn, EncodeMetadataPage(header, payload));
  }
  // Has enough records that log and checkpoint take several pages; ends in area `*area` with a log behind the
  // checkpoint.
  void MakeLong(uint64_t *area) {
    ASSERT_NO_FATAL_FAILURE(Mount());
    for (int i = 0; i < 12; i++) ASSERT_TRUE(Write(std::string(900, 'n') + std::to_string(i), 100).ok());
    ASSERT_NO_FATAL_FAILURE(Mount());
    for (int i = 0; i < 8; i++) ASSERT_TRUE(Write(std::string(900, 'm') + std::to_string(i), 100).ok());
    ASSERT_NO_FATAL_FAILURE(ExpectSound());
    fs_.reset();
    MetadataPageHeader headers[2];
    for (uint64_t i : {0, 1}) {
      leveldb::Slice payload;
      ASSERT_TRUE(DecodeMetadataPage(Get(1 + i * kAreaPages).data(), &headers[i], &payload));
    }
    *area = headers[0].generation > headers[1].generation ? 1 : 1 + kAreaPages;
    ASSERT_GE(headers[*area == 1 ? 0 : 1].checkpoint_pages, 3u);
  }

  FakePageDevice device_{kDevicePages};
  std::unique_ptr<PageFs> fs_;
};

TEST_F(PageFsCheckTest, ABlankDeviceHasNoFileSystem) {
  const PageFsCheck check = CheckPageFs(&device_);
  EXPECT_FALSE(check.formatted);
  EXPECT_EQ(Lines(check.findings), "");
  EXPECT_EQ(ToText(check, true), "no file system: page 0 reads zero\n0 findings\n");
}

TEST_F(PageFsCheckTest, SoundFileSystemsHaveNoFindings) {
  Mount();
  ExpectSound();
  for (size_t size : {0u, 1u, 4095u, 4096u, 4097u, 40000u}) ASSERT_TRUE(Write(std::to_string(size), size).ok());
  ASSERT_TRUE(Write("quoted \\ ' \n", 5).ok());
  ExpectSound();
  ASSERT_TRUE(fs_->Rename("1", "4096").ok());
  ASSERT_TRUE(fs_->Remove("40000").ok());
  ASSERT_TRUE(Write(std::string(kMaxNameBytes, 'l'), 9000).ok());
  ExpectSound();
  PageFs::File file;
  ASSERT_TRUE(fs_->OpenForAppending("4095", &file).ok());
  ASSERT_TRUE(fs_->Append(file, "the last byte of a page, and the next one", false).ok());
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  ExpectSound();
  fs_.reset();
  const PageFsCheck ended = CheckPageFs(&device_, true);
  EXPECT_TRUE(ended.clean);
  EXPECT_EQ(Lines(ended.findings), "");
  Mount();
  ExpectSound();
}

TEST_F(PageFsCheckTest, SharedPagesAndManyExtentsAreSound) {
  Mount();
  ASSERT_TRUE(Write("source", 20 * kPageBytes).ok());
  // Every other page becomes free, so that the next file lies in pieces.
  for (int i = 0; i < 60; i++) ASSERT_TRUE(Write("small" + std::to_string(i), 10).ok());
  for (int i = 0; i < 60; i += 2) ASSERT_TRUE(fs_->Remove("small" + std::to_string(i)).ok());
  ASSERT_TRUE(Write("settle", 1).ok());
  ASSERT_TRUE(Write("filler", static_cast<size_t>((fs_->GetStats().free_pages - 20) * kPageBytes)).ok());
  PageFs::File file;
  PageRun run;
  ASSERT_TRUE(fs_->GetLpn("source", 0, 15, &run).ok());
  ASSERT_TRUE(fs_->Create("table", &file).ok());
  ASSERT_TRUE(fs_->AppendRemap(file, run).ok());
  ASSERT_TRUE(fs_->Append(file, "footer", true).ok());
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  const PageFsCheck check = CheckPageFs(&device_);
  const auto most = std::max_element(check.files.begin(), check.files.end(),
                                     [](const auto &a, const auto &b) { return a.extents.size() < b.extents.size(); });
  EXPECT_GT(most->extents.size(), 5u);
  ExpectSound();
}

TEST_F(PageFsCheckTest, RandomFileSystemsAreSoundThroughManyCheckpoints) {
  std::mt19937_64 random(openremap::TestSeed());
  Mount();
  for (int step = 0; step < 1500; step++) {
    const std::string name = "file" + std::to_string(random() % 40);
    const std::string other = "file" + std::to_string(random() % 40);
    switch (random() % 6) {
      case 0:
        (void)fs_->Remove(name);
        break;
      case 1:
        (void)fs_->Rename(name, other);
        break;
      case 2:
        if (random() % 10 == 0) Mount();
        break;
      default:
        // Now and then the device is full.
        (void)Write(name, random() % (random() % 10 == 0 ? 200000 : 20000), random() % 2 == 0);
    }
    if (step % 50 != 0) continue;
    SCOPED_TRACE("step " + std::to_string(step));
    // Room, so that all of it can be made durable.
    (void)fs_->Remove(name);
    ASSERT_TRUE(Write("settle", 1).ok());
    ASSERT_NO_FATAL_FAILURE(ExpectSound());
    if (HasNonfatalFailure()) return;
  }
}

TEST_F(PageFsCheckTest, AFileThatTheDeviceHadNoRoomForHoldsWhatWasTaken) {
  Mount();
  PageFs::File file;
  ASSERT_TRUE(fs_->Create("big", &file).ok());
  ASSERT_TRUE(fs_->Append(file, std::string(10000, 'a'), false).ok());
  ASSERT_TRUE(fs_->Sync(file).ok());
  uint64_t size = 10000;
  for (; fs_->Append(file, std::string(50000, 'b'), false).ok(); size += 50000) continue;
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  ASSERT_TRUE(fs_->OpenForAppending("big", &file).ok());
  ASSERT_TRUE(fs_->Append(file, "c", false).ok());
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  ExpectSound();
  EXPECT_EQ(CheckPageFs(&device_).used_pages, PagesOf(size + 1));
}

TEST_F(PageFsCheckTest, FormattingClearsWhatThePagesHeldBefore) {
  for (uint64_t lpn = 1; lpn < kDevicePages; lpn++) Put(lpn, std::string(kPageBytes, static_cast<char>(lpn)));
  Mount(Format::kIfFirstPageBlank);
  ExpectSound();
}

TEST_F(PageFsCheckTest, ADamagedSuperblockIsFound) {
  Mount();
  fs_.reset();
  const std::string good = Get(0);
  std::string page = good;
  page[17]++;
  Put(0, page);
  ExpectFinding("superblock (LPN 0): Corruption: PageFS: superblock checksum");
  Put(0, std::string(kPageBytes, 'x'));
  ExpectFinding("the device holds something else");
  page = good;
  page[8] = 3;
  Put(0, page);
  ExpectFinding("format version");
  Superblock superblock;
  superblock.pages = kDevicePages + 1;
  superblock.area_pages = kAreaPages;
  Put(0, superblock.Encode());
  ExpectFinding("made on a device of 401 pages");
  superblock.pages = kDevicePages;
  superblock.area_pages = kDevicePages / 2;
  Put(0, superblock.Encode());
  ExpectFinding("metadata areas of 200 pages");
}

TEST_F(PageFsCheckTest, ASmallerFileSystemOnALargerDeviceIsNoted) {
  Make({});
  Superblock superblock;
  superblock.pages = kDevicePages - 50;
  superblock.area_pages = kAreaPages;
  Put(0, superblock.Encode());
  const PageFsCheck check = CheckPageFs(&device_);
  EXPECT_EQ(Lines(check.findings), "");
  EXPECT_EQ(Lines(check.notes), "superblock: of the device's 400 pages 350 are used\n");
}

TEST_F(PageFsCheckTest, UnreadableMetadataPagesAreFoundWhereverTheyAre) {
  uint64_t area = 0;
  ASSERT_NO_FATAL_FAILURE(MakeLong(&area));
  for (uint64_t lpn = 1; lpn < kFirstData; lpn++) {
    const std::string good = Get(lpn);
    if (std::all_of(good.begin(), good.end(), [](char c) { return c == '\0'; })) continue;
    std::string bad = good;
    bad[50]++;
    Put(lpn, bad);
    ExpectFinding("(LPN " + std::to_string(lpn) + "): neither blank nor a metadata page with a good checksum");
    Put(lpn, good);
  }
}

TEST_F(PageFsCheckTest, ContradictionsBetweenMetadataPagesAreFound) {
  uint64_t area = 0;
  ASSERT_NO_FATAL_FAILURE(MakeLong(&area));
  const std::string good = Get(area + 1);
  Change(area + 1, [](MetadataPageHeader *h) { h->first_record++; });
  ExpectFinding("the checkpoint ends before it");
  Put(area + 1, good);
  Change(area + 1, [](MetadataPageHeader *h) { h->checkpoint_pages++; });
  ExpectFinding("says that the checkpoint has");
  Put(area + 1, good);
  Change(area + 1, [](MetadataPageHeader *h) { h->index++; });
  ExpectFinding("says that it is page 2");
  // Its log shows that the checkpoint was complete once.
  Put(area + 1, std::string(kPageBytes, '\0'));
  ExpectFinding("whose checkpoint is damaged");
  Put(area + 1, good);
  const uint64_t other = area == 1 ? 1 + kAreaPages : 1;
  for (uint64_t i = 0; i < kAreaPages; i++) Put(other + i, Get(area + i));
  ExpectFinding("is in both areas");
  for (uint64_t lpn : {area, other}) Put(lpn, std::string(kPageBytes, '\0'));
  ExpectFinding("no metadata area has a complete checkpoint");
}

// The same with a cut instead of damage: notes, no findings.
TEST_F(PageFsCheckTest, WhatAPowerCutLeavesIsNoted) {
  uint64_t area = 0;
  ASSERT_NO_FATAL_FAILURE(MakeLong(&area));
  device_.CutAfter(1);  // in the checkpoint of the mount
  EXPECT_FALSE(PageFs::Open(&device_, &fs_).ok());
  device_.PowerOn([](uint64_t) { return false; });
  PageFsCheck check = CheckPageFs(&device_);
  EXPECT_EQ(Lines(check.findings), "");
  ASSERT_EQ(check.notes.size(), 1u);
  EXPECT_NE(check.notes[0].find("an incomplete checkpoint of generation"), std::string::npos) << check.notes[0];

  Mount();
  check = CheckPageFs(&device_);
  for (size_t i = 0; i < 6; i++) {
    ASSERT_TRUE(fs_->Rename(check.files[i].name, std::string(1000, 'r') + std::to_string(i)).ok());
  }
  device_.CutAfter(0);  // in a commit of several pages, of which all but the first arrive
  EXPECT_FALSE(Write("last", 0).ok());
  fs_.reset();
  uint64_t first = kDevicePages;
  FakePageDevice(device_).PowerOn([&](uint64_t lpn) {
    first = std::min(first, lpn);
    return true;
  });
  device_.PowerOn([&](uint64_t lpn) { return lpn != first; });
  check = CheckPageFs(&device_);
  EXPECT_EQ(Lines(check.findings), "");
  ASSERT_FALSE(check.notes.empty());
  EXPECT_NE(check.notes[0].find("outlived the page before it"), std::string::npos) << check.notes[0];
}

TEST_F(PageFsCheckTest, RecordsThatContradictEachOtherAreFound) {
  const std::string two = "bytes need 1 pages, its extents have 2";
  const struct {
    std::vector<Record> records;
    std::string finding;
  } cases[] = {
      {{Create(1, "a"), Create(1, "b")}, "record 2 of 2: makes 'b' as file 1, which is there"},
      {{Create(1, "")}, "an empty name"},
      {{Extend(7, 0, {})}, "extends file 7, which is not there"},
      {{Named(RecordType::kRemove, "a")}, "removes 'a', which is not there"},
      {{Named(RecordType::kRename, "a", "b")}, "renames 'a', which is not there"},
      {{Create(1, "a"), Named(RecordType::kRemove, "a"), Extend(1, 0, {})}, "extends file 1"},
      {{Named(RecordType::kClean, ""), Create(1, "a")}, "behind the one that says that the last mount ended in order"},
      {{Create(1, "a"), Extend(1, 4096, {{kFirstData, 2}})}, two},
      {{Create(1, "a"), Extend(1, 4097, {{kFirstData, 1}})}, "4097 bytes need 2 pages, its extents have 1"},
      {{Create(1, "a"), Extend(1, 50, {{kFirstData, 1}}), Extend(1, 40, {})}, "shrinks from 50 to 40 bytes"},
      {{Create(1, "a"), Extend(1, 4096, {{kFirstData - 1, 1}})},
       "is not within the pages for file data, pages 17 to 399"},
      {{Create(1, "a"), Extend(1, 8192, {{kDevicePages - 1, 2}})}, "an extent of 2 pages at LPN 399 is not within"},
      {{Create(1, "a"), Extend(1, 4096, {{UINT64_MAX, 1}})}, "is not within"},
      {{Create(1, "a"), Extend(1, 0, {{kFirstData, 0}})}, "an extent of 0 pages"},
      {{Create(1, "a"), Extend(1, 8192, {{20, 1}, {20, 1}})}, "page 20: owned by file 1 'a' and by file 1 'a'"},
      {{Create(1, "a"), Extend(1, 5 * 4096, {{20, 5}}), Create(2, "b"), Extend(2, 3 * 4096, {{22, 3}})},
       "pages 22 to 24: owned by file 1 'a' and by file 2 'b'"},
  };
  for (const auto &test : cases) {
    SCOPED_TRACE(test.finding);
    Make(test.records);
    ExpectFinding(test.finding);
  }
  Make({Create(1, "a"), Extend(1, 4097, {{20, 1}, {30, 1}}), Create(2, "b"), Extend(2, 4096, {{21, 1}})});
  EXPECT_EQ(Lines(CheckPageFs(&device_, true).findings), "");
}

TEST_F(PageFsCheckTest, HolesThatCannotBeAreFound) {
  const std::vector<Record> file = {Create(1, "a"), Extend(1, 3 * 4096 + 5, {{20, 3}, {30, 1}})};
  const auto with = [&file](const Record &record) {
    std::vector<Record> records = file;
    records.push_back(record);
    return records;
  };
  const std::string version = "has a hole, in a file system of version 1";
  Make(with(Punch(1, 0, 1)));
  ExpectFinding(version);
  Make({Create(1, "a"), Extend(1, 4096, {{0, 1}})});
  ExpectFinding(version);
  Make(with(Punch(2, 0, 1)), kHolesVersion);
  ExpectFinding("makes a hole in file 2, which is not there");
  Make(with(Punch(1, 2, 2)), kHolesVersion);
  ExpectFinding("file 1 'a': a hole of 2 pages from page 2 on, the file has 3 whole ones");
  Make(with(Punch(1, 0, 0)), kHolesVersion);
  ExpectFinding("a hole of 0 pages");
  Make(with(Punch(1, UINT64_MAX, 2)), kHolesVersion);
  ExpectFinding("a hole of 2 pages");
  // A page that is free is nobody's.
  std::vector<Record> records = with(Punch(1, 1, 2));
  records.push_back(Create(2, "b"));
  records.push_back(Extend(2, 3 * 4096, {{21, 1}, {0, 2}}));
  Make(records, kHolesVersion);
  const PageFsCheck check = CheckPageFs(&device_, true);
  EXPECT_EQ(Lines(check.findings), "");
  EXPECT_EQ(check.used_pages, 3u);
  EXPECT_NE(ToText(check, true).find("file 1: 'a', page 20; a hole of 2; page 30\n"), std::string::npos);
  EXPECT_NE(SpaceText(check).find("3 pages used by 2 files of 24581 bytes, in 3 extents"), std::string::npos)
      << SpaceText(check);
  // Its metadata are of a version that the superblock does not have.
  Superblock old;
  old.pages = kDevicePages;
  old.area_pages = kAreaPages;
  Put(0, old.Encode());
  ExpectFinding("page 0 (LPN 1): is of version 2, the superblock says 1");
}

TEST_F(PageFsCheckTest, AMalformedRecordIsFound) {
  Make({Create(1, "a")});
  const std::string page = Get(2);
  MetadataPageHeader header;
  leveldb::Slice payload;
  ASSERT_TRUE(DecodeMetadataPage(page.data(), &header, &payload));
  Put(2, EncodeMetadataPage(header, payload.ToString() + "\xff\xff\xff"));
  ExpectFinding("record 2 is malformed");
}

// Refuses to read some pages.
class BadPages : public FakePageDevice {
 public:
  BadPages() : FakePageDevice(kDevicePages) {}
  std::vector<uint64_t> bad;
  Status Read(uint64_t lpn, uint64_t pages, char *data) override {
    for (const uint64_t page : bad) {
      if (page >= lpn && page < lpn + pages) return Status::IOError("device", "uncorrectable");
    }
    return FakePageDevice::Read(lpn, pages, data);
  }
};

TEST(PageFsCheckUnreadableTest, PagesThatCannotBeReadAreFound) {
  BadPages device;
  std::unique_ptr<PageFs> fs;
  ASSERT_TRUE(PageFs::Open(&device, &fs).ok());
  PageFs::File file;
  ASSERT_TRUE(fs->Create("a", &file).ok());
  ASSERT_TRUE(fs->Append(file, std::string(20000, 'x'), false).ok());
  ASSERT_TRUE(fs->Sync(file).ok());
  ASSERT_TRUE(fs->CloseWriting(file).ok());
  const PageRun data = CheckPageFs(&device).files.at(0).extents.at(0);
  device.bad = {data.lpn + 2};
  EXPECT_EQ(Lines(CheckPageFs(&device).findings), "") << "contents are read when asked for";
  EXPECT_NE(Lines(CheckPageFs(&device, true).findings).find("'a', pages 17 to 21: cannot be read"), std::string::npos);
  device.bad = {5};
  EXPECT_NE(Lines(CheckPageFs(&device).findings).find("metadata area 0, page 4 (LPN 5): cannot be read"),
            std::string::npos);
  device.bad = {0};
  const PageFsCheck check = CheckPageFs(&device);
  EXPECT_NE(Lines(check.findings).find("superblock (LPN 0): IO error"), std::string::npos);
  device.bad.clear();
}

TEST_F(PageFsCheckTest, TheTextListsFilesAndExtents) {
  Make({Create(1, "a\n"), Extend(1, 4097, {{20, 1}, {30, 1}}), Create(2, "b")});
  EXPECT_EQ(
      ToText(CheckPageFs(&device_), true),
      "4097 bytes, file 1: 'a\\x0a', page 20; page 30\n"
      "0 bytes, file 2: 'b'\n"
      "2 files on 2 pages, 381 pages free; metadata generation 1, 3 records, the last mount did not end in order, "
      "or goes on\n"
      "0 findings\n");
}

}  // namespace
}  // namespace openremap
