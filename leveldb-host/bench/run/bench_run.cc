// SPDX-License-Identifier: Apache-2.0
#include "bench/run/bench_run.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/files/trace.h"
#include "bench/measure/counters.h"
#include "bench/run/bench_database.h"
#include "bench/run/level_bench_database.h"
#include "bench/run/measured_run.h"
#include "bench/run/scanned_entries.h"
#include "bench/workload/fill_order.h"
#include "bench/workload/keys.h"
#include "bench/workload/number_check.h"
#include "bench/workload/ycsb.h"
#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#include "remap_options.h"

namespace openremap {

using leveldb::Status;

namespace {

constexpr size_t kEntriesAtATime = 256;  // of a scan over all keys

class Run : public MeasuredRun {
 public:
  Run(const BenchOptions &options, BenchDevice *device, BenchDatabase *database, Progress *progress,
      BenchResult *result)
      : MeasuredRun(options, device, database, progress, result, "keys"),
        keys_(KeySpaceSize(SourceOptionsOf(options)), options.key_size, ValueSizesOf(options), options.seed,
              options.workload == Workload::kUtxo ? KeyForm::kOutpoint : KeyForm::kDecimal),
        order_(options.seed),
        value_sizes_(
            "value sizes", [&options](uint64_t x) { return ValueSizesOf(options).Cdf(x); },
            ValueSizesOf(options).Most()) {}

 private:
  Status Put(uint64_t index) {
    keys_.Key(index, &key_);
    keys_.Put(index, &value_);
    value_sizes_.Add(value_.size());
    if (measuring()) result_->user_bytes += key_.size() + value_.size();
    if (Gathers()) {
      batch_.Put(key_, value_);
      return Status::OK();
    }
    return Write([this](const leveldb::WriteOptions &write) { return db()->Put(write, key_, value_); });
  }

  Status Delete(uint64_t index) {
    keys_.Key(index, &key_);
    keys_.Delete(index);
    if (measuring()) result_->user_bytes += key_.size();
    if (Gathers()) {
      batch_.Delete(key_);
      return Status::OK();
    }
    return Write([this](const leveldb::WriteOptions &write) { return db()->Delete(write, key_); });
  }

  // Whether puts and deletes wait for a commit. What is loaded does not.
  bool Gathers() const { return measuring() && WritesBatches(options_.workload); }

  Status Commit() {
    const Status s = Write([this](const leveldb::WriteOptions &write) { return db()->Write(write, &batch_); },
                           /*sync=*/true);
    batch_.Clear();
    return s;
  }

  // One operation. What waits for a commit has no latency of its own.
  Status RunOne(const Operation &operation) {
    if (Gathers() && (operation.kind == OperationKind::kPut || operation.kind == OperationKind::kDelete)) {
      result_->operations++;
      return RunOperation(operation);
    }
    return Timed(operation.kind, [this, &operation] { return RunOperation(operation); });
  }

  template <class Next>
  Status PutAll(const char *phase, uint64_t count, Next next) {
    progress_->Begin(phase, count);
    for (uint64_t i = 0; i < count; i++) {
      Status s = Timed(OperationKind::kPut, [this, &next] { return Put(next()); });
      if (!s.ok()) return s;
      progress_->Done(i + 1);
    }
    progress_->End();
    return Status::OK();
  }

  Status PutRandom(const char *phase, uint64_t count) {
    return PutAll(phase, count, [this] { return order_.Below(options_.num); });
  }

  Status PutInOrder(const char *phase) {
    FillOrder order(Workload::kFillSeq, options_.num, options_.seed);
    return PutAll(phase, options_.num, [&order] { return order.Next(); });
  }

  Status Load() override {
    switch (options_.workload) {
      case Workload::kOverwrite:
        return PutInOrder("load");
      case Workload::kReadRandom:
      case Workload::kReadSeq:
        return PutRandom("load", options_.num);
      case Workload::kMixAllRandom:
      case Workload::kMixAllDist:
      case Workload::kMixPrefixRandom:
      case Workload::kMixPrefixDist:
        return PutRandom("load", options_.num);
      case Workload::kUtxo:  // the oldest coin first
        return PutInOrder("load");
      default:
        break;
    }
    if (!IsYcsb(options_.workload) && options_.workload != Workload::kMix) return Status::OK();
    YcsbLoad load(SourceOptionsOf(options_));
    return RunOperations("load", &load);
  }

