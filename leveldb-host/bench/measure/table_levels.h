// SPDX-License-Identifier: Apache-2.0
//
// The tables of each level of a database.
#ifndef OPENREMAP_LEVELDB_HOST_BENCH_TABLE_LEVELS_H_
#define OPENREMAP_LEVELDB_HOST_BENCH_TABLE_LEVELS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace openremap {

struct TableLevel {
  uint64_t files = 0;
  uint64_t bytes = 0;  // of the files
};

// Reads LevelDB's property "leveldb.sstables", one entry for each of `levels`: a line "--- level N ---", then one line
// " number:bytes[smallest .. largest]" a table. Other lines, and levels beyond, are left out.
std::vector<TableLevel> ParseTableLevels(const std::string &property, size_t levels);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BENCH_TABLE_LEVELS_H_
