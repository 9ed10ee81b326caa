// SPDX-License-Identifier: Apache-2.0
#include "value_log/value_log.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memory_remap_env.h"
#include "util/random.h"
#include "value_log/segment_faults.h"
#include "value_log/segment_mover.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

// Files of which appends or syncs fail from some time on.
class FailingEnv : public leveldb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;
  Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override {
    created_++;
    Status s = target()->NewWritableFile(fname, result);
    if (s.ok()) *result = new File(this, std::unique_ptr<leveldb::WritableFile>(*result));
    return s;
  }
  bool appends_fail = false, syncs_fail = false;
  std::function<void()> on_sync;
  int created() const { return created_; }
  int syncs() const { return syncs_; }

 private:
  class File : public leveldb::WritableFile {
   public:
    File(FailingEnv *env, std::unique_ptr<leveldb::WritableFile> file) : env_(env), file_(std::move(file)) {}
    Status Append(const Slice &data) override {
      return env_->appends_fail ? Status::IOError("test", "full") : file_->Append(data);
    }
    Status Sync() override {
      env_->syncs_++;
      if (env_->on_sync) env_->on_sync();
      return env_->syncs_fail ? Status::IOError("test", "broken") : file_->Sync();
    }
    Status Close() override { return file_->Close(); }
    Status Flush() override { return file_->Flush(); }

   private:
    FailingEnv *const env_;
    const std::unique_ptr<leveldb::WritableFile> file_;
  };
  int created_ = 0, syncs_ = 0;
};

class ValueLogTest : public ::testing::Test {
 protected:
  ValueLogTest() {
    options_.env = &env_;
    options_.compression = leveldb::kNoCompression;
    options_.remap.value_log_segment_bytes = 65536;
    log_.emplace(options_, "/db");
  }
  ValuePointer Append(const std::string &value) {
    if (log_->NeedsSegment()) log_->Begin(next_++);
    ValuePointer pointer;
    const Status s = log_->Append(value, &pointer);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return pointer;
  }
  bool Has(const ValuePointer &pointer) {
    bool has = false;
    EXPECT_TRUE(log_->Has(pointer, &has).ok());
    return has;
  }
  std::string Read(const ValuePointer &pointer) {
    std::string value;
    const Status s = log_->Read(pointer, &value);
    return s.ok() ? value : s.ToString();
  }

  MemoryRemapEnv memory_;
  FailingEnv env_{&memory_};
  leveldb::Options options_;
  std::optional<ValueLog> log_;
  uint64_t next_ = 5;
};

TEST_F(ValueLogTest, ValuesComeBackFromOpenAndFromFullSegments) {
  leveldb::Random random(1);
  std::vector<std::pair<ValuePointer, std::string>> values;
  for (int i = 0; i < 500; i++) {
    std::string value(random.OneIn(20) ? random.Uniform(20000) : random.Uniform(900), '\0');
    for (char &c : value) c = static_cast<char>(random.Uniform(256));
    values.emplace_back(Append(value), value);
    if (i % 7 == 0) {
      EXPECT_EQ(Read(values.back().first), value) << "not synced, not even full pages";
    }
  }
  EXPECT_GT(next_, 8u) << "several segments";
  EXPECT_EQ(log_->open_segment(), next_ - 1);
  for (const auto &[pointer, value] : values) ASSERT_EQ(Read(pointer), value);
  log_.emplace(options_, "/db");
  EXPECT_EQ(log_->open_segment(), 0u);
  EXPECT_TRUE(log_->NeedsSegment());
  for (const auto &[pointer, value] : values) ASSERT_EQ(Read(pointer), value);
}

TEST_F(ValueLogTest, ValuesOfAPageAndMoreBeginAtAPageWhileThatIsCheap) {
  EXPECT_EQ(Append(std::string(100, 'a')).offset, 0u);
  EXPECT_EQ(Append(std::string(200, 'b')).offset, 100u);
  EXPECT_EQ(Append(std::string(kPageBytes, 'c')).offset, kPageBytes);
  EXPECT_EQ(Append(std::string(4 * kPageBytes, 'd')).offset, 2 * kPageBytes);
  EXPECT_EQ(Append(std::string(10, 'e')).offset, 6 * kPageBytes);
  // A sixteenth of a segment is a page here.
  EXPECT_EQ(Append(std::string(kPageBytes, 'f')).offset, 6 * kPageBytes + 10);
}

