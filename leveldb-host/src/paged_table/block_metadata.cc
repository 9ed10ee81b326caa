// SPDX-License-Identifier: Apache-2.0
#include "paged_table/block_metadata.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "db/dbformat.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "paged_table/filter_writer.h"
#include "paged_table/table_runs.h"
#include "remap_env.h"
#include "table/block.h"
#include "table/format.h"
#include "util/coding.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr uint32_t kPlain = 1;
constexpr size_t kTagBytes = 8;  // sequence and type, behind the user key

leveldb::ValueType TypeOf(const Slice &internal_key) {
  return static_cast<leveldb::ValueType>(internal_key[internal_key.size() - kTagBytes]);  // the tag is little-endian
}

// An index entry, but for the block's keys: the first one is the first `shared` bytes of the last one, `key`, and
// `rest`. *known: whether there is more than a handle.
bool Decode(const Slice &key, Slice value, BlockMetadata *block, size_t *shared_bytes, Slice *rest, bool *known) {
  leveldb::BlockHandle handle;
  if (!handle.DecodeFrom(&value).ok()) return false;
  *known = !value.empty();
  if (!*known) return true;
  uint32_t flags = 0, shared = 0;
  if (key.size() < kTagBytes || !leveldb::GetVarint64(&value, &block->entries) ||
      !leveldb::GetVarint32(&value, &flags) || !leveldb::GetVarint32(&value, &shared) || shared > key.size() ||
      shared + value.size() < kTagBytes || block->entries == 0 || handle.offset() % kPageBytes != 0) {
    return false;
  }
  block->offset = handle.offset();
  block->size = handle.size();
  block->plain = flags == kPlain;
  *shared_bytes = shared;
  *rest = value;
  return true;
}

// A block of `file` as an iterator over it; `contents`, if not null, gets its bytes instead.
Status ReadMetaBlock(leveldb::RandomAccessFile *file, const leveldb::BlockHandle &handle, std::string *bytes,
                     std::unique_ptr<leveldb::Block> *block) {
  leveldb::ReadOptions read;
  read.verify_checksums = true;  // what it says decides which blocks nobody looks at
  leveldb::BlockContents contents;
  Status s = leveldb::ReadBlock(file, read, handle, &contents);
  if (!s.ok()) return s;
  if (block != nullptr) {
    *block = std::make_unique<leveldb::Block>(contents);
    return s;
  }
  *bytes = contents.data.ToString();
  if (contents.heap_allocated) delete[] contents.data.data();
  return s;
}

// False: the metaindex has no such name.
bool FindHandle(leveldb::Iterator *metaindex, const std::string &name, leveldb::BlockHandle *handle, Status *status) {
  metaindex->Seek(name);
  if (!metaindex->Valid() || metaindex->key() != Slice(name)) return false;
  Slice encoded = metaindex->value();
  *status = handle->DecodeFrom(&encoded);
  return status->ok();
}

}  // namespace

void BlockSummary::Add(const Slice &internal_key) {
  const bool first = block_.entries++ == 0;
  if (first) {
    first_.assign(internal_key.data(), internal_key.size());
    block_.plain = true;
  }
  if (internal_key.size() < kTagBytes || (!first && last_.size() < kTagBytes)) {
    block_.plain = false;  // of a damaged block, which a compaction without paranoid checks passes on
  } else if (!first && static_cast<const leveldb::InternalKeyComparator *>(comparator_)
                               ->user_comparator()
                               ->Compare(leveldb::ExtractUserKey(last_), leveldb::ExtractUserKey(internal_key)) == 0) {
    block_.plain = false;
  }
  if (block_.plain && TypeOf(internal_key) != leveldb::kTypeValue) block_.plain = false;
  last_.assign(internal_key.data(), internal_key.size());
}

BlockMetadata BlockSummary::Take() {
  block_.first = first_;
  block_.last = last_;
  return std::exchange(block_, BlockMetadata());
}

std::string BlockMetadata::EncodedHandle() const {
  leveldb::BlockHandle handle;
  handle.set_offset(offset);
  handle.set_size(size);
  std::string encoded;
  handle.EncodeTo(&encoded);
  return encoded;
}

