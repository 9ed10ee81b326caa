// SPDX-License-Identifier: Apache-2.0
//
// Databases with a value log and several threads: writers, whose groups collect, and readers that get, scan in both
// directions, and hold iterators across collections. With each collector. The suite `tsan` runs this, too.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "value_log/separated_db.h"

namespace openremap {
namespace {

using leveldb::Status;

constexpr int kKeys = 200, kWriters = 2, kRounds = 25;
constexpr int kHeldPuts = 4 * kKeys;  // while an iterator is held

struct Collection {
  const char *name;
  ValueLogCollector collector;
  size_t bytes;  // of each value
  RemapMode mode;
  const char *counter;  // grows when it collects, a line of the property leveldb.value-log
};

class SeparatedThreadsTest : public SeparatedDb, public ::testing::WithParamInterface<Collection> {
 protected:
  using Found = std::map<std::string, std::string>;

  // A value names its key and the round that it was put in.
  std::string ValueOf(int key, int round) const {
    std::string value = Key(key) + "." + std::to_string(round);
    value.resize(GetParam().bytes, 'v');
    return value;
  }
  bool Fits(const std::string &key, const std::string &value) const {
    return value.compare(0, key.size() + 1, key + ".") == 0 && value.size() == GetParam().bytes;
  }

  // Each writer has keys of its own, and puts all of them in each round.
  void Write(int writer) {
    for (int round = 0; round < kRounds; round++) {
      for (int i = writer; i < kKeys; i += kWriters) {
        leveldb::WriteOptions write;
        write.sync = i % 50 == 0;
        if (!db_->Put(write, Key(i), ValueOf(i, round)).ok()) wrong_++;
        puts_++;
      }
    }
  }

  void GetUntilDone() {
    for (int i = 0; !done_; i = (i + 7) % kKeys) {
      std::string value;
      const Status s = db_->Get(leveldb::ReadOptions(), Key(i), &value);
      if (!s.IsNotFound() && (!s.ok() || !Fits(Key(i), value))) wrong_++;
    }
  }

  Found Scan(leveldb::Iterator *it, bool forward) {
    Found found;
    for (forward ? it->SeekToFirst() : it->SeekToLast(); it->Valid(); forward ? it->Next() : it->Prev()) {
      const std::string key = it->key().ToString();
      found[key] = it->value().ToString();
      if (!Fits(key, found[key])) wrong_++;
    }
    if (!it->status().ok()) wrong_++;
    return found;
  }

  // The iterator outlives the snapshot that it is of.
  void ScanUntilDone(bool forward) {
    while (!done_) {
      const leveldb::Snapshot *snapshot = db_->GetSnapshot();
      leveldb::ReadOptions read;
      read.snapshot = snapshot;
      const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(read));
      db_->ReleaseSnapshot(snapshot);
      Scan(it.get(), forward);
    }
  }

  // What an iterator finds does not change while all keys are put several times. Holes wait for it, so it is given up.
  void HoldIteratorsUntilDone() {
    while (!done_) {
      const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
      const Found first = Scan(it.get(), true);
      const int until = puts_ + kHeldPuts;
      while (!done_ && puts_ < until) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (Scan(it.get(), true) != first) wrong_++;
      held_++;
    }
  }

  std::atomic<bool> done_{false};
  std::atomic<int> wrong_{0};
  std::atomic<int> puts_{0};
  std::atomic<int> held_{0};  // iterators
};

TEST_P(SeparatedThreadsTest, ReadersAndIteratorsBesideCollections) {
  options_.remap.mode = GetParam().mode;
  options_.remap.value_log_collector = GetParam().collector;
  options_.remap.value_log_dead_percent = 10;
  env_.SetDeferred(false);
  leveldb::DB *opened = nullptr;
  ASSERT_TRUE(leveldb::DB::Open(options_, "/db", &opened).ok());
  db_.reset(opened);
  std::vector<std::thread> writers, readers;
  for (int writer = 0; writer < kWriters; writer++) writers.emplace_back([this, writer] { Write(writer); });
  readers.emplace_back([this] { GetUntilDone(); });
  readers.emplace_back([this] { ScanUntilDone(/*forward=*/true); });
  readers.emplace_back([this] { ScanUntilDone(/*forward=*/false); });
  readers.emplace_back([this] { HoldIteratorsUntilDone(); });
  for (std::thread &thread : writers) thread.join();
  done_ = true;
  for (std::thread &thread : readers) thread.join();
  EXPECT_EQ(wrong_, 0);
  EXPECT_GT(held_, 2);
  EXPECT_GT(Counter(GetParam().counter), 0u);
  const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
  Found last;
  for (int i = 0; i < kKeys; i++) last[Key(i)] = ValueOf(i, kRounds - 1);
  EXPECT_EQ(Scan(it.get(), true), last);
}

INSTANTIATE_TEST_SUITE_P(
    Collectors, SeparatedThreadsTest,
    ::testing::Values(
        Collection{"CopySmall", ValueLogCollector::kCopy, 700, RemapMode::kRetain, "inserted-again-bytes"},
        Collection{"Copy", ValueLogCollector::kCopy, 4096, RemapMode::kBlend, "inserted-again-bytes"},
        Collection{"Remap", ValueLogCollector::kRemap, 4096, RemapMode::kRetain, "moved-segments"},
        Collection{"RemapBlend", ValueLogCollector::kRemap, 4096, RemapMode::kBlend, "moved-segments"},
        Collection{"Punch", ValueLogCollector::kPunch, 4096, RemapMode::kRetain, "punched-segments"},
        Collection{"PunchBlend", ValueLogCollector::kPunch, 4096, RemapMode::kBlend, "punched-segments"},
        Collection{"CostSmall", ValueLogCollector::kCost, 700, RemapMode::kRetain, "inserted-again-bytes"},
        Collection{"Cost", ValueLogCollector::kCost, 4096, RemapMode::kBlend, "collected-segments"}),
    [](const auto &test) { return std::string(test.param.name); });

}  // namespace
}  // namespace openremap
