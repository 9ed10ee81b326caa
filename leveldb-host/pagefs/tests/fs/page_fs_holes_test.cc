// SPDX-License-Identifier: Apache-2.0
//
// Holes in files, and the version of the format that has them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "pagefs/check/page_fs_check.h"
#include "pagefs/fs/page_fs.h"
#include "pagefs/metadata/metadata_format.h"
#include "pagefs/metadata/metadata_log.h"
#include "pagefs/tests/device/fake_page_device.h"
#include "pagefs/tests/fs/version_1_image.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

std::string Bytes(size_t pages, size_t tail = 0) {
  std::string data;
  for (size_t i = 0; i < pages; i++) data += std::string(kPageBytes, static_cast<char>('a' + i % 26));
  return data + std::string(tail, 't');
}

// The bytes with a hole in them.
std::string Punched(std::string data, uint64_t first, uint64_t pages) {
  return data.replace(first * kPageBytes, pages * kPageBytes, pages * kPageBytes, '\0');
}

class PageFsHolesTest : public ::testing::Test {
 protected:
  explicit PageFsHolesTest(uint64_t pages = 512) : device_(pages) {}

  void Mount() {
    fs_.reset();
    const Status s = PageFs::Open(&device_, &fs_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void Write(const std::string &name, const std::string &data, bool sync = true) {
    PageFs::File file;
    ASSERT_TRUE(fs_->Create(name, &file).ok());
    // In pieces: until they are written, pages count as extents of their own.
    constexpr size_t kPiece = 200 * kPageBytes;
    for (size_t at = 0; at < data.size(); at += kPiece) {
      const Status s = fs_->Append(file, Slice(data.data() + at, std::min(kPiece, data.size() - at)), false);
      ASSERT_TRUE(s.ok()) << s.ToString();
    }
    if (sync) {
      ASSERT_TRUE(fs_->Sync(file).ok());
    }
    ASSERT_TRUE(fs_->CloseWriting(file).ok());
  }
  std::string Read(const PageFs::File &file, ReadAhead *ahead = nullptr) {
    std::string scratch(static_cast<size_t>(fs_->Offset(file)) + 10, '\0');
    Slice result;
    const Status s = fs_->Read(file, 0, scratch.size(), &result, &scratch[0], ahead);
    return s.ok() ? result.ToString() : s.ToString();
  }
  std::string ReadAll(const std::string &name) {
    PageFs::File file;
    const Status s = fs_->OpenForReading(name, &file);
    if (!s.ok()) return s.ToString();
    std::string data = Read(file);
    fs_->CloseReading(file);
    return data;
  }
  void Settle() { Write("settle", "x"); }
  uint32_t Version() {
    std::string page(kPageBytes, '\0');
    Superblock superblock;
    EXPECT_TRUE(device_.Read(0, 1, &page[0]).ok());
    EXPECT_TRUE(superblock.Decode(page.data()).ok());
    return superblock.version;
  }
  void ExpectSound() {
    const PageFsCheck check = CheckPageFs(&device_, /*read_files=*/true);
    EXPECT_TRUE(check.findings.empty()) << ToText(check, true);
    EXPECT_EQ(check.free_pages, fs_->GetSpace().free_pages);
  }

  FakePageDevice device_;
  std::unique_ptr<PageFs> fs_;
};

TEST_F(PageFsHolesTest, AHoleReadsZeroAndItsPagesBecomeFree) {
  Mount();
  Write("a", Bytes(20, 100));
  const uint64_t free = fs_->GetSpace().free_pages;
  const uint64_t mapped = device_.MappedPages();
  ASSERT_TRUE(fs_->PunchHole("a", 3, 5).ok());
  ASSERT_TRUE(fs_->PunchHole("a", 19, 1).ok());
  const std::string expected = Punched(Punched(Bytes(20, 100), 3, 5), 19, 1);
  EXPECT_EQ(ReadAll("a"), expected);
  EXPECT_EQ(fs_->GetSpace().free_pages, free) << "not before it is durable";
  const uint64_t commands = device_.deallocate_commands;
  Settle();
  EXPECT_EQ(fs_->GetSpace().free_pages, free + 6 - 1);
  EXPECT_EQ(device_.deallocate_commands, commands + 1);
  EXPECT_LE(device_.MappedPages(), mapped - 6 + 1 + 2) << "settle, superblock and a page of metadata";
  uint64_t size = 0;
  ASSERT_TRUE(fs_->FileSize("a", &size).ok());
  EXPECT_EQ(size, expected.size());
  ExpectSound();
  Mount();
  EXPECT_EQ(ReadAll("a"), expected);
  ExpectSound();
  // A hole may be made over another.
  ASSERT_TRUE(fs_->PunchHole("a", 0, 10).ok());
  ASSERT_TRUE(fs_->PunchHole("a", 2, 6).ok());
  Settle();
  EXPECT_EQ(ReadAll("a"), Punched(expected, 0, 10));
  ExpectSound();
  ASSERT_TRUE(fs_->Remove("a").ok());
  Settle();
  EXPECT_EQ(fs_->GetSpace().leaving_pages, 0u);
  ExpectSound();
}

TEST_F(PageFsHolesTest, ThePagesAreUsedAgain) {
  Mount();
  Write("a", Bytes(300));
  for (uint64_t page = 0; page < 300; page += 3) ASSERT_TRUE(fs_->PunchHole("a", page, 2).ok());
  Write("b", Bytes(250));
  ExpectSound();
  Mount();
  std::string expected = Bytes(300);
  for (uint64_t page = 0; page < 300; page += 3) expected = Punched(std::move(expected), page, 2);
  EXPECT_EQ(ReadAll("a"), expected);
  EXPECT_EQ(ReadAll("b"), Bytes(250));
  ExpectSound();
}

TEST_F(PageFsHolesTest, WhatCannotBeAHole) {
  Mount();
  EXPECT_TRUE(fs_->PunchHole("none", 0, 1).IsNotFound());
  Write("a", Bytes(5, 100));
  EXPECT_TRUE(fs_->PunchHole("a", 5, 1).IsInvalidArgument()) << "a partial page may be written to";
  EXPECT_TRUE(fs_->PunchHole("a", 4, 2).IsInvalidArgument());
  EXPECT_TRUE(fs_->PunchHole("a", UINT64_MAX, 2).IsInvalidArgument());
  Write("b", Bytes(5), /*sync=*/false);
  EXPECT_TRUE(fs_->PunchHole("b", 0, 1).IsNotSupportedError()) << "not durable yet";
  EXPECT_EQ(Version(), kPlainVersion) << "no hole was made";
  Settle();
  EXPECT_TRUE(fs_->PunchHole("b", 0, 1).ok());
  EXPECT_EQ(Version(), kHolesVersion);
  PageRun run;
  EXPECT_TRUE(fs_->GetLpn("b", 0, 5, &run).IsNotSupportedError()) << "it is nowhere";
  ASSERT_TRUE(fs_->GetLpn("b", kPageBytes, 5, &run).ok());
  EXPECT_EQ(run.pages, 4u);
}

TEST_F(PageFsHolesTest, AFileWithAHoleAtItsEndGrows) {
  Mount();
  Write("a", Bytes(40));
  ASSERT_TRUE(fs_->PunchHole("a", 10, 30).ok());
  PageFs::File file;
  ASSERT_TRUE(fs_->OpenForAppending("a", &file).ok());
  ASSERT_TRUE(fs_->Append(file, Bytes(3, 7), false).ok());
  EXPECT_EQ(Read(file), Punched(Bytes(40), 10, 30) + Bytes(3, 7));
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  ExpectSound();
  Mount();
  EXPECT_EQ(ReadAll("a"), Punched(Bytes(40), 10, 30) + Bytes(3, 7));
}

TEST_F(PageFsHolesTest, WhatWasReadAheadIsNotReadAfterAHole) {
  Mount();
  Write("a", Bytes(60));
  PageFs::File file;
  ASSERT_TRUE(fs_->OpenForReading("a", &file).ok());
  ReadAhead ahead(fs_->windows());
  char scratch[kPageBytes];
  Slice result;
  for (uint64_t page = 0; page < 8; page++) {
    ASSERT_TRUE(fs_->Read(file, page * kPageBytes, kPageBytes, &result, scratch, &ahead).ok());
  }
  ASSERT_TRUE(fs_->PunchHole("a", 0, 60).ok());
  ASSERT_TRUE(fs_->Read(file, 8 * kPageBytes, kPageBytes, &result, scratch, &ahead).ok());
  EXPECT_EQ(result.ToString(), std::string(kPageBytes, '\0'));
  fs_->Prefetch(file, {{20 * kPageBytes, 2 * kPageBytes}}, &ahead);
  ASSERT_TRUE(fs_->Read(file, 20 * kPageBytes, kPageBytes, &result, scratch, &ahead).ok());
  EXPECT_EQ(result.ToString(), std::string(kPageBytes, '\0'));
  fs_->CloseReading(file, &ahead);
}

TEST_F(PageFsHolesTest, PagesOfAnotherFileThatSharesThemStay) {
  Mount();
  Write("a", Bytes(8));
  PageFs::File file;
  PageRun run;
  ASSERT_TRUE(fs_->GetLpn("a", 0, 8, &run).ok());
  ASSERT_TRUE(fs_->Create("b", &file).ok());
  ASSERT_TRUE(fs_->AppendRemap(file, run).ok());
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  ASSERT_TRUE(fs_->PunchHole("a", 0, 7).ok());
  Settle();
  EXPECT_EQ(ReadAll("b"), Bytes(8));
  EXPECT_EQ(ReadAll("a"), Punched(Bytes(8), 0, 7));
  ExpectSound();
}

// ---- Versions -------------------------------------------------------------------------------------------------------

// Writes a recorded image to the device.
void Restore(const std::string &image, FakePageDevice *device) {
  std::istringstream lines(image);
  uint64_t lpn = 0;
  for (std::string bytes; lines >> lpn >> bytes;) {
    std::string page;
    for (size_t at = 0; at < bytes.size();) {
      if (bytes[at] == '(') {
        const size_t end = bytes.find(')', at);
        page.append(std::strtoul(bytes.c_str() + at + 1, nullptr, 10), '\0');
        at = end + 1;
      } else {
        page += static_cast<char>(std::stoi(bytes.substr(at, 2), nullptr, 16));
        at += 2;
      }
    }
    page.resize(kPageBytes);
    ASSERT_TRUE(device->Write({{lpn, 1, page.data()}}, /*durable=*/true).ok());
  }
}

class PageFsVersionTest : public PageFsHolesTest {
 protected:
  PageFsVersionTest() : PageFsHolesTest(kVersion1Pages) {}
  void SetUp() override { ASSERT_NO_FATAL_FAILURE(Restore(kVersion1Image, &device_)); }

  // Pages that begin with these words and their number.
  static std::string Pages(const std::string &name, int first, int pages, size_t tail) {
    std::string all;
    for (int i = first; i < first + pages; i++) {
      std::string page = name + " page " + std::to_string(i);
      page.resize(kPageBytes);
      all += page;
    }
    return all + std::string(tail, 't');
  }
  void ExpectOldFiles() {
    EXPECT_EQ(ReadAll("/db/000003.log"), Pages("log", 0, 1, 20));
    EXPECT_EQ(ReadAll("/db/000004.ldb"), Pages("four", 0, 5, 7));
    EXPECT_EQ(ReadAll("/db/000005.ldb"), Pages("four", 1, 3, 0) + Pages("five", 0, 14, 9));
    EXPECT_EQ(ReadAll("/db/CURRENT"), "MANIFEST-000002\n");
    EXPECT_EQ(ReadAll("/db/MANIFEST-000002"), std::string(30, 't'));
    EXPECT_EQ(fs_->Names().size(), 5u);
  }
};

TEST_F(PageFsVersionTest, ARecordedFileSystemOfVersion1StaysOneUntilItHasAHole) {
  EXPECT_TRUE(CheckPageFs(&device_, true).findings.empty());
  Mount();
  ExpectOldFiles();
  Write("new", "x");
  Mount();
  ASSERT_TRUE(fs_->Remove("new").ok());
  ExpectOldFiles();
  EXPECT_EQ(Version(), kPlainVersion);
  for (uint64_t lpn = 1; lpn <= 16; lpn++) {
    std::string page(kPageBytes, '\0');
    MetadataPageHeader header;
    Slice payload;
    ASSERT_TRUE(device_.Read(lpn, 1, &page[0]).ok());
    if (DecodeMetadataPage(page.data(), &header, &payload)) {
      EXPECT_EQ(header.version, kPlainVersion) << lpn;
    }
  }
  ASSERT_TRUE(fs_->PunchHole("/db/000005.ldb", 3, 4).ok());
  EXPECT_EQ(Version(), kHolesVersion);
  Settle();
  ExpectSound();
  Mount();
  EXPECT_EQ(ReadAll("/db/000005.ldb"), Punched(Pages("four", 1, 3, 0) + Pages("five", 0, 14, 9), 3, 4));
  EXPECT_EQ(ReadAll("/db/000004.ldb"), Pages("four", 0, 5, 7));
  ExpectSound();
}

TEST_F(PageFsVersionTest, EachCutOfTheFirstHoleLeavesOneVersionOrTheOther) {
  const std::string old = Pages("four", 0, 5, 7);
  constexpr uint64_t kSeeds = 8;
  bool done = false;
  uint64_t plain = 0, holes = 0, punched = 0;
  for (uint64_t run = 0; run % kSeeds != 0 || !done; run++) {
    SCOPED_TRACE(run);
    const uint64_t cut = run / kSeeds;
    FakePageDevice device(kVersion1Pages, run + 1);
    ASSERT_NO_FATAL_FAILURE(Restore(kVersion1Image, &device));
    std::unique_ptr<PageFs> fs;
    ASSERT_TRUE(PageFs::Open(&device, &fs).ok());
    device.CutAfter(cut);
    done = fs->PunchHole("/db/000004.ldb", 1, 3).ok() && fs->SyncAll().ok();
    fs.reset();
    device.PowerOn(run);
    std::swap(fs_, fs);
    const PageFsCheck check = CheckPageFs(&device, true);
    ASSERT_TRUE(check.findings.empty()) << ToText(check, true);
    ASSERT_TRUE(PageFs::Open(&device, &fs_).ok());
    const std::string found = ReadAll("/db/000004.ldb");
    EXPECT_TRUE(found == Punched(old, 1, 3) || (!done && found == old));
    EXPECT_EQ(ReadAll("/db/000005.ldb"), Pages("four", 1, 3, 0) + Pages("five", 0, 14, 9));
    std::string page(kPageBytes, '\0');
    Superblock superblock;
    ASSERT_TRUE(device.Read(0, 1, &page[0]).ok());
    ASSERT_TRUE(superblock.Decode(page.data()).ok());
    (superblock.version == kPlainVersion ? plain : holes)++;
    punched += found == old ? 0 : 1;
    fs_.reset();
  }
  EXPECT_GT(plain, 0u);
  EXPECT_GT(holes, punched) << "the superblock goes first";
  EXPECT_GT(punched, 0u);
}

TEST_F(PageFsVersionTest, AVersionThatIsNotKnownIsRefusedInOneLine) {
  std::string page(kPageBytes, '\0');
  ASSERT_TRUE(device_.Read(0, 1, &page[0]).ok());
  page[8] = 3;
  ASSERT_TRUE(device_.Write({{0, 1, page.data()}}, /*durable=*/true).ok());
  const Status s = PageFs::Open(&device_, &fs_);
  EXPECT_EQ(s.ToString(), "Not implemented: PageFS: format version 3, this program knows 1 to 2");
  const PageFsCheck check = CheckPageFs(&device_);
  ASSERT_EQ(check.findings.size(), 1u);
  EXPECT_EQ(check.findings[0], "superblock (LPN 0): " + s.ToString());
}

// ---- Room for metadata ----------------------------------------------------------------------------------------------

class PageFsManyHolesTest : public PageFsHolesTest {
 protected:
  PageFsManyHolesTest() : PageFsHolesTest(4096) {}
};

// As on a device whose areas do not grow with it.
TEST_F(PageFsManyHolesTest, MoreHolesThanACheckpointMayHaveAreRefused) {
  constexpr uint64_t kAreaPages = 8;
  constexpr uint64_t kFilePages = 3800;
  ASSERT_TRUE(MetadataLog(&device_, 1, kAreaPages).Format().ok());
  Superblock superblock;
  superblock.pages = 4096;
  superblock.area_pages = kAreaPages;
  const std::string page = superblock.Encode();
  ASSERT_TRUE(device_.Write({{0, 1, page.data()}}, /*durable=*/true).ok());
  Mount();
  Write("a", Bytes(kFilePages));
  Status s;
  uint64_t holes = 0;
  while (s.ok() && holes < kFilePages / 2) {
    s = fs_->PunchHole("a", 2 * holes, 1);
    if (s.ok()) holes++;
  }
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  EXPECT_NE(s.ToString().find("too many holes"), std::string::npos);
  EXPECT_GT(holes, kAreaPages * kMetadataPayloadBytes / Record::kExtentBytes / 10);
  // What was freed can be used, in as many pieces, and all of it is found again.
  Settle();
  Write("b", Bytes(holes));
  Mount();
  std::string expected = Bytes(kFilePages);
  for (uint64_t hole = 0; hole < holes; hole++) expected = Punched(std::move(expected), 2 * hole, 1);
  EXPECT_EQ(ReadAll("a"), expected);
  EXPECT_EQ(ReadAll("b"), Bytes(holes));
  ExpectSound();
}

}  // namespace
}  // namespace openremap
