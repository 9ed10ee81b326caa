// SPDX-License-Identifier: Apache-2.0
//
// Where LevelDB makes a table: the file and the builder that the mode asks for.
#ifndef OPENREMAP_LEVELDB_HOST_TABLE_FACTORY_H_
#define OPENREMAP_LEVELDB_HOST_TABLE_FACTORY_H_

#include <string>

#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "leveldb/table_builder.h"

namespace openremap {

class CompactionPlanner;

// A file for a table of `level`, which the file layer is told: a RemapFile where the mode and the layer allow it. The
// caller owns *file.
leveldb::Status NewTableFile(const leveldb::Options &options, leveldb::Env *env, const std::string &fname, int level,
                             leveldb::WritableFile **file);

// A builder over such a file, the planner's if there is one, else for a level-0 table. The caller owns it.
leveldb::TableBuilder *NewTableBuilder(const leveldb::Options &options, leveldb::WritableFile *file,
                                       CompactionPlanner *planner = nullptr);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_TABLE_FACTORY_H_
