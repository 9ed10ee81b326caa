// SPDX-License-Identifier: Apache-2.0
//
// Writes tables that stock LevelDB can read, with each data block on whole pages of its own, so that another table can
// share these pages later. A block ends before the entry that would not fit its pages; the rest of its last page is
// zeros. Index, filter and footer follow the last data block without alignment.
//
// Tables of several sorted runs (table_runs.h) are written run by run. Stock LevelDB refuses to read these.
#ifndef OPENREMAP_LEVELDB_HOST_PAGED_TABLE_BUILDER_H_
#define OPENREMAP_LEVELDB_HOST_PAGED_TABLE_BUILDER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compaction_statistics.h"
#include "leveldb/options.h"
#include "leveldb/table_builder.h"
#include "paged_table/block_metadata.h"
#include "paged_table/filter_writer.h"
#include "paged_table/kept_block_writer.h"
#include "paged_table/lazy_buffer.h"
#include "paged_table/source_block.h"
#include "table/block_builder.h"
#include "table/format.h"

namespace openremap {

// Whether a block of `bytes` bytes takes a further entry that would make it `bytes_with` bytes, both with the trailer.
// A block grows by pages until at most an eighth of its pages would stay empty: four entries of 1000 bytes take one
// page, seven of 1100 bytes take two. `first_entry` is the size of its first entry. REQUIRES: bytes > 0.
bool BlockTakes(uint64_t bytes, uint64_t bytes_with, uint64_t first_entry, uint64_t block_size);

// Call order and thread-safety are those of leveldb::TableBuilder.
class PagedTableBuilder : public leveldb::TableBuilder {
 public:
  // `level`: the table's LSM level, for the statistics. Does not take ownership of `file`.
  PagedTableBuilder(const leveldb::Options &options, leveldb::WritableFile *file, int level);
  ~PagedTableBuilder() override;

  leveldb::Status ChangeOptions(const leveldb::Options &options) override;
  void Add(const leveldb::Slice &key, const leveldb::Slice &value) override;
  void Flush() override;
  leveldb::Status status() const override { return status_; }
  leveldb::Status Finish() override;
  void Abandon() override;
  uint64_t NumEntries() const override { return num_entries_; }
  uint64_t FileSize() const override { return offset_; }

  // Whether an entry added now would be the first of its block.
  bool BeginsBlock(const leveldb::Slice &key, const leveldb::Slice &value) const;

  // Bytes of all data blocks if the open one ended now.
  uint64_t DataBytesIfCut() const;

  // Bytes of the open block with its trailer if it ended now; 0 if no block is open.
  uint64_t OpenBytes() const;

  // Mean fill, 0..1, of the blocks that ended because they were full; `otherwise` if there is none yet.
  double FlowFill(double otherwise) const;

  // Ends the open block and appends `block` unchanged. `entries` are all of its entries, in order. For *remapped see
  // KeptBlockWriter::Append(). Errors are kept in status().
  void AppendKept(const SourceBlock &block, const LazyBuffer &entries, KeptBlockWriter *writer, bool *remapped);

  // Ends the sorted run; the next block begins an older one. REQUIRES: the mode is kBlend, and the run has a block.
  void NextRun();

  // AppendKept() for a block that was not read. `known` is its metadata, read with these options.
  void AppendUnread(const SourceBlock &block, const BlockMetadata &known, KeptBlockWriter *writer, bool *remapped);

 private:
  bool has_metadata() const { return HasBlockMetadata(options_.remap.mode); }
  bool Fits(const leveldb::Slice &key, const leveldb::Slice &value) const;
  uint64_t SizeWith(const leveldb::Slice &key, const leveldb::Slice &value) const;
  // Writes the pages and the index entry of a kept block. Returns false if status() is not OK.
  bool BeginKept(const SourceBlock &block, const leveldb::Slice &first, KeptBlockWriter *writer, bool *remapped);
  void EndKept(const leveldb::Slice &last, uint64_t entries);
  void EndFullBlock();
  void EndRun();
  leveldb::Status WriteMetadata(leveldb::Footer *footer);
  bool InOrder(const leveldb::Slice &key);
  void AddPendingIndexEntry(const leveldb::Slice *next_key);
  void WriteBlock(leveldb::BlockBuilder *block, bool whole_pages, leveldb::BlockHandle *handle);
  void WriteRawBlock(const leveldb::Slice &contents, leveldb::CompressionType type, bool whole_pages,
                     leveldb::BlockHandle *handle);

  leveldb::Options options_;
  leveldb::Options index_options_;
  leveldb::WritableFile *file_;
  const int level_;
  LevelCounters counters_;
  uint64_t offset_ = 0;
  leveldb::Status status_;
  leveldb::BlockBuilder data_block_;
  std::vector<std::unique_ptr<leveldb::BlockBuilder>> indexes_;  // of the runs, newest first, the last one is open
  std::unique_ptr<FilterWriter> filter_block_;                   // null: no filter policy
  BlockSummary summary_;                                         // of the open block, where the index has metadata
  std::string last_key_;
  uint64_t num_entries_ = 0;
  bool closed_ = false;

  uint64_t first_entry_bytes_ = 0;  // of the open block
  uint64_t full_bytes_ = 0;         // of blocks that ended because they were full, and the pages they took
  uint64_t full_pages_ = 0;
  int entries_since_restart_ = 0;  // mirrors BlockBuilder, which does not tell when it shares key prefixes

  // The index entry of a block is written with the first key of the next block, which may shorten it if the index has
  // no metadata.
  bool pending_index_entry_ = false;
  leveldb::BlockHandle pending_handle_;
  std::string pending_value_;  // of the index entry, where there is metadata
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_PAGED_TABLE_BUILDER_H_
