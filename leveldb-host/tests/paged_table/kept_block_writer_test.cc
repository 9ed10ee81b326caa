// SPDX-License-Identifier: Apache-2.0
#include "paged_table/kept_block_writer.h"

#include "paged_table/table_fixture.h"

namespace openremap {
namespace {

using leveldb::Status;

class KeptBlockWriterTest : public TableFixture {
 protected:
  void SetUp() override {
    size_ = BuildPaged(1, {{Item(1), Item(2), Item(3)}, {Item(4), Item(5), Item(6)}});
    const leveldb::BlockHandle handle = Blocks(1)[1];
    block_ = {1, handle.offset(), handle.size()};
    ASSERT_TRUE(block_.PageAligned());
  }

  // The block as it should stand in another table: its bytes, then zeroes to the end of its pages.
  std::string Expected() {
    std::string bytes = Bytes(1).substr(block_.offset, block_.StoredBytes());
    bytes.resize(block_.Pages() * kPageBytes, '\0');
    return bytes;
  }
  RemapFile *NewTable(uint64_t number) {
    RemapFile *file = nullptr;
    EXPECT_TRUE(env_.NewRemapFile(Name(number), 1, &file).ok());
    return file;
  }

  uint64_t size_ = 0;
  SourceBlock block_;
};

TEST_F(KeptBlockWriterTest, RemapsWhereTheFileLayerCan) {
  KeptBlockWriter writer(&env_, "/db");
  const std::unique_ptr<RemapFile> file(NewTable(2));
  const uint64_t written = env_.GetCounters().written_pages;
  bool remapped = false;
  ASSERT_TRUE(writer.Append(block_, file.get(), &remapped).ok());
  EXPECT_TRUE(remapped);
  EXPECT_EQ(file->Offset(), block_.Pages() * kPageBytes);
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(Bytes(2), Expected());
  EXPECT_EQ(env_.GetCounters().written_pages, written);
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, block_.Pages());
}

TEST_F(KeptBlockWriterTest, CopiesOnAPlainFileSystem) {
  leveldb::EnvWrapper plain(&env_);  // hides the remapping side
  KeptBlockWriter writer(&plain, "/db");
  leveldb::WritableFile *raw = nullptr;
  ASSERT_TRUE(plain.NewWritableFile(Name(2), &raw).ok());
  const std::unique_ptr<leveldb::WritableFile> file(raw);
  bool remapped = true;
  ASSERT_TRUE(writer.Append(block_, file.get(), &remapped).ok());
  EXPECT_FALSE(remapped);
  ASSERT_TRUE(file->Close().ok());
  EXPECT_EQ(Bytes(2), Expected());
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 0u);
}

TEST_F(KeptBlockWriterTest, CopiesWhereItShouldNotRemap) {
  KeptBlockWriter writer(&env_, "/db", /*remap=*/false);
  const std::unique_ptr<RemapFile> file(NewTable(2));
  bool remapped = true;
  ASSERT_TRUE(writer.Append(block_, file.get(), &remapped).ok());
  EXPECT_FALSE(remapped);
  ASSERT_TRUE(file->Sync().ok());
  EXPECT_EQ(Bytes(2), Expected());
  EXPECT_EQ(env_.GetRemapStats().remapped_pages, 0u);
}

TEST_F(KeptBlockWriterTest, CopiesWhatHasNoPlaceOnTheDeviceYet) {
  // The same table without a Sync.
  leveldb::WritableFile *raw = nullptr;
  ASSERT_TRUE(env_.NewWritableFile(Name(3), &raw).ok());
  const std::unique_ptr<leveldb::WritableFile> source(raw);
  ASSERT_TRUE(source->Append(Bytes(1)).ok());
  block_.file_number = 3;
  KeptBlockWriter writer(&env_, "/db");
  const std::unique_ptr<RemapFile> file(NewTable(2));
  bool remapped = true;
  ASSERT_TRUE(writer.Append(block_, file.get(), &remapped).ok());
  EXPECT_FALSE(remapped);
  EXPECT_EQ(Bytes(2), Expected());
}

TEST_F(KeptBlockWriterTest, ReadsTablesUnderTheirOldName) {
  leveldb::EnvWrapper plain(&env_);
  ASSERT_TRUE(env_.RenameFile(Name(1), leveldb::SSTTableFileName("/db", 1)).ok());
  std::string bytes;
  ASSERT_TRUE(leveldb::ReadFileToString(&env_, leveldb::SSTTableFileName("/db", 1), &bytes).ok());
  KeptBlockWriter writer(&plain, "/db");
  const std::unique_ptr<RemapFile> file(NewTable(2));
  bool remapped = true;
  ASSERT_TRUE(writer.Append(block_, file.get(), &remapped).ok());
  EXPECT_EQ(Bytes(2).substr(0, block_.StoredBytes()), bytes.substr(block_.offset, block_.StoredBytes()));
}

TEST_F(KeptBlockWriterTest, ASourceThatIsGoneIsAnError) {
  KeptBlockWriter writer(&env_, "/db");
  const std::unique_ptr<RemapFile> file(NewTable(2));
  block_.file_number = 99;
  bool remapped = true;
  EXPECT_TRUE(writer.Append(block_, file.get(), &remapped).IsNotFound());
  EXPECT_FALSE(remapped);
  EXPECT_EQ(file->Offset(), 0u);
}

TEST_F(KeptBlockWriterTest, ATruncatedSourceIsCorruption) {
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, Bytes(1).substr(0, block_.offset + 10), Name(4)).ok());
  block_.file_number = 4;
  leveldb::EnvWrapper plain(&env_);
  KeptBlockWriter writer(&plain, "/db");
  const std::unique_ptr<RemapFile> file(NewTable(2));
  bool remapped = true;
  EXPECT_TRUE(writer.Append(block_, file.get(), &remapped).IsCorruption());
}

// An Env whose lookup fails with an I/O error, which tells nothing about the block.
class BrokenLookUp : public leveldb::EnvWrapper, public RemapEnv {
 public:
  explicit BrokenLookUp(MemoryRemapEnv *env) : EnvWrapper(env), env_(env) {}
  Status NewRemapFile(const std::string &name, int level, RemapFile **file) override {
    return env_->NewRemapFile(name, level, file);
  }
  Status GetLpn(const std::string &, uint64_t, uint64_t, PageRun *) override { return Status::IOError("device"); }
  RemapStats GetRemapStats() const override { return env_->GetRemapStats(); }

 private:
  MemoryRemapEnv *env_;
};

TEST_F(KeptBlockWriterTest, AFailingDeviceIsNotCopiedAround) {
  BrokenLookUp broken(&env_);
  KeptBlockWriter writer(&broken, "/db");
  const std::unique_ptr<RemapFile> file(NewTable(2));
  bool remapped = true;
  EXPECT_TRUE(writer.Append(block_, file.get(), &remapped).IsIOError());
  EXPECT_FALSE(remapped);
  EXPECT_EQ(file->Offset(), 0u);
}

}  // namespace
}  // namespace openremap