TEST_F(ValueLogTest, WhatCompressesIsCompressed) {
  options_.compression = leveldb::kSnappyCompression;
  log_.emplace(options_, "/db");
  const std::string same(10000, 'x');
  const ValuePointer pointer = Append(same);
  if (!pointer.compressed) GTEST_SKIP() << "built without Snappy";
  EXPECT_LT(pointer.bytes, 2000u);
  EXPECT_EQ(Read(pointer), same);
  const ValuePointer tiny = Append("ab");
  EXPECT_FALSE(tiny.compressed);
  EXPECT_EQ(Read(tiny), "ab");
  // Copied as it is.
  std::string stored;
  ASSERT_TRUE(log_->ReadStored(pointer, &stored).ok());
  ValuePointer copy;
  ASSERT_TRUE(log_->AppendStored(stored, pointer, &copy).ok());
  EXPECT_EQ(copy.bytes, pointer.bytes);
  EXPECT_EQ(copy.checksum, pointer.checksum);
  EXPECT_EQ(Read(copy), same);
}

TEST_F(ValueLogTest, DamageIsCorruptionAndNeverNotFound) {
  const ValuePointer pointer = Append(std::string(1000, 'a'));
  ValuePointer wrong = pointer;
  wrong.checksum++;
  EXPECT_NE(Read(wrong).find("wrong checksum"), std::string::npos);
  wrong = pointer;
  wrong.offset = 1;
  EXPECT_NE(Read(wrong).find("behind the end"), std::string::npos);
  EXPECT_FALSE(Has(wrong));
  EXPECT_TRUE(Has(pointer));
  wrong.segment = 99;
  EXPECT_NE(Read(wrong).find("Corruption: value log segment 99"), std::string::npos) << Read(wrong);
  EXPECT_NE(Read(wrong).find("is missing"), std::string::npos);
}

TEST_F(ValueLogTest, ASegmentIsSyncedWhenTheNextBegins) {
  Append(std::string(1000, 'a'));
  ASSERT_TRUE(log_->Sync().ok());
  ASSERT_TRUE(log_->Sync().ok());
  EXPECT_EQ(env_.syncs(), 1) << "nothing new";
  const ValuePointer last = Append(std::string(70000, 'b'));
  Append("c");
  EXPECT_EQ(env_.syncs(), 2);
  log_.reset();
  memory_.DropUnsynced();
  log_.emplace(options_, "/db");
  EXPECT_EQ(Read(last), std::string(70000, 'b'));
}

TEST_F(ValueLogTest, ARefusedValueTakesANewSegment) {
  const ValuePointer first = Append("first");
  ASSERT_TRUE(log_->Flush().ok());
  env_.appends_fail = true;
  ValuePointer refused;
  EXPECT_TRUE(log_->Append("second", &refused).IsIOError());
  env_.appends_fail = false;
  EXPECT_TRUE(log_->Append("third", &refused).IsIOError()) << "what is in the file is not known";
  ASSERT_TRUE(log_->NeedsSegment());
  const ValuePointer next = Append("fourth");
  EXPECT_NE(next.segment, first.segment);
  EXPECT_EQ(Read(first), "first");
  EXPECT_EQ(Read(next), "fourth");
}

// A full file system, and a writer that tries again and again.
TEST_F(ValueLogTest, ASegmentThatRefusedItsFirstValuesGoes) {
  const ValuePointer first = Append("first");
  ASSERT_TRUE(log_->Flush().ok());
  env_.appends_fail = true;
  for (int tries = 0; tries < 100; tries++) {
    if (log_->NeedsSegment()) log_->Begin(next_++);
    ValuePointer refused;
    EXPECT_TRUE(log_->Append("refused", &refused).IsIOError());
    EXPECT_TRUE(log_->Flush().ok()) << "there was nothing to flush";
  }
  env_.appends_fail = false;
  const ValuePointer last = Append("last");
  std::vector<std::string> names;
  ASSERT_TRUE(env_.GetChildren("/db", &names).ok());
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(Read(first), "first");
  EXPECT_EQ(Read(last), "last");
}

