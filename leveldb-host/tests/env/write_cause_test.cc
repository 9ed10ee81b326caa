// SPDX-License-Identifier: Apache-2.0
#include "write_cause.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace openremap {
namespace {

TEST(WriteCauseTest, NamesDiffer) {
  std::set<std::string> names;
  for (size_t i = 0; i < kWriteCauses; i++) names.insert(WriteCauseName(static_cast<WriteCause>(i)));
  EXPECT_EQ(names.size(), kWriteCauses);
  EXPECT_EQ(names.count("seek_compaction"), 1u);
}

TEST(WriteCauseTest, TheNameTellsLogs) {
  EXPECT_EQ(CauseOfName("/db/000012.log"), WriteCause::kLog);
  EXPECT_EQ(CauseOfName("/db/000012.vlog"), WriteCause::kValueLog);
  for (const char *name :
       {"/db/MANIFEST-000011", ".vlog", "/db/CURRENT", "/db/LOG", "/db/000012.ldb", ".log", "log", ""}) {
    EXPECT_EQ(CauseOfName(name), WriteCause::kOther) << name;
  }
}

TEST(WriteCauseTest, CountersSumUp) {
  CauseCounters counters;
  EXPECT_EQ(SumOf(counters.Get()), 0u);
  counters.Add(WriteCause::kLog, 3);
  counters.Add(WriteCause::kOther, 5);
  counters.Add(WriteCause::kLog, 4);
  EXPECT_EQ(counters.Get().at(static_cast<size_t>(WriteCause::kLog)), 7u);
  EXPECT_EQ(SumOf(counters.Get()), 12u);
}

TEST(FileCausesTest, ACauseIsThatOfTheFileUntilItGoes) {
  FileCauses causes;
  EXPECT_EQ(causes.Of("a.log"), WriteCause::kLog);
  EXPECT_EQ(causes.Of("a.ldb"), WriteCause::kOther);
  causes.Set("a.ldb", WriteCause::kFlush);
  EXPECT_EQ(causes.Of("a.ldb"), WriteCause::kFlush);
  EXPECT_EQ(causes.Of("b.ldb"), WriteCause::kOther);
  causes.Forget("a.ldb");
  causes.Forget("never");
  EXPECT_EQ(causes.Of("a.ldb"), WriteCause::kOther);
}

}  // namespace
}  // namespace openremap
