// SPDX-License-Identifier: Apache-2.0
//
// What the pages of a table leave empty: behind blocks that end before their last page does.
#ifndef OPENREMAP_LEVELDB_HOST_TABLE_WASTE_H_
#define OPENREMAP_LEVELDB_HOST_TABLE_WASTE_H_

#include <cstdint>

#include "leveldb/table.h"

namespace openremap {

// The share of the table's `file_size` bytes that lies empty between its data blocks, from 0 to 1; 0 where its index
// cannot be read.
double WasteOf(const leveldb::Table &table, uint64_t file_size);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_TABLE_WASTE_H_
