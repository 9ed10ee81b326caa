// SPDX-License-Identifier: Apache-2.0
#include "rocks_crash_run.h"

#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "db_oracle.h"
#include "pagefs/check/page_fs_check.h"
#include "pagefs/fs/page_fs_env.h"
#include "rocksdb/db.h"
#include "rocksdb/listener.h"
#include "rocksdb/write_batch.h"
#include "rocksfs/page_file_system.h"
#include "rocksrun/inline_rocks_env.h"
#include "seeded_random.h"

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
constexpr uint64_t kSessionWrites = 50000;  // power goes long before
// Longest waits for a cut, as powers of two of events: of a session, and of a start.
constexpr uint64_t kEventBits = 14;
constexpr uint64_t kStartEventBits = 9;

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

class CrashRun {
 public:
  explicit CrashRun(const RocksCrashOptions &o) : o_(o), random_(o.seed), device_(o.device, o.seed, o.wrap, &random_) {}
  ~CrashRun() { CloseDb(); }
  CrashRun(const CrashRun &) = delete;
  CrashRun &operator=(const CrashRun &) = delete;

  RocksCrashResult Run() {
    while (result_.cuts < o_.cuts && Fine()) {
      device_.CutWithin(kEventBits);
      Session();
      if (Fine()) CutAndStart();
    }
    if (Fine()) End();
    result_.gc_moved_pages = device_.gc_moved_pages();
    return result_;
  }

 private:
  bool Powered() const { return device_.Powered(); }
  bool Fine() const { return result_.wrong.empty(); }
  // Of no meaning when power has gone: what fails then need not be right.
  void Wrong(const std::string &what) {
    if (Fine() && Powered()) result_.wrong = std::string(RocksCrashStageName(stage_)) + ": " + what;
  }
  bool Good(const std::string &what, bool ok, const std::string &why) {
    if (!ok) Wrong(what + ": " + why);
    return ok && Fine() && Powered();
  }

  // Until power goes.
  void Session() {
    if (!OpenDb()) return;
    hot_ = random_.below(kKeys - kHotKeys);
    for (uint64_t n = 0; Fine() && Powered(); n++) {
      if (n == kSessionWrites) {
        Wrong("power does not go");
      } else if (random_.below(500) == 0) {
        if (!Reopen()) return;
      } else if (random_.below(60) == 0) {
        if (!SyncLog()) return;
      } else if (random_.below(4) == 0) {
        ReadOne();
      } else if (!Write()) {
        return;
      }
    }
  }

  // Mounts, opens, compares everything. False: power has gone, or something is wrong.
  bool OpenDb() {
    stage_ = RocksCrashStage::kMount;
    const PageFsCheck check = CheckPageFs(device_.pages());
    if (!check.findings.empty()) Wrong("file system: " + check.findings.front());
    if (!Fine() || !Powered()) return false;
    std::unique_ptr<PageFs> fs;
    const leveldb::Status mounted = PageFs::Open(device_.pages(), &fs);
    if (!Good("mount", mounted.ok(), mounted.ToString())) return false;
    page_env_ = std::make_unique<PageFsEnv>(std::move(fs));
    std::shared_ptr<rocksdb::FileSystem> files = std::make_shared<PageFileSystem>(page_env_.get());
    env_ = std::make_unique<InlineRocksEnv>(o_.wrap_files ? o_.wrap_files(files) : files);
    stage_ = RocksCrashStage::kOpen;
    rocksdb::DB *db = nullptr;
    const Status s = rocksdb::DB::Open(DbOptions(), kDbName, Families(), &families_, &db);
    db_.reset(db);
    if (!Good("opening the database, which repair is not to be needed for", s.ok(), s.ToString())) return false;
    stage_ = RocksCrashStage::kVerify;
    if (!Verify()) return false;
    Work();
    return Fine() && Powered();
  }

