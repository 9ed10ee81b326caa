// SPDX-License-Identifier: Apache-2.0
#include "planner/table_factory.h"

#include "paged_table/paged_table_builder.h"
#include "planner/compaction_planner.h"
#include "planner/space_reclaim.h"
#include "remap_env.h"

namespace openremap {

leveldb::Status NewTableFile(const leveldb::Options &options, leveldb::Env *env, const std::string &fname, int level,
                             leveldb::WritableFile **file, WriteCause cause) {
  RemapEnv *remap_env = RemapEnv::From(env);
  if (remap_env == nullptr || options.remap.mode == RemapMode::kOff) {
    leveldb::Status s = env->NewWritableFile(fname, file);
    if (s.ok() && remap_env != nullptr) {
      remap_env->PlaceFile(fname, level);
      remap_env->SetCause(fname, cause);
    }
    return s;
  }
  RemapFile *remap_file = nullptr;
  leveldb::Status s = remap_env->NewRemapFile(fname, level, &remap_file);
  if (s.ok()) remap_env->SetCause(fname, cause);
  *file = remap_file;
  return s;
}

leveldb::TableBuilder *NewTableBuilder(const leveldb::Options &options, leveldb::WritableFile *file,
                                       CompactionPlanner *planner) {
  if (planner != nullptr) return planner->NewTableBuilder(file);
  if (WritesPlainTables(options, RemapEnv::FileSpaceOf(options.env))) return new leveldb::TableBuilder(options, file);
  return new PagedTableBuilder(options, file, /*level=*/0);
}

}  // namespace openremap
