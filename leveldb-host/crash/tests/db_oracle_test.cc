// SPDX-License-Identifier: Apache-2.0
#include "db_oracle.h"

#include <gtest/gtest.h>

namespace openremap {
namespace {

class DbOracleTest : public ::testing::Test {
 protected:
  void Put(const std::string &key, const std::string &value, bool sync) {
    oracle_.Begin({{key, value}});
    oracle_.Acknowledged(sync);
  }
  void Delete(const std::string &key, bool sync) {
    oracle_.Begin({{key, std::nullopt}});
    oracle_.Acknowledged(sync);
  }
  // Whether it is found wrong, without going on from it.
  std::string Judge(const DbOracle::State &found) const {
    DbOracle copy = oracle_;
    return copy.Recovered(found);
  }

  DbOracle oracle_;
};

TEST_F(DbOracleTest, SyncedWritesAndAllBeforeThemMustBeThere) {
  Put("a", "1", false);
  Put("b", "1", true);
  EXPECT_EQ(Judge({{"a", "1"}, {"b", "1"}}), "");
  EXPECT_EQ(Judge({{"b", "1"}}), "key a is gone, its last value was synced");
  EXPECT_EQ(Judge({}), "key a is gone, its last value was synced");
  Delete("a", true);
  EXPECT_EQ(Judge({{"b", "1"}}), "");
  EXPECT_EQ(Judge({{"a", "1"}, {"b", "1"}}), "key a holds a value older than what was synced");
}

TEST_F(DbOracleTest, LaterWritesMaySurviveInTheirOrder) {
  Put("a", "1", true);
  Put("a", "2", false);
  Put("b", "1", false);
  oracle_.Begin({{"c", "1"}, {"a", std::nullopt}});  // not acknowledged
  EXPECT_EQ(oracle_.Now(), (DbOracle::State{{"a", "2"}, {"b", "1"}}));
  EXPECT_EQ(Judge({{"a", "1"}}), "");
  EXPECT_EQ(Judge({{"a", "2"}}), "");
  EXPECT_EQ(Judge({{"a", "2"}, {"b", "1"}}), "");
  EXPECT_EQ(Judge({{"b", "1"}, {"c", "1"}}), "");
  const std::string none =
      "each key by itself may hold what it holds, but together they are the state after none of the "
      "writes";
  EXPECT_EQ(Judge({{"a", "1"}, {"b", "1"}}), none);
  EXPECT_EQ(Judge({{"a", "2"}, {"b", "1"}, {"c", "1"}}), none) << "half a batch";
}

TEST_F(DbOracleTest, ForeignAndOldValuesAreFound) {
  Put("a", "1", false);
  Put("a", "2", true);
  EXPECT_EQ(Judge({{"a", "3"}}), "key a holds a value that was never written");
  EXPECT_EQ(Judge({{"a", "2"}, {"z", "1"}}), "key z holds a value that was never written");
  EXPECT_EQ(Judge({{"a", "1"}}), "key a holds a value older than what was synced");
}

TEST_F(DbOracleTest, WhatWasFoundCannotBeLostAgain) {
  Put("a", "1", true);
  Put("b", "1", false);
  Put("c", "1", false);
  EXPECT_EQ(oracle_.Recovered({{"a", "1"}, {"b", "1"}}), "");
  EXPECT_EQ(oracle_.Now(), (DbOracle::State{{"a", "1"}, {"b", "1"}}));
  EXPECT_EQ(Judge({{"a", "1"}}), "key b is gone, its last value was synced");
  EXPECT_EQ(Judge({{"a", "1"}, {"b", "1"}, {"c", "1"}}), "key c holds a value older than what was synced");
}

TEST_F(DbOracleTest, ClosingMakesAllWritesDurable) {
  Put("a", "1", false);
  oracle_.Closed();
  EXPECT_EQ(Judge({{"a", "1"}}), "");
  EXPECT_EQ(Judge({}), "key a is gone, its last value was synced");
}

}  // namespace
}  // namespace openremap