  // Everything small, so that short sessions have flushes, compactions and new manifests; and nothing that waits for
  // other threads, or depends on them.
  rocksdb::DBOptions DbOptions() {
    rocksdb::DBOptions options;
    options.env = env_.get();
    options.create_if_missing = options.create_missing_column_families = true;
    options.paranoid_checks = true;
    options.info_log = std::make_shared<SilentLogger>();
    options.listeners = {std::make_shared<WorkCounter>(&result_)};
    options.max_manifest_file_size = 8 << 10;
    options.max_total_wal_size = 192 << 10;
    options.max_file_opening_threads = 1;
    options.max_bgerror_resume_count = 0;
    options.stats_dump_period_sec = options.stats_persist_period_sec = 0;
    options.use_direct_reads = o_.seed % 3 == 0;
    // Then a start goes on with the logs that it finds.
    options.avoid_flush_during_recovery = o_.seed % 4 == 1;
    options.track_and_verify_wals_in_manifest = o_.seed % 2 == 1;
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
    options.level_compaction_dynamic_level_bytes = o_.seed % 2 == 0;
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

  bool Verify() {
    rocksdb::ReadOptions read;
    read.verify_checksums = true;
    DbOracle::State found;
    for (size_t i = 0; i < kFamilies.size(); i++) {
      const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read, families_[i]));
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        found[OracleKey(i, it->key().ToString())] = it->value().ToString();
      }
      if (!Good("reading all keys", it->status().ok(), it->status().ToString())) return false;
    }
    const std::string wrong = oracle_.Recovered(found);
    if (!wrong.empty()) Wrong(wrong);
    return Fine();
  }

  void Work() {
    stage_ = RocksCrashStage::kWork;
    env_->RunPending();
  }

  static std::string KeyOf(uint64_t number) {
    char key[24];
    std::snprintf(key, sizeof(key), "%08llu", static_cast<unsigned long long>(number));
    return key;
  }
  uint64_t Number() { return random_.coin() ? hot_ + random_.below(kHotKeys) : random_.below(kKeys); }

  // No two are equal.
  std::string Value() {
    const uint64_t kind = random_.below(10);
    const uint64_t size = kind == 0 ? 20 : kind < 3 ? 1000 + random_.below(4000) : 300 + random_.below(700);
    std::string value = std::to_string(result_.writes) + "." + std::to_string(random_.next()) + ".";
    while (value.size() < size) {
      const uint64_t more = random_.next();
      value.append(reinterpret_cast<const char *>(&more), sizeof(more));
    }
    return value;
  }

  // Keeps what the state is to be within the batch: a range deletes what the same batch has put.
  void AddChange(rocksdb::WriteBatch *batch, DbOracle::Changes *changes) {
    const size_t family = random_.below(kFamilies.size());
    const uint64_t number = Number();
    const std::string key = KeyOf(number);
    const uint64_t kind = random_.below(40);
    Status s;
    if (kind == 0) {
      const uint64_t end = number + 1 + random_.below(kMostInRange);
      s = batch->DeleteRange(families_[family], key, KeyOf(end));
      for (uint64_t i = number; i < end; i++) changes->emplace_back(OracleKey(family, KeyOf(i)), std::nullopt);
      result_.range_deletions++;
    } else if (kind < 6) {
      s = batch->Delete(families_[family], key);
      changes->emplace_back(OracleKey(family, key), std::nullopt);
    } else {
      const std::string value = Value();
      s = batch->Put(families_[family], key, value);
      changes->emplace_back(OracleKey(family, key), value);
    }
    if (!s.ok()) Wrong("batch: " + s.ToString());
  }

  bool Write() {
    stage_ = RocksCrashStage::kWrite;
    rocksdb::WriteBatch batch;
    DbOracle::Changes changes;
    const uint64_t entries = random_.below(6) == 0 ? 2 + random_.below(6) : 1;
    for (uint64_t i = 0; i < entries; i++) AddChange(&batch, &changes);
    const bool sync = random_.below(6) == 0;
    rocksdb::WriteOptions options;
    options.sync = sync && !o_.forget_sync;
    oracle_.Begin(changes);
    const Status s = db_->Write(options, &batch);
    if (!s.ok()) {
      Wrong("write: " + s.ToString());
      return false;
    }
    oracle_.Acknowledged(sync);
    result_.writes++;
    if (sync) result_.synced++;
    if (random_.below(kWritesAFlush) == 0 && !Flush()) return false;
    Work();
    if (result_.writes % 32 == 0) device_.Sample();
    return true;
  }

  // Schedules a flush of one family.
  bool Flush() {
    rocksdb::FlushOptions options;
    options.wait = false;
    options.allow_write_stall = true;
    const Status s = db_->Flush(options, families_[random_.below(kFamilies.size())]);
    if (!s.ok()) Wrong("flush: " + s.ToString());
    return s.ok();
  }

  // Makes all acknowledged writes durable, as a synced write does.
  bool SyncLog() {
    stage_ = RocksCrashStage::kWrite;
    const Status s = db_->SyncWAL();
    if (!s.ok()) {
      Wrong("SyncWAL: " + s.ToString());
      return false;
    }
    oracle_.Closed();
    result_.log_syncs++;
    return true;
  }

  void ReadOne() {
    stage_ = RocksCrashStage::kVerify;
    const size_t family = random_.below(kFamilies.size());
    const std::string key = KeyOf(Number());
    std::string value;
    const Status s = db_->Get(rocksdb::ReadOptions(), families_[family], key, &value);
    const auto expected = oracle_.Now().find(OracleKey(family, key));
    if (!s.ok() && !s.IsNotFound()) {
      Wrong("read: " + s.ToString());
    } else if (s.ok() != (expected != oracle_.Now().end()) || (s.ok() && value != expected->second)) {
      Wrong("key " + OracleKey(family, key) + " does not read as it was written");
    }
    Work();
  }

  // Ends everything in order. Then the file system must be marked so, and no write is lost.
  bool Reopen() {
    CloseDb();
    if (!Powered()) return false;
    oracle_.Closed();
    const PageFsCheck check = CheckPageFs(device_.pages());
    if (!check.findings.empty()) Wrong("file system: " + check.findings.front());
    if (!check.clean) Wrong("file system: not marked as ended in order");
    return Fine() && Powered() && OpenDb();
  }

  void CloseDb() {
    if (page_env_ == nullptr) return;
    if (db_ != nullptr) {
      Work();  // the database would wait for it for ever
      stage_ = RocksCrashStage::kClose;
      for (ColumnFamilyHandle *family : families_) {
        const Status s = db_->DestroyColumnFamilyHandle(family);
        if (!s.ok()) Wrong("closing a column family: " + s.ToString());
      }
    }
    stage_ = RocksCrashStage::kClose;
    families_.clear();
    db_.reset();
    env_.reset();
    page_env_.reset();
  }

  // Power has gone: what ran ends without it, then the device starts; now and then power goes meanwhile.
  void CutAndStart() {
    NoteCut();
    CloseDb();
    stage_ = RocksCrashStage::kStart;
    const int rc = device_.Start(
        kStartEventBits, [this] { return result_.cuts < o_.cuts; }, [this] { NoteCut(); });
    if (rc != 0) Wrong("the device does not start: " + std::to_string(rc));
  }

  void NoteCut() {
    result_.cuts++;
    result_.cuts_in.at(static_cast<size_t>(stage_))++;
  }

  // Without cuts: the last recovery, and once more after everything was closed in order.
  void End() {
    device_.CutBefore(0);
    if (OpenDb() && Reopen()) CloseDb();
  }

  const RocksCrashOptions &o_;
  orm::SeededRandom random_;
  CutDevice device_;
  std::unique_ptr<PageFsEnv> page_env_;
  std::unique_ptr<InlineRocksEnv> env_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<ColumnFamilyHandle *> families_;
  DbOracle oracle_;
  RocksCrashStage stage_ = RocksCrashStage::kMount;
  RocksCrashResult result_;
  uint64_t hot_ = 0;
};

}  // namespace

const char *RocksCrashStageName(RocksCrashStage stage) {
  constexpr std::array<const char *, kRocksCrashStages> kNames = {
      "device start", "mount", "opening", "reading", "writing", "flush and compaction", "closing"};
  return kNames.at(static_cast<size_t>(stage));
}

RocksCrashResult &RocksCrashResult::operator+=(const RocksCrashResult &other) {
  if (wrong.empty()) wrong = other.wrong;
  cuts += other.cuts;
  for (size_t i = 0; i < kRocksCrashStages; i++) cuts_in.at(i) += other.cuts_in.at(i);
  writes += other.writes;
  synced += other.synced;
  log_syncs += other.log_syncs;
  range_deletions += other.range_deletions;
  flushes += other.flushes;
  compactions += other.compactions;
  gc_moved_pages += other.gc_moved_pages;
  return *this;
}

RocksCrashResult RunRocksWithCuts(const RocksCrashOptions &options) { return CrashRun(options).Run(); }

}  // namespace openremap
