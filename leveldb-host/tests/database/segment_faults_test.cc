// SPDX-License-Identifier: Apache-2.0
//
// Databases with a value log on a file layer of which each call fails in turn: what was acknowledged stays readable,
// the ledger counts what the tables have, and the database opens again.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "db/dbformat.h"
#include "db/table_cache.h"
#include "db/version_set.h"
#include "leveldb/write_batch.h"
#include "util/random.h"
#include "value_log/segment_ledger.h"
#include "value_log/separated_db.h"
#include "value_log/value_log.h"

namespace openremap {
namespace {

using leveldb::Slice;
using leveldb::Status;

constexpr uint64_t kForEver = UINT64_MAX;
constexpr int kKeys = 60;

struct FaultCase {
  const char *name;
  const char *ending;  // of the names of files whose calls fail
  uint64_t calls;      // that fail in a row
  bool power_cuts;     // power goes before the database is opened again
  ValueLogCollector collector = ValueLogCollector::kCopy;
};

class SegmentFaultsTest : public SeparatedDb, public ::testing::WithParamInterface<FaultCase> {
 protected:
  SegmentFaultsTest() {
    options_.remap.value_log_dead_percent = 5;
    options_.remap.value_log_collector = GetParam().collector;
  }

  void Begin(uint64_t call) {
    const FaultCase &fault = GetParam();
    faults_.FailFrom(fault.ending, call, fault.calls);
    random_ = leveldb::Random(301);
    allowed_.clear();
    for (int key = 0; key < kKeys; key++) allowed_[Key(key)] = {""};
    if (!TryOpen().ok()) OpenAgain();
  }

  // Values that were acknowledged, or may be there because a write failed; "" is none.
  void WriteSome(int batches) {
    int failed = 0;
    for (int i = 0; i < batches && !HasFatalFailure(); i++) {
      leveldb::WriteBatch batch;
      std::map<std::string, std::string> puts;
      for (uint32_t n = 1 + random_.Uniform(3); n > 0; n--) {
        const int key = static_cast<int>(random_.Uniform(kKeys));
        // Every seventh key stays, so that segments have live values when they are collected.
        if (key % 7 == 0 && i > kKeys) continue;
        const std::string value =
            random_.OneIn(8) ? "" : Value(key, ++version_, 300 + static_cast<size_t>(random_.Uniform(5000)));
        puts[Key(key)] = value;
        if (value.empty()) {
          batch.Delete(Key(key));
        } else {
          batch.Put(Key(key), value);
        }
      }
      leveldb::WriteOptions write;
      write.sync = GetParam().power_cuts || i % 13 == 0;
      const bool ok = db_->Write(write, &batch).ok();
      for (const auto &[key, value] : puts) {
        if (ok) allowed_[key].clear();
        allowed_[key].insert(value);
      }
      env_.RunPending();
      collected_ += ok && i % 50 == 49 ? Counter("collected-segments") : 0;
      failed = ok ? 0 : failed + 1;
      if (!ok) failures_++;
      if (failed == 3) OpenAgain();
    }
  }

  void OpenAgain() {
    faults_.Mend();
    if (GetParam().power_cuts) {
      CutPower();
    } else {
      Close();
    }
    Audit();
    Open();
    if (!HasFatalFailure()) Verify();
  }

  void Verify() {
    std::map<std::string, std::string> found;
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) found[it->key().ToString()] = it->value().ToString();
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    for (auto &[key, values] : allowed_) {
      const auto at = found.find(key);
      const std::string value = at == found.end() ? "" : at->second;
      ASSERT_EQ(values.count(value), 1u) << key << " is " << value.substr(0, 12) << ", not "
                                         << values.begin()->substr(0, 12);
      if (at == found.end()) {
        ASSERT_EQ(Get(key).find("NotFound"), 0u) << Get(key);
      } else {
        ASSERT_EQ(Get(key), value);
      }
      values = {value};
    }
    model_ = found;
  }

