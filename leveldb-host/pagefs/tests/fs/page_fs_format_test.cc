// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/page_fs_format.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pagefs/check/page_fs_check.h"
#include "pagefs/fs/page_fs.h"
#include "pagefs/tests/device/fake_page_device.h"
#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

constexpr uint64_t kPages = 40000;  // areas of 625 pages: more than a MiB

PageFsOptions With(Format format) {
  PageFsOptions options;
  options.format = format;
  return options;
}

// What stands at these bytes; the last ones count from the end.
struct Foreign {
  const char *what;
  int64_t at;
  std::string bytes;
};

const std::vector<Foreign> &Others() {
  static const std::vector<Foreign> others = {
      {"btrfs", 0x10040, "_BHRfS_M"},
      {"ext4 of a partition at 1 MiB, without its table", (1 << 20) + 0x438, "\x53\xEF"},
      {"md 1.2", 4096, "\xFC\x4E\x2B\xA9"},
      {"bcache", 4096 + 24, "\xC6\x85\x73\xF6\x4E\x1A\x45\xCA"},
      {"ZFS", 128 * 1024, "\x0C\xB1\xBA"},
      {"md 0.90", -65536, "\xFC\x4E\x2B\xA9"},
      {"md 1.0", -8192, "\xFC\x4E\x2B\xA9"},
      {"GPT's copy", -512, "EFI PART"},
      {"swap of another page size", 65536 - 10, "SWAPSPACE2"},
  };
  return others;
}

uint64_t Put(FakePageDevice *device, const Foreign &foreign) {
  const uint64_t at = static_cast<uint64_t>(foreign.at) + (foreign.at < 0 ? kPages * kPageBytes : 0);
  std::string page(kPageBytes, '\0');
  page.replace(at % kPageBytes, foreign.bytes.size(), foreign.bytes);
  EXPECT_TRUE(device->Write({{at / kPageBytes, 1, page.data()}}, true).ok());
  return at / kPageBytes;
}

TEST(PageFsFormatTest, WhatOthersKeepIsNotOverwritten) {
  for (const Foreign &foreign : Others()) {
    SCOPED_TRACE(foreign.what);
    FakePageDevice device(kPages);
    const uint64_t lpn = Put(&device, foreign);
    std::string before(kPageBytes, '\0'), after(kPageBytes, '\0');
    ASSERT_TRUE(device.Read(lpn, 1, &before[0]).ok());
    const uint64_t steps = device.Steps();
    std::unique_ptr<PageFs> fs;
    const Status s = PageFs::Open(&device, &fs);
    EXPECT_TRUE(s.IsCorruption()) << s.ToString();
    EXPECT_NE(s.ToString().find("page " + std::to_string(lpn) + " is not blank"), std::string::npos) << s.ToString();
    EXPECT_EQ(device.Steps(), steps) << "nothing is written";
    ASSERT_TRUE(PageFs::Open(&device, &fs, With(Format::kAlways)).ok()) << "on request";
    fs.reset();
    ASSERT_TRUE(PageFs::Open(&device, &fs).ok());
    fs.reset();
  }
}

TEST(PageFsFormatTest, ABlankDeviceOfAnySizeGetsAFileSystem) {
  for (const uint64_t pages : {33u, 256u, 257u, 512u, 40000u, 300000u}) {
    FakePageDevice device(pages);
    std::unique_ptr<PageFs> fs;
    EXPECT_TRUE(PageFs::Open(&device, &fs).ok()) << pages;
    fs.reset();
    EXPECT_TRUE(CheckPageFs(&device).findings.empty());
  }
}

TEST(PageFsFormatTest, AnOlderFileSystemWithoutItsSuperblockIsNotOverwritten) {
  FakePageDevice device(kPages);
  std::unique_ptr<PageFs> fs;
  for (int mounts = 0; mounts < 3; mounts++) {
    ASSERT_TRUE(PageFs::Open(&device, &fs).ok());
    PageFs::File file;
    ASSERT_TRUE(fs->Create("file" + std::to_string(mounts), &file).ok());
    ASSERT_TRUE(fs->Append(file, "data", false).ok());
    ASSERT_TRUE(fs->CloseWriting(file).ok());
    fs.reset();
    FakePageDevice wiped = device;
    ASSERT_TRUE(wiped.Deallocate({{0, 1}}).ok());
    EXPECT_TRUE(PageFs::Open(&wiped, &fs).IsCorruption());
    ASSERT_TRUE(PageFs::Open(&wiped, &fs, With(Format::kIfFirstPageBlank)).ok());
    EXPECT_TRUE(fs->Names().empty());
    fs.reset();
  }
}

