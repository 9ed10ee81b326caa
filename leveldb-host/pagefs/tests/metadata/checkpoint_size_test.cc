// SPDX-License-Identifier: Apache-2.0
#include "pagefs/metadata/checkpoint_size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "pagefs/metadata/metadata_format.h"
#include "test_seed.h"

namespace openremap {
namespace {

// The sizes of a file's records, as they are written.
std::vector<size_t> SizesOf(const FileRecords &file) {
  Record create;
  create.type = RecordType::kCreate;
  create.name.assign(file.name_bytes, 'n');
  std::vector<size_t> sizes = {create.Encode().size()};
  for (uint64_t left = file.extents; left != 0;) {
    Record extend;
    extend.type = RecordType::kExtend;
    const uint64_t part = std::min<uint64_t>(left, Record::kMaxExtents);
    for (uint64_t i = 0; i < part; i++) extend.extents.push_back({2 * i + 1, 1});
    sizes.push_back(extend.Encode().size());
    left -= part;
  }
  return sizes;
}

// Pages of the files' records, in this order.
uint64_t PagesOf(const std::vector<FileRecords> &files) {
  uint64_t pages = 1, held = 0;
  for (const FileRecords &file : files) {
    for (const size_t bytes : SizesOf(file)) {
      if (held + bytes > kMetadataPayloadBytes) {
        pages++;
        held = 0;
      }
      held += bytes;
    }
  }
  return pages;
}

TEST(CheckpointSize, CountsRecordsAsTheyAreEncoded) {
  CheckpointSize size;
  EXPECT_EQ(size.MaxPages(), 1u) << "an empty checkpoint is a page";
  for (const FileRecords &file : std::vector<FileRecords>{{1, 0}, {30, 1}, {1024, 128}, {7, 129}, {7, 700}}) {
    const uint64_t before = size.Bytes();
    uint64_t bytes = 0;
    for (const size_t record : SizesOf(file)) bytes += record;
    size.Add(file);
    EXPECT_EQ(size.Bytes() - before, bytes) << file.name_bytes << " " << file.extents;
  }
  const uint64_t before = size.Bytes();
  size.Add({0, 100});
  EXPECT_EQ(size.Bytes(), before) << "a file without a name has no record";
  size.Remove({0, 100});
  EXPECT_EQ(size.Bytes(), before);
}

TEST(CheckpointSize, NoOrderOfFilesTakesMore) {
  std::mt19937_64 random(openremap::TestSeed());
  for (int round = 0; round < 40; round++) {
    CheckpointSize size;
    std::vector<FileRecords> files;
    const size_t names = random() % 2 == 0 ? 40 : kMaxNameBytes;
    const uint64_t extents = random() % 2 == 0 ? 3 : 300;
    uint64_t most = 1;
    for (int i = 0; i < 200; i++) {
      files.push_back({1 + random() % names, random() % extents});
      size.Add(files.back());
      ASSERT_GE(size.MaxPages(), most) << "one file more takes no less";
      most = size.MaxPages();
    }
    for (int order = 0; order < 10; order++) {
      std::shuffle(files.begin(), files.end(), random);
      ASSERT_LE(PagesOf(files), size.MaxPages());
    }
    // What is given away: with small records next to nothing.
    if (names == 40 && extents == 3) {
      ASSERT_LE(size.MaxPages(), PagesOf(files) + 1);
    }
    while (!files.empty()) {
      const FileRecords gone = files.back();
      size.Remove(gone);
      files.back().extents /= 2;
      size.Add(files.back());
      ASSERT_LE(size.MaxPages(), most) << "a smaller file takes no more";
      most = size.MaxPages();
      size.Remove(files.back());
      files.pop_back();
      ASSERT_LE(size.MaxPages(), most) << "nor does one less";
      most = size.MaxPages();
    }
    EXPECT_EQ(size.Bytes(), 0u);
    EXPECT_EQ(size.MaxPages(), 1u);
  }
}

TEST(CheckpointSize, TheWorstOrderTakesAsMuch) {
  // A small record, then one that does not fit behind it, and so on.
  std::vector<FileRecords> files;
  CheckpointSize size;
  const size_t large = 1024;
  const size_t rest = kMetadataPayloadBytes - 3 * Record::CreateBytes(large) + 1;
  for (int i = 0; i < 10; i++) {
    for (int j = 0; j < 3; j++) files.push_back({large, 0});
    files.push_back({rest - Record::CreateBytes(0), 0});
  }
  for (const FileRecords &file : files) size.Add(file);
  EXPECT_LE(PagesOf(files), size.MaxPages());
  EXPECT_GE(PagesOf(files), 11u);
  EXPECT_LE(size.MaxPages(), PagesOf(files) + 3);
}

}  // namespace
}  // namespace openremap
