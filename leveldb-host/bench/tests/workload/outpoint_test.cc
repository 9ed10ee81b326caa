// SPDX-License-Identifier: Apache-2.0
#include "bench/workload/outpoint.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace openremap {
namespace {

constexpr uint64_t kCoins = 160000;

TEST(OutpointTest, KeysAreDistinctAndOfTheirSize) {
  std::set<std::string> keys;
  std::map<size_t, int> sizes;
  std::string key;
  for (uint64_t coin = 0; coin < kCoins; coin++) {
    OutpointKey(coin, 1, &key);
    ASSERT_EQ(key.size(), OutpointBytes(coin, 1));
    ASSERT_EQ(key[0], 'C');
    ASSERT_TRUE(keys.insert(key).second) << coin;
    sizes[key.size()]++;
  }
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_EQ(sizes.begin()->first, kOutpointBytes);
  EXPECT_NEAR(sizes.at(kOutpointBytes + 1), kCoins / 64.0, kCoins / 320.0) << "outputs from 128 on";
}

TEST(OutpointTest, OutputsOfATransactionShareItsHash) {
  std::map<std::string, std::set<std::string>> outputs;  // by hash
  std::string key;
  for (uint64_t coin = 0; coin < kCoins; coin++) {
    OutpointKey(coin, 7, &key);
    outputs[key.substr(0, 33)].insert(key.substr(33));
  }
  EXPECT_EQ(outputs.size(), kCoins / kCoinsOfGroup * kTransactionsOfGroup);
  std::map<size_t, int> transactions;  // by number of outputs
  for (const auto &[hash, of] : outputs) {
    transactions[of.size()]++;
    const bool near = of.count(std::string(1, '\0')) == 1;
    EXPECT_NE(near, of.count("\x80\0") == 1 || of.count(std::string("\x80\0", 2)) == 1) << "the first, or number 128";
  }
  EXPECT_EQ(transactions, (std::map<size_t, int>{{1, 10000}, {2, 40000}, {3, 10000}, {4, 10000}}));
}

TEST(OutpointTest, HashesDependOnTheSeedAndScatter) {
  std::string one, same, other;
  OutpointKey(5, 1, &one);
  OutpointKey(5, 1, &same);
  OutpointKey(5, 2, &other);
  EXPECT_EQ(one, same);
  EXPECT_NE(one.substr(1, 32), other.substr(1, 32));
  std::map<char, int> first;  // bytes of the hashes
  for (uint64_t coin = 0; coin < kCoins; coin += kCoinsOfGroup) {
    OutpointKey(coin, 1, &one);
    first[one[1]]++;
  }
  EXPECT_EQ(first.size(), 256u);
  for (const auto &[byte, count] : first) EXPECT_NEAR(count, 39, 39) << int{byte};
}

}  // namespace
}  // namespace openremap
