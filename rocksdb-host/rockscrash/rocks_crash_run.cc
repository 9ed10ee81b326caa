// SPDX-License-Identifier: Apache-2.0
#include "rocks_crash_run.h"

#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/listener.h"
#include "rocksdb/write_batch.h"
#include "rocksfs/page_file_system.h"
#include "rocksrun/inline_rocks_env.h"

namespace openremap {

using rocksdb::ColumnFamilyDescriptor;
using rocksdb::ColumnFamilyHandle;
using rocksdb::Status;

namespace {

constexpr char kDbName[] = "/db";
constexpr std::array<const char *, 3> kFamilies = {"default", "universal", "blobs"};
constexpr uint64_t kKeys = 200;  // of each family
constexpr uint64_t kHotKeys = 20;
constexpr uint64_t kMostInRange = 6;
constexpr uint64_t kWritesAFlush = 40;

// Counts what runs inline.
class WorkCounter : public rocksdb::EventListener {
 public:
  explicit WorkCounter(RocksCrashResult *result) : result_(result) {}
  void OnFlushCompleted(rocksdb::DB *, const rocksdb::FlushJobInfo &) override { result_->flushes++; }
  void OnCompactionCompleted(rocksdb::DB *, const rocksdb::CompactionJobInfo &job) override {
    if (job.status.ok() && !job.output_files.empty()) result_->compactions++;
  }

 private:
  RocksCrashResult *const result_;
};

class RocksDbCrashRun : public CrashRun {
 public:
  RocksDbCrashRun(const RocksCrashOptions &options, RocksCrashResult *result)
      : CrashRun(options, {kKeys, kHotKeys}, result, {}), options_(options), result_(result) {}
  ~RocksDbCrashRun() override { Close(); }

 private:
  Outcome OpenDatabase() override {
    std::shared_ptr<rocksdb::FileSystem> files = std::make_shared<PageFileSystem>(page_env());
    env_ = std::make_unique<InlineRocksEnv>(options_.wrap_files ? options_.wrap_files(files) : files);
    rocksdb::DB *db = nullptr;
    const Status s = rocksdb::DB::Open(DbOptions(), kDbName, Families(), &families_, &db);
    db_.reset(db);
    return s;
  }

  // Everything small, so that short sessions have flushes, compactions and new manifests; and nothing that waits for
  // other threads, or depends on them.
  rocksdb::DBOptions DbOptions() {
    rocksdb::DBOptions options;
    options.env = env_.get();
    options.create_if_missing = options.create_missing_column_families = true;
    options.paranoid_checks = true;
    options.info_log = std::make_shared<SilentLogger>();
    options.listeners = {std::make_shared<WorkCounter>(result_)};
    options.max_manifest_file_size = 8 << 10;
    options.max_total_wal_size = 192 << 10;
    options.max_file_opening_threads = 1;
    options.max_bgerror_resume_count = 0;
    options.stats_dump_period_sec = options.stats_persist_period_sec = 0;
    options.use_direct_reads = options_.seed % 3 == 0;
    // Then a start goes on with the logs that it finds.
    options.avoid_flush_during_recovery = options_.seed % 4 == 1;
    options.track_and_verify_wals_in_manifest = options_.seed % 2 == 1;
    return options;
  }

  std::vector<ColumnFamilyDescriptor> Families() const {
    rocksdb::ColumnFamilyOptions options;
    // Never full: how many entries fill a memtable is random in RocksDB, and runs are to repeat. Flush() is called
    // instead; other flushes come from max_total_wal_size.
    options.write_buffer_size = 8 << 20;
    options.max_write_buffer_number = 16;
    options.target_file_size_base = 32 << 10;
    options.max_bytes_for_level_base = 64 << 10;
    options.max_bytes_for_level_multiplier = 4;
    options.level0_file_num_compaction_trigger = 2;
    options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1000;
    options.soft_pending_compaction_bytes_limit = options.hard_pending_compaction_bytes_limit = 0;
    options.level_compaction_dynamic_level_bytes = options_.seed % 2 == 0;
    options.compression = rocksdb::kNoCompression;
    options.paranoid_file_checks = true;
    std::vector<ColumnFamilyDescriptor> families;
    for (const char *name : kFamilies) families.emplace_back(name, options);
    families[1].options.compaction_style = rocksdb::kCompactionStyleUniversal;
    families[2].options.enable_blob_files = true;
    families[2].options.min_blob_size = 500;
    families[2].options.blob_file_size = 32 << 10;
    families[2].options.enable_blob_garbage_collection = true;
    families[2].options.blob_garbage_collection_age_cutoff = 0.5;
    return families;
  }

