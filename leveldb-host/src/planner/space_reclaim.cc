// SPDX-License-Identifier: Apache-2.0
#include "planner/space_reclaim.h"

#include "compaction_statistics.h"
#include "db/dbformat.h"
#include "db/version_set.h"

namespace openremap {
namespace {

// Shares of a table that lie empty.
constexpr double kWasteful = 0.125;
constexpr double kPaged = 1.0 / 128;  // more than a table that is not aligned to pages has

// With less room than this part of the headroom tables are written plain,
constexpr uint64_t kPlainBelow = 2;
// and with less than this one those that are not are written anew.
constexpr uint64_t kAnewBelow = 4;

}  // namespace

bool WritesPlainTables(const leveldb::Options &options, const FileSpace &space) {
  return options.remap.mode == RemapMode::kOff || space.room < space.headroom / kPlainBelow;
}

SpaceReclaim::SpaceReclaim(const leveldb::Options *options) : options_(options), wasteful_(kWasteful), paged_(kPaged) {}

void SpaceReclaim::Walk::Begin() {
  level_ = leveldb::config::kNumLevels - 2;
  from_.clear();
}

leveldb::Compaction *SpaceReclaim::Walk::Next(leveldb::VersionSet *versions, leveldb::port::Mutex *mutex) {
  for (; level_ >= 0; level_--, from_.clear()) {
    leveldb::InternalKey from;
    if (!from_.empty()) from.DecodeFrom(from_);
    leveldb::Compaction *found =
        versions->MergeRuns(level_, from_.empty() ? nullptr : &from, nullptr, mutex, most_waste_);
    if (found == nullptr) continue;
    from_ = found->input(1, found->num_input_files(1) - 1)->largest.Encode().ToString();
    return found;
  }
  return nullptr;
}

SpaceReclaim::Walk *SpaceReclaim::Due() {
  if (options_->remap.mode == RemapMode::kOff) return nullptr;
  const FileSpace space = RemapEnv::FileSpaceOf(options_->env);
  // Tables that a walk has passed may come again while there is room for them.
  if (!space.IsShort()) wasteful_.Begin();
  if (space.room >= space.headroom / kPlainBelow) paged_.Begin();
  if (!space.IsShort()) return nullptr;
  if (!wasteful_.Ended()) return &wasteful_;
  return space.room < space.headroom / kAnewBelow ? &paged_ : nullptr;
}

bool SpaceReclaim::Wanted() {
  const Walk *const walk = Due();
  return walk != nullptr && !walk->Ended();
}

leveldb::Compaction *SpaceReclaim::Pick(leveldb::VersionSet *versions, leveldb::port::Mutex *mutex) {
  Walk *const walk = Due();
  leveldb::Compaction *const found = walk == nullptr ? nullptr : walk->Next(versions, mutex);
  if (found != nullptr && options_->remap.statistics != nullptr) {
    options_->remap.statistics->AddOne(found->level() + 1, &LevelCounters::reclaim_compactions);
  }
  return found;
}

}  // namespace openremap
