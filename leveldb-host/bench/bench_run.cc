// SPDX-License-Identifier: Apache-2.0
#include "bench_run.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "counters.h"
#include "flat_env.h"
#include "inline_env.h"
#include "keys.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "remap_options.h"
#include "trace.h"
#include "ycsb.h"

namespace openremap {

using leveldb::Status;

namespace {

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval &t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class Run {
 public:
  Run(const BenchOptions &options, BenchDevice *device, Progress *progress, BenchResult *result)
      : options_(options),
        device_(device),
        progress_(progress),
        result_(result),
        keys_(KeySpaceSize(SourceOptionsOf(options)), options.key_size, ValueSizesOf(options), options.seed),
        order_(options.seed) {
    RemapEnv *remap = RemapEnv::From(device->env());
    if (remap != nullptr) {
      env_ = std::make_unique<InlineRemapEnv>(device->env(), remap);
    } else {
      env_ = std::make_unique<InlineEnv>(device->env());
    }
  }

  Status Execute() {
    const auto start = std::chrono::steady_clock::now();
    Status s = Open(/*create=*/true);
    if (s.ok()) s = Load();
    if (s.ok()) s = Measure();
    if (s.ok()) s = Verify();
    Close();
    result_->wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (s.ok() && result_->verify_mismatches != 0) {
      s = Status::Corruption(std::to_string(result_->verify_mismatches) + " keys read back wrong, the first is " +
                             first_mismatch_);
    }
    return s;
  }

 private:
  Status Open(bool create) {
    leveldb::Options o;
    o.create_if_missing = create;
    o.error_if_exists = create;
    o.env = env_.get();
    o.info_log = &logger_;
    o.write_buffer_size = options_.write_buffer;
    o.max_file_size = options_.max_file_size;
    o.compression = leveldb::kNoCompression;  // the values are incompressible
    o.remap.mode = options_.mode;
    o.remap.level1_bytes = options_.level1_bytes;
    o.remap.level_ratio = options_.level_ratio;
    o.remap.fill_space_percent = options_.fill_space_percent;
    o.remap.blend_runs = options_.blend_runs;
    if (filter_ == nullptr && options_.bloom_bits > 0)
      filter_.reset(leveldb::NewBloomFilterPolicy(options_.bloom_bits));
    o.filter_policy = filter_.get();
    o.remap.min_table_bytes = static_cast<int>(std::min<size_t>(options_.max_file_size, 1 << 20));
    o.remap.statistics = &statistics_;
    leveldb::DB *db = nullptr;
    Status s = leveldb::DB::Open(o, device_->DbName(), &db);
    db_.reset(db);
    env_->RunPending();
    return s;
  }

  void Close() {
    env_->RunPending();  // the destructor would wait for it for ever
    db_.reset();
  }

  Status Put(uint64_t index) {
    keys_.Key(index, &key_);
    keys_.Put(index, &value_);
    if (measuring_) result_->user_bytes += key_.size() + value_.size();
    Status s = db_->Put(leveldb::WriteOptions(), key_, value_);
    env_->RunPending();
    return s;
  }

  // Runs one operation of the measured part.
  template <class Function>
  Status Timed(OperationKind kind, Function function) {
    const auto start = std::chrono::steady_clock::now();
    Status s = function();
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - start;
    if (measuring_) result_->latencies.at(static_cast<size_t>(kind)).Add(static_cast<uint64_t>(took.count()));
    return s;
  }

  template <class Next>
  Status PutAll(const char *phase, Next next) {
    progress_->Begin(phase, options_.num);
    for (uint64_t i = 0; i < options_.num; i++) {
      Status s = Timed(OperationKind::kPut, [this, &next, i] { return Put(next(i)); });
      if (!s.ok()) return s;
      progress_->Done(i + 1);
    }
    progress_->End();
    return Status::OK();
  }

  Status PutRandom(const char *phase) {
    return PutAll(phase, [this](uint64_t) { return order_.Below(options_.num); });
  }

  Status PutInOrder(const char *phase) {
    return PutAll(phase, [](uint64_t i) { return i; });
  }

  // What the workload needs to be there.
  Status Load() {
    switch (options_.workload) {
      case Workload::kOverwrite:
        return PutInOrder("load");
      case Workload::kReadRandom:
      case Workload::kReadSeq:
        return PutRandom("load");
      case Workload::kMixAllRandom:
      case Workload::kMixAllDist:
      case Workload::kMixPrefixRandom:
      case Workload::kMixPrefixDist:
        return PutRandom("load");
      default:
        break;
    }
    if (!IsYcsb(options_.workload)) return Status::OK();
    YcsbLoad load(SourceOptionsOf(options_));
    return RunOperations("load", &load);
  }

  Status Measure() {
    DeviceStats begin, end;
    Status s = device_->ReadStats(&begin);
    if (!s.ok()) return s;
    const RemapStats remap_begin = Remaps();
    std::vector<LevelCounters> counters_begin;
    for (int level = 0; level < CompactionStatistics::kLevels; level++) {
      counters_begin.push_back(statistics_.Level(level));
    }
    const double cpu_begin = CpuSeconds();

    measuring_ = true;
    s = RunWorkload();
    measuring_ = false;
    if (s.ok()) s = device_->ReadStats(&end);
    if (!s.ok()) return s;

    result_->device = Difference(end, begin);
    result_->host_cpu_seconds = CpuSeconds() - cpu_begin - result_->device.sim_cpu_seconds;
    const RemapStats remap_end = Remaps();
    result_->remap = {remap_end.remapped_pages - remap_begin.remapped_pages,
                      remap_end.remap_commands - remap_begin.remap_commands,
                      remap_end.fallback_pages - remap_begin.fallback_pages};
    result_->live_bytes = keys_.live_bytes();
    ReadLevels();
    for (size_t level = 0; level < result_->levels.size(); level++) {
      result_->levels[level].counters = Difference(statistics_.Level(static_cast<int>(level)), counters_begin[level]);
    }
    return s;
  }

  Status RunWorkload() {
    if (!options_.replay.empty()) return Replay();
    switch (options_.workload) {
      case Workload::kReadRandom:
        return ReadRandom();
      case Workload::kReadSeq:
        return ReadSeq();
      case Workload::kFillSeq:
        return PutInOrder("fill");
      case Workload::kFillRandom:
      case Workload::kOverwrite:
        return PutRandom("fill");
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
      Status s = Timed(operation.kind, [this, &operation] { return RunOperation(operation); });
      if (!s.ok()) return s;
      progress_->Done(++done);
    }
    progress_->End();
    const std::string deviation = source->SelfCheck();
    return deviation.empty() ? Status::OK() : Status::Corruption("generated operations", deviation);
  }

  Status RunOperation(const Operation &operation) {
    bool right = false;
    Status s;
    switch (operation.kind) {
      case OperationKind::kPut:
        return Put(operation.key);
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
    std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    keys_.Key(index, &key_);
    it->Seek(key_);
    for (uint64_t i = 0; i < length; i++, index++) {
      while (index < keys_.size() && !keys_.Exists(index)) index++;
      if (index == keys_.size()) {
        if (it->Valid()) Mismatch();
        break;
      }
      keys_.Key(index, &key_);
      keys_.Value(index, &value_);
      if (!it->Valid() || it->key() != key_ || it->value() != value_) {
        Mismatch();
        break;
      }
      result_->reads++;
      it->Next();
    }
    Status s = it->status();
    it.reset();
    env_->RunPending();
    return s;
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
    std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    uint64_t index = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), index++) {
      while (index < keys_.size() && !keys_.Exists(index)) index++;
      if (index == keys_.size()) break;
      keys_.Key(index, &key_);
      keys_.Value(index, &value_);
      if (it->key() != key_ || it->value() != value_) break;
      progress_->Done(++result_->reads);
    }
    if (it->status().ok() && result_->reads != keys_.live()) Mismatch();
    env_->RunPending();
    progress_->End();
    return it->status();
  }

