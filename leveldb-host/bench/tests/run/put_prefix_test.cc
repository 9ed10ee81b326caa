// SPDX-License-Identifier: Apache-2.0
#include "bench/run/put_prefix.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace openremap {
namespace {

// Keys 0 to 3; key 3 is never put.
const std::vector<uint64_t> kPuts = {0, 1, 0, 2, 0, 1};

class PutPrefixTest : public ::testing::Test {
 protected:
  // The value of a key after the given number of puts.
  const std::string *After(uint64_t puts, uint64_t key) {
    uint32_t version = 0;
    for (uint64_t i = 0; i < puts; i++) version += kPuts[i] == key;
    if (version == 0) return nullptr;
    keys_.Value(key, version, &value_);
    return &value_;
  }

  const KeySpace keys_{4, 16, ValueSizes::Fixed(50), 7};
  PutPrefix prefix_{&keys_, kPuts};
  std::string value_;
};

TEST_F(PutPrefixTest, NothingSeenExplainsAnyNumber) {
  EXPECT_EQ(prefix_.least(), 0u);
  EXPECT_EQ(prefix_.most(), kPuts.size());
}

TEST_F(PutPrefixTest, FindsTheNumberOfPuts) {
  for (uint64_t puts = 0; puts <= kPuts.size(); puts++) {
    PutPrefix prefix(&keys_, kPuts);
    for (uint64_t key = 0; key < keys_.size(); key++) EXPECT_TRUE(prefix.Observe(key, After(puts, key)));
    EXPECT_EQ(prefix.least(), puts);
    EXPECT_EQ(prefix.most(), puts);
  }
}

TEST_F(PutPrefixTest, OneKeyBounds) {
  EXPECT_TRUE(prefix_.Observe(0, After(3, 0)));
  EXPECT_EQ(prefix_.least(), 3u);
  EXPECT_EQ(prefix_.most(), 4u);
}

TEST_F(PutPrefixTest, AnEarlierPutLostBelowALaterOneIsFound) {
  EXPECT_TRUE(prefix_.Observe(2, After(6, 2)));
  EXPECT_TRUE(prefix_.Observe(0, After(1, 0)));
  EXPECT_GT(prefix_.least(), prefix_.most());
}

TEST_F(PutPrefixTest, WhatNoPutLeftIsRefused) {
  const std::string other(50, 'x'), empty;
  EXPECT_FALSE(prefix_.Observe(0, &other));
  EXPECT_FALSE(prefix_.Observe(3, &other));
  EXPECT_FALSE(prefix_.Observe(1, &empty));
  EXPECT_EQ(prefix_.least(), 0u);
  EXPECT_EQ(prefix_.most(), kPuts.size());
}

}  // namespace
}  // namespace openremap
