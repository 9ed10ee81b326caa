// SPDX-License-Identifier: Apache-2.0
#include "db_crash_run.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "compaction_statistics.h"
#include "inline_env.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"

namespace openremap {

using leveldb::Status;

namespace {

constexpr char kDbName[] = "/db";
constexpr uint64_t kKeys = 600;
// More than the device of small units holds. Before the first cut keys are put until space is short; later on, nothing
// but deletes while it is so short that a memtable would not fit, as stock LevelDB has no other way to make space.
constexpr uint64_t kTightKeys = 2600;
constexpr uint64_t kEnoughShare = 4;  // of the headroom: short, and a bit more than the least
constexpr uint64_t kLeastShare = 2;
constexpr uint64_t kScatter = 1009;  // prime, so that the first keys lie everywhere
constexpr uint64_t kFirstCutBits = 14;
constexpr uint64_t kHotKeys = 40;  // side by side; half of the writes go there
// One of this many manifests that are replaced is cut, within this many events: as long as that takes.
constexpr uint64_t kRollCuts = 3;
constexpr uint64_t kRollEvents = 24;

// Tells of manifests that an open database replaces.
class RollWatchingEnv : public InlineRemapEnv {
 public:
  using InlineRemapEnv::InlineRemapEnv;

  // Of the calls from now on. `begins` is called before a new manifest is created.
  void Watch(std::function<void()> begins) { begins_ = std::move(begins); }
  // Manifests that were replaced, and whether one was being replaced at the last call.
  uint64_t rolls() const { return rolls_; }
  bool rolling() const { return rolling_; }

  Status NewWritableFile(const std::string &fname, leveldb::WritableFile **result) override {
    if (begins_ && IsManifest(fname)) {
      rolling_ = true;
      begins_();
    }
    return InlineRemapEnv::NewWritableFile(fname, result);
  }
  Status RemoveFile(const std::string &fname) override {
    const Status s = InlineRemapEnv::RemoveFile(fname);
    if (rolling_ && s.ok() && IsManifest(fname)) {
      rolling_ = false;
      rolls_++;
    }
    return s;
  }

 private:
  static bool IsManifest(const std::string &fname) { return fname.find("/MANIFEST-") != std::string::npos; }

  std::function<void()> begins_;
  bool rolling_ = false;
  uint64_t rolls_ = 0;
};

class LevelDbCrashRun : public CrashRun {
 public:
  LevelDbCrashRun(const CrashRunOptions &options, CrashRunResult *result)
      : CrashRun(options, {options.tight ? kTightKeys : kKeys, kHotKeys}, result, DeviceOf(options)),
        options_(options),
        result_(result) {}
  ~LevelDbCrashRun() override { Close(); }

  LevelCounters counters() const { return statistics_.Total(); }

 private:
  static Device DeviceOf(const CrashRunOptions &options) {
    Device device;
    device.units = options.table_units || options.tight;
    device.mount.table_units = options.table_units;
    return device;
  }

  Outcome OpenDatabase() override {
    inline_env_ = std::make_unique<RollWatchingEnv>(page_env(), page_env());
    leveldb::DB *db = nullptr;
    Status s = leveldb::DB::Open(DbOptions(), kDbName, &db);
    db_.reset(db);
    if (s.ok() && options_.tight && !std::exchange(filled_, true)) {
      device().CutBefore(0);
      s = FillAll();
      device().CutWithin(kFirstCutBits);
    }
    inline_env_->Watch([this] {
      if (random().below(kRollCuts) == 0) device().CutBefore(1 + random().below(kRollEvents));
    });
    return s;
  }

  leveldb::Options DbOptions() {
    leveldb::Options options;
    options.env = inline_env_.get();
    options.create_if_missing = true;
    // They would have these modes read what they need not.
    options.paranoid_checks = options_.mode != RemapMode::kSkip && options_.mode != RemapMode::kBlend;
    options.write_buffer_size = 64 << 10;
    options.max_file_size = 32 << 10;
    options.compression = leveldb::kNoCompression;
    options.remap.mode = options_.mode;
    options.remap.level1_bytes = 96 << 10;
    options.remap.level_ratio = 4;
    options.remap.blend_rule = options_.blend_rule;
    options.remap.blend_runs = options_.blend_runs;
    options.remap.min_table_bytes = 16 << 10;
    options.remap.min_manifest_bytes = 512;  // so that sessions, which are short, replace it
    options.remap.statistics = &statistics_;
    if (options_.separated) {
      constexpr std::array<uint64_t, 4> kThresholds = {0, 0, 100, 1000};
      options.remap.value_log_threshold = kThresholds.at(options_.seed / 2 % kThresholds.size());
      options.remap.value_log_segment_bytes = 64 << 10;
      options.remap.value_log_dead_percent = options_.seed % 3 == 0 ? 30 : 10;
      options.remap.value_log_collector = Collector();
    }
    return options;
  }

  Outcome ReadAll(DbOracle::State *found) override {
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(read));
    for (it->SeekToFirst(); it->Valid(); it->Next()) (*found)[it->key().ToString()] = it->value().ToString();
    return it->status();
  }

  void RunPending() override { inline_env_->RunPending(); }

