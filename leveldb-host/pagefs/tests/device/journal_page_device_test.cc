// SPDX-License-Identifier: Apache-2.0
#include "pagefs/device/journal_page_device.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "pagefs/fs/page_fs_env.h"
#include "pagefs/tests/device/fake_page_device.h"

namespace openremap {
namespace {

constexpr uint64_t kPages = 6400;  // a journal of 33

// Writes a file and syncs it.
leveldb::Status WriteSynced(leveldb::Env *env, const std::string &name, const std::string &text) {
  leveldb::WritableFile *made = nullptr;
  leveldb::Status s = env->NewWritableFile(name, &made);
  const std::unique_ptr<leveldb::WritableFile> file(made);
  if (s.ok()) s = file->Append(text);
  if (s.ok()) s = file->Sync();
  return s.ok() ? file->Close() : s;
}

class JournalPageDeviceTest : public ::testing::Test {
 protected:
  void Write(PageDevice *device, uint64_t lpn, uint64_t pages, PageKind kind, char fill, bool durable = false) {
    const std::string data(static_cast<size_t>(pages * kPageBytes), fill);
    ASSERT_TRUE(device->Write({{lpn, pages, data.data(), 0, kind}}, durable).ok());
  }
  char FirstByte(uint64_t lpn) {
    std::string page(kPageBytes, '\0');
    EXPECT_TRUE(below_.Read(lpn, 1, &page[0]).ok());
    return page[0];
  }

  FakePageDevice below_{kPages};
};

TEST_F(JournalPageDeviceTest, LiesBehindWhatItOffers) {
  const JournalPageDevice device(&below_, true);
  EXPECT_EQ(device.JournalPages(), 33u);
  EXPECT_EQ(device.Pages(), kPages - 33);
  FakePageDevice small(100);
  EXPECT_EQ(JournalPageDevice(&small, true).JournalPages(), JournalPageDevice::kLeastPages);
}

TEST_F(JournalPageDeviceTest, MetadataAloneIsCopiedUnlessAllIs) {
  JournalPageDevice metadata(&below_, false);
  Write(&metadata, 10, 4, PageKind::kTable, 't');
  EXPECT_EQ(below_.pages_written, 4u);
  EXPECT_EQ(metadata.stats().copied_pages, 0u);
  Write(&metadata, 0, 1, PageKind::kMetadata, 'm', true);
  EXPECT_EQ(metadata.stats().copied_pages, 1u);
  EXPECT_EQ(metadata.stats().control_pages, 2u) << "a descriptor and a commit";
  EXPECT_EQ(below_.pages_written, 8u);
  EXPECT_EQ(FirstByte(0), 'm');
  EXPECT_EQ(FirstByte(metadata.Pages() + 1), 'm') << "behind the descriptor";
}

TEST_F(JournalPageDeviceTest, ATransactionHasWhatWasWrittenUpToADurableWrite) {
  JournalPageDevice device(&below_, true);
  Write(&device, 10, 2, PageKind::kTable, 'a');
  Write(&device, 20, 2, PageKind::kLog, 'b');
  EXPECT_EQ(device.stats().control_pages, 1u);
  ASSERT_TRUE(device.Flush().ok());
  EXPECT_EQ(device.stats().control_pages, 1u) << "a flush commits nothing: a durable write follows";
  Write(&device, 0, 1, PageKind::kMetadata, 'm', true);
  EXPECT_EQ(device.stats().copied_pages, 5u);
  EXPECT_EQ(device.stats().control_pages, 2u);
  EXPECT_EQ(below_.pages_written, 5u + 5 + 2);
}

TEST_F(JournalPageDeviceTest, AQuarterOfTheJournalIsCommitted) {
  JournalPageDevice device(&below_, true);
  Write(&device, 100, 200, PageKind::kTable, 't');  // six times the ring
  EXPECT_EQ(device.stats().copied_pages, 200u);
  EXPECT_EQ(device.stats().control_pages, 2u * 200 / 8);
  EXPECT_EQ(below_.pages_written, 200u + 200 + 50);
  for (uint64_t lpn = 100; lpn < 300; lpn++) ASSERT_EQ(FirstByte(lpn), 't') << lpn;
  EXPECT_EQ(FirstByte(99), '\0');
  EXPECT_EQ(FirstByte(300), '\0');
}

TEST_F(JournalPageDeviceTest, TheRingIsRefused) {
  JournalPageDevice device(&below_, true);
  const std::string page(kPageBytes, 'x');
  EXPECT_TRUE(device.Write({{device.Pages(), 1, page.data()}}, false).IsIOError());
  EXPECT_TRUE(device.Write({{1, UINT64_MAX, page.data()}}, false).IsIOError());
  EXPECT_EQ(below_.pages_written, 0u);
}

TEST_F(JournalPageDeviceTest, AFileSystemOnItIsAsItWas) {
  JournalPageDevice device(&below_, true);
  for (const bool again : {false, true}) {
    std::unique_ptr<PageFs> fs;
    ASSERT_TRUE(PageFs::Open(&device, &fs).ok());
    PageFsEnv env(std::move(fs));
    std::string read;
    if (!again) {
      ASSERT_TRUE(WriteSynced(&env, "/file", std::string(100000, 'd')).ok());
    } else {
      ASSERT_TRUE(leveldb::ReadFileToString(&env, "/file", &read).ok());
      EXPECT_EQ(read, std::string(100000, 'd'));
    }
  }
  EXPECT_GT(device.stats().copied_pages, 100000 / kPageBytes);
}

}  // namespace
}  // namespace openremap
