// SPDX-License-Identifier: Apache-2.0
#include "value_log/value_log_repair.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db/log_writer.h"
#include "db/version_edit.h"
#include "leveldb/comparator.h"
#include "leveldb/write_batch.h"
#include "value_log/separated_db.h"
#include "value_log/value_pointer.h"

namespace openremap {
namespace {

using leveldb::Status;

class ValueLogRepairTest : public SeparatedDb {
 protected:
  void Fill() {
    Open();
    for (int i = 0; i < 600; i++) Put(Key(i % 250), Value(i, 0, 200 + static_cast<size_t>(i)));
    Delete(Key(3));
    Close();
  }
  void Repair() {
    const Status s = leveldb::RepairDB("/db", options_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void RemoveManifests() {
    for (const uint64_t number : Files(leveldb::kDescriptorFile)) {
      ASSERT_TRUE(env_.RemoveFile(leveldb::DescriptorFileName("/db", number)).ok());
    }
    ASSERT_TRUE(env_.RemoveFile(leveldb::CurrentFileName("/db")).ok());
  }
};

TEST_F(ValueLogRepairTest, ARepairedDatabaseHasItsValuesAndAnExactLedger) {
  Fill();
  Repair();
  Open();
  ExpectModel();
  CompactAll();
  uint64_t bytes = 0;
  for (const auto &[key, value] : model_) bytes += value.size();
  EXPECT_EQ(Counter("live-bytes"), bytes);
  ExpectModel();
}

TEST_F(ValueLogRepairTest, ItCanBeRepairedAgain) {
  Fill();
  for (int i = 0; i < 3; i++) {
    Repair();
    EXPECT_EQ(Files(leveldb::kDescriptorFile).size(), 1u);
  }
  Open();
  ExpectModel();
}

TEST_F(ValueLogRepairTest, NeitherManifestNorOptionAreNeeded) {
  Fill();
  RemoveManifests();
  options_.remap.value_log_threshold = kNoValueLog;
  Repair();
  Open();
  ExpectModel();
}

TEST_F(ValueLogRepairTest, AManifestTellsWhereThereIsNoSegment) {
  options_.remap.value_log_threshold = 100000;
  Fill();
  EXPECT_TRUE(Segments().empty());
  options_.remap.value_log_threshold = kNoValueLog;
  Repair();
  Open();
  ExpectModel();
}

TEST_F(ValueLogRepairTest, AnOptionMakesNoValueLogWhereAManifestKnowsOfNone) {
  options_.remap.value_log_threshold = kNoValueLog;
  Fill();
  options_.remap.value_log_threshold = 0;
  Repair();
  options_.remap.value_log_threshold = kNoValueLog;
  Open();
  ExpectModel();
}

// Left of another database, which was removed only in part.
TEST_F(ValueLogRepairTest, ASegmentMakesNoValueLogWhereTheTablesHaveNoPointersToIt) {
  options_.remap.value_log_threshold = kNoValueLog;
  Open();
  const std::string tags[] = {std::string(1, '\0'), "\x01", "\x02", "v"};
  for (int i = 0; i < 600; i++) Put(Key(i % 250), tags[i % 4] + Value(i, 0, 200));
  Close();
  ASSERT_TRUE(leveldb::WriteStringToFile(&env_, "left", leveldb::ValueLogFileName("/db", 999)).ok());
  Repair();
  Open();
  ExpectModel();
}

// As stock LevelDB's repair leaves it, which reads no manifest and knows no segments.
TEST_F(ValueLogRepairTest, PointersMakeAValueLogWhereTheManifestKnowsOfNone) {
  Fill();
  Repair();  // all entries are in tables now
  const std::vector<uint64_t> manifests = Files(leveldb::kDescriptorFile);
  ASSERT_EQ(manifests.size(), 1u);
  leveldb::VersionEdit edit;
  edit.SetComparatorName(leveldb::BytewiseComparator()->Name());
  edit.SetLogNumber(0);
  edit.SetNextFile(1000);
  edit.SetLastSequence(1000000);
  std::string record;
  edit.EncodeTo(&record);
  leveldb::WritableFile *opened = nullptr;
  ASSERT_TRUE(env_.NewWritableFile(leveldb::DescriptorFileName("/db", manifests[0]), &opened).ok());
  const std::unique_ptr<leveldb::WritableFile> file(opened);
  ASSERT_TRUE(leveldb::log::Writer(file.get()).AddRecord(record).ok());
  ASSERT_TRUE(file->Sync().ok());
  options_.remap.value_log_threshold = kNoValueLog;
  Repair();
  Open();
  ExpectModel();
}

TEST_F(ValueLogRepairTest, RecordsOfLogsWithoutTheirValuesAreDropped) {
  Open();
  Put("a", Value(1, 0));
  Close();
  const std::string segment = SegmentFileName("/db", Segments().back());
  Open();  // the log's entries are in a table now
  Put("b", Value(2, 0));
  Close();
  ASSERT_EQ(Segments().size(), 2u);
  const uint64_t last = std::max(Segments()[0], Segments()[1]);
  ASSERT_TRUE(env_.RemoveFile(SegmentFileName("/db", last)).ok());
  Repair();
  Open();
  model_.erase("b");
  ExpectModel();
}

TEST_F(ValueLogRepairTest, AValueThatCannotBeReadNowKeepsItsEntry) {
  Open();
  Put("a", Value(1, 0));
  Close();
  const leveldb::WriteBatch record = [] {
    std::string tagged;
    AppendPointer({5, 0, 1000, 1, false}, &tagged);
    leveldb::WriteBatch batch;
    batch.Put("a", tagged);
    return batch;
  }();
  ValueLogRepair repair(options_, "/db");
  repair.FoundSegment(5);
  repair.FoundManifests({}, {}, nullptr);
  faults_.HideSizes(true);
  EXPECT_TRUE(repair.Check(record).ok());
  faults_.HideSizes(false);
  EXPECT_TRUE(repair.Check(record).IsCorruption());
}

// Segment 5 may have moved to file 9, of which nothing can be read now: no manifest may say that it is gone.
TEST_F(ValueLogRepairTest, AFileThatCannotBeReadNowMayHaveAMissingSegment) {
  Open();
  Put("a", Value(1, 0));
  Close();
  std::string tagged;
  AppendPointer({5, 0, 1000, 1, false}, &tagged);
  for (const bool readable : {false, true}) {
    ValueLogRepair repair(options_, "/db");
    repair.FoundSegment(9);
    faults_.HideSizes(!readable);
    repair.FoundManifests({}, {}, nullptr);
    faults_.HideSizes(false);
    repair.Count(tagged);
    SegmentChanges changes;
    EXPECT_EQ(repair.Finish(&changes).ok(), readable);
  }
}

TEST_F(ValueLogRepairTest, AfterCollectionsHiddenPointersStayHidden) {
  options_.remap.value_log_dead_percent = 5;
  Open();
  for (int i = 0; i < 6000; i++) Put(Key(i * 7919 % 400 / (1 + i % 3)), Value(i, 0));
  EXPECT_GT(Counter("collected-segments"), 0u);
  Close();
  Repair();
  Open();
  ExpectModel();
}

}  // namespace
}  // namespace openremap
