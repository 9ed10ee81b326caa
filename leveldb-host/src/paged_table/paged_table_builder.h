// SPDX-License-Identifier: Apache-2.0
//
// Writes tables that stock LevelDB reads, with each data block alone on whole pages, so that its pages can later stand
// for it in another table. A block ends before the entry that would not fit its pages any more; what is left of the
// last page is zeros. Index, filter and footer follow the last data block's pages without alignment.
//
// Tables of several sorted runs (table_runs.h) are written run by run; stock LevelDB refuses those.
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

// Whether a block of `bytes`, not none, that would have `bytes_with` with the next entry takes it (trailers included). A block
// grows by pages until its last one would leave no more than an eighth of them all empty: four entries of 1000 bytes to one
// page, seven of 1100 to two. `first_entry`: bytes of its first entry.
bool BlockTakes(uint64_t bytes, uint64_t bytes_with, uint64_t first_entry, uint64_t block_size);

// Thread-safety and call order: as leveldb::TableBuilder.
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

  // Bytes of data blocks if the open one ended here.
  uint64_t DataBytesIfCut() const;

  // Bytes of the open block if it ended here, its trailer included; 0: none is open.
  uint64_t OpenBytes() const;

  // How full blocks are that ended because they were full, 0..1; `otherwise` where there is none yet.
  double FlowFill(double otherwise) const;

  // Ends the open block and appends `block` as it is; `entries` are all it holds, in order. *remapped: see
  // KeptBlockWriter. Errors end up in status().
  void AppendKept(const SourceBlock &block, const LazyBuffer &entries, KeptBlockWriter *writer, bool *remapped);

  // Ends the sorted run; what is appended next begins an older one. Call it only when the run has a block.
  // REQUIRES: the mode is kBlend.
  void NextRun();

  // The same for a block that has not been read. `known` is as TableMetadata has it under these options.
  void AppendUnread(const SourceBlock &block, const BlockMetadata &known, KeptBlockWriter *writer, bool *remapped);

 private:
  bool has_metadata() const { return HasBlockMetadata(options_.remap.mode); }
  bool Fits(const leveldb::Slice &key, const leveldb::Slice &value) const;
  uint64_t SizeWith(const leveldb::Slice &key, const leveldb::Slice &value) const;
  // Pages and index entry of a kept block from `first` to `last`; false: status() is not OK.
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
  int entries_since_restart_ = 0;  // mirrors BlockBuilder, which does not say when it shares key prefixes

  // The index entry of a block waits for the first key of the next one, which may shorten it where there is no metadata.
  bool pending_index_entry_ = false;
  leveldb::BlockHandle pending_handle_;
  std::string pending_value_;  // of the index entry, where there is metadata
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_PAGED_TABLE_BUILDER_H_
