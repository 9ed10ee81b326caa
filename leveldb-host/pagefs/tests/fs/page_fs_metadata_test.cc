// SPDX-License-Identifier: Apache-2.0
//
// Metadata that is nearly full: what does not fit is refused before anything changes, so that every state can be
// mounted, and removing always works.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pagefs/check/page_fs_check.h"
#include "pagefs/fs/page_fs.h"
#include "pagefs/metadata/metadata_log.h"
#include "pagefs/tests/device/fake_page_device.h"
#include "test_seed.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

constexpr uint64_t kPages = 512;  // areas of 8 pages
constexpr uint64_t kAreaPages = 8;

std::string LongName(int number) { return std::string(900, 'n') + std::to_string(number); }

class PageFsMetadataTest : public ::testing::Test {
 protected:
  void SetUp() override { Mount(); }

  void Mount() {
    fs_.reset();
    const Status s = PageFs::Open(&device_, &fs_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  static Status TryWrite(PageFs *fs, const std::string &name, const std::string &data, bool sync = true) {
    PageFs::File file;
    Status s = fs->Create(name, &file);
    if (!s.ok()) return s;
    s = fs->Append(file, data, false);
    if (s.ok() && sync) s = fs->Sync(file);
    const Status closed = fs->CloseWriting(file);
    return s.ok() ? closed : s;
  }
  Status TryWrite(const std::string &name, const std::string &data, bool sync = true) {
    return TryWrite(fs_.get(), name, data, sync);
  }
  static void ExpectNoSpace(const Status &s) {
    EXPECT_TRUE(IsNoSpaceLeft(s)) << s.ToString();
    EXPECT_NE(s.ToString().find("for metadata: too many"), std::string::npos) << s.ToString();
  }
  // Files with long names, until one is refused. Returns their number.
  int Fill(const std::string &data = "x") {
    Status s;
    int files = 0;
    while (files < 5000 && (s = TryWrite(LongName(files), data)).ok()) files++;
    ExpectNoSpace(s);
    return files;
  }
  // The device as it is can be mounted, twice, holds these names, and takes files once one has been removed.
  static void ExpectMounts(FakePageDevice device, const std::vector<std::string> &names) {
    const PageFsCheck check = CheckPageFs(&device, /*read_files=*/true);
    ASSERT_TRUE(check.findings.empty()) << ToText(check, false);
    std::unique_ptr<PageFs> fs;
    for (int mount = 0; mount < 2; mount++) {
      fs.reset();
      const Status s = PageFs::Open(&device, &fs);
      ASSERT_TRUE(s.ok()) << s.ToString();
      ASSERT_EQ(fs->Names(), names);
    }
    if (names.empty()) return;
    ASSERT_TRUE(fs->Remove(names.front()).ok());
    ASSERT_TRUE(fs->SyncAll().ok());
    const Status s = TryWrite(fs.get(), names.front(), "");
    ASSERT_TRUE(s.ok()) << s.ToString();
    for (const std::string &name : names) ASSERT_TRUE(fs->Remove(name).ok());
    ASSERT_TRUE(fs->SyncAll().ok());
    ASSERT_TRUE(TryWrite(fs.get(), "fine again", std::string(100000, 'y')).ok());
  }

  FakePageDevice device_{kPages};
  std::unique_ptr<PageFs> fs_;
};

TEST_F(PageFsMetadataTest, TooManyFilesSaySo) {
  const int files = Fill();
  EXPECT_GE(files, 21) << "three such names a page, of which the log has one";
  EXPECT_EQ(fs_->Names().size(), static_cast<size_t>(files)) << "the one that was refused is not there";
  for (int i = 0; i < files; i++) ASSERT_TRUE(fs_->Remove(LongName(i)).ok());
  ASSERT_TRUE(TryWrite("fine again", "y").ok());
  Mount();
  EXPECT_EQ(fs_->Names(), (std::vector<std::string>{"fine again"}));
}

TEST_F(PageFsMetadataTest, EachStepToTheLimitCanBeMounted) {
  Status s;
  for (int files = 0; files < 5000; files++) {
    s = TryWrite(LongName(files), "x");
    SCOPED_TRACE(files);
    ASSERT_NO_FATAL_FAILURE(ExpectMounts(device_, fs_->Names()));
    if (!s.ok()) break;
  }
  ExpectNoSpace(s);
}

TEST_F(PageFsMetadataTest, NamesOfManyFilesInOneCommitCanBeMounted) {
  int files = 0;
  while (files < 5000 && TryWrite(LongName(files), "", /*sync=*/false).ok()) files++;
  ASSERT_TRUE(fs_->SyncAll().ok());
  ExpectMounts(device_, fs_->Names());
}

// Creating, removing, renaming and appending go on at the limit, with a cut at each step of the device.
TEST_F(PageFsMetadataTest, APowerCutAtTheLimitLeavesAStateThatCanBeMounted) {
  const int files = Fill();
  const FakePageDevice full = device_;
  bool done = false;
  for (uint64_t cut = 0; !done; cut++) {
    SCOPED_TRACE(cut);
    ASSERT_LT(cut, 5000u);
    FakePageDevice device = full;
    device.CutAfter(cut);
    std::unique_ptr<PageFs> fs;
    if (PageFs::Open(&device, &fs).ok()) {
      for (int i = 0; i < 12 && device.HasPower(); i++) {
        (void)fs->Remove(LongName(i));
        (void)TryWrite(fs.get(), LongName(files + i), std::string(5000, 'z'), i % 3 != 0);
        (void)fs->Rename(LongName(i + 1), "n" + LongName(i + 1));
        (void)TryWrite(fs.get(), LongName(i + 2), "again");
      }
      done = device.HasPower();
      fs.reset();
    }
    device.PowerOn(openremap::TestSeed() * 1000003 + cut);
    FakePageDevice copy = device;
    ASSERT_TRUE(PageFs::Open(&copy, &fs).ok());
    const std::vector<std::string> names = fs->Names();
    fs.reset();
    ASSERT_NO_FATAL_FAILURE(ExpectMounts(device, names));
  }
}

TEST_F(PageFsMetadataTest, ALongerNameNeedsRoom) {
  ASSERT_TRUE(TryWrite("a", "a").ok());
  ASSERT_TRUE(TryWrite("b", "b").ok());
  const int files = Fill();
  while (TryWrite(std::string(40, 's') + std::to_string(fs_->Names().size()), "").ok()) {
  }
  const std::vector<std::string> names = fs_->Names();
  ExpectNoSpace(fs_->Rename("a", std::string(kMaxNameBytes, 'a')));
  EXPECT_EQ(fs_->Names(), names) << "nothing has changed";
  EXPECT_TRUE(fs_->Rename("a", "c").ok()) << "as long";
  EXPECT_TRUE(fs_->Rename("b", LongName(0)).ok()) << "takes the place of another";
  EXPECT_TRUE(fs_->Rename(LongName(1), "short").ok());
  ASSERT_TRUE(fs_->SyncAll().ok());
  ExpectMounts(device_, fs_->Names());
  EXPECT_EQ(fs_->Names().size(), names.size() - 1);
  EXPECT_GT(files, 2);
}

TEST_F(PageFsMetadataTest, AFileInPiecesNeedsRoom) {
  // Every other page is free, and one file grows over them.
  const std::string page(kPageBytes, 'p');
  int holes = 0;
  while (TryWrite("h" + std::to_string(holes), page, false).ok()) holes++;
  ASSERT_TRUE(fs_->SyncAll().ok());
  for (int i = 0; i < holes; i += 2) ASSERT_TRUE(fs_->Remove("h" + std::to_string(i)).ok());
  ASSERT_TRUE(fs_->SyncAll().ok());
  Fill("");
  while (TryWrite("s" + std::to_string(fs_->Names().size()), "").ok()) {
  }
  ASSERT_TRUE(fs_->Remove(LongName(0)).ok());
  PageFs::File file;
  ASSERT_TRUE(fs_->Create("grows", &file).ok());
  Status s;
  uint64_t pages = 0;
  while ((s = fs_->Append(file, page, false)).ok()) pages++;
  ExpectNoSpace(s);
  EXPECT_GT(pages, PageFs::kWriteBehindPages) << "an extent is a few bytes";
  EXPECT_EQ(fs_->Offset(file), pages * kPageBytes) << "nothing has changed";
  ASSERT_TRUE(fs_->Sync(file).ok()) << "what was accepted is not refused later";
  ExpectMounts(device_, fs_->Names());
  ASSERT_TRUE(fs_->Remove(LongName(1)).ok());
  ASSERT_TRUE(fs_->Append(file, page, false).ok()) << "the removal made room";
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  std::map<std::string, uint64_t> sizes;
  for (const std::string &name : fs_->Names()) ASSERT_TRUE(fs_->FileSize(name, &sizes[name]).ok());
  Mount();
  EXPECT_EQ(sizes["grows"], (pages + 1) * kPageBytes);
  for (const auto &[name, size] : sizes) {
    uint64_t now = 0;
    ASSERT_TRUE(fs_->FileSize(name, &now).ok());
    EXPECT_EQ(now, size);
  }
}

TEST_F(PageFsMetadataTest, AHoleNeedsRoom) {
  ASSERT_TRUE(TryWrite("holes", std::string(100 * kPageBytes, 'h')).ok());
  Fill("");
  while (TryWrite("s" + std::to_string(fs_->Names().size()), "").ok()) {
  }
  Status s;
  uint64_t punched = 0;
  while ((s = fs_->PunchHole("holes", 1 + 2 * punched, 1)).ok() && punched < 40) punched++;
  ExpectNoSpace(s);
  ASSERT_TRUE(fs_->SyncAll().ok());
  ExpectMounts(device_, fs_->Names());
  ASSERT_TRUE(fs_->Remove(LongName(0)).ok());
  EXPECT_TRUE(fs_->PunchHole("holes", 1 + 2 * punched, 1).ok());
}

// As programs left it that did not count: more in the log than a checkpoint holds.
class OverfullTest : public PageFsMetadataTest {
 protected:
  void SetUp() override {
    Mount();
    fs_.reset();
    MetadataLog log(&device_, 1, kAreaPages);
    bool clean = false, too_big = false, full = false;
    ASSERT_TRUE(log.Replay([](const Record &) { return Status::OK(); }, &clean).ok());
    ASSERT_TRUE(log.Checkpoint({}, &too_big).ok());
    for (uint64_t inode = 1; !full; inode++) {
      Record record;
      record.type = RecordType::kCreate;
      record.inode = inode;
      record.name = LongName(static_cast<int>(inode));
      ASSERT_TRUE(log.Append({record}, &full).ok());
      if (!full) names_.push_back(record.name);
    }
    std::sort(names_.begin(), names_.end());
    ASSERT_GT(names_.size(), kMetadataPayloadBytes / 1000 * (kAreaPages - 2));
  }

  std::vector<std::string> names_;
};

TEST_F(OverfullTest, ItIsMountedAndTakesRemovals) {
  const FakePageDevice overfull = device_;
  Mount();
  EXPECT_EQ(fs_->Names(), names_);
  ExpectNoSpace(TryWrite("more", ""));
  ExpectNoSpace(fs_->Rename(names_[0], "n" + names_[0]));
  Mount();
  EXPECT_EQ(fs_->Names(), names_);
  for (uint64_t cut = 0; cut < 40; cut++) {
    SCOPED_TRACE(cut);
    FakePageDevice device = overfull;
    device.CutAfter(cut);
    std::unique_ptr<PageFs> fs;
    if (PageFs::Open(&device, &fs).ok()) {
      for (size_t i = 0; i < 8; i++) (void)fs->Remove(names_[i]);
      (void)fs->SyncAll();
      fs.reset();
    }
    device.PowerOn(openremap::TestSeed() + cut);
    const Status s = PageFs::Open(&device, &fs);
    ASSERT_TRUE(s.ok()) << s.ToString();
    // What is gone is what was removed first.
    const std::vector<std::string> left = fs->Names();
    ASSERT_GE(left.size(), names_.size() - 8);
    ASSERT_TRUE(std::equal(left.rbegin(), left.rend(), names_.rbegin()));
  }
  for (size_t i = 0; i < 8; i++) ASSERT_TRUE(fs_->Remove(names_[i]).ok());
  ASSERT_TRUE(fs_->SyncAll().ok());
  ASSERT_TRUE(TryWrite("more", std::string(100000, 'm')).ok());
  names_.erase(names_.begin(), names_.begin() + 8);
  names_.push_back("more");
  std::sort(names_.begin(), names_.end());
  ExpectMounts(device_, names_);
}

}  // namespace
}  // namespace openremap
