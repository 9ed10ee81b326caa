// SPDX-License-Identifier: Apache-2.0
#include "block_metadata.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "db/dbformat.h"
#include "filter_writer.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "remap_env.h"
#include "table/block.h"
#include "table/format.h"
#include "table_runs.h"
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

bool Decode(const Slice &key, Slice value, BlockMetadata *block) {
  uint64_t page = 0;
  uint32_t flags = 0, shared = 0;
  if (key.size() < kTagBytes || !leveldb::GetVarint64(&value, &page) ||
      !leveldb::GetVarint64(&value, &block->entries) || !leveldb::GetVarint32(&value, &flags) ||
      !leveldb::GetVarint32(&value, &shared) || shared > key.size() || shared + value.size() < kTagBytes ||
      block->entries == 0 || page > UINT64_MAX / kPageBytes) {
    return false;
  }
  block->offset = page * kPageBytes;
  block->plain = flags == kPlain;
  block->first = key.ToString();
  block->last = block->first.substr(0, shared) + value.ToString();
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
  if (block_.entries++ == 0) {
    block_.first.assign(internal_key.data(), internal_key.size());
    block_.plain = true;
  } else if (static_cast<const leveldb::InternalKeyComparator *>(comparator_)
                 ->user_comparator()
                 ->Compare(leveldb::ExtractUserKey(block_.last), leveldb::ExtractUserKey(internal_key)) == 0) {
    block_.plain = false;
  }
  if (TypeOf(internal_key) != leveldb::kTypeValue) block_.plain = false;
  block_.last.assign(internal_key.data(), internal_key.size());
}

BlockMetadata BlockSummary::Take(uint64_t offset) {
  block_.offset = offset;
  return std::exchange(block_, BlockMetadata());
}

BlockMetadataWriter::BlockMetadataWriter(const leveldb::Options &options) : options_(options), builder_(&options_) {}

void BlockMetadataWriter::Add(const BlockMetadata &block) {
  const size_t limit = std::min(block.first.size(), block.last.size());
  size_t shared = 0;
  while (shared < limit && block.first[shared] == block.last[shared]) shared++;
  std::string value;
  leveldb::PutVarint64(&value, block.offset / kPageBytes);
  leveldb::PutVarint64(&value, block.entries);
  leveldb::PutVarint32(&value, block.plain ? kPlain : 0);
  leveldb::PutVarint32(&value, static_cast<uint32_t>(shared));
  value.append(block.last, shared);
  builder_.Add(block.first, value);
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
  std::vector<RunHandles> runs;
  if (s.ok()) s = ReadFooter(file.get(), encoded, &footer, &runs);
  std::unique_ptr<leveldb::Block> metaindex_block;
  if (s.ok()) s = ReadMetaBlock(file.get(), footer.metaindex_handle(), nullptr, &metaindex_block);
  if (!s.ok()) return s;
  const std::unique_ptr<leveldb::Iterator> metaindex(metaindex_block->NewIterator(leveldb::BytewiseComparator()));
  if (runs.empty()) {
    runs.emplace_back();
    if (!FindHandle(metaindex.get(), kBlockMetadataName, &runs[0].blocks, &s)) return s;
  }

  auto table = std::make_shared<TableMetadata>();
  FilterSource filters;
  if (options.filter_policy != nullptr) {
    const std::string name = std::string("filter.") + options.filter_policy->Name();
    leveldb::BlockHandle handle;
    if (!FindHandle(metaindex.get(), name, &handle, &s)) return s;
    s = ReadMetaBlock(file.get(), handle, &table->filters_, nullptr);
    if (s.ok()) s = FilterSource::Parse(table->filters_, &filters);
    if (!s.ok()) return s;
  }
  for (const RunHandles &run : runs) {
    std::unique_ptr<leveldb::Block> blocks_block;
    s = ReadMetaBlock(file.get(), run.blocks, nullptr, &blocks_block);
    if (!s.ok()) return s;
    const std::unique_ptr<leveldb::Iterator> blocks(blocks_block->NewIterator(options.comparator));
    table->runs_.emplace_back();
    for (blocks->SeekToFirst(); blocks->Valid(); blocks->Next()) {
      BlockMetadata block;
      if (!Decode(blocks->key(), blocks->value(), &block) ||
          (options.filter_policy != nullptr && !filters.Find(block.offset, &block.filter))) {
        return Status::Corruption("block metadata of " + fname);
      }
      table->runs_.back().push_back(std::move(block));
    }
    if (!blocks->status().ok()) return blocks->status();
  }
  *result = std::move(table);
  return Status::OK();
}

}  // namespace openremap
