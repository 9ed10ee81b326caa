// SPDX-License-Identifier: Apache-2.0
#include "rocksfs/file_hints.h"

#include <gtest/gtest.h>

#include "pagefs/fs/inode.h"

namespace openremap {
namespace {

using rocksdb::Env;
using rocksdb::Temperature;

FileHints Table(Env::WriteLifeTimeHint life_time, Env::IOPriority priority = Env::IO_LOW,
                Temperature temperature = Temperature::kUnknown) {
  return {RocksFileKind::kTable, life_time, priority, temperature};
}

TEST(FileHintsTest, NamesTellTheKind) {
  EXPECT_EQ(KindOfRocksFile("/db/000012.log"), RocksFileKind::kLog);
  EXPECT_EQ(KindOfRocksFile("/db/archive/000012.log"), RocksFileKind::kLog);
  EXPECT_EQ(KindOfRocksFile("/db/000013.sst"), RocksFileKind::kTable);
  EXPECT_EQ(KindOfRocksFile("/db/000014.blob"), RocksFileKind::kBlob);
  for (const char *name : {"/db/MANIFEST-000004", "/db/CURRENT", "/db/OPTIONS-000007", "/db/IDENTITY", "/db/LOG",
                           "/db/000001.dbtmp", ".sst", "/db/sst"}) {
    EXPECT_EQ(KindOfRocksFile(name), RocksFileKind::kOther) << name;
  }
}

TEST(FileHintsTest, LogsAndSmallFilesHaveNoLevelWhateverIsTold) {
  for (const RocksFileKind kind : {RocksFileKind::kLog, RocksFileKind::kOther}) {
    for (const auto life_time : {Env::WLTH_NOT_SET, Env::WLTH_SHORT, Env::WLTH_EXTREME}) {
      EXPECT_EQ(PlaceOf({kind, life_time, Env::IO_HIGH, Temperature::kCold}), Inode::kNoLevel);
    }
  }
}

TEST(FileHintsTest, TablesFollowTheirLifeTime) {
  EXPECT_EQ(PlaceOf(Table(Env::WLTH_SHORT)), 0);
  EXPECT_EQ(PlaceOf(Table(Env::WLTH_MEDIUM)), 1);
  EXPECT_EQ(PlaceOf(Table(Env::WLTH_LONG)), 2);
  EXPECT_EQ(PlaceOf(Table(Env::WLTH_EXTREME)), 3);
  EXPECT_EQ(PlaceOf(Table(Env::WLTH_NOT_SET)), 2);
  EXPECT_EQ(PlaceOf(Table(Env::WLTH_NONE)), 2);
  FileHints blob = Table(Env::WLTH_EXTREME);
  blob.kind = RocksFileKind::kBlob;
  EXPECT_EQ(PlaceOf(blob), 3);
}

TEST(FileHintsTest, FlushesGoToLevelZero) {
  for (const auto life_time : {Env::WLTH_NOT_SET, Env::WLTH_MEDIUM, Env::WLTH_LONG}) {
    EXPECT_EQ(PlaceOf(Table(life_time, Env::IO_HIGH)), 0);
  }
}

TEST(FileHintsTest, TemperaturesBoundThePlace) {
  EXPECT_EQ(PlaceOf(Table(Env::WLTH_EXTREME, Env::IO_LOW, Temperature::kHot)), 1);
  EXPECT_EQ(PlaceOf(Table(Env::WLTH_MEDIUM, Env::IO_HIGH, Temperature::kHot)), 0);
  EXPECT_EQ(PlaceOf(Table(Env::WLTH_MEDIUM, Env::IO_LOW, Temperature::kWarm)), 3);
  EXPECT_EQ(PlaceOf(Table(Env::WLTH_EXTREME, Env::IO_LOW, Temperature::kWarm)), 3);
  EXPECT_EQ(PlaceOf(Table(Env::WLTH_MEDIUM, Env::IO_HIGH, Temperature::kCold)), 4);
}

TEST(FileHintsTest, CausesFollowTheKindAndThePriority) {
  EXPECT_EQ(CauseOf({RocksFileKind::kLog, Env::WLTH_SHORT, Env::IO_TOTAL, {}}), WriteCause::kLog);
  EXPECT_EQ(CauseOf({RocksFileKind::kOther, Env::WLTH_NOT_SET, Env::IO_HIGH, {}}), WriteCause::kOther);
  EXPECT_EQ(CauseOf(Table(Env::WLTH_MEDIUM, Env::IO_HIGH)), WriteCause::kFlush);
  EXPECT_EQ(CauseOf(Table(Env::WLTH_MEDIUM)), WriteCause::kSizeCompaction);
}

}  // namespace
}  // namespace openremap
