// SPDX-License-Identifier: Apache-2.0
#include "paged_table/table_waste.h"

#include <memory>

#include "leveldb/iterator.h"
#include "paged_table/source_block.h"
#include "table/format.h"

namespace openremap {

double WasteOf(const leveldb::Table &table, uint64_t file_size) {
  uint64_t empty = 0;
  for (size_t run = 0; run < table.Runs(); run++) {
    const std::unique_ptr<leveldb::Iterator> index(table.NewIndexIterator(run));
    uint64_t end = 0;  // of the block before
    for (index->SeekToFirst(); index->Valid(); index->Next()) {
      leveldb::Slice encoded = index->value();
      leveldb::BlockHandle handle;
      if (!handle.DecodeFrom(&encoded).ok()) return 0;
      // Less than a page: more is what another run has there.
      if (end != 0 && handle.offset() > end && handle.offset() - end < kPageBytes) empty += handle.offset() - end;
      end = handle.offset() + handle.size() + leveldb::kBlockTrailerSize;
    }
    if (!index->status().ok()) return 0;
  }
  return file_size == 0 ? 0 : static_cast<double>(empty) / static_cast<double>(file_size);
}

}  // namespace openremap