  // Reads one key back, existing or not.
  Status Check(uint64_t index, const leveldb::ReadOptions &read, bool *right) {
    keys_.Key(index, &key_);
    Status s = db_->Get(read, key_, &found_);
    env_->RunPending();  // a read may schedule a compaction
    if (!s.ok() && !s.IsNotFound()) return s;
    if (keys_.Exists(index)) keys_.Value(index, &value_);
    *right = s.ok() == keys_.Exists(index) && (s.IsNotFound() || found_ == value_);
    if (!*right) Mismatch();
    return Status::OK();
  }

  void Mismatch() {
    if (result_->verify_mismatches++ == 0) first_mismatch_ = key_;
  }

  // All that the device was given must come back from it, so the database is opened anew: no memtable, no cache.
  Status Verify() {
    result_->keys_expected = keys_.live();
    Close();
    DeviceStats begin, end;
    Status s = device_->ReadStats(&begin);
    if (s.ok()) s = device_->ForgetCached();
    if (s.ok()) s = Open(/*create=*/false);
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    progress_->Begin("verify", keys_.size());
    for (uint64_t i = 0; s.ok() && i < keys_.size(); i++) {
      bool right = false;
      s = Check(i, read, &right);
      if (s.ok() && right && keys_.Exists(i)) result_->keys_verified++;
      progress_->Done(i + 1);
    }
    if (s.ok()) s = device_->ReadStats(&end);
    if (s.ok()) {
      result_->verify = Difference(end, begin);
      progress_->End();
    }
    return s;
  }

  RemapStats Remaps() const {
    const RemapEnv *remap = RemapEnv::From(device_->env());
    return remap == nullptr ? RemapStats() : remap->GetRemapStats();
  }

  // From "leveldb.sstables": a line "--- level N ---", then one line " number:bytes[smallest .. largest]" a table.
  void ReadLevels() {
    result_->levels.assign(CompactionStatistics::kLevels, LevelResult());
    std::string tables;
    if (!db_->GetProperty("leveldb.sstables", &tables)) return;
    LevelResult *level = nullptr;
    for (size_t at = 0; at < tables.size();) {
      const size_t end = std::min(tables.find('\n', at), tables.size());
      const std::string line = tables.substr(at, end - at);
      at = end + 1;
      constexpr char kHead[] = "--- level ";
      if (line.compare(0, sizeof(kHead) - 1, kHead) == 0) {
        level = &result_->levels.at(std::strtoul(line.c_str() + sizeof(kHead) - 1, nullptr, 10));
      } else if (const size_t colon = line.find(':'); level != nullptr && colon != std::string::npos) {
        level->files++;
        level->bytes += std::strtoull(line.c_str() + colon + 1, nullptr, 10);
      }
    }
  }

  const BenchOptions &options_;
  BenchDevice *device_;
  Progress *progress_;
  BenchResult *result_;
  NullLogger logger_;
  CompactionStatistics statistics_;
  std::unique_ptr<InlineEnv> env_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;  // null: none
  std::unique_ptr<leveldb::DB> db_;
  KeySpace keys_;
  Random64 order_;
  bool measuring_ = false;
  std::string key_, value_, found_, first_mismatch_;
};

}  // namespace

Status RunBench(const BenchOptions &options, BenchDevice *device, Progress *progress, BenchResult *result) {
  return Run(options, device, progress, result).Execute();
}

}  // namespace openremap
