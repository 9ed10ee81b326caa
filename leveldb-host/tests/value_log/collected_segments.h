// SPDX-License-Identifier: Apache-2.0
//
// Segments with live and dead values, and a collector that goes through their keys.
#ifndef OPENREMAP_LEVELDB_HOST_TESTS_COLLECTED_SEGMENTS_H_
#define OPENREMAP_LEVELDB_HOST_TESTS_COLLECTED_SEGMENTS_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/write_batch_internal.h"
#include "memory_remap_env.h"
#include "value_log/segment_collector.h"
#include "value_log/segment_faults.h"

namespace openremap {

class MapScan : public leveldb::Iterator {
 public:
  explicit MapScan(const std::map<std::string, std::string> *map, leveldb::Status status)
      : map_(map), at_(map->end()), status_(std::move(status)) {}
  bool Valid() const override { return status_.ok() && at_ != map_->end(); }
  void SeekToFirst() override { at_ = map_->begin(); }
  void SeekToLast() override { FAIL(); }
  void Seek(const leveldb::Slice &target) override { at_ = map_->lower_bound(target.ToString()); }
  void Next() override { ++at_; }
  void Prev() override { FAIL(); }
  leveldb::Slice key() const override { return at_->first; }
  leveldb::Slice value() const override { return at_->second; }
  leveldb::Status status() const override { return status_; }

 private:
  const std::map<std::string, std::string> *const map_;
  std::map<std::string, std::string>::const_iterator at_;
  const leveldb::Status status_;
};

// Puts of a batch into a map.
class BatchToMap : public leveldb::WriteBatch::Handler {
 public:
  explicit BatchToMap(std::map<std::string, std::string> *map) : map_(map) {}
  void Put(const leveldb::Slice &key, const leveldb::Slice &value) override {
    (*map_)[key.ToString()] = value.ToString();
  }
  void Delete(const leveldb::Slice &) override { FAIL(); }

 private:
  std::map<std::string, std::string> *const map_;
};

class SegmentCollectorTest : public ::testing::Test {
 protected:
  SegmentCollectorTest() {
    options_.env = &faults_;
    options_.compression = leveldb::kNoCompression;
    options_.remap.value_log_segment_bytes = 65536;
    options_.remap.value_log_dead_percent = 30;
    options_.remap.value_log_collector = ValueLogCollector::kCopy;
    log_.emplace(options_, "/db");
    collector_.emplace(options_, "/db", &*log_);
  }

  // Writes a segment of ten values of value_bytes_; those of keys from `live` on are dead.
  void Segment(uint64_t number, int live) {
    log_->Begin(number);
    SegmentChanges changes;
    for (int i = 0; i < 10; i++) {
      ValuePointer pointer;
      const std::string key = std::to_string(1000 * number + static_cast<uint64_t>(i));
      ASSERT_TRUE(log_->Append(key + std::string(value_bytes_ - key.size(), 'v'), &pointer).ok());
      std::string tagged;
      AppendPointer(pointer, &tagged);
      changes.Add(tagged);
      if (i < live) {
        tagged_[key] = tagged;
      } else {
        changes.Drop(tagged);
      }
    }
    ledger_.Apply(changes, ++version_, 0);
    ASSERT_TRUE(log_->Sync().ok());
    log_->Begin(900);  // what is inserted again
  }
  void Plan(uint64_t first_unflushed = UINT64_MAX) {
    collector_->Plan(ledger_, first_unflushed, [] { return uint64_t{10000}; });
  }
  std::vector<uint64_t> Step(bool ok = true, uint64_t bytes = 100000) {
    leveldb::WriteBatch batch;
    collector_->Step(
        bytes, [this] { return std::make_unique<MapScan>(&tagged_, scan_status_); }, &batch);
    if (ok) {
      BatchToMap apply(&tagged_);
      EXPECT_TRUE(batch.Iterate(&apply).ok());
    }
    inserted_ = leveldb::WriteBatchInternal::Count(&batch);
    moved_ = collector_->TakeMoved();
    return collector_->Written(ok);
  }
  uint64_t SegmentOf(const std::string &key) {
    TaggedValue value;
    EXPECT_TRUE(ParseTagged(tagged_[key], &value));
    std::string read;
    EXPECT_TRUE(log_->Read(value.pointer, &read).ok());
    EXPECT_EQ(read.substr(0, key.size()), key);
    return value.pointer.segment;
  }

  MemoryRemapEnv env_;
  SegmentFaults faults_{&env_};
  leveldb::Options options_;
  std::optional<ValueLog> log_;
  std::optional<SegmentCollector> collector_;
  SegmentLedger ledger_;
  uint64_t version_ = 0;
  std::map<std::string, std::string> tagged_;
  leveldb::Status scan_status_;
  size_t value_bytes_ = 6000;
  int inserted_ = 0;
  std::map<uint64_t, SegmentChanges::Move> moved_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_TESTS_COLLECTED_SEGMENTS_H_
