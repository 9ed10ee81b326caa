// SPDX-License-Identifier: Apache-2.0
#include "value_log/value_pointer.h"

#include <gtest/gtest.h>

namespace openremap {
namespace {

using leveldb::Slice;

TEST(ValuePointerTest, InlineValuesComeBack) {
  for (const std::string &value : {std::string(), std::string("a"), std::string(5000, '\x02')}) {
    std::string tagged;
    AppendInline(value, &tagged);
    EXPECT_EQ(tagged.size(), value.size() + 1);
    TaggedValue parsed;
    ASSERT_TRUE(ParseTagged(tagged, &parsed));
    EXPECT_FALSE(parsed.separated);
    EXPECT_EQ(parsed.value.ToString(), value);
  }
}

TEST(ValuePointerTest, PointersComeBack) {
  for (const bool compressed : {false, true}) {
    const ValuePointer pointer = {1234567, uint64_t{1} << 40, 99999, 0xdeadbeef, compressed};
    std::string tagged;
    AppendPointer(pointer, &tagged);
    EXPECT_LE(tagged.size(), kMaxPointerBytes);
    TaggedValue parsed;
    ASSERT_TRUE(ParseTagged(tagged, &parsed));
    ASSERT_TRUE(parsed.separated);
    EXPECT_EQ(parsed.pointer.segment, pointer.segment);
    EXPECT_EQ(parsed.pointer.offset, pointer.offset);
    EXPECT_EQ(parsed.pointer.bytes, pointer.bytes);
    EXPECT_EQ(parsed.pointer.checksum, pointer.checksum);
    EXPECT_EQ(parsed.pointer.compressed, compressed);
  }
}

TEST(ValuePointerTest, DamagedOnesAreRefused) {
  TaggedValue parsed;
  EXPECT_FALSE(ParseTagged(Slice(), &parsed));
  EXPECT_FALSE(ParseTagged(Slice("\x03rest"), &parsed));
  std::string tagged;
  AppendPointer({300, 70000, 5000, 1, false}, &tagged);
  for (size_t size = 1; size < tagged.size(); size++) EXPECT_FALSE(ParseTagged(Slice(tagged.data(), size), &parsed));
  EXPECT_FALSE(ParseTagged(tagged + "x", &parsed));
  std::string overflow;
  AppendPointer({1, UINT64_MAX, 2, 0, false}, &overflow);
  EXPECT_FALSE(ParseTagged(overflow, &parsed));
}

}  // namespace
}  // namespace openremap
