// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_ROCKSRUN_UNIT_TABLES_H_
#define OPENREMAP_ROCKSRUN_UNIT_TABLES_H_

#include <cstdint>

#include "rocksdb/options.h"

namespace openremap {

// The share of a reclaim unit that is left to a table's index, filter and last block: RocksDB ends a table when its
// data blocks reach target_file_size_base.
constexpr uint64_t kUnitSlack = 16;

// Sets the options by which a table nearly fills a reclaim unit of `unit_bytes` and fits into it, for PageFs with
// PageFsOptions::table_units: the size of tables at every level, of the memtables that become tables of level 0, and no
// tables that end where those below them do. Compression would make tables of level 0 smaller, so it is off. False, and
// nothing is set: `unit_bytes` is too small for a table (64 KiB), or larger than RocksDB takes.
//
// Where values or filters take more than that slack, a table's end lies in a second unit: the last block is as long as
// its last value.
bool FitTablesToUnits(uint64_t unit_bytes, rocksdb::ColumnFamilyOptions *options);

}  // namespace openremap

#endif  // OPENREMAP_ROCKSRUN_UNIT_TABLES_H_
