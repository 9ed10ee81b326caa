// SPDX-License-Identifier: Apache-2.0
#include "value_log/separated_values.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "db/write_batch_internal.h"
#include "memory_remap_env.h"
#include "value_log/collected_segments.h"
#include "value_log/segment_faults.h"

namespace openremap {
namespace {

using leveldb::Status;
using leveldb::WriteBatchInternal;

class SeparatedValuesTest : public ::testing::Test {
 protected:
  SeparatedValuesTest() {
    options_.env = &faults_;
    options_.compression = leveldb::kNoCompression;
    options_.remap.value_log_threshold = 100;
    options_.remap.value_log_segment_bytes = 65536;
    New();
  }
  void New() { values_.emplace(options_, "/db", &ledger_); }

  // The batch to write in place of `batch`.
  leveldb::WriteBatch *Separate(const leveldb::WriteBatch &batch) {
    values_->Prepare([] { return uint64_t{1}; }, [this] { return number_++; }, 1, UINT64_MAX);
    leveldb::WriteBatch *separated = nullptr;
    const Status s = values_->Separate(batch, nullptr, &separated);
    EXPECT_TRUE(s.ok()) << s.ToString();
    values_->Written(true);
    return separated;
  }

  MemoryRemapEnv env_;
  SegmentFaults faults_{&env_};
  leveldb::Options options_;
  SegmentLedger ledger_;
  std::optional<SeparatedValues> values_;
  uint64_t number_ = 10;
};

TEST_F(SeparatedValuesTest, ABatchKeepsItsEntriesAndItsSequence) {
  values_->MemtableBegins(5);
  leveldb::WriteBatch batch;
  batch.Put("a", std::string(99, 'a'));
  batch.Put("b", std::string(5000, 'b'));
  batch.Delete("c");
  WriteBatchInternal::SetSequence(&batch, 77);
  leveldb::WriteBatch *separated = Separate(batch);
  EXPECT_EQ(WriteBatchInternal::Count(separated), 3);
  EXPECT_EQ(WriteBatchInternal::Sequence(separated), 77u);
  EXPECT_LT(separated->ApproximateSize(), 200u);

  struct Reader : leveldb::WriteBatch::Handler {
    explicit Reader(SeparatedValues *v) : values(v) {}
    void Put(const leveldb::Slice &key, const leveldb::Slice &tagged) override {
      std::string value = tagged.ToString();
      EXPECT_TRUE(values->Resolve(&value).ok());
      seen += key.ToString() + "=" + value.substr(0, 1) + std::to_string(value.size()) + " ";
    }
    void Delete(const leveldb::Slice &key) override { seen += "-" + key.ToString(); }
    SeparatedValues *values;
    std::string seen;
  } reader(&*values_);
  ASSERT_TRUE(separated->Iterate(&reader).ok());
  EXPECT_EQ(reader.seen, "a=a99 b=b5000 -c");
}

TEST_F(SeparatedValuesTest, ADamagedTagIsCorruption) {
  std::string value;
  EXPECT_TRUE(values_->Resolve(&value).IsCorruption());
  value = "\x09rest";
  EXPECT_TRUE(values_->Resolve(&value).IsCorruption());
}

TEST_F(SeparatedValuesTest, ReplayEndsAtTheFirstValueThatIsMissing) {
  values_->MemtableBegins(5);
  leveldb::WriteBatch first, second;
  first.Put("a", std::string(1000, 'a'));
  second.Put("b", std::string(1000, 'b'));
  const leveldb::WriteBatch one = *Separate(first);
  ASSERT_TRUE(values_->Sync().ok());
  const leveldb::WriteBatch two = *Separate(second);
  values_.reset();
  env_.DropUnsynced();
  New();
  bool torn = true;
  ASSERT_TRUE(values_->Replay(one, &torn).ok());
  EXPECT_FALSE(torn);
  ASSERT_TRUE(values_->Replay(two, &torn).ok());
  EXPECT_TRUE(torn);
  EXPECT_TRUE(values_->torn());
  ASSERT_TRUE(values_->Replay(one, &torn).ok());
  EXPECT_TRUE(torn) << "nor anything behind it";
  EXPECT_TRUE(values_->Sync().ok());
}

// It may be there the next time.
TEST_F(SeparatedValuesTest, AValueThatCannotBeLookedForIsAnErrorAndNotMissing) {
  values_->MemtableBegins(5);
  leveldb::WriteBatch batch;
  batch.Put("a", std::string(1000, 'a'));
  const leveldb::WriteBatch record = *Separate(batch);
  New();
  faults_.HideSizes(true);
  bool torn = true;
  EXPECT_TRUE(values_->Replay(record, &torn).IsIOError());
  EXPECT_FALSE(torn);
  faults_.HideSizes(false);
  EXPECT_TRUE(values_->Replay(record, &torn).ok());
  EXPECT_FALSE(torn);
}

TEST_F(SeparatedValuesTest, ABatchOfWhichAValueIsLostFailsAsAWhole) {
  values_->MemtableBegins(5);
  leveldb::WriteBatch batch;
  batch.Put("a", std::string(1000, 'a'));
  batch.Put("b", std::string(1000, 'b'));
  Separate(batch);
  for (uint64_t call = 0; call < 4; call++) {  // create, append, append, flush
    faults_.FailFrom(".vlog", call, 1);
    values_->Prepare([] { return uint64_t{1}; }, [this] { return number_++; }, 1, UINT64_MAX);
    leveldb::WriteBatch *separated = nullptr;
    const bool failed = !values_->Separate(batch, nullptr, &separated).ok();
    values_->Written(!failed);
    EXPECT_TRUE(failed) << call;
    faults_.Mend();
    Separate(batch);
    values_.reset();
    New();
    values_->MemtableBegins(5);
  }
}

// Of a batch that is refused nothing is left but what the collector inserts again, which frees space.
TEST_F(SeparatedValuesTest, ABatchThatIsRefusedLeavesTheCollectorsCopies) {
  options_.remap.value_log_collector = ValueLogCollector::kCopy;
  New();
  values_->MemtableBegins(5);
  std::map<std::string, std::string> tagged;
  leveldb::WriteBatch batch;
  for (int i = 0; i < 100; i++) batch.Put("k" + std::to_string(100 + i), std::string(4000, 'v'));
  BatchToMap apply(&tagged);
  ASSERT_TRUE(Separate(batch)->Iterate(&apply).ok());
  SegmentChanges changes;
  for (const auto &[key, value] : tagged) {
    changes.Add(value);
    if (key != "k150") changes.Drop(value);
  }
  for (auto at = tagged.begin(); at != tagged.end();) at = at->first == "k150" ? std::next(at) : tagged.erase(at);
  batch.Clear();
  batch.Put("in the next segment", std::string(4000, 'v'));
  Separate(batch);
  for (uint64_t number : {50, 60}) values_->MemtableBegins(number);
  ledger_.Apply(changes, 1, 0);
  env_.SetFileSpace({10, 1000});
  batch.Clear();
  batch.Delete("k150");
  batch.Put("new", std::string(100000, 'v'));
  values_->Prepare([] { return uint64_t{100}; }, [this] { return number_++; }, 1, UINT64_MAX);
  leveldb::WriteBatch *separated = nullptr;
  const Status refused = values_->Separate(
      batch, [&] { return std::make_unique<MapScan>(&tagged, Status::OK()); }, &separated);
  EXPECT_NE(refused.ToString().find("no space left"), std::string::npos) << refused.ToString();
  EXPECT_EQ(leveldb::WriteBatchInternal::Count(separated), 1);
  tagged.clear();
  EXPECT_TRUE(separated->Iterate(&apply).ok()) << "no deletion";
  EXPECT_EQ(tagged.count("k150"), 1u);
  EXPECT_EQ(leveldb::WriteBatchInternal::Sequence(separated), leveldb::WriteBatchInternal::Sequence(&batch));
  std::string value = tagged["k150"];
  EXPECT_TRUE(values_->Resolve(&value).ok());
  EXPECT_EQ(value, std::string(4000, 'v'));
  values_->Written(true);
  EXPECT_TRUE(values_->Refuses()) << "others are not to go with it";
  env_.SetFileSpace({1000, 1000});
  EXPECT_FALSE(values_->Refuses());
}

TEST_F(SeparatedValuesTest, SegmentsOfMemtablesAreKept) {
  values_->MemtableBegins(5);
  EXPECT_FALSE(values_->Keeps(4, 1, UINT64_MAX));
  leveldb::WriteBatch batch;
  batch.Put("a", std::string(1000, 'a'));
  Separate(batch);  // segment 10
  values_->MemtableBegins(11);
  EXPECT_TRUE(values_->Keeps(10, 1, UINT64_MAX));
  EXPECT_TRUE(values_->Keeps(7, 1, UINT64_MAX)) << "may be of the older memtable";
  values_->MemtableFlushed();
  EXPECT_FALSE(values_->Keeps(7, 1, UINT64_MAX));
  EXPECT_TRUE(values_->Keeps(10, 1, UINT64_MAX)) << "still open, so of the memtable, too";
}

TEST_F(SeparatedValuesTest, AMemtableIsFullWhenItRefersToMuch) {
  values_->MemtableBegins(5);
  leveldb::WriteBatch batch;
  batch.Put("a", std::string(60000, 'a'));
  for (int i = 0; i < 2; i++) Separate(batch);
  EXPECT_FALSE(values_->MemtableIsFull());
  Separate(batch);
  EXPECT_TRUE(values_->MemtableIsFull());
  values_->MemtableBegins(20);
  EXPECT_FALSE(values_->MemtableIsFull());
}

TEST_F(SeparatedValuesTest, ReadersKeepCollectedSegments) {
  values_->MemtableBegins(5);
  SegmentChanges changes;
  changes.added[3] = 10;
  ledger_.Apply(changes, 1, 20);
  changes = SegmentChanges();
  changes.collected.insert(3);
  ledger_.Apply(changes, 2, 40);
  values_->AddReader(30);
  values_->AddReader(30);
  EXPECT_TRUE(values_->Keeps(3, 2, UINT64_MAX));
  values_->RemoveReader(30);
  EXPECT_TRUE(values_->Keeps(3, 2, UINT64_MAX));
  values_->RemoveReader(30);
  EXPECT_FALSE(values_->Keeps(3, 2, UINT64_MAX));
  EXPECT_TRUE(values_->Keeps(3, 2, 39)) << "a snapshot";
}

TEST_F(SeparatedValuesTest, DescribesItself) {
  SegmentChanges changes;
  changes.added[3] = 10;
  changes.dropped[3] = 4;
  ledger_.Apply(changes, 1, 0);
  EXPECT_EQ(values_->Describe(),
            "segments 1\nbytes 10\nlive-bytes 6\ncollected-segments 0\ncollector-key-bytes 0\ninserted-again-bytes 0\n"
            "moved-segments 0\nremapped-bytes 0\nmoved-copied-bytes 0\npunched-segments 0\npunched-bytes 0\n");
}

}  // namespace
}  // namespace openremap