  // Every write is durable, as what is read next is taken for what was recovered.
  Status FillAll() {
    leveldb::WriteOptions sync;
    sync.sync = true;
    for (uint64_t number = 0; number < kTightKeys; number++) {
      const FileSpace space = page_env()->GetFileSpace();
      if (space.room < space.headroom * (kEnoughShare - 1) / kEnoughShare) break;
      const std::string key = KeyOf(number * kScatter % kTightKeys), value = Value();
      oracle().Begin({{key, value}});
      const Status s = db_->Put(sync, key, value);
      if (!s.ok()) return s;
      oracle().Acknowledged(true);
      RunPending();
    }
    return Status::OK();
  }
  bool MayOnlyDelete() {
    const FileSpace space = page_env()->GetFileSpace();
    return options_.tight && space.room < space.headroom / kLeastShare;
  }

  static std::string KeyOf(uint64_t number) {
    char key[24];
    std::snprintf(key, sizeof(key), "%016llu", static_cast<unsigned long long>(number));
    return key;
  }
  std::string Key() { return KeyOf(KeyNumber()); }

  // Four to a page as a rule, as in db_bench.
  std::string Value() {
    uint64_t size = 984;
    switch (random().below(12)) {
      case 0:
        size = 20 + random().below(200);
        break;
      case 1:
        size = 1000 + random().below(3000);
        break;
      case 2:
        if (random().below(4) == 0) size = 4000 + random().below(9000);
        break;
      default:
        // Of pages of their own, which may be all dead.
        if (options_.separated && Collector() != ValueLogCollector::kCopy && random().below(2) == 0) size = 4096;
        break;
    }
    std::string value = NewValue(size);
    if (options_.separated) value.resize(size);
    return value;
  }

  void AddChange(DbOracle::Changes *changes) override {
    const std::string key = Key();
    if (random().below(8) == 0 || MayOnlyDelete()) {
      batch_.Delete(key);
      changes->emplace_back(key, std::nullopt);
    } else {
      const std::string value = Value();
      batch_.Put(key, value);
      changes->emplace_back(key, value);
    }
  }

  Outcome WriteBatch(bool sync) override {
    leveldb::WriteOptions options;
    options.sync = sync;
    const Status s = db_->Write(options, &batch_);
    batch_.Clear();
    return s;
  }

  Outcome ReadKey(std::string *oracle_key, std::string *value) override {
    *oracle_key = Key();
    return db_->Get(leveldb::ReadOptions(), *oracle_key, value);
  }

  ValueLogCollector Collector() const {
    return options_.collector.value_or(static_cast<ValueLogCollector>((options_.seed + options_.seed / 4) % 4));
  }

  // A line of the property leveldb.value-log.
  uint64_t ValueLogCounter(const std::string &name) {
    std::string text;
    if (db_ == nullptr || !db_->GetProperty("leveldb.value-log", &text)) return 0;
    return std::strtoull(text.c_str() + text.find(name + " ") + name.size() + 1, nullptr, 10);
  }

  void DropDatabase() override {
    inline_env_->RunPending();  // the database would wait for it for ever
    const RemapStats remap = page_env()->GetRemapStats();
    result_->remapped_pages += remap.remapped_pages;
    result_->copied_pages += remap.fallback_pages;
    result_->units_begun += page_env()->fs()->GetStats().units_begun;
    result_->manifest_rolls += inline_env_->rolls();
    result_->collected_segments += ValueLogCounter("collected-segments");
    result_->moved_segments += ValueLogCounter("moved-segments");
    result_->punched_segments += ValueLogCounter("punched-segments");
    db_.reset();
    inline_env_.reset();
  }

  // Deletes, too, take space before they give it back.
  bool MayEnd(const Outcome &written) override {
    const bool full = options_.tight && written.text.find(kNoSpaceLeft) != std::string::npos;
    if (full) result_->ended_full++;
    return full;
  }

  void NoteCutOfDatabase() override {
    if (inline_env_ != nullptr && inline_env_->rolling()) result_->cuts_in_rolls++;
  }

  const CrashRunOptions &options_;
  CrashRunResult *const result_;
  CompactionStatistics statistics_;
  std::unique_ptr<RollWatchingEnv> inline_env_;
  std::unique_ptr<leveldb::DB> db_;
  leveldb::WriteBatch batch_;
  bool filled_ = false;
};

}  // namespace

CrashRunResult &CrashRunResult::operator+=(const CrashRunResult &other) {
  CrashCounts::operator+=(other);
  tables += other.tables;
  remapped_pages += other.remapped_pages;
  copied_pages += other.copied_pages;
  units_begun += other.units_begun;
  collected_segments += other.collected_segments;
  moved_segments += other.moved_segments;
  punched_segments += other.punched_segments;
  manifest_rolls += other.manifest_rolls;
  cuts_in_rolls += other.cuts_in_rolls;
  short_compactions += other.short_compactions;
  plain_compactions += other.plain_compactions;
  reclaim_compactions += other.reclaim_compactions;
  ended_full += other.ended_full;
  return *this;
}

CrashRunResult RunWithCuts(const CrashRunOptions &options) {
  CrashRunResult result;
  LevelDbCrashRun run(options, &result);
  run.Run();
  const LevelCounters counters = run.counters();
  result.tables = counters.tables;
  result.short_compactions = counters.short_compactions;
  result.plain_compactions = counters.plain_compactions;
  result.reclaim_compactions = counters.reclaim_compactions;
  return result;
}

}  // namespace openremap
