// SPDX-License-Identifier: Apache-2.0
#include "paged_table/table_runs.h"

#include <algorithm>
#include <cassert>

#include "leveldb/comparator.h"
#include "leveldb/env.h"
#include "leveldb/table.h"
#include "paged_table/prefetching_iterator.h"
#include "table/filter_block.h"
#include "table/merger.h"
#include "table/two_level_iterator.h"
#include "util/coding.h"

namespace openremap {

using leveldb::BlockHandle;
using leveldb::Footer;
using leveldb::Iterator;
using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr size_t kMagicBytes = sizeof(uint64_t);
constexpr uint64_t kSeveralRunsMagic = 0x736e75522d70614d;  // "Map-Runs" in the file
constexpr size_t kTagBytes = 8;                             // sequence and type, behind the user key

std::string Encoded(const BlockHandle &handle) {
  std::string bytes;
  handle.EncodeTo(&bytes);
  return bytes;
}

// Damaged handles may ask for more than there is memory, so nothing is read before this. `end`: where blocks end, their
// trailers included, in bytes from the file's start.
Status CheckHandle(const BlockHandle &handle, uint64_t end) {
  const bool inside = handle.offset() <= end && end - handle.offset() >= leveldb::kBlockTrailerSize &&
                      handle.size() <= end - handle.offset() - leveldb::kBlockTrailerSize;
  return inside ? Status::OK() : Status::Corruption("a block of the table lies outside of its file");
}

// Checksums are verified here whatever the options say: a run that is missed is data lost.
Status ReadChecked(leveldb::RandomAccessFile *file, const BlockHandle &handle, leveldb::BlockContents *contents) {
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  return leveldb::ReadBlock(file, read, handle, contents);
}

Status DecodeRunDirectory(Slice input, std::vector<BlockHandle> *indexes) {
  uint32_t version = 0, count = 0;
  if (!leveldb::GetVarint32(&input, &version)) return Status::Corruption("run directory of a table");
  if (version != kRunDirectoryVersion) {
    return Status::NotSupported("table of several sorted runs has format version " + std::to_string(version),
                                "this library reads version " + std::to_string(kRunDirectoryVersion));
  }
  if (!leveldb::GetVarint32(&input, &count) || count < 2 || count > kMostRuns) {
    return Status::Corruption("run directory of a table");
  }
  for (uint32_t i = 0; i < count; i++) {
    BlockHandle index;
    Status s = index.DecodeFrom(&input);
    if (!s.ok()) return s;
    indexes->push_back(index);
  }
  return input.empty() ? Status::OK() : Status::Corruption("run directory of a table");
}

Status FindRunDirectory(leveldb::RandomAccessFile *file, const Footer &footer, BlockHandle *directory) {
  leveldb::BlockContents contents;
  Status s = ReadChecked(file, footer.metaindex_handle(), &contents);
  if (!s.ok()) return s;
  leveldb::Block metaindex(contents);
  const std::unique_ptr<Iterator> entry(metaindex.NewIterator(leveldb::BytewiseComparator()));
  entry->Seek(kRunDirectoryName);
  if (!entry->Valid() || entry->key() != Slice(kRunDirectoryName)) {
    return entry->status().ok() ? Status::Corruption("table of several sorted runs has no run directory")
                                : entry->status();
  }
  Slice handle = entry->value();
  return directory->DecodeFrom(&handle);
}

Iterator *ReadDataBlock(void *table, const leveldb::ReadOptions &options, const Slice &handle) {
  return static_cast<const leveldb::Table *>(table)->NewBlockIterator(options, handle);
}

// By its bytes: a comparator may hold more keys equal, and those are found the slow way.
bool SameUserKey(const Slice &a, const Slice &b) {
  return a.size() >= kTagBytes && a.size() == b.size() &&
         Slice(a.data(), a.size() - kTagBytes) == Slice(b.data(), b.size() - kTagBytes);
}

}  // namespace

std::string EncodeRunDirectory(const std::vector<BlockHandle> &indexes) {
  std::string bytes;
  leveldb::PutVarint32(&bytes, kRunDirectoryVersion);
  leveldb::PutVarint32(&bytes, static_cast<uint32_t>(indexes.size()));
  for (const BlockHandle &index : indexes) bytes += Encoded(index);
  return bytes;
}

void MarkSeveralRuns(std::string *footer) {
  assert(footer->size() == Footer::kEncodedLength);
  footer->resize(Footer::kEncodedLength - kMagicBytes);
  leveldb::PutFixed64(footer, kSeveralRunsMagic);
}

