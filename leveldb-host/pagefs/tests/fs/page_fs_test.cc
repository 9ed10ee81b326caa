// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/page_fs.h"

#include <gtest/gtest.h>

#include "pagefs/tests/device/fake_page_device.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

std::string Bytes(size_t size, uint32_t tag) {
  std::string data(size, '\0');
  for (size_t i = 0; i < size; i++) data[i] = static_cast<char>((i * 2654435761u + i / 4096 * 31 + tag * 97) >> 5);
  return data;
}

class PageFsTest : public ::testing::Test {
 protected:
  explicit PageFsTest(uint64_t pages = 4096) : device_(pages) {}
  void SetUp() override { Mount(); }

  void Mount() {
    fs_.reset();
    const Status s = PageFs::Open(&device_, &fs_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  Status TryWrite(const std::string &name, const std::string &data, bool sync = true) {
    PageFs::File file;
    Status s = fs_->Create(name, &file);
    if (!s.ok()) return s;
    s = fs_->Append(file, data, false);
    if (s.ok() && sync) s = fs_->Sync(file);
    const Status closed = fs_->CloseWriting(file);
    return s.ok() ? closed : s;
  }
  void Write(const std::string &name, const std::string &data, bool sync = true) {
    const Status s = TryWrite(name, data, sync);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  std::string ReadAll(const std::string &name) {
    PageFs::File file;
    const Status s = fs_->OpenForReading(name, &file);
    if (!s.ok()) return s.ToString();
    std::string scratch(static_cast<size_t>(fs_->Offset(file)) + 10, '\0');
    Slice result;
    const Status read = fs_->Read(file, 0, scratch.size(), &result, &scratch[0]);
    EXPECT_TRUE(read.ok()) << read.ToString();
    fs_->CloseReading(file);
    return result.ToString();
  }
  // One more Sync, of a file of its own, so that everything queued is durable.
  void Settle() { Write("settle", "x"); }

  FakePageDevice device_;
  std::unique_ptr<PageFs> fs_;
};

TEST_F(PageFsTest, FormatsABlankDeviceOnceAndKeepsFiles) {
  Write("a", Bytes(10000, 1));
  Write("b", "");
  Mount();
  EXPECT_EQ(ReadAll("a"), Bytes(10000, 1));
  EXPECT_EQ(ReadAll("b"), "");
  EXPECT_EQ(fs_->Names(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(PageFsTest, OddSizesAndOffsets) {
  for (size_t size : {1u, 4095u, 4096u, 4097u, 8192u, 131071u, 131072u, 131073u, 400001u}) {
    const std::string name = std::to_string(size);
    PageFs::File file;
    ASSERT_TRUE(fs_->Create(name, &file).ok());
    const std::string data = Bytes(size, static_cast<uint32_t>(size));
    // In pieces of odd lengths, with a sync now and then.
    size_t step = 1;
    for (size_t at = 0; at < size; at += step) {
      step = std::min<size_t>(size - at, step * 3 + 1);
      ASSERT_TRUE(fs_->Append(file, Slice(data.data() + at, step), false).ok());
      if (step % 4 == 0) {
        ASSERT_TRUE(fs_->Sync(file).ok());
      }
      std::string scratch(step, '\0');
      Slice piece;
      ASSERT_TRUE(fs_->Read(file, at, step, &piece, &scratch[0]).ok());
      ASSERT_EQ(piece.ToString(), data.substr(at, step)) << "read while it is being written";
    }
    ASSERT_TRUE(fs_->CloseWriting(file).ok());
    EXPECT_EQ(ReadAll(name), data);
  }
  Mount();
  for (size_t size : {1u, 4095u, 4097u, 400001u}) {
    EXPECT_EQ(ReadAll(std::to_string(size)), Bytes(size, static_cast<uint32_t>(size)));
  }
}

TEST_F(PageFsTest, AppendingGoesOnInTheMiddleOfAPage) {
  Write("log", Bytes(5000, 1));
  Mount();
  PageFs::File file;
  ASSERT_TRUE(fs_->OpenForAppending("log", &file).ok());
  EXPECT_EQ(fs_->Offset(file), 5000u);
  PageFs::File second;
  EXPECT_TRUE(fs_->OpenForAppending("log", &second).IsIOError()) << "one writer at a time";
  ASSERT_TRUE(fs_->Append(file, Bytes(6000, 2), false).ok());
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  Mount();
  EXPECT_EQ(ReadAll("log"), Bytes(5000, 1) + Bytes(6000, 2));
}

TEST_F(PageFsTest, UnsyncedAppendsCostNoWriteUntilPagesAreFull) {
  PageFs::File file;
  ASSERT_TRUE(fs_->Create("wal", &file).ok());
  const uint64_t before = device_.pages_written;
  for (int i = 0; i < 31; i++) ASSERT_TRUE(fs_->Append(file, Bytes(4096, 1), false).ok());
  EXPECT_EQ(device_.pages_written, before);
  for (int i = 0; i < 70; i++) ASSERT_TRUE(fs_->Append(file, Bytes(4000, 2), false).ok());
  const uint64_t bytes = 31 * 4096 + 70 * 4000;
  EXPECT_LE(device_.pages_written - before, bytes / kPageBytes);
  EXPECT_GE(device_.pages_written - before, bytes / kPageBytes - PageFs::kWriteBehindPages);
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  EXPECT_EQ(device_.pages_written - before, (bytes + kPageBytes - 1) / kPageBytes) << "each page once, none twice";
  EXPECT_EQ(device_.flush_commands, 0u);
}

TEST_F(PageFsTest, SyncOfALogCostsItsTailPageAndOneMetadataPage) {
  PageFs::File file;
  ASSERT_TRUE(fs_->Create("manifest", &file).ok());
  for (int i = 0; i < 10; i++) {
    const uint64_t before = device_.pages_written;
    ASSERT_TRUE(fs_->Append(file, Bytes(100, 1), false).ok());
    ASSERT_TRUE(fs_->Sync(file).ok());
    EXPECT_EQ(device_.pages_written - before, 2u);
  }
  EXPECT_EQ(fs_->GetStats().tail_pages_rewritten, 9u);
  const uint64_t before = device_.pages_written;
  ASSERT_TRUE(fs_->Sync(file).ok());
  EXPECT_EQ(device_.pages_written, before) << "nothing new, nothing written";
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  EXPECT_EQ(device_.pages_written, before);
}

TEST_F(PageFsTest, RenameReplacesItsTargetAndFreesItsPages) {
  Write("CURRENT", Bytes(9000, 1));
  Settle();
  const uint64_t used = fs_->GetStats().used_pages;
  Write("tmp", Bytes(9000, 2));
  ASSERT_TRUE(fs_->Rename("tmp", "CURRENT").ok());
  EXPECT_FALSE(fs_->Exists("tmp"));
  EXPECT_EQ(ReadAll("CURRENT"), Bytes(9000, 2));
  Settle();
  EXPECT_EQ(fs_->GetStats().used_pages, used);
  Mount();
  EXPECT_EQ(ReadAll("CURRENT"), Bytes(9000, 2));
  EXPECT_FALSE(fs_->Exists("tmp"));
  EXPECT_TRUE(fs_->Rename("tmp", "x").IsNotFound());
  EXPECT_TRUE(fs_->Rename("CURRENT", "CURRENT").ok());
  EXPECT_EQ(ReadAll("CURRENT"), Bytes(9000, 2));
}

TEST_F(PageFsTest, RemovedPagesGoBackOnlyWhenTheRemovalIsDurable) {
  Write("old", Bytes(100 * kPageBytes, 1));
  PageRun run;
  ASSERT_TRUE(fs_->GetLpn("old", 0, 100, &run).ok());
  const uint64_t free = fs_->GetStats().free_pages;
  const uint64_t before = device_.deallocate_commands;
  ASSERT_TRUE(fs_->Remove("old").ok());
  EXPECT_FALSE(fs_->Exists("old"));
  EXPECT_EQ(fs_->GetStats().free_pages, free);
  EXPECT_EQ(device_.deallocate_commands, before);
  EXPECT_TRUE(device_.Mapped(run.lpn));
  Settle();
  EXPECT_EQ(device_.deallocate_commands, before + 1);
  EXPECT_FALSE(device_.Mapped(run.lpn));
  EXPECT_EQ(fs_->GetStats().free_pages, free + 100 - 1);
  EXPECT_TRUE(fs_->Remove("old").IsNotFound());
}

TEST_F(PageFsTest, RemovedFilesStayReadableWhileTheyAreOpen) {
  Write("table", Bytes(20000, 1));
  PageFs::File file;
  ASSERT_TRUE(fs_->OpenForReading("table", &file).ok());
  ASSERT_TRUE(fs_->Remove("table").ok());
  Settle();
  Write("other", Bytes(2000000, 2));
  std::string scratch(20000, '\0');
  Slice result;
  ASSERT_TRUE(fs_->Read(file, 0, 20000, &result, &scratch[0]).ok());
  EXPECT_EQ(result.ToString(), Bytes(20000, 1));
  const uint64_t free = fs_->GetStats().free_pages;
  fs_->CloseReading(file);
  Settle();
  EXPECT_EQ(fs_->GetStats().free_pages, free + 5);
}

TEST_F(PageFsTest, CreatingOverAFileTruncatesIt) {
  Write("f", Bytes(50000, 1));
  Write("f", Bytes(100, 2));
  Mount();
  EXPECT_EQ(ReadAll("f"), Bytes(100, 2));
}

TEST_F(PageFsTest, BadNamesAndRangesAreRefused) {
  PageFs::File file;
  EXPECT_TRUE(fs_->Create("", &file).IsInvalidArgument());
  EXPECT_TRUE(fs_->Create(std::string(kMaxNameBytes + 1, 'x'), &file).IsInvalidArgument());
  EXPECT_TRUE(fs_->OpenForReading("nothing", &file).IsNotFound());
  uint64_t size = 0;
  EXPECT_TRUE(fs_->FileSize("nothing", &size).IsNotFound());
  Write("f", "abc");
  ASSERT_TRUE(fs_->OpenForReading("f", &file).ok());
  char scratch[8];
  Slice result;
  EXPECT_TRUE(fs_->Read(file, 3, 8, &result, scratch).ok());
  EXPECT_EQ(result.size(), 0u);
  EXPECT_TRUE(fs_->Read(file, UINT64_MAX, 8, &result, scratch).ok());
  EXPECT_EQ(result.size(), 0u);
  fs_->CloseReading(file);
}

// ---- Remap ----------------------------------------------------------------------------------------------------------

TEST_F(PageFsTest, TableOfWrittenAndSharedPagesIsOneExtentAndOneVector) {
  const std::string old = Bytes(64 * kPageBytes, 1);
  Write("old", old);
  PageFs::File file;
  ASSERT_TRUE(fs_->Create("new", &file).ok());
  std::string expected;
  for (uint64_t page : {3u, 4u, 10u, 63u, 0u}) {
    PageRun run;
    ASSERT_TRUE(fs_->GetLpn("old", page * kPageBytes, 1, &run).ok());
    ASSERT_EQ(run.pages, 1u);
    ASSERT_TRUE(fs_->AppendRemap(file, run).ok());
    const std::string fresh = Bytes(2 * kPageBytes, static_cast<uint32_t>(page));
    ASSERT_TRUE(fs_->Append(file, fresh, true).ok());
    expected += old.substr(page * kPageBytes, kPageBytes) + fresh;
  }
  ASSERT_TRUE(fs_->Append(file, "footer", true).ok());
  expected += "footer";
  std::string scratch(expected.size(), '\0');
  Slice result;
  ASSERT_TRUE(fs_->Read(file, 0, expected.size(), &result, &scratch[0]).ok());
  EXPECT_EQ(result.ToString(), expected) << "readable before the sync";
  EXPECT_TRUE(fs_->AppendRemap(file, {100, 1}).IsInvalidArgument()) << "not at a page boundary";
  EXPECT_TRUE(fs_->AppendRemap(file, {4096, 1}).IsInvalidArgument());

  const uint64_t before = device_.pages_written;
  ASSERT_TRUE(fs_->Sync(file).ok());
  EXPECT_EQ(device_.pages_written - before, 10u + 1 + 1) << "data, footer, metadata";
  EXPECT_EQ(device_.remap_commands, 1u);
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  PageRun whole;
  ASSERT_TRUE(fs_->GetLpn("new", 0, 100, &whole).ok());
  EXPECT_EQ(whole.pages, 15u) << "one extent; the partial last page does not count";
  EXPECT_EQ(fs_->GetStats().remap.remapped_pages, 5u);
  EXPECT_EQ(fs_->GetStats().remap.remap_commands, 1u);

  ASSERT_TRUE(fs_->Remove("old").ok());
  Settle();
  EXPECT_EQ(ReadAll("new"), expected) << "sharing outlives the source";
  Mount();
  EXPECT_EQ(ReadAll("new"), expected);
}

TEST_F(PageFsTest, RefusedPagesAreCopiedAndOnlyThose) {
  const std::string old = Bytes(40 * kPageBytes, 1);
  Write("old", old);
  PageRun first;
  ASSERT_TRUE(fs_->GetLpn("old", 0, 1, &first).ok());
  const uint64_t stubborn = first.lpn + 14;
  device_.refuse = [stubborn](const std::vector<RemapRun> &runs) {
    for (const RemapRun &run : runs) {
      if (stubborn >= run.source && stubborn < run.source + run.pages) return true;
    }
    return false;
  };
  PageFs::File file;
  ASSERT_TRUE(fs_->Create("new", &file).ok());
  std::string expected;
  for (uint64_t page = 0; page < 40; page += 2) {
    ASSERT_TRUE(fs_->AppendRemap(file, {first.lpn + page, 1}).ok());
    expected += old.substr(page * kPageBytes, kPageBytes);
  }
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  EXPECT_EQ(ReadAll("new"), expected);
  const RemapStats stats = fs_->GetStats().remap;
  EXPECT_EQ(stats.remapped_pages, 19u);
  EXPECT_EQ(stats.fallback_pages, 1u);
  Mount();
  EXPECT_EQ(ReadAll("new"), expected);
}

TEST_F(PageFsTest, APageThatCannotBeCopiedFailsItsFileAlone) {
  Write("old", Bytes(8 * kPageBytes, 1));
  PageRun first;
  ASSERT_TRUE(fs_->GetLpn("old", 0, 8, &first).ok());
  device_.refuse = [](const std::vector<RemapRun> &) { return true; };
  device_.damaged = {first.lpn + 3};
  PageFs::File file;
  ASSERT_TRUE(fs_->Create("new", &file).ok());
  ASSERT_TRUE(fs_->AppendRemap(file, first).ok());
  EXPECT_TRUE(fs_->Sync(file).IsIOError());
  EXPECT_TRUE(fs_->CloseWriting(file).IsIOError());
  Write("other", Bytes(5000, 2));
  EXPECT_EQ(ReadAll("new"), "") << "nothing of it was recorded";
  device_.damaged.clear();
  ASSERT_TRUE(fs_->Create("new", &file).ok());
  ASSERT_TRUE(fs_->AppendRemap(file, first).ok());
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  EXPECT_EQ(ReadAll("new"), Bytes(8 * kPageBytes, 1));
  const uint64_t free = fs_->GetStats().free_pages;
  Mount();
  EXPECT_EQ(fs_->GetStats().free_pages, free) << "no page is lost";
  EXPECT_EQ(ReadAll("other"), Bytes(5000, 2));
}

TEST_F(PageFsTest, MoreRangesThanOneVectorTakesGoOutInSeveral) {
  Write("old", Bytes(600 * kPageBytes, 1));
  PageRun first;
  ASSERT_TRUE(fs_->GetLpn("old", 0, 1, &first).ok());
  PageFs::File file;
  ASSERT_TRUE(fs_->Create("new", &file).ok());
  for (uint64_t page = 0; page < 600; page += 2) ASSERT_TRUE(fs_->AppendRemap(file, {first.lpn + page, 1}).ok());
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  EXPECT_EQ(device_.remap_commands, 3u);
  EXPECT_EQ(ReadAll("new").substr(299 * kPageBytes), Bytes(600 * kPageBytes, 1).substr(598 * kPageBytes, kPageBytes));
}

TEST_F(PageFsTest, MorePagesThanOneVectorTakesGoOutInSeveral) {
  device_.max_remap_pages = 100;
  const std::string old = Bytes(600 * kPageBytes, 1);
  Write("old", old);
  PageRun first;
  ASSERT_TRUE(fs_->GetLpn("old", 0, 1, &first).ok());
  PageFs::File file;
  ASSERT_TRUE(fs_->Create("new", &file).ok());
  // 30, 250 (cut at 100 and 200 pages of the vectors), 20 that fill the third vector, one more.
  std::string expected;
  for (const auto &[page, pages] : {std::pair<uint64_t, uint64_t>{0, 30}, {100, 250}, {40, 20}, {599, 1}}) {
    ASSERT_TRUE(fs_->AppendRemap(file, {first.lpn + page, pages}).ok());
    expected += old.substr(page * kPageBytes, pages * kPageBytes);
  }
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  EXPECT_EQ(device_.remap_commands, 4u);
  EXPECT_EQ(fs_->GetStats().remap.remapped_pages, 301u);
  EXPECT_EQ(ReadAll("new"), expected);
}

TEST_F(PageFsTest, GetLpnNamesOnlyPagesThatStay) {
  PageFs::File file;
  PageRun run;
  EXPECT_TRUE(fs_->GetLpn("f", 0, 1, &run).IsNotFound());
  ASSERT_TRUE(fs_->Create("f", &file).ok());
  EXPECT_TRUE(fs_->GetLpn("f", 0, 1, &run).IsInvalidArgument()) << "past the end of an empty file";
  ASSERT_TRUE(fs_->Append(file, Bytes(10000, 1), false).ok());
  EXPECT_TRUE(fs_->GetLpn("f", 0, 1, &run).IsNotSupportedError());
  ASSERT_TRUE(fs_->Sync(file).ok());
  ASSERT_TRUE(fs_->GetLpn("f", 0, 100, &run).ok());
  EXPECT_EQ(run.pages, 2u) << "the last page is not full";
  ASSERT_TRUE(fs_->GetLpn("f", 4096, 1, &run).ok());
  EXPECT_EQ(run.pages, 1u);
  EXPECT_TRUE(fs_->GetLpn("f", 100, 1, &run).IsInvalidArgument());
  EXPECT_TRUE(fs_->GetLpn("f", 12288, 1, &run).IsInvalidArgument());
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
}

// ---- Many, full, foreign --------------------------------------------------------------------------------------------

class BigPageFsTest : public PageFsTest {
 protected:
  BigPageFsTest() : PageFsTest(65536) {}
};

TEST_F(BigPageFsTest, ThousandsOfFiles) {
  const int count = 5000;
  PageFs::File file;
  for (int i = 0; i < count; i++) {
    ASSERT_TRUE(TryWrite("/db/" + std::to_string(i), "file " + std::to_string(i), i % 50 == 0).ok());
  }
  for (int i = 0; i < count; i += 3) ASSERT_TRUE(fs_->Remove("/db/" + std::to_string(i)).ok());
  for (int i = 1; i < count; i += 3) {
    ASSERT_TRUE(fs_->Rename("/db/" + std::to_string(i), "/moved/" + std::to_string(i)).ok());
  }
  Settle();
  Mount();
  EXPECT_EQ(fs_->Names().size(), count - (count + 2) / 3 + 1u);
  for (int i = 1; i < count; i += 100) {
    const std::string name = (i % 3 == 1 ? "/moved/" : "/db/") + std::to_string(i);
    if (i % 3 != 0) {
      EXPECT_EQ(ReadAll(name), "file " + std::to_string(i));
    }
  }
}

TEST_F(PageFsTest, MetadataAreasTakeTurnsOverManySyncs) {
  PageFs::File file;
  ASSERT_TRUE(fs_->Create("log", &file).ok());
  std::string expected;
  for (int i = 0; i < 3000; i++) {
    const std::string name = "/a/rather/long/name/so/that/pages/fill/" + std::to_string(i);
    ASSERT_TRUE(TryWrite(name, "x", false).ok());
    ASSERT_TRUE(fs_->Remove(name).ok());
    expected += "line " + std::to_string(i) + "\n";
    ASSERT_TRUE(fs_->Append(file, "line " + std::to_string(i) + "\n", false).ok());
    if (i % 10 == 0) {
      ASSERT_TRUE(fs_->Sync(file).ok());
    }
  }
  ASSERT_TRUE(fs_->CloseWriting(file).ok());
  Mount();
  EXPECT_EQ(fs_->Names(), (std::vector<std::string>{"log"}));
  EXPECT_EQ(ReadAll("log"), expected);
}

TEST_F(PageFsTest, AFolderIsRenamedWithAllThatIsInIt) {
  Write("/a/1", Bytes(5000, 1));
  Write("/a/b/2", Bytes(5000, 2));
  Write("/ab", "beside");
  Write("/c/3", "there");
  EXPECT_TRUE(fs_->RenameFolder("/a", "/c").IsIOError());
  EXPECT_TRUE(fs_->RenameFolder("/a", "/ab").IsIOError());
  EXPECT_TRUE(fs_->RenameFolder("/a", "/a/b/c").IsInvalidArgument());
  EXPECT_TRUE(fs_->RenameFolder("/a", "/a").IsInvalidArgument());
  EXPECT_TRUE(fs_->RenameFolder("/a", std::string(1022, 'l')).IsInvalidArgument()) << "a name would be too long";
  const std::vector<std::string> names = {"/a/1", "/a/b/2", "/ab", "/c/3"};
  EXPECT_EQ(fs_->Names(), names);
  ASSERT_TRUE(fs_->RenameFolder("/none", "/d").ok()) << "there is nothing to rename";
  ASSERT_TRUE(fs_->RenameFolder("/a", "/d").ok());
  ASSERT_TRUE(fs_->SyncAll().ok());
  for (const bool again : {false, true}) {
    if (again) Mount();
    EXPECT_EQ(fs_->Names(), (std::vector<std::string>{"/ab", "/c/3", "/d/1", "/d/b/2"}));
    EXPECT_EQ(ReadAll("/d/b/2"), Bytes(5000, 2));
  }
}

TEST_F(PageFsTest, FullDeviceSaysSoAndRecovers) {
  int files = 0;
  Status s;
  while ((s = TryWrite("f" + std::to_string(files), Bytes(200 * kPageBytes, 1))).ok()) files++;
  EXPECT_TRUE(s.IsIOError());
  EXPECT_NE(s.ToString().find("no space left on the device"), std::string::npos) << s.ToString();
  EXPECT_GT(files, 15);
  EXPECT_EQ(ReadAll("f0"), Bytes(200 * kPageBytes, 1));
  // Removals make room without a Sync of their own.
  ASSERT_TRUE(fs_->Remove("f0").ok());
  ASSERT_TRUE(fs_->Remove("f1").ok());
  Write("g", Bytes(300 * kPageBytes, 2));
  Mount();
  EXPECT_EQ(ReadAll("g"), Bytes(300 * kPageBytes, 2));
  EXPECT_EQ(ReadAll("f2"), Bytes(200 * kPageBytes, 1));
}

TEST_F(PageFsTest, WriteErrorsAreLatchedAndTheRestIsSafe) {
  Write("kept", Bytes(5000, 1));
  device_.CutAfter(0);
  const Status s = TryWrite("lost", Bytes(5000, 2));
  EXPECT_TRUE(s.IsIOError());
  EXPECT_TRUE(TryWrite("also lost", "x").IsIOError());
  device_.PowerOn(1);
  EXPECT_TRUE(TryWrite("still lost", "x").IsIOError()) << "what is in memory may be ahead of the device";
  Mount();
  EXPECT_EQ(ReadAll("kept"), Bytes(5000, 1));
  Write("works", "x");
}

TEST(PageFsOpenTest, RefusesWhatItDoesNotKnow) {
  std::unique_ptr<PageFs> fs;
  FakePageDevice tiny(20);
  EXPECT_TRUE(PageFs::Open(&tiny, &fs).IsInvalidArgument());

  FakePageDevice foreign(1000);
  const std::string noise = Bytes(kPageBytes, 1);
  ASSERT_TRUE(foreign.Write({{0, 1, noise.data()}}, true).ok());
  EXPECT_TRUE(PageFs::Open(&foreign, &fs).IsCorruption());

  FakePageDevice shrunk(500);
  Superblock superblock;
  superblock.pages = 1000;
  superblock.area_pages = 15;
  const std::string page = superblock.Encode();
  ASSERT_TRUE(shrunk.Write({{0, 1, page.data()}}, true).ok());
  EXPECT_TRUE(PageFs::Open(&shrunk, &fs).IsCorruption());
}

}  // namespace
}  // namespace openremap
