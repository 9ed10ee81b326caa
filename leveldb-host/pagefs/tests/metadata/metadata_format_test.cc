// SPDX-License-Identifier: Apache-2.0
#include "pagefs/metadata/metadata_format.h"

#include <gtest/gtest.h>

#include <random>

namespace openremap {
namespace {

TEST(MetadataFormatTest, SuperblockKnowsItself) {
  Superblock superblock, back;
  superblock.pages = 12345;
  superblock.area_pages = 67;
  std::string page = superblock.Encode();
  ASSERT_EQ(page.size(), kPageBytes);
  ASSERT_TRUE(back.Decode(page.data()).ok());
  EXPECT_EQ(back.pages, 12345u);
  EXPECT_EQ(back.area_pages, 67u);

  std::string other = page;
  other[8] = 3;
  leveldb::Status s = back.Decode(other.data());
  EXPECT_TRUE(s.IsNotSupportedError());
  EXPECT_NE(s.ToString().find("format version 3, this program knows 1 to 2"), std::string::npos) << s.ToString();
  other = page;
  other[8] = 0;
  EXPECT_TRUE(back.Decode(other.data()).IsNotSupportedError());
  superblock.version = kHolesVersion;
  ASSERT_TRUE(back.Decode(superblock.Encode().data()).ok());
  EXPECT_EQ(back.version, kHolesVersion);
  other = page;
  other[20] = static_cast<char>(other[20] ^ 1);
  EXPECT_TRUE(back.Decode(other.data()).IsCorruption());
  const std::string foreign(kPageBytes, 'x');
  s = back.Decode(foreign.data());
  EXPECT_TRUE(s.IsCorruption());
  EXPECT_NE(s.ToString().find("holds something else"), std::string::npos);
}

TEST(MetadataFormatTest, AnyFlippedBitOfAPageShows) {
  MetadataPageHeader header, back;
  header.generation = 7;
  header.first_record = 99;
  header.index = 3;
  header.checkpoint_pages = 2;
  header.version = kHolesVersion;
  const std::string page = EncodeMetadataPage(header, "some records");
  leveldb::Slice payload;
  ASSERT_TRUE(DecodeMetadataPage(page.data(), &back, &payload));
  EXPECT_EQ(payload.ToString(), "some records");
  EXPECT_EQ(back.generation, 7u);
  EXPECT_EQ(back.first_record, 99u);
  EXPECT_EQ(back.index, 3u);
  EXPECT_EQ(back.checkpoint_pages, 2u);
  EXPECT_EQ(back.version, kHolesVersion);
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; i++) {
    std::string bad = page;
    const size_t at = random() % bad.size();
    bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
    EXPECT_FALSE(DecodeMetadataPage(bad.data(), &back, &payload)) << "byte " << at;
  }
  const std::string blank(kPageBytes, '\0');
  EXPECT_FALSE(DecodeMetadataPage(blank.data(), &back, &payload));
}

Record Decoded(const Record &record) {
  const std::string bytes = record.Encode();
  EXPECT_LE(bytes.size(), kMetadataPayloadBytes);
  leveldb::Slice input(bytes);
  Record back;
  EXPECT_TRUE(back.Decode(&input).ok());
  EXPECT_TRUE(input.empty());
  EXPECT_EQ(back.type, record.type);
  return back;
}

TEST(MetadataFormatTest, RecordsComeBack) {
  Record record;
  record.type = RecordType::kCreate;
  record.inode = 1ull << 40;
  record.name = std::string(kMaxNameBytes, 'n');
  EXPECT_EQ(Decoded(record).name, record.name);
  EXPECT_EQ(Decoded(record).inode, record.inode);
  record.type = RecordType::kRename;
  record.second_name = std::string(kMaxNameBytes, 'm');
  EXPECT_EQ(Decoded(record).second_name, record.second_name);
  record.type = RecordType::kRemove;
  EXPECT_EQ(Decoded(record).name, record.name);
  record.type = RecordType::kExtend;
  record.size = 123456789012;
  for (uint64_t i = 0; i < Record::kMaxExtents; i++) record.extents.push_back({i << 33, i + 1});
  const Record back = Decoded(record);
  EXPECT_EQ(back.size, record.size);
  ASSERT_EQ(back.extents.size(), Record::kMaxExtents);
  EXPECT_EQ(back.extents.back().lpn, record.extents.back().lpn);
  EXPECT_EQ(back.extents.back().pages, Record::kMaxExtents);
  EXPECT_EQ(back.Version(), kHolesVersion) << "the first extent is at page 0";
  record.extents.erase(record.extents.begin());
  EXPECT_EQ(record.Version(), kPlainVersion);
  record.type = RecordType::kPunch;
  record.first = 1ull << 35;
  record.pages = 77;
  const Record hole = Decoded(record);
  EXPECT_EQ(hole.inode, record.inode);
  EXPECT_EQ(hole.first, record.first);
  EXPECT_EQ(hole.pages, 77u);
  EXPECT_EQ(hole.Version(), kHolesVersion);
}

TEST(MetadataFormatTest, MalformedRecordsAreErrorsNotCrashes) {
  Record record;
  record.type = RecordType::kExtend;
  record.extents.push_back({5, 6});
  const std::string good = record.Encode();
  for (size_t length = 0; length < good.size(); length++) {
    leveldb::Slice input(good.data(), length);
    Record back;
    EXPECT_TRUE(back.Decode(&input).IsCorruption()) << length;
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; i++) {
    std::string noise(random() % 60, '\0');
    for (char &c : noise) c = static_cast<char>(random() % 8);
    leveldb::Slice input(noise);
    Record back;
    while (!input.empty() && back.Decode(&input).ok()) {
    }
  }
}

}  // namespace
}  // namespace openremap