void EncodeIndexValue(const leveldb::BlockHandle &handle, const BlockMetadata &block, std::string *value) {
  const size_t limit = std::min(block.first.size(), block.last.size());
  size_t shared = 0;
  while (shared < limit && block.first[shared] == block.last[shared]) shared++;
  value->clear();
  handle.EncodeTo(value);
  leveldb::PutVarint64(value, block.entries);
  leveldb::PutVarint32(value, block.plain ? kPlain : 0);
  leveldb::PutVarint32(value, static_cast<uint32_t>(shared));
  value->append(block.first.data() + shared, block.first.size() - shared);
}

// The first `shared` bytes of `key`, and `rest`.
Slice TableMetadata::Keep(const Slice &key, size_t shared, const Slice &rest) {
  char *const kept = keys_.Allocate(shared + rest.size());
  std::memcpy(kept, key.data(), shared);
  std::memcpy(kept + shared, rest.data(), rest.size());
  return Slice(kept, shared + rest.size());
}

Status TableMetadata::Read(const leveldb::Options &options, const std::string &fname, uint64_t file_size,
                           std::shared_ptr<const TableMetadata> *result) {
  result->reset();
  if (file_size < leveldb::Footer::kEncodedLength) return Status::Corruption("file is too short to be a table");
  leveldb::RandomAccessFile *opened = nullptr;
  Status s = options.env->NewRandomAccessFile(fname, &opened);
  if (!s.ok()) return s;
  const std::unique_ptr<leveldb::RandomAccessFile> file(opened);
  char space[leveldb::Footer::kEncodedLength];
  Slice encoded;
  leveldb::Footer footer;
  s = file->Read(file_size - sizeof(space), sizeof(space), &encoded, space);
  std::vector<leveldb::BlockHandle> indexes;
  if (s.ok()) s = ReadFooter(file.get(), file_size, encoded, &footer, &indexes);
  if (!s.ok()) return s;
  if (indexes.empty()) indexes.push_back(footer.index_handle());

  auto table = std::make_shared<TableMetadata>();
  FilterSource filters;
  if (options.filter_policy != nullptr) {
    std::unique_ptr<leveldb::Block> metaindex_block;
    s = ReadMetaBlock(file.get(), footer.metaindex_handle(), nullptr, &metaindex_block);
    if (!s.ok()) return s;
    const std::unique_ptr<leveldb::Iterator> metaindex(metaindex_block->NewIterator(leveldb::BytewiseComparator()));
    const std::string name = std::string("filter.") + options.filter_policy->Name();
    leveldb::BlockHandle handle;
    if (!FindHandle(metaindex.get(), name, &handle, &s)) return s;
    s = ReadMetaBlock(file.get(), handle, &table->filters_, nullptr);
    if (s.ok()) s = FilterSource::Parse(table->filters_, &filters);
    if (!s.ok()) return s;
  }
  for (const leveldb::BlockHandle &handle : indexes) {
    std::unique_ptr<leveldb::Block> index_block;
    s = ReadMetaBlock(file.get(), handle, nullptr, &index_block);
    if (!s.ok()) return s;
    const std::unique_ptr<leveldb::Iterator> index(index_block->NewIterator(options.comparator));
    table->runs_.emplace_back();
    for (index->SeekToFirst(); index->Valid(); index->Next()) {
      BlockMetadata block;
      size_t shared = 0;
      Slice rest;
      bool known = false;
      if (!Decode(index->key(), index->value(), &block, &shared, &rest, &known) ||
          (known && options.filter_policy != nullptr && !filters.Find(block.offset, &block.filter))) {
        return Status::Corruption("block metadata of " + fname);
      }
      if (!known) return Status::OK();
      block.last = table->Keep(index->key(), index->key().size(), Slice());
      block.first = table->Keep(index->key(), shared, rest);
      table->runs_.back().push_back(std::move(block));
    }
    if (!index->status().ok()) return index->status();
    if (table->runs_.back().empty()) return Status::Corruption("index without blocks in " + fname);
  }
  *result = std::move(table);
  return Status::OK();
}

}  // namespace openremap
