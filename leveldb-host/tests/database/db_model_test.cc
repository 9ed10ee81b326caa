// SPDX-License-Identifier: Apache-2.0
//
// The whole database against a std::map: random puts, deletes, batches, reads, scans, snapshots, iterators held
// meanwhile, reopening, power cuts and manual compactions, with the device refusing some remaps, in every mode.
// OPENREMAP_SEED seeds it; a failure names the database that it was in.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compaction_statistics.h"
#include "helpers/memenv/memenv.h"
#include "inline_env.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"
#include "memory_remap_env.h"
#include "test_seed.h"
#include "util/random.h"

namespace openremap {
namespace {

using leveldb::Status;
using Model = std::map<std::string, std::string>;
using Changes = std::vector<std::pair<std::string, std::optional<std::string>>>;  // of one write; no value: deleted

void Apply(const Changes &changes, Model *model) {
  for (const auto &[key, value] : changes) {
    if (value) {
      (*model)[key] = *value;
    } else {
      model->erase(key);
    }
  }
}

enum class Device { kWilling, kRefusing, kPlain };

struct Parameters {
  RemapMode mode;
  Device device;
  bool separated = false;  // with a value log
  BlendRule rule = BlendRule::kSpace;
  bool punched = false;  // separated, with many values of a page, whose pages are punched out when they are dead
};

std::string Name(const ::testing::TestParamInfo<Parameters> &info) {
  const char *device = info.param.device == Device::kWilling    ? "willing"
                       : info.param.device == Device::kRefusing ? "refusing"
                                                                : "plain";
  const char *rule = info.param.rule == BlendRule::kRuns ? "_runs" : "";
  return std::string(RemapModeName(info.param.mode)) + rule + "_" + device +
         (info.param.separated ? "_separated" : "") + (info.param.punched ? "_punched" : "");
}

// The content that an iterator saw when it was made. It must show the same content for its whole life.
struct HeldIterator {
  std::unique_ptr<leveldb::Iterator> it;
  Model model;
  Model::const_iterator at;  // of `model`: where it stands; end: it was not moved yet, or there was nothing
  uint64_t tables = 0;       // that compactions had written by then
};

constexpr size_t kMostHeld = 4;

class DbModelTest : public ::testing::TestWithParam<Parameters> {
 protected:
  // `paranoid`: makes modes skip and blend read every block.
  void Start(uint32_t seed, bool paranoid) {
    random_.emplace(seed);
    refusals_.emplace(seed + 1000);
    if (GetParam().device == Device::kPlain) {
      plain_.reset(leveldb::NewMemEnv(leveldb::Env::Default()));
      inline_env_ = std::make_unique<InlineEnv>(plain_.get());
    } else {
      remap_env_ = std::make_unique<MemoryRemapEnv>();
      if (GetParam().device == Device::kRefusing) {
        remap_env_->SetRefusal([this] { return refusals_->OneIn(3); });
      }
      inline_env_ = std::make_unique<InlineRemapEnv>(remap_env_.get(), remap_env_.get());
    }
    filter_.reset(random_->OneIn(2) ? leveldb::NewBloomFilterPolicy(10) : nullptr);
    options_ = leveldb::Options();
    options_.env = inline_env_.get();
    options_.create_if_missing = true;
    options_.paranoid_checks =
        paranoid || (GetParam().mode != RemapMode::kSkip && GetParam().mode != RemapMode::kBlend);
    options_.write_buffer_size = 65536;
    options_.max_file_size = 32768;
    options_.filter_policy = filter_.get();
    options_.compression = random_->OneIn(2) ? leveldb::kNoCompression : leveldb::kSnappyCompression;
    options_.remap.mode = GetParam().mode;
    options_.remap.level1_bytes = 98304;
    options_.remap.level_ratio = 4;
    options_.remap.blend_rule = GetParam().rule;
    options_.remap.blend_runs = 2 + static_cast<int>(random_->Uniform(4));
    options_.remap.blend_space_percent = static_cast<int>(OneOf({0, 30, 30, 300}));
    options_.remap.blend_filter_bits = static_cast<int>(OneOf({0, 10}));
    options_.block_size = OneOf({1024, 4096, 4096, 16384});
    options_.block_restart_interval = static_cast<int>(OneOf({1, 3, 16}));
    options_.remap.min_table_bytes = 16384;
    options_.remap.min_manifest_bytes = OneOf({512, 65536});  // often replaced, or never
    options_.remap.statistics = &statistics_;
    if (GetParam().separated) {
      options_.remap.value_log_threshold = OneOf({0, 0, 100, 600});
      options_.remap.value_log_segment_bytes = 65536;
      options_.remap.value_log_dead_percent = static_cast<int>(OneOf({1, 10, 30}));
      options_.remap.value_log_collector = static_cast<ValueLogCollector>(random_->Uniform(4));
      if (GetParam().punched) {
        options_.remap.value_log_collector = ValueLogCollector::kPunch;
        options_.remap.value_log_dead_percent = 10;
        options_.compression = leveldb::kNoCompression;
      }
    }
    Open();
  }

