// SPDX-License-Identifier: Apache-2.0
#include "planner/space_reclaim.h"

#include "db/dbformat.h"
#include "db/version_set.h"

namespace openremap {
namespace {

// Shares of a table that lie empty.
constexpr double kWasteful = 0.125;
constexpr double kPaged = 1.0 / 128;  // more than a table that is not aligned to pages has

// Shares of the headroom that must be left: below the first tables are written plain, below the second those that are
// not are written anew. Between both the walk for them is made ready again.
constexpr uint64_t kPlainBelow = 2;  // a half
constexpr uint64_t kAnewBelow = 4;   // a quarter

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
  return walk == nullptr ? nullptr : walk->Next(versions, mutex);
}

}  // namespace openremap