// LevelDB asks for these with its mutex held, and flushes memtables on another thread, which syncs the segment.
TEST_F(ValueLogTest, WhatIsOpenIsKnownWhileASyncTakesLong) {
  Append("value");
  std::promise<void> syncing, asked;
  env_.on_sync = [&] {
    syncing.set_value();
    asked.get_future().wait();
  };
  std::future<Status> sync = std::async(std::launch::async, [this] { return log_->Sync(); });
  syncing.get_future().wait();
  EXPECT_FALSE(log_->NeedsSegment());
  EXPECT_EQ(log_->appended(), 5u);
  EXPECT_EQ(log_->mean_bytes(), 5u);
  const uint64_t open = log_->open_segment();
  log_->Begin(open + 1);
  EXPECT_EQ(log_->open_segment(), open + 1);
  asked.set_value();
  EXPECT_TRUE(sync.get().ok());
}

TEST_F(ValueLogTest, AfterAFailedSyncNothingIsTaken) {
  Append("first");
  env_.syncs_fail = true;
  EXPECT_TRUE(log_->Sync().IsIOError());
  env_.syncs_fail = false;
  EXPECT_TRUE(log_->Sync().IsIOError());
  ValuePointer pointer;
  EXPECT_TRUE(log_->Append("second", &pointer).IsIOError());
}

TEST_F(ValueLogTest, AMovedSegmentIsReadFromItsFile) {
  std::vector<ValuePointer> pointers;
  std::vector<std::string> values;
  for (int i = 0; i < 10; i++) {
    values.push_back(std::string(5000 + static_cast<size_t>(i), static_cast<char>('a' + i)));
    pointers.push_back(Append(values.back()));
  }
  ASSERT_EQ(pointers.back().segment, pointers.front().segment) << "one segment";
  ASSERT_TRUE(log_->Sync().ok());
  const uint64_t segment = pointers[0].segment;
  const uint64_t whole = log_->Pages(segment);
  EXPECT_EQ(whole, (pointers[9].offset + pointers[9].bytes + kPageBytes - 1) / kPageBytes);
  // Twice; the second time from the file of the first.
  SegmentPages pages;
  const auto move = [&](const std::vector<size_t> &live, uint64_t file) {
    pages = SegmentPages();
    for (const size_t i : live) pages.Add(pointers[i].offset, pointers[i].bytes);
    uint64_t source = 0;
    std::shared_ptr<const SegmentMap> map;
    ASSERT_TRUE(log_->Whereabouts(segment, &source, &map).ok());
    MovedPages moved;
    ASSERT_TRUE(SegmentMover(&memory_, "/db").Move(segment, pages, source, map.get(), file, &moved).ok());
    EXPECT_EQ(moved.remapped + moved.copied, pages.count());
    log_->Move(segment, file);
    EXPECT_EQ(log_->Pages(segment), pages.count());
  };
  move({0, 2, 5, 6, 9}, 90);
  for (size_t i = 0; i < 10; i++) ASSERT_EQ(Read(pointers[i]), values[i]) << "what is not there is where it was before";
  move({2, 6}, 91);
  for (size_t i = 0; i < 10; i++) ASSERT_EQ(Read(pointers[i]), values[i]);
  log_->Prefetch(pointers);
  ASSERT_TRUE(memory_.RemoveFile(SegmentFileName("/db", segment)).ok());
  log_->Evict(segment);
  for (const size_t i : {0, 2, 5, 6, 9}) ASSERT_EQ(Read(pointers[i]), values[i]);
  EXPECT_NE(Read(pointers[3]).find("is missing"), std::string::npos) << Read(pointers[3]);
  ASSERT_TRUE(memory_.RemoveFile(SegmentFileName("/db", 90)).ok());
  log_->Evict(90);
  EXPECT_EQ(Read(pointers[2]), values[2]);
  EXPECT_EQ(Read(pointers[6]), values[6]);
  EXPECT_TRUE(Has(pointers[6]));
  EXPECT_FALSE(Has(pointers[0]));
  // As after it was opened anew.
  log_.emplace(options_, "/db");
  log_->Move(segment, 91);
  EXPECT_EQ(Read(pointers[6]), values[6]);
  log_->Move(segment, 99);
  EXPECT_NE(Read(pointers[6]).find("Corruption"), std::string::npos) << Read(pointers[6]);
}