  size_t OneOf(std::initializer_list<size_t> choices) {
    return choices.begin()[random_->Uniform(static_cast<int>(choices.size()))];
  }

  void Open() {
    leveldb::DB *db = nullptr;
    Status s = leveldb::DB::Open(options_, "/db", &db);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(db);
    inline_env_->RunPending();
  }

  void Close() {
    while (!held_.empty()) ExpectHeld();
    for (auto &[snapshot, model] : snapshots_) db_->ReleaseSnapshot(snapshot);
    snapshots_.clear();
    inline_env_->RunPending();
    collected_ += Segments("collected-segments");
    punched_ += Segments("punched-segments");
    db_.reset();
  }

  // Of 6 bytes, or, one in eleven, up to some 2 KB; the same number always the same.
  std::string Key() {
    char key[16];
    const uint32_t number = random_->Uniform(1500);
    std::snprintf(key, sizeof(key), "%06u", number);
    return key + std::string(number % 11 == 0 ? number * 37 % 2000 : 0, 'k');
  }

  // Half incompressible, half not; now and then of several pages.
  std::string Value() {
    size_t size = random_->OneIn(40) ? random_->Uniform(20000) : random_->Uniform(1200);
    if (GetParam().punched && random_->OneIn(2)) size = 4096;
    std::string value(size, static_cast<char>('a' + random_->Uniform(26)));
    if (random_->OneIn(2)) {
      for (char &c : value) c = static_cast<char>(random_->Uniform(256));
    }
    return value;
  }

  void Write(bool sync) {
    leveldb::WriteBatch batch;
    Changes changes;
    for (uint32_t i = 0; i <= random_->Uniform(4); i++) {
      const std::string key = Key();
      if (random_->OneIn(5)) {
        batch.Delete(key);
        changes.emplace_back(key, std::nullopt);
      } else {
        const std::string value = Value();
        batch.Put(key, value);
        changes.emplace_back(key, value);
      }
    }
    leveldb::WriteOptions write;
    write.sync = sync;
    Status s = db_->Write(write, &batch);
    ASSERT_TRUE(s.ok()) << s.ToString();
    inline_env_->RunPending();
    Apply(changes, &model_);
    since_sync_.push_back(changes);
    if (sync) {
      durable_ = model_;
      since_sync_.clear();
    }
  }

  void ExpectGet(const std::string &key) {
    std::string value;
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    Status s = db_->Get(read, key, &value);
    auto expected = model_.find(key);
    if (expected == model_.end()) {
      EXPECT_TRUE(s.IsNotFound()) << key << " " << s.ToString();
    } else {
      ASSERT_TRUE(s.ok()) << key << " " << s.ToString();
      EXPECT_EQ(value, expected->second) << key;
    }
    inline_env_->RunPending();
  }

  void ExpectScan(const leveldb::Snapshot *snapshot, const Model &model) {
    leveldb::ReadOptions read;
    read.snapshot = snapshot;
    read.verify_checksums = true;
    std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(read));
    ExpectAll(it.get(), model);
  }

