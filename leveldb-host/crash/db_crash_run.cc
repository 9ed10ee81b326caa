// SPDX-License-Identifier: Apache-2.0
#include "db_crash_run.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "compaction_statistics.h"
#include "cut_device.h"
#include "db_oracle.h"
#include "inline_env.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "pagefs/check/page_fs_check.h"
#include "pagefs/fs/page_fs_env.h"
#include "seeded_random.h"

namespace openremap {

using leveldb::Status;

namespace {

constexpr char kDbName[] = "/db";
constexpr uint64_t kKeys = 600;
constexpr uint64_t kHotKeys = 40;           // side by side; half of the writes go there
constexpr uint64_t kSessionWrites = 50000;  // power goes long before
// Longest wait for a cut, as a power of two of events. A cut during start-up comes earlier.
constexpr uint64_t kEventBits = 14;
constexpr uint64_t kStartEventBits = 9;
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

class CrashRun {
 public:
  explicit CrashRun(const CrashRunOptions &o)
      : o_(o), random_(o.seed), device_(o.device, o.seed, o.wrap, &random_, o.table_units) {}
  ~CrashRun() { CloseDb(); }
  CrashRun(const CrashRun &) = delete;
  CrashRun &operator=(const CrashRun &) = delete;

  CrashRunResult Run() {
    while (result_.cuts < o_.cuts && Fine()) {
      device_.CutWithin(kEventBits);
      Session();
      if (Fine()) CutAndStart();
    }
    if (Fine()) End();
    const LevelCounters counters = statistics_.Total();
    result_.tables = counters.tables;
    result_.gc_moved_pages = device_.gc_moved_pages();
    return result_;
  }

 private:
  bool Powered() const { return device_.Powered(); }
  bool Fine() const { return result_.wrong.empty(); }
  // Of no meaning when power has gone: what fails then need not be right.
  void Wrong(const std::string &what) {
    if (Fine() && Powered()) result_.wrong = std::string(CrashStageName(stage_)) + ": " + what;
  }
  bool Good(const std::string &what, const Status &s) {
    if (!s.ok()) Wrong(what + ": " + s.ToString());
    return s.ok() && Fine() && Powered();
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
      } else if (random_.below(4) == 0) {
        ReadOne();
      } else if (!Write()) {
        return;
      }
    }
  }

  // Mounts, opens, compares everything. False: power has gone, or something is wrong.
  bool OpenDb() {
    stage_ = CrashStage::kMount;
    const PageFsCheck check = CheckPageFs(device_.pages());
    if (!check.findings.empty()) Wrong("file system: " + check.findings.front());
    if (!Fine() || !Powered()) return false;
    PageFsOptions mount;
    mount.table_units = o_.table_units;
    std::unique_ptr<PageFs> fs;
    if (!Good("mount", PageFs::Open(device_.pages(), &fs, mount))) return false;
    const uint64_t free_pages = fs->GetStats().free_pages;
    if (check.formatted && check.free_pages != free_pages) {
      Wrong("the file system counts " + std::to_string(free_pages) + " free pages, its check " +
            std::to_string(check.free_pages));
    }
    env_ = std::make_unique<PageFsEnv>(std::move(fs));
    inline_env_ = std::make_unique<RollWatchingEnv>(env_.get(), env_.get());
    stage_ = CrashStage::kOpen;
    leveldb::DB *db = nullptr;
    const Status s = leveldb::DB::Open(DbOptions(), kDbName, &db);
    db_.reset(db);
    inline_env_->Watch([this] {
      if (random_.below(kRollCuts) == 0) device_.CutBefore(1 + random_.below(kRollEvents));
    });
    if (!Good("opening the database, which repair is not to be needed for", s)) return false;
    stage_ = CrashStage::kVerify;
    if (!Verify()) return false;
    Compact();
    return Fine() && Powered();
  }

