// SPDX-License-Identifier: Apache-2.0
#include "paged_table/block_metadata.h"

#include <memory>

#include "leveldb/filter_policy.h"
#include "paged_table/table_fixture.h"

namespace openremap {
namespace {

class BlockMetadataTest : public TableFixture {
 protected:
  BlockMetadataTest() { options_.remap.mode = RemapMode::kSkip; }

  // Null: the table has none.
  std::shared_ptr<const TableMetadata> Read(uint64_t number) {
    std::shared_ptr<const TableMetadata> metadata;
    status_ = TableMetadata::Read(options_, Name(number), Bytes(number).size(), &metadata);
    return metadata;
  }

  leveldb::Status status_;
};

TEST_F(BlockMetadataTest, SaysOfEachBlockWhatIsInIt) {
  const Entry deletion = {NumberKey(7), "", 5, leveldb::kTypeDeletion};
  BuildPaged(1, {{Item(1), Item(2, 9), Item(3)}, {Item(4)}, {Item(6), deletion}, {Item(8, 5), Item(8, 4)}});
  const auto metadata = Read(1);
  ASSERT_NE(metadata, nullptr) << status_.ToString();
  const std::vector<BlockMetadata> &blocks = metadata->blocks();
  ASSERT_EQ(blocks.size(), 4u);
  const std::vector<leveldb::BlockHandle> handles = Blocks(1);
  for (size_t i = 0; i < blocks.size(); i++) EXPECT_EQ(blocks[i].offset, handles[i].offset());
  EXPECT_EQ(blocks[0].first, Item(1).Internal());
  EXPECT_EQ(blocks[0].last, Item(3).Internal());
  EXPECT_EQ(blocks[0].entries, 3u);
  EXPECT_TRUE(blocks[0].plain);
  EXPECT_EQ(blocks[1].first, blocks[1].last);
  EXPECT_EQ(blocks[1].entries, 1u);
  EXPECT_TRUE(blocks[1].plain);
  EXPECT_FALSE(blocks[2].plain) << "a deletion";
  EXPECT_FALSE(blocks[3].plain) << "two versions";
  EXPECT_EQ(blocks[3].last, Item(8, 4).Internal());
}

// Such keys come from a damaged block that was not verified.
TEST_F(BlockMetadataTest, KeysThatAreTooShortAreNotLookedInto) {
  BlockSummary summary(options_);
  for (const std::string &key : {std::string("short"), std::string(), Item(3).Internal()}) summary.Add(key);
  BlockMetadata block = summary.Take();
  EXPECT_EQ(block.entries, 3u);
  EXPECT_FALSE(block.plain);
  EXPECT_EQ(block.first.ToString(), "short");
  EXPECT_EQ(block.last.ToString(), Item(3).Internal());
  summary.Add(Item(1).Internal());
  summary.Add("");
  block = summary.Take();
  EXPECT_FALSE(block.plain);
  summary.Add(Item(1).Internal());
  EXPECT_TRUE(summary.Take().plain);
}

TEST_F(BlockMetadataTest, HasTheFiltersThatTheOptionsAskFor) {
  std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(10));
  leveldb::InternalFilterPolicy policy(bloom.get());
  BuildPaged(1, {{Item(1)}});
  options_.filter_policy = &policy;
  BuildPaged(2, {{Item(1), Item(2)}, {Item(3)}});
  EXPECT_EQ(Read(1), nullptr) << "a table without filters is of no use where they are wanted";
  EXPECT_TRUE(status_.ok());
  const auto metadata = Read(2);
  ASSERT_NE(metadata, nullptr) << status_.ToString();
  EXPECT_TRUE(policy.KeyMayMatch(Item(2).Internal(), metadata->blocks()[0].filter));
  int matches = 0;
  for (uint64_t n = 3; n < 103; n++) matches += policy.KeyMayMatch(Item(n).Internal(), metadata->blocks()[0].filter);
  EXPECT_LT(matches, 20) << "of keys that are not in the block";
  EXPECT_TRUE(policy.KeyMayMatch(Item(3).Internal(), metadata->blocks()[1].filter));
}

TEST_F(BlockMetadataTest, TablesOfOtherModesHaveNone) {
  for (RemapMode mode : {RemapMode::kBase, RemapMode::kRetain, RemapMode::kFill}) {
    options_.remap.mode = mode;
    BuildPaged(1, {{Item(1)}});
    EXPECT_EQ(Read(1), nullptr);
    EXPECT_TRUE(status_.ok()) << status_.ToString();
  }
}

// Changes every byte behind the data blocks. The metadata must read as before, or as absent, or as an error.
TEST_F(BlockMetadataTest, DamageIsNeverMisread) {
  BuildPaged(1, {{Item(1), Item(2)}, {Item(3)}});
  const std::string good = Bytes(1);
  int errors = 0;
  for (size_t at = 2 * kPageBytes; at < good.size(); at++) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    ASSERT_TRUE(leveldb::WriteStringToFile(&env_, bad, Name(1)).ok());
    const auto metadata = Read(1);
    errors += status_.ok() ? 0 : 1;
    if (metadata == nullptr) continue;
    ASSERT_EQ(metadata->blocks().size(), 2u) << at;
    EXPECT_EQ(metadata->blocks()[0].last, Item(2).Internal()) << at;
    EXPECT_EQ(metadata->blocks()[1].offset, kPageBytes) << at;
  }
  EXPECT_GT(errors, 80);
}

TEST_F(BlockMetadataTest, FilesThatAreNoTables) {
  std::shared_ptr<const TableMetadata> metadata;
  EXPECT_TRUE(TableMetadata::Read(options_, Name(9), 4096, &metadata).IsNotFound());
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, std::string(100, 'x'), Name(9)).ok());
  EXPECT_TRUE(TableMetadata::Read(options_, Name(9), 10, &metadata).IsCorruption());
  EXPECT_TRUE(TableMetadata::Read(options_, Name(9), 100, &metadata).IsCorruption());
  EXPECT_TRUE(TableMetadata::Read(options_, Name(9), 120, &metadata).IsCorruption());
  EXPECT_EQ(metadata, nullptr);
}

}  // namespace
}  // namespace openremap