Status ReadFooter(leveldb::RandomAccessFile *file, uint64_t file_size, const Slice &encoded, Footer *footer,
                  std::vector<BlockHandle> *indexes) {
  if (encoded.size() != Footer::kEncodedLength || file_size < encoded.size())
    return Status::Corruption("truncated footer");
  std::string stock = encoded.ToString();
  const size_t magic_at = Footer::kEncodedLength - kMagicBytes;
  const bool several = leveldb::DecodeFixed64(stock.data() + magic_at) == kSeveralRunsMagic;
  if (several) {
    stock.resize(magic_at);
    leveldb::PutFixed64(&stock, leveldb::kTableMagicNumber);
  }
  Slice input(stock);
  const uint64_t end = file_size - Footer::kEncodedLength;
  Status s = footer->DecodeFrom(&input);
  if (s.ok()) s = CheckHandle(footer->metaindex_handle(), end);
  if (s.ok()) s = CheckHandle(footer->index_handle(), end);
  if (!s.ok() || !several) return s;
  BlockHandle handle;
  s = FindRunDirectory(file, *footer, &handle);
  if (s.ok()) s = CheckHandle(handle, end);
  if (!s.ok()) return s;
  leveldb::BlockContents contents;
  s = ReadChecked(file, handle, &contents);
  if (!s.ok()) return s;
  s = DecodeRunDirectory(contents.data, indexes);
  if (contents.heap_allocated) delete[] contents.data.data();
  for (size_t i = 0; s.ok() && i < indexes->size(); i++) s = CheckHandle((*indexes)[i], end);
  if (s.ok() && Encoded(indexes->front()) != Encoded(footer->index_handle())) {
    s = Status::Corruption("run directory and footer name different indexes");
  }
  return s;
}

Status TableRuns::Open(const leveldb::Options &options, leveldb::RandomAccessFile *file, uint64_t file_size,
                       const Slice &encoded_footer, Footer *footer, std::unique_ptr<TableRuns> *result) {
  std::vector<BlockHandle> handles;
  Status s = ReadFooter(file, file_size, encoded_footer, footer, &handles);
  if (!s.ok() || handles.empty()) return s;
  std::unique_ptr<TableRuns> runs(new TableRuns());
  runs->comparator_ = options.comparator;
  runs->file_ = PrefetchingFile::From(file);
  runs->cache_ = options.block_cache;
  runs->data_end_ = footer->metaindex_handle().offset();
  leveldb::ReadOptions read;
  read.verify_checksums = options.paranoid_checks;
  for (size_t i = 1; i < handles.size(); i++) {
    leveldb::BlockContents contents;
    s = leveldb::ReadBlock(file, read, handles[i], &contents);
    if (!s.ok()) return s;
    runs->indexes_.push_back(std::make_unique<leveldb::Block>(contents));
  }
  *result = std::move(runs);
  return s;
}

Iterator *TableRuns::NewIndexIterator(size_t run) const {
  assert(run > 0 && run < size());
  return indexes_[run - 1]->NewIterator(comparator_);
}

Iterator *TableRuns::NewIterator(const leveldb::Table &table, const leveldb::ReadOptions &options,
                                 uint64_t cache_id) const {
  std::vector<Iterator *> runs;
  for (size_t run = 0; run < size(); run++) {
    runs.push_back(leveldb::NewTwoLevelIterator(table.NewIndexIterator(run), &ReadDataBlock,
                                                const_cast<leveldb::Table *>(&table), options));
  }
  std::unique_ptr<Iterator> merged(
      leveldb::NewMergingIterator(comparator_, runs.data(), static_cast<int>(runs.size())));
  if (file_ == nullptr) return merged.release();
  return new PrefetchingIterator(std::move(merged), table, {file_, cache_, cache_id});
}

// A run's entries of a user key are all newer than those of the runs after it, so the first that has one decides.
Status TableRuns::Get(const leveldb::Table &table, leveldb::FilterBlockReader *filter,
                      const leveldb::ReadOptions &options, const Slice &key, void *arg,
                      void (*handle_result)(void *, const Slice &, const Slice &)) const {
  std::unique_ptr<Iterator> next;  // on the smallest entry that is not before `key`
  for (size_t run = 0; run < size(); run++) {
    const std::unique_ptr<Iterator> index(table.NewIndexIterator(run));
    index->Seek(key);
    if (!index->status().ok()) return index->status();
    if (!index->Valid()) continue;
    Slice encoded = index->value();
    BlockHandle handle;
    if (filter != nullptr && handle.DecodeFrom(&encoded).ok() && !filter->KeyMayMatch(handle.offset(), key)) continue;
    std::unique_ptr<Iterator> entries(table.NewBlockIterator(options, index->value()));
    entries->Seek(key);
    if (!entries->status().ok()) return entries->status();
    if (!entries->Valid()) continue;
    // Keys that the program's comparator holds equal may differ in their bytes: then a newer run has the newer version.
    if (next != nullptr && comparator_->Compare(next->key(), entries->key()) <= 0) continue;
    if (SameUserKey(entries->key(), key)) {
      handle_result(arg, entries->key(), entries->value());
      return Status::OK();
    }
    next = std::move(entries);
  }
  if (next != nullptr) handle_result(arg, next->key(), next->value());
  return Status::OK();
}

// The runs lie one behind the other: what comes before `key` is a part of each.
uint64_t TableRuns::ApproximateOffsetOf(const leveldb::Table &table, const Slice &key) const {
  auto offset = [this](const Iterator &index) {
    Slice encoded = index.Valid() ? index.value() : Slice();
    BlockHandle handle;
    return handle.DecodeFrom(&encoded).ok() ? std::min<uint64_t>(handle.offset(), data_end_) : data_end_;
  };
  uint64_t before = 0, run_end = data_end_;
  for (size_t run = size(); run-- > 0;) {
    const std::unique_ptr<Iterator> index(table.NewIndexIterator(run));
    index->SeekToFirst();
    const uint64_t begin = std::min(offset(*index), run_end);
    index->Seek(key);
    const uint64_t at = index->Valid() ? std::clamp(offset(*index), begin, run_end) : run_end;
    before += at - begin;
    run_end = begin;
  }
  return before;
}

}  // namespace openremap