  void BeginMeasuring() override {
    remaps_ = Remaps();
    for (int level = 0; level < CompactionStatistics::kLevels; level++) {
      counters_.push_back(database_->statistics().Level(level));
    }
  }

  void EndMeasuring() override {
    const RemapStats remaps = Remaps();
    result_->remap = {remaps.remapped_pages - remaps_.remapped_pages, remaps.remap_commands - remaps_.remap_commands,
                      remaps.fallback_pages - remaps_.fallback_pages};
    result_->live_bytes = keys_.live_bytes();
    result_->keys_expected = keys_.live();
    for (size_t level = 0; level < result_->levels.size(); level++) {
      result_->levels[level].counters =
          Difference(database_->statistics().Level(static_cast<int>(level)), counters_[level]);
    }
    ReadValueLog();
  }

  // Lines of a name and a number.
  void ReadValueLog() {
    std::string text;
    result_->value_log.clear();
    if (!database_->db()->GetProperty("leveldb.value-log", &text)) return;
    std::istringstream lines(text);
    std::string name;
    for (uint64_t value = 0; lines >> name >> value;) {
      std::replace(name.begin(), name.end(), '-', '_');
      result_->value_log[name] = value;
    }
  }

  Status RunWorkload() override {
    const Status s = RunPhase();
    return s.ok() ? Generated("values", value_sizes_.Deviation()) : s;
  }

  Status RunPhase() {
    if (!options_.replay.empty()) return Replay();
    switch (options_.workload) {
      case Workload::kReadRandom:
        return ReadRandom();
      case Workload::kReadSeq:
        return ReadSeq();
      case Workload::kFillSeq:
      case Workload::kFillRandom: {
        FillOrder order(options_.workload, options_.num, options_.seed);
        return PutAll("fill", options_.Operations(), [&order] { return order.Next(); });
      }
      case Workload::kOverwrite:
        return PutRandom("fill", options_.Operations());
      default:
        break;
    }
    std::unique_ptr<OperationSource> source = MakeSource(SourceOptionsOf(options_));
    if (options_.trace.empty()) return RunOperations("run", source.get());
    Status s;
    const auto trace = TraceWriter::Create(options_.trace, options_, std::move(source), &s);
    if (trace != nullptr) s = RunOperations("run", trace.get());
    return s.ok() ? trace->Close() : s;
  }

  Status Replay() {
    Status s;
    const auto trace = TraceReader::Open(options_.replay, &s);
    if (trace != nullptr) s = RunOperations("replay", trace.get());
    return s.ok() ? trace->status() : s;
  }

  Status RunOperations(const char *phase, OperationSource *source) {
    progress_->Begin(phase, source->count());
    uint64_t done = 0;
    for (Operation operation; source->Next(&operation);) {
      Status s = RunOne(operation);
      if (!s.ok()) return s;
      progress_->Done(++done);
    }
    progress_->End();
    return Generated("operations", source->SelfCheck());
  }

  Status RunOperation(const Operation &operation) {
    bool right = false;
    Status s;
    switch (operation.kind) {
      case OperationKind::kPut:
        return Put(operation.key);
      case OperationKind::kDelete:
        return Delete(operation.key);
      case OperationKind::kCommit:
        return Commit();
      case OperationKind::kScan:
        return Scan(operation.key, operation.length);
      case OperationKind::kReadModifyWrite:
      case OperationKind::kGet:
        break;
    }
    s = Check(operation.key, leveldb::ReadOptions(), &right);
    result_->reads++;
    return s.ok() && operation.kind == OperationKind::kReadModifyWrite ? Put(operation.key) : s;
  }

  // `length` entries from a key on, existing or not, compared with what must be there.
  Status Scan(uint64_t index, uint64_t length) {
    keys_.Key(index, &key_);
    entries_.Clear();
    Status s;
    Call([&] {
      std::unique_ptr<leveldb::Iterator> it(db()->NewIterator(leveldb::ReadOptions()));
      it->Seek(key_);
      for (; entries_.count() < length && it->Valid(); it->Next()) entries_.Add(it->key(), it->value());
      s = it->status();
    });
    for (size_t i = 0; i < length; i++, index++) {
      if (!Expect(i, &index)) break;
    }
    RunPending();
    return s;
  }

