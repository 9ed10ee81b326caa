// SPDX-License-Identifier: Apache-2.0
#include "bench/run/level_bench_database.h"

#include <algorithm>
#include <string>

namespace openremap {

using leveldb::Status;

namespace {

// Tables of level 0: LevelDB's own kL0_SlowdownWritesTrigger, which no public header has.
constexpr int kSlowdownTables = 8;

}  // namespace

LevelBenchDatabase::LevelBenchDatabase(const BenchOptions &options, BenchDevice *device)
    : options_(options), device_(device) {
  RemapEnv *remap = RemapEnv::From(device->env());
  if (remap != nullptr) {
    env_ = std::make_unique<InlineRemapEnv>(device->env(), remap);
  } else {
    env_ = std::make_unique<InlineEnv>(device->env());
  }
  if (options.bloom_bits > 0) filter_.reset(leveldb::NewBloomFilterPolicy(options.bloom_bits));
}

Status LevelBenchDatabase::Open(bool create) {
  leveldb::Options o;
  o.create_if_missing = create;
  o.error_if_exists = create;
  o.env = env_.get();
  o.info_log = &logger_;
  o.write_buffer_size = options_.write_buffer;
  o.max_file_size = options_.max_file_size;
  o.block_size = options_.block_size;
  o.compression = leveldb::kNoCompression;  // the values are incompressible
  o.filter_policy = filter_.get();
  o.remap.mode = options_.mode;
  o.remap.level1_bytes = options_.level1_bytes;
  o.remap.level_ratio = options_.level_ratio;
  o.remap.fill_space_percent = options_.fill_space_percent;
  o.remap.last_level_ratio = options_.last_level_ratio;
  o.remap.dynamic_levels = options_.dynamic_levels;
  o.remap.blend_runs = options_.blend_runs;
  o.remap.blend_rule = options_.blend_rule;
  o.remap.blend_space_percent = options_.blend_space_percent;
  o.remap.remap_blocks = options_.remap_blocks;
  o.remap.blend_filter_bits = options_.blend_filter_bits;
  o.remap.min_table_bytes = static_cast<int>(std::min<size_t>(options_.max_file_size, 1 << 20));
  o.remap.seek_compactions = options_.seek_compactions;
  if (options_.separate) o.remap.value_log_threshold = options_.value_log_threshold;
  o.remap.value_log_segment_bytes = options_.value_log_segment_bytes;
  o.remap.value_log_dead_percent = options_.value_log_dead_percent;
  o.remap.value_log_collector = options_.value_log_collector;
  o.remap.statistics = &statistics_;
  leveldb::DB *db = nullptr;
  Status s = leveldb::DB::Open(o, device_->DbName(), &db);
  db_.reset(db);
  env_->RunPending();
  flushed_logs_ = env_->Logs();
  late_ = false;
  return s;
}

bool LevelBenchDatabase::IsLate() {
  std::string tables;
  return db_->GetProperty("leveldb.num-files-at-level0", &tables) && std::stoi(tables) >= kSlowdownTables;
}

void LevelBenchDatabase::RunPending() {
  if (options_.compactions == Compactions::kEager) {
    env_->RunPending();
    return;
  }
  // A flush goes before all other work, so a new log is followed by one.
  while (late_ || env_->Logs() != flushed_logs_) {
    flushed_logs_ = env_->Logs();
    if (!env_->RunOne()) return;
    late_ = IsLate();
  }
}

void LevelBenchDatabase::CloseNow() {
  env_->RunPending();  // the destructor would wait for it for ever
  db_.reset();
}

}  // namespace openremap