  leveldb::Options DbOptions() {
    leveldb::Options options;
    options.env = inline_env_.get();
    options.create_if_missing = true;
    // They would have these modes read what they need not.
    options.paranoid_checks = o_.mode != RemapMode::kSkip && o_.mode != RemapMode::kBlend;
    options.write_buffer_size = 64 << 10;
    options.max_file_size = 32 << 10;
    options.compression = leveldb::kNoCompression;
    options.remap.mode = o_.mode;
    options.remap.level1_bytes = 96 << 10;
    options.remap.level_ratio = 4;
    options.remap.blend_rule = o_.blend_rule;
    options.remap.blend_runs = o_.blend_runs;
    options.remap.min_table_bytes = 16 << 10;
    options.remap.min_manifest_bytes = 512;  // so that sessions, which are short, replace it
    options.remap.statistics = &statistics_;
    if (o_.separated) {
      constexpr std::array<uint64_t, 4> kThresholds = {0, 0, 100, 1000};
      options.remap.value_log_threshold = kThresholds.at(o_.seed / 2 % kThresholds.size());
      options.remap.value_log_segment_bytes = 64 << 10;
      options.remap.value_log_dead_percent = o_.seed % 3 == 0 ? 30 : 10;
      options.remap.value_log_collector = Collector();
    }
    return options;
  }

