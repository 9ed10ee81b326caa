// SPDX-License-Identifier: Apache-2.0
#include "value_log/segment_map.h"

#include <gtest/gtest.h>

#include "memory_remap_env.h"

namespace openremap {
namespace {

constexpr char kName[] = "/file";

SegmentPages Pages() {
  SegmentPages pages;
  pages.Add(2 * kPageBytes, 1);
  pages.Add(2 * kPageBytes + 100, kPageBytes);  // and page 3
  pages.Add(9 * kPageBytes - 1, 1);             // page 8
  return pages;
}

TEST(SegmentPagesTest, PagesWithAnyOfTheBytesAreOfTheSet) {
  const SegmentPages pages = Pages();
  EXPECT_EQ(pages.count(), 3u);
  EXPECT_EQ(pages.end(), 9u);
  for (uint64_t page = 0; page < 20; page++) EXPECT_EQ(pages.Has(page), page == 2 || page == 3 || page == 8) << page;
}

TEST(SegmentMapTest, FindsWhatIsThereAsAWhole) {
  const SegmentMap map(7, Pages());
  uint64_t at = 0;
  ASSERT_TRUE(map.Find(2 * kPageBytes, 2 * kPageBytes, &at));
  EXPECT_EQ(at, 0u);
  ASSERT_TRUE(map.Find(3 * kPageBytes + 5, 100, &at));
  EXPECT_EQ(at, kPageBytes + 5);
  ASSERT_TRUE(map.Find(8 * kPageBytes + 1, kPageBytes - 1, &at));
  EXPECT_EQ(at, 2 * kPageBytes + 1);
  EXPECT_FALSE(map.Find(0, 1, &at));
  EXPECT_FALSE(map.Find(2 * kPageBytes - 1, 2, &at));
  EXPECT_FALSE(map.Find(3 * kPageBytes, kPageBytes + 1, &at));
  EXPECT_FALSE(map.Find(4 * kPageBytes, 1, &at));
  EXPECT_FALSE(map.Find(100 * kPageBytes, 1, &at));
  EXPECT_FALSE(SegmentMap().Find(0, 1, &at));
}

class SegmentMapFileTest : public ::testing::Test {
 protected:
  void Write(const std::string &map, uint64_t pages = 3) {
    ASSERT_TRUE(leveldb::WriteStringToFile(&env_, std::string(pages * kPageBytes, 'v') + map, kName).ok());
  }
  leveldb::Status Read() { return SegmentMap::Read(&env_, kName, &map_); }

  MemoryRemapEnv env_;
  SegmentMap map_;
};

TEST_F(SegmentMapFileTest, ComesBackFromTheEndOfItsFile) {
  std::string encoded;
  SegmentMap(7, Pages()).EncodeTo(&encoded);
  Write(encoded);
  ASSERT_TRUE(Read().ok());
  EXPECT_EQ(map_.segment(), 7u);
  EXPECT_EQ(map_.pages(), 3u);
  uint64_t at = 0;
  ASSERT_TRUE(map_.Find(8 * kPageBytes, kPageBytes, &at));
  EXPECT_EQ(at, 2 * kPageBytes);
  std::string again;
  map_.EncodeTo(&again);
  EXPECT_EQ(again, encoded);
}

TEST_F(SegmentMapFileTest, OtherFilesAndDamageAreCorruption) {
  std::string encoded;
  SegmentMap(7, Pages()).EncodeTo(&encoded);
  for (size_t i = 0; i < encoded.size(); i++) {
    std::string damaged = encoded;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    Write(damaged);
    ASSERT_TRUE(Read().IsCorruption()) << i;
  }
  Write(encoded, 2);
  EXPECT_TRUE(Read().IsCorruption()) << "a page is missing";
  Write(encoded + "x");
  EXPECT_TRUE(Read().IsCorruption());
  Write("");
  EXPECT_TRUE(Read().IsCorruption());
  Write("", 0);
  EXPECT_TRUE(Read().IsCorruption());
  ASSERT_TRUE(env_.RemoveFile(kName).ok());
  EXPECT_TRUE(Read().IsNotFound());
}

}  // namespace
}  // namespace openremap