  // Whether entry `at` of a scan is what the key space has next, from `*index` on; no entry is the end of both.
  bool Expect(size_t at, uint64_t *index) {
    while (*index < keys_.size() && !keys_.Exists(*index)) ++*index;
    if (*index == keys_.size()) {
      if (at < entries_.count()) Mismatch(key_);
      return false;
    }
    keys_.Key(*index, &key_);
    keys_.Value(*index, &value_);
    if (!entries_.Is(at, key_, value_)) {
      Mismatch(key_);
      return false;
    }
    result_->reads++;
    return true;
  }

  Status ReadRandom() {
    progress_->Begin("read", options_.num);
    for (uint64_t i = 0; i < options_.num; i++) {
      bool right = false;
      Status s = Timed(OperationKind::kGet,
                       [this, &right] { return Check(order_.Below(options_.num), leveldb::ReadOptions(), &right); });
      if (!s.ok()) return s;
      progress_->Done(i + 1);
    }
    result_->reads = options_.num;
    progress_->End();
    return Status::OK();
  }

  Status ReadSeq() {
    progress_->Begin("read", keys_.live());
    std::unique_ptr<leveldb::Iterator> it;
    Call([&] {
      it.reset(db()->NewIterator(leveldb::ReadOptions()));
      it->SeekToFirst();
    });
    uint64_t index = 0;
    bool right = true;
    while (right && it->Valid()) {
      entries_.Clear();
      Call([&] {
        for (; entries_.count() < kEntriesAtATime && it->Valid(); it->Next()) entries_.Add(it->key(), it->value());
      });
      for (size_t i = 0; right && i < entries_.count(); i++, index++) right = Expect(i, &index);
      progress_->Done(result_->reads);
    }
    if (it->status().ok() && right && result_->reads != keys_.live()) Mismatch(key_);
    result_->operations = result_->reads;
    RunPending();
    progress_->End();
    return it->status();
  }

  // Reads one key back, existing or not.
  Status Check(uint64_t index, const leveldb::ReadOptions &read, bool *right) {
    keys_.Key(index, &key_);
    const FileReads before = device_->ReadsOfFiles();
    Status s;
    Call([&] { s = db()->Get(read, key_, &found_); });
    if (measuring()) CountGet(before, s.ok() ? key_.size() + found_.size() : 0);
    RunPending();  // a read may schedule a compaction
    if (!s.ok() && !s.IsNotFound()) return s;
    if (keys_.Exists(index)) keys_.Value(index, &value_);
    *right = s.ok() == keys_.Exists(index) && (s.IsNotFound() || found_ == value_);
    if (!*right) Mismatch(key_);
    return Status::OK();
  }

  void CountGet(const FileReads &before, uint64_t bytes) {
    const FileReads after = device_->ReadsOfFiles();
    result_->get_bytes += bytes;
    result_->get_reads.pages += after.pages - before.pages;
    result_->get_reads.spans += after.spans - before.spans;
  }

  Status ReadBack() override {
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    progress_->Begin("verify", keys_.size());
    for (uint64_t i = 0; i < keys_.size(); i++) {
      bool right = false;
      const Status s = Check(i, read, &right);
      if (!s.ok()) return s;
      if (right && keys_.Exists(i)) result_->keys_verified++;
      if (right && keys_.Deleted(i)) result_->deleted_verified++;
      progress_->Done(i + 1);
    }
    return Status::OK();
  }

  RemapStats Remaps() const {
    const RemapEnv *remap = RemapEnv::From(device_->env());
    return remap == nullptr ? RemapStats() : remap->GetRemapStats();
  }

  KeySpace keys_;
  Random64 order_;
  NumberCheck value_sizes_;              // of those that are loaded, too
  RemapStats remaps_;                    // before what is measured
  std::vector<LevelCounters> counters_;  // by level, before that
  ScannedEntries entries_;
  leveldb::WriteBatch batch_;  // what waits for a commit
  std::string key_, value_, found_;
};

}  // namespace

Status RunBench(const BenchOptions &options, BenchDevice *device, Progress *progress, BenchResult *result) {
  LevelBenchDatabase database(options, device);
  return RunBench(options, device, &database, progress, result);
}

Status RunBench(const BenchOptions &options, BenchDevice *device, BenchDatabase *database, Progress *progress,
                BenchResult *result) {
  return Run(options, device, database, progress, result).Execute();
}

}  // namespace openremap