// As LevelDB's own files, these drop what they had buffered when a call fails.
class LostBytesTest : public ValueLogTest {
 protected:
  LostBytesTest() {
    options_.env = &faults_;
    log_.emplace(options_, "/db");
    first_ = Append("first");
    EXPECT_TRUE(log_->Flush().ok());
  }
  // The next call on a segment fails.
  void FailNext() { faults_.FailFrom(".vlog", 0, 1); }
  // What was not flushed gets no pointer, and what comes later is in a segment of its own.
  void ExpectLost() {
    EXPECT_TRUE(log_->Flush().IsIOError());
    EXPECT_TRUE(log_->Flush().ok()) << "nothing new";
    EXPECT_EQ(log_->appended(), 5u);
    ValuePointer pointer;
    EXPECT_TRUE(log_->Append("refused", &pointer).IsIOError());
    ASSERT_TRUE(log_->NeedsSegment());
    const ValuePointer next = Append("next");
    EXPECT_TRUE(log_->Flush().ok());
    EXPECT_NE(next.segment, first_.segment);
    EXPECT_EQ(Read(next), "next");
    EXPECT_EQ(Read(first_), "first");
    EXPECT_EQ(log_->appended(), 9u);
  }

  SegmentFaults faults_{&memory_};
  ValuePointer first_;
};

TEST_F(LostBytesTest, WhatAFailedFlushDropsIsNoPlaceForTheNextValue) {
  const ValuePointer lost = Append("lost value");
  FailNext();
  ExpectLost();
  EXPECT_FALSE(Has(lost));
}

TEST_F(LostBytesTest, AFailedAppendTakesThoseBeforeItAlong) {
  const ValuePointer lost = Append("lost value");
  FailNext();
  ValuePointer refused;
  EXPECT_TRUE(log_->Append("second", &refused).IsIOError());
  ExpectLost();
  EXPECT_FALSE(Has(lost));
}

TEST_F(LostBytesTest, AFailedAppendOfPaddingToo) {
  Append("lost value");
  FailNext();
  ValuePointer refused;
  EXPECT_TRUE(log_->Append(std::string(kPageBytes, 'a'), &refused).IsIOError());
  ExpectLost();
}

TEST_F(LostBytesTest, ASyncOfAnotherThreadThatFailsIsSeenByTheFlush) {
  const ValuePointer lost = Append("lost value");
  FailNext();
  EXPECT_TRUE(log_->Sync().IsIOError());
  EXPECT_TRUE(log_->Flush().IsIOError());
  EXPECT_FALSE(Has(lost));
  EXPECT_EQ(Read(first_), "first");
  ValuePointer pointer;
  EXPECT_TRUE(log_->Append("refused", &pointer).IsIOError()) << "for ever";
}

TEST_F(LostBytesTest, AnUnknownSizeIsAnError) {
  faults_.HideSizes(true);
  bool has = true;
  EXPECT_TRUE(log_->Has(first_, &has).IsIOError());
  ValuePointer nowhere = first_;
  nowhere.segment = 99;
  faults_.HideSizes(false);
  EXPECT_TRUE(log_->Has(nowhere, &has).ok());
  EXPECT_FALSE(has);
}

TEST_F(ValueLogTest, ASegmentWithoutValuesIsNotCreated) {
  log_->Begin(8);
  EXPECT_FALSE(log_->NeedsSegment());
  EXPECT_EQ(log_->open_segment(), 8u);
  EXPECT_TRUE(log_->Sync().ok());
  EXPECT_TRUE(log_->Flush().ok());
  EXPECT_EQ(env_.created(), 0);
}

}  // namespace
}  // namespace openremap
