// SPDX-License-Identifier: Apache-2.0
//
// Creates the files and builders of LevelDB's tables, according to the mode.
#ifndef OPENREMAP_LEVELDB_HOST_TABLE_FACTORY_H_
#define OPENREMAP_LEVELDB_HOST_TABLE_FACTORY_H_

#include <string>

#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "leveldb/table_builder.h"
#include "write_cause.h"

namespace openremap {

class CompactionPlanner;

// Creates a file for a table of `level`, a placement hint: a RemapFile if the mode and the file layer allow it. `cause`
// is what the file layer counts its bytes by. The caller owns *file.
leveldb::Status NewTableFile(const leveldb::Options &options, leveldb::Env *env, const std::string &fname, int level,
                             leveldb::WritableFile **file, WriteCause cause = WriteCause::kFlush);

// Creates a builder over such a file: the planner's if `planner` is given, else one for a level-0 table. The caller
// owns it.
leveldb::TableBuilder *NewTableBuilder(const leveldb::Options &options, leveldb::WritableFile *file,
                                       CompactionPlanner *planner = nullptr);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_TABLE_FACTORY_H_