  bool Verify() {
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    DbOracle::State found;
    Status s;
    {
      const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(read));
      for (it->SeekToFirst(); it->Valid(); it->Next()) found[it->key().ToString()] = it->value().ToString();
      s = it->status();
    }
    if (!Good("reading all keys", s)) return false;
    const std::string wrong = oracle_.Recovered(found);
    if (!wrong.empty()) Wrong(wrong);
    return Fine();
  }

  void Compact() {
    stage_ = CrashStage::kCompact;
    inline_env_->RunPending();
  }

  std::string Key() {
    const uint64_t number = random_.coin() ? hot_ + random_.below(kHotKeys) : random_.below(kKeys);
    char key[24];
    std::snprintf(key, sizeof(key), "%016llu", static_cast<unsigned long long>(number));
    return key;
  }

  // Four to a page as a rule, as in db_bench; no two are equal.
  std::string Value() {
    uint64_t size = 984;
    switch (random_.below(12)) {
      case 0:
        size = 20 + random_.below(200);
        break;
      case 1:
        size = 1000 + random_.below(3000);
        break;
      case 2:
        if (random_.below(4) == 0) size = 4000 + random_.below(9000);
        break;
      default:
        // Of pages of their own, which may be all dead.
        if (o_.separated && Collector() != ValueLogCollector::kCopy && random_.below(2) == 0) size = 4096;
        break;
    }
    std::string value = std::to_string(result_.writes) + "." + std::to_string(random_.next()) + ".";
    while (value.size() < size) {
      const uint64_t more = random_.next();
      value.append(reinterpret_cast<const char *>(&more), sizeof(more));
    }
    if (o_.separated) value.resize(size);
    return value;
  }

  bool Write() {
    stage_ = CrashStage::kWrite;
    leveldb::WriteBatch batch;
    DbOracle::Changes changes;
    const uint64_t entries = random_.below(6) == 0 ? 2 + random_.below(6) : 1;
    for (uint64_t i = 0; i < entries; i++) {
      const std::string key = Key();
      if (random_.below(8) == 0) {
        batch.Delete(key);
        changes.emplace_back(key, std::nullopt);
      } else {
        const std::string value = Value();
        batch.Put(key, value);
        changes.emplace_back(key, value);
      }
    }
    const bool sync = random_.below(6) == 0;
    leveldb::WriteOptions options;
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
    Compact();
    if (result_.writes % 32 == 0) device_.Sample();
    return true;
  }

  void ReadOne() {
    stage_ = CrashStage::kVerify;
    const std::string key = Key();
    std::string value;
    const Status s = db_->Get(leveldb::ReadOptions(), key, &value);
    const auto expected = oracle_.Now().find(key);
    if (!s.ok() && !s.IsNotFound()) {
      Wrong("read: " + s.ToString());
    } else if (s.ok() != (expected != oracle_.Now().end()) || (s.ok() && value != expected->second)) {
      Wrong("key " + key + " does not read as it was written");
    }
    Compact();
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

  ValueLogCollector Collector() const {
    return o_.collector.value_or(static_cast<ValueLogCollector>((o_.seed + o_.seed / 3) % 3));
  }

  // A line of the property leveldb.value-log.
  uint64_t ValueLogCounter(const std::string &name) {
    std::string text;
    if (db_ == nullptr || !db_->GetProperty("leveldb.value-log", &text)) return 0;
    return std::strtoull(text.c_str() + text.find(name + " ") + name.size() + 1, nullptr, 10);
  }

  void CloseDb() {
    if (env_ == nullptr) return;
    stage_ = CrashStage::kClose;
    inline_env_->RunPending();  // the database would wait for it for ever
    const RemapStats remap = env_->GetRemapStats();
    result_.remapped_pages += remap.remapped_pages;
    result_.copied_pages += remap.fallback_pages;
    result_.units_begun += env_->fs()->GetStats().units_begun;
    result_.manifest_rolls += inline_env_->rolls();
    result_.collected_segments += ValueLogCounter("collected-segments");
    result_.moved_segments += ValueLogCounter("moved-segments");
    db_.reset();
    inline_env_.reset();
    env_.reset();
  }

  // Power has gone: what ran ends without it, then the device starts; now and then power goes meanwhile.
  void CutAndStart() {
    NoteCut();
    CloseDb();
    stage_ = CrashStage::kStart;
    const int rc = device_.Start(
        kStartEventBits, [this] { return result_.cuts < o_.cuts; }, [this] { NoteCut(); });
    if (rc != 0) Wrong("the device does not start: " + std::to_string(rc));
  }

  void NoteCut() {
    result_.cuts++;
    if (inline_env_ != nullptr && inline_env_->rolling()) result_.cuts_in_rolls++;
    result_.cuts_in[static_cast<size_t>(stage_)]++;
  }

  // Without cuts: the last recovery, and once more after everything was closed in order.
  void End() {
    device_.CutBefore(0);
    if (OpenDb() && Reopen()) CloseDb();
  }

  const CrashRunOptions &o_;
  orm::SeededRandom random_;
  CutDevice device_;
  CompactionStatistics statistics_;
  std::unique_ptr<PageFsEnv> env_;
  std::unique_ptr<RollWatchingEnv> inline_env_;
  std::unique_ptr<leveldb::DB> db_;
  DbOracle oracle_;
  CrashStage stage_ = CrashStage::kMount;
  CrashRunResult result_;
  uint64_t hot_ = 0;
};

}  // namespace

const char *CrashStageName(CrashStage stage) {
  constexpr std::array<const char *, kCrashStages> kNames = {"device start", "mount",      "opening", "reading",
                                                             "writing",      "compaction", "closing"};
  return kNames[static_cast<size_t>(stage)];
}

CrashRunResult &CrashRunResult::operator+=(const CrashRunResult &other) {
  if (wrong.empty()) wrong = other.wrong;
  cuts += other.cuts;
  for (size_t i = 0; i < kCrashStages; i++) cuts_in[i] += other.cuts_in[i];
  writes += other.writes;
  synced += other.synced;
  tables += other.tables;
  remapped_pages += other.remapped_pages;
  copied_pages += other.copied_pages;
  gc_moved_pages += other.gc_moved_pages;
  units_begun += other.units_begun;
  collected_segments += other.collected_segments;
  moved_segments += other.moved_segments;
  manifest_rolls += other.manifest_rolls;
  cuts_in_rolls += other.cuts_in_rolls;
  return *this;
}

CrashRunResult RunWithCuts(const CrashRunOptions &options) { return CrashRun(options).Run(); }

}  // namespace openremap