  // From where the iterator stands.
  static void ExpectRest(leveldb::Iterator *it, Model::const_iterator expected, const Model &model) {
    for (; it->Valid(); it->Next(), ++expected) {
      ASSERT_NE(expected, model.end());
      ASSERT_EQ(it->key().ToString(), expected->first);
      ASSERT_TRUE(it->value() == leveldb::Slice(expected->second)) << expected->first;
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    EXPECT_EQ(expected, model.end());
  }

  void ExpectAll(leveldb::Iterator *it, const Model &model) {
    it->SeekToFirst();
    ExpectRest(it, model.begin(), model);
    // From some key on backwards.
    const std::string from = Key();
    auto expected = model.lower_bound(from);
    for (it->Seek(from); it->Valid(); it->Prev()) {
      ASSERT_NE(expected, model.end());
      ASSERT_EQ(it->key().ToString(), expected->first);
      if (expected == model.begin()) break;
      --expected;
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    EXPECT_EQ(it->Valid(), expected == model.begin() && expected != model.end());
  }

  // Written into level 1 or deeper ones; stock compactions are not counted.
  uint64_t CompactedTables() const { return statistics_.Total().tables - statistics_.Level(0).tables; }

  // A line of the property leveldb.value-log.
  uint64_t Segments(const std::string &name) {
    std::string text;
    if (!db_->GetProperty("leveldb.value-log", &text)) return 0;
    return std::strtoull(text.c_str() + text.find(name + " ") + name.size() + 1, nullptr, 10);
  }

  // Every other one stands somewhere meanwhile.
  void Hold() {
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    HeldIterator &held = held_.emplace_back();
    held.it.reset(db_->NewIterator(read));
    held.model = model_;
    held.at = held.model.cend();
    held.tables = CompactedTables();
    if (random_->OneIn(2)) {
      const std::string from = Key();
      held.it->Seek(from);
      held.at = held.model.lower_bound(from);
    }
  }

  // The oldest, and lets go of it.
  void ExpectHeld() {
    const HeldIterator &held = held_.front();
    ExpectRest(held.it.get(), held.at, held.model);
    ExpectAll(held.it.get(), held.model);
    if (CompactedTables() != held.tables) held_across_compactions_++;
    held_.pop_front();
  }

  void Step() {
    const uint32_t dice = random_->Uniform(1000);
    if (dice < 700) {
      Write(random_->OneIn(8));
    } else if (dice < 960) {
      ExpectGet(Key());
    } else if (dice < 970) {
      ExpectScan(nullptr, model_);
    } else if (dice < 974) {
      if (held_.size() < kMostHeld) Hold();
    } else if (dice < 976) {
      if (!held_.empty()) ExpectHeld();
    } else if (dice < 984) {
      // With remapping off this is LevelDB 1.23, in which snapshots can bring deleted keys back (patches/0007).
      if (snapshots_.size() < 4 && (GetParam().mode != RemapMode::kOff || GetParam().separated))
        snapshots_.emplace_back(db_->GetSnapshot(), model_);
    } else if (dice < 991) {
      if (!snapshots_.empty()) {
        ExpectScan(snapshots_.front().first, snapshots_.front().second);
        db_->ReleaseSnapshot(snapshots_.front().first);
        snapshots_.erase(snapshots_.begin());
      }
    } else if (dice < 997) {
      Close();
      if (GetParam().device != Device::kPlain && random_->OneIn(2)) {
        PowerCut();
      } else {
        Open();
      }
    } else {
      CompactRange();
    }
  }

  // What is there must be the state after the last synced write or after a later one, whole.
  void PowerCut() {
    remap_env_->DropUnsynced();
    Open();
    if (HasFatalFailure()) return;
    Model found;
    std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(leveldb::ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) found[it->key().ToString()] = it->value().ToString();
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    model_ = durable_;
    for (size_t i = 0; i < since_sync_.size() && model_ != found; i++) Apply(since_sync_[i], &model_);
    ASSERT_TRUE(model_ == found) << "not the state after any write";
    durable_ = model_;
    since_sync_.clear();
  }

  // Waits for background work, so that has to run on a thread meanwhile.
  void CompactRange() {
    inline_env_->RunPending();
    inline_env_->SetDeferred(false);
    const std::string a = Key(), b = Key();
    const leveldb::Slice begin(std::min(a, b)), end(std::max(a, b));
    db_->CompactRange(&begin, &end);
    // What the last piece of work scheduled may still run; reopening waits for it.
    Close();
    inline_env_->SetDeferred(true);
    Open();
  }

  std::optional<leveldb::Random> random_;
  std::optional<leveldb::Random> refusals_;
  std::unique_ptr<leveldb::Env> plain_;
  std::unique_ptr<MemoryRemapEnv> remap_env_;
  std::unique_ptr<InlineEnv> inline_env_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  leveldb::Options options_;
  CompactionStatistics statistics_;
  std::unique_ptr<leveldb::DB> db_;
  Model model_;                      // what reads must give
  Model durable_;                    // as of the last synced write
  std::vector<Changes> since_sync_;  // the writes since
  std::vector<std::pair<const leveldb::Snapshot *, Model>> snapshots_;
  std::list<HeldIterator> held_;  // oldest first; a list, as `at` points into `model`
  int held_across_compactions_ = 0;
  uint64_t collected_ = 0, punched_ = 0;  // segments, by databases that were closed
};

TEST_P(DbModelTest, RandomOperations) {
  std::mt19937_64 seeds(TestSeed());
  for (int database = 0; database < 4; database++) {
    SCOPED_TRACE("OPENREMAP_SEED=" + std::to_string(TestSeed()) + ", database " + std::to_string(database));
    Start(static_cast<uint32_t>(seeds()), /*paranoid=*/database == 3);
    for (int step = 0; step < 1500 && !HasFatalFailure(); step++) Step();
    if (HasFatalFailure()) return;
    ExpectScan(nullptr, model_);
    Close();
    Open();
    ExpectScan(nullptr, model_);
    Close();
    model_.clear();
    durable_.clear();
    since_sync_.clear();
  }
  EXPECT_EQ(collected_ > 0, GetParam().separated);
  if (GetParam().punched) {
    EXPECT_GT(punched_, 0u);
  }
  const LevelCounters total = statistics_.Total();
  if (GetParam().mode == RemapMode::kOff) {
    EXPECT_EQ(total.tables, 0u) << "stock tables";
    return;
  }
  EXPECT_GT(held_across_compactions_, 0);
  if (GetParam().separated) return;  // keys and pointers are few: what compactions do with them is up to the seed
  EXPECT_GT(total.unchanged_blocks, 0u) << "the planner had nothing to do";
  EXPECT_LE(total.remapped_blocks + total.copied_blocks, total.unchanged_blocks);
  EXPECT_LE(total.unchanged_blocks, total.input_blocks);
  const bool blend = GetParam().mode == RemapMode::kBlend;
  EXPECT_EQ(total.skipped_blocks > 0, blend || GetParam().mode == RemapMode::kSkip);
  EXPECT_EQ(total.blended_tables > 0, blend);
  if (GetParam().device == Device::kPlain) {
    EXPECT_EQ(total.remapped_blocks, 0u);
    EXPECT_GT(total.copied_blocks, 0u);
  } else {
    EXPECT_GT(total.remapped_blocks, 0u);
    EXPECT_EQ(total.copied_blocks, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Modes, DbModelTest,
    ::testing::Values(Parameters{RemapMode::kOff, Device::kWilling}, Parameters{RemapMode::kBase, Device::kWilling},
                      Parameters{RemapMode::kBase, Device::kRefusing}, Parameters{RemapMode::kBase, Device::kPlain},
                      Parameters{RemapMode::kRetain, Device::kWilling},
                      Parameters{RemapMode::kRetain, Device::kRefusing}, Parameters{RemapMode::kRetain, Device::kPlain},
                      Parameters{RemapMode::kFill, Device::kWilling}, Parameters{RemapMode::kFill, Device::kRefusing},
                      Parameters{RemapMode::kFill, Device::kPlain}, Parameters{RemapMode::kSkip, Device::kWilling},
                      Parameters{RemapMode::kSkip, Device::kRefusing}, Parameters{RemapMode::kSkip, Device::kPlain},
                      Parameters{RemapMode::kBlend, Device::kWilling}, Parameters{RemapMode::kBlend, Device::kRefusing},
                      Parameters{RemapMode::kBlend, Device::kPlain},
                      Parameters{RemapMode::kBlend, Device::kWilling, false, BlendRule::kRuns},
                      Parameters{RemapMode::kBlend, Device::kRefusing, false, BlendRule::kRuns},
                      Parameters{RemapMode::kBlend, Device::kPlain, false, BlendRule::kRuns}),
    Name);

// With a value log: every mode, and every file layer in the modes that write tables of their own in the most ways.
INSTANTIATE_TEST_SUITE_P(
    SeparatedModes, DbModelTest,
    ::testing::Values(
        Parameters{RemapMode::kOff, Device::kWilling, true}, Parameters{RemapMode::kOff, Device::kPlain, true},
        Parameters{RemapMode::kBase, Device::kWilling, true}, Parameters{RemapMode::kRetain, Device::kWilling, true},
        Parameters{RemapMode::kFill, Device::kWilling, true}, Parameters{RemapMode::kSkip, Device::kWilling, true},
        Parameters{RemapMode::kBlend, Device::kWilling, true}, Parameters{RemapMode::kBlend, Device::kRefusing, true},
        Parameters{RemapMode::kBlend, Device::kPlain, true},
        Parameters{RemapMode::kOff, Device::kWilling, true, BlendRule::kSpace, true},
        Parameters{RemapMode::kBlend, Device::kWilling, true, BlendRule::kSpace, true}),
    Name);

// A database may change its mode.
TEST(DbModeChangeTest, EveryModeReadsEveryOther) {
  MemoryRemapEnv remap_env;
  InlineRemapEnv env(&remap_env, &remap_env);
  leveldb::Options options;
  options.env = &env;
  options.create_if_missing = true;
  options.write_buffer_size = 65536;
  options.max_file_size = 32768;
  options.remap.level1_bytes = 98304;
  options.remap.min_table_bytes = 16384;
  leveldb::Random random(static_cast<uint32_t>(TestSeed()));
  Model model;
  for (int round = 0; round < 16; round++) {
    options.remap.mode =
        std::vector<RemapMode>{RemapMode::kRetain, RemapMode::kBlend, RemapMode::kOff,  RemapMode::kSkip,
                               RemapMode::kBlend,  RemapMode::kBase,  RemapMode::kFill, RemapMode::kBlend}[round % 8];
    SCOPED_TRACE("round " + std::to_string(round));
    leveldb::DB *raw = nullptr;
    ASSERT_TRUE(leveldb::DB::Open(options, "/db", &raw).ok());
    std::unique_ptr<leveldb::DB> db(raw);
    for (int i = 0; i < 600; i++) {
      const std::string key = std::to_string(random.Uniform(2000));
      model[key] = std::string(984, static_cast<char>('a' + random.Uniform(26)));
      ASSERT_TRUE(db->Put(leveldb::WriteOptions(), key, model[key]).ok());
      env.RunPending();
    }
    std::unique_ptr<leveldb::Iterator> it(db->NewIterator(leveldb::ReadOptions()));
    auto expected = model.begin();
    for (it->SeekToFirst(); it->Valid() && expected != model.end(); it->Next(), ++expected) {
      ASSERT_EQ(it->key().ToString(), expected->first);
      ASSERT_EQ(it->value().ToString(), expected->second);
    }
    EXPECT_TRUE(!it->Valid() && expected == model.end());
    it.reset();
    env.RunPending();
  }
}

}  // namespace
}  // namespace openremap
