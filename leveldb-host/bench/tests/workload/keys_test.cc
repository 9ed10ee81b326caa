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

}  // namespace
}  // namespace openremap