TEST(PageFsFormatTest, WithAFirstPageOfSomethingElseOnlyARequestCounts) {
  FakePageDevice device(kPages);
  const std::string noise(kPageBytes, 'n');
  ASSERT_TRUE(device.Write({{0, 1, noise.data()}}, true).ok());
  std::unique_ptr<PageFs> fs;
  EXPECT_TRUE(PageFs::Open(&device, &fs).IsCorruption());
  EXPECT_TRUE(PageFs::Open(&device, &fs, With(Format::kIfFirstPageBlank)).IsCorruption());
  ASSERT_TRUE(PageFs::Open(&device, &fs, With(Format::kAlways)).ok());
}

// Formats that end early, again and again: the device counts as blank until one is complete.
TEST(PageFsFormatTest, AfterAPowerCutABlankDeviceIsStillBlank) {
  for (uint64_t cut = 0; cut < 12; cut++) {
    SCOPED_TRACE(cut);
    FakePageDevice device(kPages, openremap::TestSeed() + cut);
    std::unique_ptr<PageFs> fs;
    for (uint64_t tries = 0; tries < 5; tries++) {
      device.CutAfter(cut);
      (void)PageFs::Open(&device, &fs).ok();
      fs.reset();
      device.PowerOn(openremap::TestSeed() * 100 + cut * 10 + tries);
    }
    const Status s = PageFs::Open(&device, &fs);
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_TRUE(fs->Names().empty());
    EXPECT_TRUE(CheckPageFs(&device).findings.empty());
    fs.reset();
  }
}

// A request to format over a file system: it is there whole, or there is none.
TEST(PageFsFormatTest, ARequestThatIsCutLeavesNoHalfOfWhatWasThere) {
  FakePageDevice made(kPages);
  std::unique_ptr<PageFs> fs;
  ASSERT_TRUE(PageFs::Open(&made, &fs).ok());
  PageFs::File file;
  ASSERT_TRUE(fs->Create("old", &file).ok());
  ASSERT_TRUE(fs->Append(file, std::string(100000, 'o'), false).ok());
  ASSERT_TRUE(fs->CloseWriting(file).ok());
  fs.reset();
  int old = 0, none = 0, empty = 0;
  for (uint64_t cut = 0; empty == 0; cut++) {
    for (const bool arrived : {false, true}) {
      SCOPED_TRACE("cut after step " + std::to_string(cut) + (arrived ? ", which arrived" : ""));
      ASSERT_LT(cut, 100u);
      FakePageDevice device = made;
      device.CutAfter(cut);
      (void)PageFs::Open(&device, &fs, With(Format::kAlways)).ok();
      empty += device.HasPower() ? 1 : 0;
      fs.reset();
      device.PowerOn([arrived](uint64_t) { return arrived; });
      const PageFsCheck check = CheckPageFs(&device);
      EXPECT_TRUE(check.findings.empty()) << ToText(check, true);
      none += check.formatted ? 0 : 1;
      old += check.formatted && !check.files.empty() ? 1 : 0;
      const Status s = PageFs::Open(&device, &fs, With(Format::kIfFirstPageBlank));
      ASSERT_TRUE(s.ok()) << s.ToString();
      fs.reset();
    }
  }
  EXPECT_GT(old, 0);
  EXPECT_GT(none, 0);
}

// A request is how a file system with pages that cannot be read is replaced.
TEST(PageFsFormatTest, PagesThatCannotBeReadDoNotStopARequest) {
  for (const bool deallocate : {false, true}) {
    for (const uint64_t bad : {0, 1, 3, 700}) {  // the superblock, the first area and the second one
      SCOPED_TRACE("page " + std::to_string(bad) + (deallocate ? ", deallocated" : ""));
      FakePageDevice device(kPages);
      std::unique_ptr<PageFs> fs;
      ASSERT_TRUE(PageFs::Open(&device, &fs).ok());
      PageFs::File file;
      ASSERT_TRUE(fs->Create("old", &file).ok());
      ASSERT_TRUE(fs->CloseWriting(file).ok());
      fs.reset();
      device.damaged = {bad};
      PageFsOptions options = With(Format::kAlways);
      options.deallocate = deallocate;
      const Status s = PageFs::Open(&device, &fs, options);
      ASSERT_TRUE(s.ok()) << s.ToString();
      fs.reset();
      ASSERT_TRUE(PageFs::Open(&device, &fs).ok()) << "and it stays";
      EXPECT_TRUE(fs->Names().empty());
      EXPECT_TRUE(device.damaged.empty());
      fs.reset();
    }
  }
}

}  // namespace
}  // namespace openremap
