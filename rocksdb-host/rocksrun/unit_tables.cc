// SPDX-License-Identifier: Apache-2.0
#include "rocksrun/unit_tables.h"

namespace openremap {

namespace {

constexpr uint64_t kLeastUnit = 64 << 10;
constexpr uint64_t kMostUnit = uint64_t{16} << 30;

}  // namespace

bool FitTablesToUnits(uint64_t unit_bytes, rocksdb::ColumnFamilyOptions *options) {
  if (unit_bytes < kLeastUnit || unit_bytes > kMostUnit) return false;
  const uint64_t table = unit_bytes - unit_bytes / kUnitSlack;
  options->target_file_size_base = table;
  options->target_file_size_multiplier = 1;
  options->level_compaction_dynamic_file_size = false;
  // A memtable counts its entries with what the skip list takes for each, so its table is smaller.
  options->write_buffer_size = table;
  options->compression = rocksdb::kNoCompression;
  options->bottommost_compression = rocksdb::kDisableCompressionOption;
  return true;
}

}  // namespace openremap
