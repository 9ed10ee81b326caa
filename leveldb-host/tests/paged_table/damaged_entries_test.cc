// SPDX-License-Identifier: Apache-2.0
//
// Damaged blocks, as they are read without checksums: what they say is never believed, and ends no process
// (patches/0046, 0047).
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <string>

#include "db/dbformat.h"
#include "leveldb/env.h"
#include "paged_table/min_key_bytes.h"
#include "table/block.h"
#include "table/block_builder.h"
#include "table/format.h"
#include "temp_dir.h"
#include "test_seed.h"
#include "util/coding.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

class DamagedEntriesTest : public ::testing::Test {
 protected:
  static std::string Key(const std::string &user_key) {
    std::string key;
    leveldb::AppendInternalKey(&key, leveldb::ParsedInternalKey(user_key, 7, leveldb::kTypeValue));
    return key;
  }
  // One entry, and the restart point in front of it.
  static std::string BlockOf(uint32_t shared, uint32_t non_shared, uint32_t value_length, const std::string &bytes) {
    std::string block;
    leveldb::PutVarint32(&block, shared);
    leveldb::PutVarint32(&block, non_shared);
    leveldb::PutVarint32(&block, value_length);
    block += bytes;
    leveldb::PutFixed32(&block, 0);
    leveldb::PutFixed32(&block, 1);
    return block;
  }
  // Reads all of it, in both directions and by seeks. Returns the number of entries that the first pass found.
  int ReadAll(const std::string &bytes, Status *status) {
    leveldb::BlockContents contents{Slice(bytes), false, false};
    leveldb::Block block(contents);
    int entries = 0;
    const std::unique_ptr<leveldb::Iterator> it(block.NewIterator(&comparator_));
    uint64_t sum = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), entries++) {
      for (const Slice &part : {it->key(), it->value()}) {
        for (size_t i = 0; i < part.size(); i++) sum += static_cast<unsigned char>(part[i]);
      }
    }
    *status = it->status();
    for (const char *target : {"a", "key10", "key55", "z"}) {
      const std::unique_ptr<leveldb::Iterator> seek(block.NewIterator(&comparator_));
      for (int again = 0; again < 2; again++) {
        seek->Seek(Key(target));
        if (status->ok()) *status = seek->status();
        if (seek->Valid()) seek->Prev();
      }
    }
    const std::unique_ptr<leveldb::Iterator> back(block.NewIterator(&comparator_));
    back->SeekToLast();
    for (int i = 0; i < 1000 && back->Valid(); i++) back->Prev();
    sum_ += sum;  // so that the bytes are read
    return entries;
  }

  const leveldb::InternalKeyComparator comparator_{leveldb::BytewiseComparator()};
  uint64_t sum_ = 0;
};

TEST_F(DamagedEntriesTest, AKeyWithoutItsNumberIsCorruption) {
  Status s;
  EXPECT_EQ(ReadAll(BlockOf(0, 8, 1, "12345678v"), &s), 1);
  EXPECT_TRUE(s.ok()) << s.ToString() << ": an empty user key";
  for (uint32_t bytes = 0; bytes < 8; bytes++) {
    EXPECT_EQ(ReadAll(BlockOf(0, bytes, 1, std::string(bytes, 'k') + "v"), &s), 0);
    EXPECT_TRUE(s.IsCorruption()) << bytes << ": " << s.ToString();
  }
  // At a restart point that a seek looks at.
  std::string two = BlockOf(0, 8, 1, "12345678v").substr(0, 12) + BlockOf(0, 3, 1, "abcv").substr(0, 7);
  leveldb::PutFixed32(&two, 0);
  leveldb::PutFixed32(&two, 12);
  leveldb::PutFixed32(&two, 2);
  leveldb::BlockContents contents{Slice(two), false, false};
  leveldb::Block block(contents);
  const std::unique_ptr<leveldb::Iterator> it(block.NewIterator(&comparator_));
  it->Seek(Key("m"));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption());
}

TEST_F(DamagedEntriesTest, OtherComparatorsHaveShortKeys) {
  EXPECT_EQ(MinKeyBytes(leveldb::BytewiseComparator()), 0u);
  EXPECT_EQ(MinKeyBytes(&comparator_), 8u);
}

TEST_F(DamagedEntriesTest, LengthsThatPass32BitsAreCorruption) {
  Status s;
  EXPECT_EQ(ReadAll(BlockOf(0, 16, UINT32_MAX - 10, std::string(30, 'x')), &s), 0);
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_EQ(ReadAll(BlockOf(0, UINT32_MAX - 10, 16, std::string(30, 'x')), &s), 0);
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
}

TEST_F(DamagedEntriesTest, NoDamageEndsTheProcess) {
  leveldb::Options options;
  options.comparator = &comparator_;
  options.block_restart_interval = 4;
  leveldb::BlockBuilder builder(&options);
  for (int i = 10; i < 90; i++) builder.Add(Key("key" + std::to_string(i)), std::string(static_cast<size_t>(i), 'v'));
  const std::string good = builder.Finish().ToString();
  Status s;
  ASSERT_EQ(ReadAll(good, &s), 80);
  ASSERT_TRUE(s.ok());
  std::mt19937_64 random(openremap::TestSeed());
  int found = 0;
  for (int round = 0; round < 20000; round++) {
    std::string bad = good;
    for (uint64_t i = 0; i <= random() % 4; i++) {
      bad[random() % bad.size()] = static_cast<char>(random() % 3 == 0 ? 0xFF : random());
    }
    // Alone in memory, so that sanitizers see what is read beside it.
    (void)ReadAll(bad, &s);
    found += s.ok() ? 0 : 1;
  }
  EXPECT_GT(found, 1000);
}

TEST_F(DamagedEntriesTest, AMappedFileEndsWhereItEnds) {
  const orm::TempDir folder;
  const std::string path = folder.path + "/file";
  std::ofstream(path) << std::string(5000, 'f');
  leveldb::RandomAccessFile *opened = nullptr;
  ASSERT_TRUE(leveldb::Env::Default()->NewRandomAccessFile(path, &opened).ok());
  const std::unique_ptr<leveldb::RandomAccessFile> file(opened);
  std::string scratch(200, '\0');
  Slice result;
  ASSERT_TRUE(file->Read(4900, 100, &result, &scratch[0]).ok());
  EXPECT_EQ(result.size(), 100u);
  for (const uint64_t offset : {UINT64_MAX, UINT64_MAX - 99, UINT64_MAX - 50, uint64_t{1} << 63}) {
    EXPECT_FALSE(file->Read(offset, 100, &result, &scratch[0]).ok()) << offset;
    EXPECT_EQ(result.size(), 0u);
  }
}

}  // namespace
}  // namespace openremap
