// SPDX-License-Identifier: Apache-2.0
#include "paged_table/filter_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "remap_env.h"
#include "table/filter_block.h"
#include "util/random.h"

namespace openremap {
namespace {

using leveldb::Slice;

class FilterWriterTest : public ::testing::Test {
 protected:
  const std::unique_ptr<const leveldb::FilterPolicy> policy_{leveldb::NewBloomFilterPolicy(10)};
};

TEST_F(FilterWriterTest, WritesWhatUpstreamWrites) {
  for (uint32_t seed = 1; seed <= 20; seed++) {
    leveldb::Random random(seed);
    leveldb::FilterBlockBuilder upstream(policy_.get());
    FilterWriter ours(policy_.get());
    uint64_t offset = 0;
    for (uint32_t block = random.Uniform(8); block > 0; block--) {
      upstream.StartBlock(offset);
      ours.StartBlock(offset);
      for (uint32_t keys = random.Uniform(50); keys > 0; keys--) {
        const std::string key = std::to_string(random.Next());
        upstream.AddKey(key);
        ours.AddKey(key);
      }
      offset += random.OneIn(3) ? random.Uniform(3000) : kPageBytes * (1 + random.Uniform(3));
    }
    EXPECT_EQ(ours.Finish().ToString(), upstream.Finish().ToString()) << "seed " << seed;
  }
}

// A table built from the filters of another has the same filter block as one built from the keys.
TEST_F(FilterWriterTest, TakesFiltersOver) {
  FilterWriter writer(policy_.get());
  for (uint64_t block = 0; block < 5; block++) {
    writer.StartBlock(block * kPageBytes);
    for (uint64_t key = 0; key < 30; key++) writer.AddKey(std::to_string(block * 100 + key));
  }
  writer.StartBlock(5 * kPageBytes);
  const std::string contents = writer.Finish().ToString();
  FilterSource source;
  ASSERT_TRUE(FilterSource::Parse(contents, &source).ok());
  FilterWriter copy(policy_.get());
  for (uint64_t block = 0; block < 5; block++) {
    Slice filter;
    ASSERT_TRUE(source.Find(block * kPageBytes, &filter));
    EXPECT_TRUE(policy_->KeyMayMatch(std::to_string(block * 100 + 7), filter));
    EXPECT_FALSE(policy_->KeyMayMatch("no such key", filter));
    copy.StartBlock(block * kPageBytes);
    copy.SetFilter(filter);
  }
  copy.StartBlock(5 * kPageBytes);
  EXPECT_EQ(copy.Finish().ToString(), contents);
  Slice filter;
  EXPECT_FALSE(source.Find(6 * kPageBytes, &filter)) << "no such block";
}

TEST_F(FilterWriterTest, DamageIsAnError) {
  FilterWriter writer(policy_.get());
  writer.StartBlock(0);
  writer.AddKey("a");
  const std::string good = writer.Finish().ToString();
  FilterSource source;
  ASSERT_TRUE(FilterSource::Parse(good, &source).ok());
  EXPECT_TRUE(FilterSource::Parse("", &source).IsCorruption());
  EXPECT_TRUE(FilterSource::Parse(good.substr(0, 4), &source).IsCorruption());
  std::string bad = good;
  bad.back() = 12;  // filters of another spacing
  EXPECT_TRUE(FilterSource::Parse(bad, &source).IsCorruption());
  bad = good;
  bad[bad.size() - 2] = 1;  // the offsets begin behind the end
  EXPECT_TRUE(FilterSource::Parse(bad, &source).IsCorruption());
}

}  // namespace
}  // namespace openremap