  static std::string OracleKey(size_t family, const std::string &key) { return kFamilies.at(family) + ("/" + key); }

  Outcome ReadAll(DbOracle::State *found) override {
    rocksdb::ReadOptions read;
    read.verify_checksums = true;
    Status s;
    for (size_t i = 0; i < kFamilies.size() && s.ok(); i++) {
      const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read, families_[i]));
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        (*found)[OracleKey(i, it->key().ToString())] = it->value().ToString();
      }
      s = it->status();
    }
    return s;
  }

  void RunPending() override { env_->RunPending(); }

  static std::string KeyOf(uint64_t number) {
    char key[24];
    std::snprintf(key, sizeof(key), "%08llu", static_cast<unsigned long long>(number));
    return key;
  }

  std::string Value() {
    const uint64_t kind = random().below(10);
    return NewValue(kind == 0 ? 20 : kind < 3 ? 1000 + random().below(4000) : 300 + random().below(700));
  }

  // Keeps what the state is to be within the batch: a range deletes what the same batch has put.
  void AddChange(DbOracle::Changes *changes) override {
    const size_t family = random().below(kFamilies.size());
    const uint64_t number = KeyNumber();
    const std::string key = KeyOf(number);
    const uint64_t kind = random().below(40);
    Status s;
    if (kind == 0) {
      const uint64_t end = number + 1 + random().below(kMostInRange);
      s = batch_.DeleteRange(families_[family], key, KeyOf(end));
      for (uint64_t i = number; i < end; i++) changes->emplace_back(OracleKey(family, KeyOf(i)), std::nullopt);
      result_->range_deletions++;
    } else if (kind < 6) {
      s = batch_.Delete(families_[family], key);
      changes->emplace_back(OracleKey(family, key), std::nullopt);
    } else {
      const std::string value = Value();
      s = batch_.Put(families_[family], key, value);
      changes->emplace_back(OracleKey(family, key), value);
    }
    if (!s.ok()) Wrong("batch: " + s.ToString());
  }

  Outcome WriteBatch(bool sync) override {
    rocksdb::WriteOptions options;
    options.sync = sync;
    const Status s = db_->Write(options, &batch_);
    batch_.Clear();
    return s;
  }

  // Schedules a flush of one family, now and then.
  bool AfterWrite() override {
    if (random().below(kWritesAFlush) != 0) return true;
    rocksdb::FlushOptions options;
    options.wait = false;
    options.allow_write_stall = true;
    const Status s = db_->Flush(options, families_[random().below(kFamilies.size())]);
    if (!s.ok()) Wrong("flush: " + s.ToString());
    return s.ok();
  }

  // Makes all acknowledged writes durable, as a synced write does.
  std::optional<bool> DoAnother() override {
    if (random().below(60) != 0) return std::nullopt;
    set_stage(CrashStage::kWrite);
    const Status s = db_->SyncWAL();
    if (!s.ok()) {
      Wrong("SyncWAL: " + s.ToString());
      return false;
    }
    oracle().Closed();
    result_->log_syncs++;
    return true;
  }

  Outcome ReadKey(std::string *oracle_key, std::string *value) override {
    const size_t family = random().below(kFamilies.size());
    const std::string key = KeyOf(KeyNumber());
    *oracle_key = OracleKey(family, key);
    return db_->Get(rocksdb::ReadOptions(), families_[family], key, value);
  }

  void DropDatabase() override {
    if (db_ != nullptr) {
      Work();  // the database would wait for it for ever
      set_stage(CrashStage::kClose);
      for (ColumnFamilyHandle *family : families_) {
        const Status s = db_->DestroyColumnFamilyHandle(family);
        if (!s.ok()) Wrong("closing a column family: " + s.ToString());
      }
    }
    families_.clear();
    db_.reset();
    env_.reset();
  }

  const RocksCrashOptions &options_;
  RocksCrashResult *const result_;
  std::unique_ptr<InlineRocksEnv> env_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<ColumnFamilyHandle *> families_;
  rocksdb::WriteBatch batch_;
};

}  // namespace

RocksCrashResult &RocksCrashResult::operator+=(const RocksCrashResult &other) {
  CrashCounts::operator+=(other);
  log_syncs += other.log_syncs;
  range_deletions += other.range_deletions;
  flushes += other.flushes;
  compactions += other.compactions;
  return *this;
}

RocksCrashResult RunRocksWithCuts(const RocksCrashOptions &options) {
  RocksCrashResult result;
  RocksDbCrashRun(options, &result).Run();
  return result;
}

}  // namespace openremap
