// SPDX-License-Identifier: Apache-2.0
#include "planner/space_reclaim.h"

#include "db/dbformat.h"
#include "db/version_set.h"
#include "remap_env.h"

namespace openremap {

void SpaceReclaim::Begin() {
  level_ = leveldb::config::kNumLevels - 2;
  from_.clear();
}

bool SpaceReclaim::Wanted() {
  if (options_->remap.mode != RemapMode::kBlend) return false;
  if (!RemapEnv::FileSpaceOf(options_->env).IsShort()) {
    Begin();
    return false;
  }
  return level_ >= 0;
}

leveldb::Compaction *SpaceReclaim::Pick(leveldb::VersionSet *versions, leveldb::port::Mutex *mutex) {
  for (; level_ >= 0; level_--, from_.clear()) {
    leveldb::InternalKey from;
    if (!from_.empty()) from.DecodeFrom(from_);
    leveldb::Compaction *merge = versions->MergeRuns(level_, from_.empty() ? nullptr : &from, nullptr, mutex);
    if (merge == nullptr) continue;
    from_ = merge->input(1, merge->num_input_files(1) - 1)->largest.Encode().ToString();
    return merge;
  }
  return nullptr;
}

}  // namespace openremap
