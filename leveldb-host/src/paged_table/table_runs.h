// SPDX-License-Identifier: Apache-2.0
//
// Tables of several sorted runs (mode blend). The blocks of an upper level are attached to those of a lower level as a
// newer run, without merging. Each run has its own index with block metadata (block_metadata.h). The table has one
// filter block, which is indexed by file offset.
//
// Format. The footer differs from LevelDB's in its magic number, so stock LevelDB refuses such a table ("bad magic
// number") instead of reading its first run only. The footer's index handle is that of the newest run. The metaindex
// names the run directory ("openremap.runs"), an uncompressed block of varints: format version, number of runs, and the
// index handle of each run, newest first.
#ifndef OPENREMAP_LEVELDB_HOST_TABLE_RUNS_H_
#define OPENREMAP_LEVELDB_HOST_TABLE_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "prefetching_file.h"
#include "remap_options.h"
#include "table/block.h"
#include "table/format.h"

namespace leveldb {
class FilterBlockReader;
class RandomAccessFile;
class Table;
}  // namespace leveldb

namespace openremap {

constexpr char kRunDirectoryName[] = "openremap.runs";
constexpr uint32_t kRunDirectoryVersion = 2;   // version 1 had the block metadata outside the index
constexpr size_t kMostRuns = kBlendRuns.high;  // a directory with more runs is damaged

// Encoders for the writer. `footer` is LevelDB's encoding; `indexes` are those of the runs, newest first.
std::string EncodeRunDirectory(const std::vector<leveldb::BlockHandle> &indexes);
void MarkSeveralRuns(std::string *footer);

// Decodes the footer of either kind of table. *indexes stays empty for a stock table. Corruption: a handle lies outside
// the file, or the run directory is damaged.
leveldb::Status ReadFooter(leveldb::RandomAccessFile *file, uint64_t file_size, const leveldb::Slice &encoded,
                           leveldb::Footer *footer, std::vector<leveldb::BlockHandle> *indexes);

// The additional state of a leveldb::Table of several runs. Immutable and therefore thread-safe.
class TableRuns {
 public:
  // Decodes the footer. *result stays null for a stock table.
  static leveldb::Status Open(const leveldb::Options &options, leveldb::RandomAccessFile *file, uint64_t file_size,
                              const leveldb::Slice &encoded_footer, leveldb::Footer *footer,
                              std::unique_ptr<TableRuns> *result);

  size_t size() const { return indexes_.size() + 1; }

  // Index of an older run; the Table itself has that of the newest. REQUIRES: 0 < run < size().
  leveldb::Iterator *NewIndexIterator(size_t run) const;

  // The counterparts of Table's functions. `table` is the owner of this object; `cache_id` identifies its blocks in the
  // cache.
  leveldb::Iterator *NewIterator(const leveldb::Table &table, const leveldb::ReadOptions &options,
                                 uint64_t cache_id) const;
  leveldb::Status Get(const leveldb::Table &table, leveldb::FilterBlockReader *filter,
                      const leveldb::ReadOptions &options, const leveldb::Slice &key, void *arg,
                      void (*handle_result)(void *, const leveldb::Slice &, const leveldb::Slice &)) const;
  uint64_t ApproximateOffsetOf(const leveldb::Table &table, const leveldb::Slice &key) const;

 private:
  TableRuns() = default;

  const leveldb::Comparator *comparator_ = nullptr;
  const PrefetchingFile *file_ = nullptr;  // null: the file cannot prefetch
  leveldb::Cache *cache_ = nullptr;
  uint64_t data_end_ = 0;                                 // end of the last data block
  std::vector<std::unique_ptr<leveldb::Block>> indexes_;  // of all runs except the newest
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_TABLE_RUNS_H_
