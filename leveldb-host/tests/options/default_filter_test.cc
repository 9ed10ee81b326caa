// SPDX-License-Identifier: Apache-2.0
#include "options/default_filter.h"

#include <gtest/gtest.h>

#include <cctype>
#include <memory>
#include <string>

#include "inline_env.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "memory_remap_env.h"

namespace openremap {
namespace {

leveldb::Options Blend() {
  leveldb::Options options;
  options.remap.mode = RemapMode::kBlend;
  return options;
}

TEST(DefaultFilterTest, BlendGetsOneUnlessToldOtherwise) {
  leveldb::Options options = Blend();
  SetDefaultFilter(&options);
  ASSERT_NE(options.filter_policy, nullptr);
  leveldb::Options again = Blend();
  SetDefaultFilter(&again);
  EXPECT_EQ(options.filter_policy, again.filter_policy) << "one for all databases";
  again = Blend();
  again.remap.blend_filter_bits = 5;
  SetDefaultFilter(&again);
  EXPECT_NE(options.filter_policy, again.filter_policy);
  again = Blend();
  again.remap.blend_filter_bits = 0;
  SetDefaultFilter(&again);
  EXPECT_EQ(again.filter_policy, nullptr);
}

TEST(DefaultFilterTest, AProgramsOwnFilterStays) {
  const std::unique_ptr<const leveldb::FilterPolicy> own(leveldb::NewBloomFilterPolicy(3));
  leveldb::Options options = Blend();
  options.filter_policy = own.get();
  SetDefaultFilter(&options);
  EXPECT_EQ(options.filter_policy, own.get());
}

TEST(DefaultFilterTest, OtherModesGetNone) {
  for (const RemapMode mode : RemapModes()) {
    leveldb::Options options;
    options.remap.mode = mode;
    SetDefaultFilter(&options);
    EXPECT_EQ(options.filter_policy != nullptr, mode == RemapMode::kBlend) << RemapModeName(mode);
  }
}

// This comparator takes upper and lower case for one key; a filter does not.
class CaseBlind : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice &a, const leveldb::Slice &b) const override { return Lower(a).compare(Lower(b)); }
  const char *Name() const override { return "CaseBlind"; }
  void FindShortestSeparator(std::string *, const leveldb::Slice &) const override {}
  void FindShortSuccessor(std::string *) const override {}

 private:
  static std::string Lower(const leveldb::Slice &key) {
    std::string lower = key.ToString();
    for (char &c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
  }
};

TEST(DefaultFilterTest, NotWithAComparatorOfTheProgramsOwn) {
  const CaseBlind comparator;
  leveldb::Options options = Blend();
  options.comparator = &comparator;
  SetDefaultFilter(&options);
  EXPECT_EQ(options.filter_policy, nullptr);

  MemoryRemapEnv files;
  InlineRemapEnv env(&files, &files);
  options.env = &env;
  options.create_if_missing = true;
  options.write_buffer_size = 65536;
  leveldb::DB *raw = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options, "/db", &raw).ok());
  const std::unique_ptr<leveldb::DB> db(raw);
  for (int i = 0; i < 2000; i++) {
    ASSERT_TRUE(db->Put(leveldb::WriteOptions(), "Key" + std::to_string(i), std::string(100, 'v')).ok());
    env.RunPending();
  }
  for (int i = 0; i < 2000; i++) {
    std::string value;
    EXPECT_TRUE(db->Get(leveldb::ReadOptions(), "kEY" + std::to_string(i), &value).ok()) << i;
  }
  env.RunPending();
}

}  // namespace
}  // namespace openremap
