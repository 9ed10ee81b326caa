// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/keys.h"

#include <gtest/gtest.h>

#include <string>

namespace openremap {
namespace {

TEST(KeySpaceTest, KeysAreSortedDistinctAndOfTheSize) {
  KeySpace keys(1000, 16, ValueSizes::Fixed(10), 1);
  std::string last, key;
  for (uint64_t i = 0; i < keys.size(); i++) {
    keys.Key(i, &key);
    EXPECT_EQ(key.size(), 16u);
    EXPECT_LT(last, key);
    last = key;
  }
  EXPECT_EQ(key, "0000000000000999");
}

TEST(KeySpaceTest, OutpointsHaveSizesOfTheirOwn) {
  constexpr uint64_t kKeys = 10000;
  KeySpace keys(kKeys, 16, ValueSizes::Fixed(10), 1, KeyForm::kOutpoint);
  std::string key, value, again;
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < kKeys; i++) {
    keys.Put(i, &value);
    keys.Key(i, &key);
    bytes += key.size() + value.size();
  }
  EXPECT_GT(bytes, 44 * kKeys) << "some have 35 bytes";
  EXPECT_EQ(keys.live_bytes(), bytes);
  keys.Key(kKeys - 1, &again);
  EXPECT_EQ(again, key);
  for (uint64_t i = 0; i < kKeys; i++) keys.Delete(i);
  EXPECT_EQ(keys.live_bytes(), 0u);
}

TEST(KeySpaceTest, ValuesAreFunctionsOfSeedKeyAndVersion) {
  const ValueSizes sizes = ValueSizes::Fixed(100);
  KeySpace one(10, 16, sizes, 1), same(10, 16, sizes, 1), other(10, 16, sizes, 2);
  std::string a, b, c, d;
  EXPECT_FALSE(one.Exists(3));
  one.Put(3, &a);
  same.Put(3, &b);
  other.Put(3, &c);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_EQ(a.size(), 100u);
  one.Put(3, &d);
  EXPECT_NE(a, d) << "a new version";
  one.Value(3, &a);
  EXPECT_EQ(a, d);
  one.Put(4, &b);
  EXPECT_NE(b, d);
  EXPECT_EQ(one.live(), 2u);
}

TEST(KeySpaceTest, WhatIsDeletedIsNotThereUntilItIsPutAgain) {
  KeySpace keys(3, 16, ValueSizes::Fixed(100), 1);
  std::string first, second;
  keys.Delete(1);
  EXPECT_FALSE(keys.Exists(1));
  EXPECT_FALSE(keys.Deleted(1)) << "it never was there";
  keys.Put(1, &first);
  keys.Put(2, &second);
  EXPECT_EQ(keys.live_bytes(), 232u);
  keys.Delete(1);
  keys.Delete(1);
  EXPECT_FALSE(keys.Exists(1));
  EXPECT_TRUE(keys.Deleted(1));
  EXPECT_FALSE(keys.Deleted(2));
  EXPECT_EQ(keys.live(), 1u);
  EXPECT_EQ(keys.live_bytes(), 116u);
  keys.Put(1, &second);
  EXPECT_TRUE(keys.Exists(1));
  EXPECT_FALSE(keys.Deleted(1));
  EXPECT_NE(second, first) << "a version of its own";
  std::string expected;
  keys.Value(1, &expected);
  EXPECT_EQ(expected, second);
  EXPECT_EQ(keys.live(), 2u);
  EXPECT_EQ(keys.live_bytes(), 232u);
}

}  // namespace
}  // namespace openremap
