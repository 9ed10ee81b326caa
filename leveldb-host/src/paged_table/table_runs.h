// SPDX-License-Identifier: Apache-2.0
//
// Tables of several sorted runs (mode blend): the blocks of an upper level hang beside those of a lower one, newest run
// first, and nothing was merged. Each run has an index of its own, with metadata of its blocks (block_metadata.h); the filter
// block, indexed by file offset, is that of the whole table.
//
// The footer is LevelDB's but for its magic number, so stock LevelDB refuses such a table ("bad magic number") and never
// takes its first run for all of it. The footer's index handle is that of the newest run. The metaindex names the run
// directory ("openremap.runs"), an uncompressed block (varints): format version, number of runs, and of each run, newest
// first, the handle of its index.
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
constexpr uint32_t kRunDirectoryVersion = 2;   // 1 had the metadata of the blocks apart from the index
constexpr size_t kMostRuns = kBlendRuns.high;  // more in a directory are damage

// For the writer. `footer` as LevelDB encodes it; `indexes` of the runs, newest first.
std::string EncodeRunDirectory(const std::vector<leveldb::BlockHandle> &indexes);
void MarkSeveralRuns(std::string *footer);

// Decodes the footer of either kind of table. *indexes stays empty for a stock one.
// Corruption: what it names lies outside of the file, or the run directory is damaged.
leveldb::Status ReadFooter(leveldb::RandomAccessFile *file, uint64_t file_size, const leveldb::Slice &encoded,
                           leveldb::Footer *footer, std::vector<leveldb::BlockHandle> *indexes);

// What leveldb::Table needs beyond its own fields to read such a table. Thread-safe, as it is immutable.
class TableRuns {
 public:
  // Decodes the footer in any case; *result stays null for a stock table.
  static leveldb::Status Open(const leveldb::Options &options, leveldb::RandomAccessFile *file, uint64_t file_size,
                              const leveldb::Slice &encoded_footer, leveldb::Footer *footer,
                              std::unique_ptr<TableRuns> *result);

  size_t size() const { return indexes_.size() + 1; }

  // REQUIRES: 0 < run < size(). Table has the newest run's itself.
  leveldb::Iterator *NewIndexIterator(size_t run) const;

  // As Table's functions of these names; `table` is the one that owns this, `cache_id` what its blocks have in the cache.
  leveldb::Iterator *NewIterator(const leveldb::Table &table, const leveldb::ReadOptions &options,
                                 uint64_t cache_id) const;
  leveldb::Status Get(const leveldb::Table &table, leveldb::FilterBlockReader *filter,
                      const leveldb::ReadOptions &options, const leveldb::Slice &key, void *arg,
                      void (*handle_result)(void *, const leveldb::Slice &, const leveldb::Slice &)) const;
  uint64_t ApproximateOffsetOf(const leveldb::Table &table, const leveldb::Slice &key) const;

 private:
  TableRuns() = default;

  const leveldb::Comparator *comparator_ = nullptr;
  const PrefetchingFile *file_ = nullptr;  // null: it is none
  leveldb::Cache *cache_ = nullptr;
  uint64_t data_end_ = 0;                                 // no data block reaches further
  std::vector<std::unique_ptr<leveldb::Block>> indexes_;  // of all runs but the newest
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_TABLE_RUNS_H_