  // No database is open. What the manifest says of each segment is what the tables point to, and that is there.
  void Audit() {
    const leveldb::InternalKeyComparator icmp(options_.comparator);
    leveldb::Options options = options_;
    options.comparator = &icmp;
    leveldb::TableCache tables("/db", options, 100);
    leveldb::VersionSet versions("/db", &options, &tables, &icmp);
    bool save_manifest = false;
    const Status s = versions.Recover(&save_manifest);
    if (!env_.FileExists(leveldb::CurrentFileName("/db"))) return;  // it was not made
    ASSERT_TRUE(s.ok()) << s.ToString();
    std::set<uint64_t> live;
    versions.AddLiveFiles(&live);
    ValueLog log(options_, "/db");
    SegmentChanges counted;
    for (const uint64_t number : live) {
      uint64_t bytes = 0;
      ASSERT_TRUE(env_.GetFileSize(leveldb::TableFileName("/db", number), &bytes).ok()) << number;
      const std::unique_ptr<leveldb::Iterator> it(tables.NewIterator(leveldb::ReadOptions(), number, bytes));
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        leveldb::ParsedInternalKey key;
        ASSERT_TRUE(leveldb::ParseInternalKey(it->key(), &key));
        if (key.type != leveldb::kTypeValue) continue;
        counted.Add(it->value());
        TaggedValue value;
        ASSERT_TRUE(ParseTagged(it->value(), &value));
        std::string stored;
        if (!value.separated) continue;
        // Of one that moved hidden values stayed behind, and in one that was punched they may be gone.
        const auto segment = versions.segments()->segments().find(value.pointer.segment);
        if (segment != versions.segments()->segments().end() && segment->second.moved.file == 0 &&
            options_.remap.value_log_collector != ValueLogCollector::kPunch) {
          ASSERT_TRUE(log.ReadStored(value.pointer, &stored).ok()) << "segment " << value.pointer.segment;
        }
      }
      ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    }
    for (const auto &[number, segment] : versions.segments()->segments()) {
      ASSERT_EQ(segment.live(), counted.added[number]) << "segment " << number;
    }
    audits_++;
  }

  leveldb::Random random_{301};
  int version_ = 0;
  std::map<std::string, std::set<std::string>> allowed_;
  uint64_t failures_ = 0, collected_ = 0, audits_ = 0;
};

TEST_P(SegmentFaultsTest, WhatWasAcknowledgedStays) {
  constexpr int kBatches = 200;
  constexpr uint64_t kRuns = 24;
  Begin(kForEver);
  WriteSome(kBatches);
  const uint64_t calls = faults_.calls();
  EXPECT_EQ(failures_, 0u);
  EXPECT_GT(collected_, 3u);
  ASSERT_GT(calls, kRuns);
  // The first calls each, then those at even distances.
  uint64_t runs = 0;
  for (uint64_t call = 0; call < calls; call += call < kRuns / 4 ? 1 : std::max<uint64_t>(1, calls / kRuns), runs++) {
    SCOPED_TRACE("call " + std::to_string(call));
    Close();
    ASSERT_TRUE(leveldb::DestroyDB("/db", options_).ok());
    Begin(call);
    WriteSome(kBatches);
    OpenAgain();
    if (HasFatalFailure()) return;
    CompactAll();
    uint64_t bytes = 0;
    for (const auto &[key, value] : model_) bytes += value.size();
    ASSERT_LE(Counter("live-bytes"), bytes) << "those that failing writes had kept in line are not in the log";
    Verify();
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(audits_, runs);
  EXPECT_GE(failures_, runs / 2);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SegmentFaultsTest,
    ::testing::Values(FaultCase{"one_call", ".vlog", 1, false}, FaultCase{"all_calls", ".vlog", kForEver, false},
                      FaultCase{"one_call_then_power", ".vlog", 1, true},
                      FaultCase{"all_calls_then_power", ".vlog", kForEver, true},
                      FaultCase{"one_call_of_any_file", "", 1, false},
                      FaultCase{"one_call_of_any_file_then_power", "", 1, true},
                      FaultCase{"one_call_with_remap", ".vlog", 1, false, ValueLogCollector::kRemap},
                      FaultCase{"one_call_of_any_file_with_remap_then_power", "", 1, true, ValueLogCollector::kRemap},
                      FaultCase{"one_call_with_punch", ".vlog", 1, false, ValueLogCollector::kPunch},
                      FaultCase{"all_calls_with_punch_then_power", ".vlog", kForEver, true, ValueLogCollector::kPunch},
                      FaultCase{"one_call_of_any_file_with_punch_then_power", "", 1, true, ValueLogCollector::kPunch}),
    [](const auto &fault) { return fault.param.name; });

}  // namespace
}  // namespace openremap
