// SPDX-License-Identifier: Apache-2.0
#include "paged_table/paged_table_builder.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <map>

#include "leveldb/comparator.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "paged_table/table_runs.h"
#include "port/port.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace openremap {

using leveldb::BlockBuilder;
using leveldb::BlockHandle;
using leveldb::CompressionType;
using leveldb::Options;
using leveldb::Slice;
using leveldb::Status;

namespace {

Options IndexOptions(const Options &options) {
  Options result = options;
  // As upstream: an index is searched, hardly ever walked. Whole keys are long enough that prefix compression pays.
  result.block_restart_interval = HasBlockMetadata(options.remap.mode) ? 4 : 1;
  return result;
}

size_t SharedPrefix(const Slice &a, const Slice &b) {
  const size_t limit = std::min(a.size(), b.size());
  size_t n = 0;
  while (n < limit && a[n] == b[n]) n++;
  return n;
}

// A restart point, and the three lengths before an entry's key.
constexpr uint64_t kMostEntryOverhead = sizeof(uint32_t) + 3 * 5;

// Restart array of one restart point, its length, and the trailer.
constexpr uint64_t kBlockOverhead = 2 * sizeof(uint32_t) + leveldb::kBlockTrailerSize;

}  // namespace

bool BlockTakes(uint64_t bytes, uint64_t bytes_with, uint64_t first_entry, uint64_t block_size) {
  const uint64_t pages = PagesFor(bytes);
  if (PagesFor(bytes_with) == pages) return true;
  const uint64_t asked = PagesFor(block_size);
  if (pages < asked) return PagesFor(bytes_with) <= asked;
  // Who asks for blocks of less than a page wants them small more than he wants them full.
  if (block_size < kPageBytes) return false;
  // Beyond four pages a block is too rarely unchanged for what it saves in padding; beyond eight where single entries
  // take more than one, of which a block of four would be a quarter empty.
  const bool large = std::max(first_entry, bytes_with - bytes) + kBlockOverhead > kPageBytes;
  if (PagesFor(bytes_with) > std::max<uint64_t>(asked, large ? 8 : 4)) return false;
  return bytes < pages * kPageBytes / 8 * 7;
}

PagedTableBuilder::PagedTableBuilder(const Options &options, leveldb::WritableFile *file, int level)
    : options_(options),
      index_options_(IndexOptions(options)),
      file_(file),
      level_(level),
      data_block_(&options_),
      filter_block_(options.filter_policy == nullptr ? nullptr : new FilterWriter(options.filter_policy)),
      summary_(options) {
  indexes_.push_back(std::make_unique<BlockBuilder>(&index_options_));
  if (filter_block_ != nullptr) filter_block_->StartBlock(0);
}

PagedTableBuilder::~PagedTableBuilder() { assert(closed_); }

Status PagedTableBuilder::ChangeOptions(const Options &options) {
  if (options.comparator != options_.comparator) {
    return Status::InvalidArgument("changing comparator while building table");
  }
  options_ = options;
  index_options_ = IndexOptions(options);
  return Status::OK();
}

// Mirrors BlockBuilder::Add; exact, because a byte too many would cost a page.
uint64_t PagedTableBuilder::SizeWith(const Slice &key, const Slice &value) const {
  const bool restart = !data_block_.empty() && entries_since_restart_ >= options_.block_restart_interval;
  const size_t shared = data_block_.empty() || restart ? 0 : SharedPrefix(last_key_, key);
  const size_t unshared = key.size() - shared;
  return data_block_.CurrentSizeEstimate() + (restart ? sizeof(uint32_t) : 0) +
         static_cast<size_t>(leveldb::VarintLength(shared) + leveldb::VarintLength(unshared) +
                             leveldb::VarintLength(value.size())) +
         unshared + value.size();
}

bool PagedTableBuilder::Fits(const Slice &key, const Slice &value) const {
  // Mostly it is plain that no further page is begun, and nothing needs to be exact.
  const uint64_t at_most = OpenBytes() + key.size() + value.size() + kMostEntryOverhead;
  if (PagesFor(at_most) == PagesFor(OpenBytes())) return true;
  return BlockTakes(OpenBytes(), SizeWith(key, value) + leveldb::kBlockTrailerSize, first_entry_bytes_,
                    options_.block_size);
}

bool PagedTableBuilder::BeginsBlock(const Slice &key, const Slice &value) const {
  return data_block_.empty() || !Fits(key, value);
}

uint64_t PagedTableBuilder::DataBytesIfCut() const { return offset_ + PagesFor(OpenBytes()) * kPageBytes; }

uint64_t PagedTableBuilder::OpenBytes() const {
  return data_block_.empty() ? 0 : data_block_.CurrentSizeEstimate() + leveldb::kBlockTrailerSize;
}

double PagedTableBuilder::FlowFill(double otherwise) const {
  if (full_pages_ == 0) return otherwise;
  return static_cast<double>(full_bytes_) / static_cast<double>(full_pages_ * kPageBytes);
}

// A block that ends otherwise says nothing of how well entries fill pages.
void PagedTableBuilder::EndFullBlock() {
  full_bytes_ += OpenBytes();
  full_pages_ += PagesFor(OpenBytes());
  Flush();
}

void PagedTableBuilder::AddPendingIndexEntry(const Slice *next_key) {
  if (!pending_index_entry_) return;
  assert(data_block_.empty());
  pending_index_entry_ = false;
  if (has_metadata()) {
    indexes_.back()->Add(last_key_, pending_value_);
    return;
  }
  if (next_key != nullptr) {
    options_.comparator->FindShortestSeparator(&last_key_, *next_key);
  } else {
    options_.comparator->FindShortSuccessor(&last_key_);
  }
  std::string encoding;
  pending_handle_.EncodeTo(&encoding);
  indexes_.back()->Add(last_key_, encoding);
}

// Keys of damaged blocks are not, which a compaction without paranoid checks does not tell by their checksum.
bool PagedTableBuilder::InOrder(const Slice &key) {
  if (last_key_.empty() || options_.comparator->Compare(key, last_key_) > 0) return true;
  status_ = Status::Corruption("keys out of order");
  return false;
}

void PagedTableBuilder::Add(const Slice &key, const Slice &value) {
  assert(!closed_);
  if (!status_.ok() || !InOrder(key)) return;
  if (!data_block_.empty() && !Fits(key, value)) {
    EndFullBlock();
    if (!status_.ok()) return;
  }
  AddPendingIndexEntry(&key);
  if (data_block_.empty()) {
    first_entry_bytes_ = SizeWith(key, value) - data_block_.CurrentSizeEstimate();
    entries_since_restart_ = 0;
  }
  if (filter_block_ != nullptr) filter_block_->AddKey(key);
  if (has_metadata()) summary_.Add(key);
  if (entries_since_restart_ >= options_.block_restart_interval) entries_since_restart_ = 0;
  entries_since_restart_++;
  data_block_.Add(key, value);
  last_key_.assign(key.data(), key.size());
  num_entries_++;
  // As upstream, a block of more than the asked size ends when it is full, not when the next entry is known to be too
  // large: one like the first would be.
  const uint64_t bytes = OpenBytes();
  if (bytes >= options_.block_size &&
      !BlockTakes(bytes, bytes + first_entry_bytes_, first_entry_bytes_, options_.block_size)) {
    EndFullBlock();
  }
}

void PagedTableBuilder::Flush() {
  assert(!closed_);
  if (!status_.ok() || data_block_.empty()) return;
  assert(!pending_index_entry_);
  WriteBlock(&data_block_, /*whole_pages=*/true, &pending_handle_);
  if (has_metadata()) EncodeIndexValue(pending_handle_, summary_.Take(), &pending_value_);
  if (status_.ok()) {
    pending_index_entry_ = true;
    status_ = file_->Flush();
  }
  if (filter_block_ != nullptr) filter_block_->StartBlock(offset_);
}

bool PagedTableBuilder::BeginKept(const SourceBlock &block, const Slice &first, KeptBlockWriter *writer,
                                  bool *remapped) {
  assert(block.PageAligned());
  *remapped = false;
  Flush();
  if (!status_.ok() || !InOrder(first)) return false;
  AddPendingIndexEntry(&first);
  assert(offset_ % kPageBytes == 0);
  status_ = writer->Append(block, file_, remapped);
  if (!status_.ok()) return false;
  pending_handle_.set_offset(offset_);
  pending_handle_.set_size(block.size);
  pending_index_entry_ = true;
  offset_ += block.Pages() * kPageBytes;
  return true;
}

void PagedTableBuilder::EndKept(const Slice &last, uint64_t entries) {
  if (filter_block_ != nullptr) filter_block_->StartBlock(offset_);
  last_key_.assign(last.data(), last.size());
  num_entries_ += entries;
}

void PagedTableBuilder::AppendKept(const SourceBlock &block, const LazyBuffer &entries, KeptBlockWriter *writer,
                                   bool *remapped) {
  assert(!entries.empty());
  if (!BeginKept(block, entries.key(0), writer, remapped)) return;
  for (size_t i = 0; i < entries.size(); i++) {
    if (filter_block_ != nullptr) filter_block_->AddKey(entries.key(i));
    if (has_metadata()) summary_.Add(entries.key(i));
  }
  if (has_metadata()) EncodeIndexValue(pending_handle_, summary_.Take(), &pending_value_);
  EndKept(entries.key(entries.size() - 1), entries.size());
}

void PagedTableBuilder::AppendUnread(const SourceBlock &block, const BlockMetadata &known, KeptBlockWriter *writer,
                                     bool *remapped) {
  if (!BeginKept(block, known.first, writer, remapped)) return;
  if (filter_block_ != nullptr) filter_block_->SetFilter(known.filter);
  EncodeIndexValue(pending_handle_, known, &pending_value_);
  EndKept(known.last, known.entries);
}

void PagedTableBuilder::WriteBlock(BlockBuilder *block, bool whole_pages, BlockHandle *handle) {
  const Slice raw = block->Finish();
  std::string compressed;
  Slice contents = raw;
  CompressionType type = leveldb::kNoCompression;
  if (options_.compression == leveldb::kSnappyCompression &&
      leveldb::port::Snappy_Compress(raw.data(), raw.size(), &compressed)) {
    // On whole pages only whole pages are a gain; elsewhere upstream's rule.
    const bool gain = whole_pages ? PagesFor(compressed.size() + leveldb::kBlockTrailerSize) <
                                        PagesFor(raw.size() + leveldb::kBlockTrailerSize)
                                  : compressed.size() < raw.size() - raw.size() / 8;
    if (gain) {
      contents = compressed;
      type = leveldb::kSnappyCompression;
    }
  }
  WriteRawBlock(contents, type, whole_pages, handle);
  block->Reset();
}

void PagedTableBuilder::WriteRawBlock(const Slice &contents, CompressionType type, bool whole_pages,
                                      BlockHandle *handle) {
  handle->set_offset(offset_);
  handle->set_size(contents.size());
  status_ = file_->Append(contents);
  if (!status_.ok()) return;
  char trailer[leveldb::kBlockTrailerSize + kPageBytes];  // and padding
  trailer[0] = static_cast<char>(type);
  const uint32_t crc = leveldb::crc32c::Extend(leveldb::crc32c::Value(contents.data(), contents.size()), trailer, 1);
  leveldb::EncodeFixed32(trailer + 1, leveldb::crc32c::Mask(crc));
  const uint64_t end = offset_ + contents.size() + leveldb::kBlockTrailerSize;
  const auto padding = static_cast<size_t>(whole_pages ? PagesFor(end) * kPageBytes - end : 0);
  std::memset(trailer + leveldb::kBlockTrailerSize, 0, padding);
  status_ = file_->Append(Slice(trailer, leveldb::kBlockTrailerSize + padding));
  if (!status_.ok()) return;
  offset_ = end + padding;
  counters_.padding_bytes += padding;
}

void PagedTableBuilder::EndRun() {
  Flush();
  if (status_.ok()) AddPendingIndexEntry(nullptr);
}

void PagedTableBuilder::NextRun() {
  assert(has_metadata());
  EndRun();
  assert(!status_.ok() || !indexes_.back()->empty());
  last_key_.clear();
  indexes_.push_back(std::make_unique<BlockBuilder>(&index_options_));
}

Status PagedTableBuilder::Finish() {
  EndRun();
  assert(!closed_);
  closed_ = true;
  leveldb::Footer footer;
  if (status_.ok()) status_ = WriteMetadata(&footer);
  if (status_.ok()) {
    std::string encoding;
    footer.EncodeTo(&encoding);
    if (indexes_.size() > 1) MarkSeveralRuns(&encoding);
    status_ = file_->Append(encoding);
    if (status_.ok()) offset_ += encoding.size();
  }
  if (status_.ok() && options_.remap.statistics != nullptr) {
    counters_.tables = 1;
    counters_.table_bytes = offset_;
    counters_.blended_tables = indexes_.size() > 1 ? 1 : 0;
    options_.remap.statistics->Add(level_, counters_);
  }
  return status_;
}

// All that follows the data blocks, but for the footer. Several runs name their indexes in the run directory, so those
// go before it; the one of a single run comes last, as in upstream's tables.
Status PagedTableBuilder::WriteMetadata(leveldb::Footer *footer) {
  std::map<std::string, BlockHandle> metaindex_entries;  // sorted, as a block wants them
  BlockHandle handle;
  if (filter_block_ != nullptr) {
    WriteRawBlock(filter_block_->Finish(), leveldb::kNoCompression, /*whole_pages=*/false, &handle);
    metaindex_entries[std::string("filter.") + options_.filter_policy->Name()] = handle;
  }
  std::vector<BlockHandle> indexes(indexes_.size());
  if (indexes.size() > 1) {
    for (size_t i = 0; i < indexes.size() && status_.ok(); i++) {
      WriteBlock(indexes_[i].get(), /*whole_pages=*/false, &indexes[i]);
    }
    if (status_.ok())
      WriteRawBlock(EncodeRunDirectory(indexes), leveldb::kNoCompression, /*whole_pages=*/false, &handle);
    metaindex_entries[kRunDirectoryName] = handle;
  }
  if (!status_.ok()) return status_;
  Options bytewise = options_;
  bytewise.comparator = leveldb::BytewiseComparator();  // the names are no internal keys
  BlockBuilder metaindex(&bytewise);
  for (const auto &[name, place] : metaindex_entries) {
    std::string encoding;
    place.EncodeTo(&encoding);
    metaindex.Add(name, encoding);
  }
  WriteBlock(&metaindex, /*whole_pages=*/false, &handle);
  footer->set_metaindex_handle(handle);
  if (status_.ok() && indexes.size() == 1) WriteBlock(indexes_[0].get(), /*whole_pages=*/false, &indexes[0]);
  footer->set_index_handle(indexes[0]);
  return status_;
}

void PagedTableBuilder::Abandon() {
  assert(!closed_);
  closed_ = true;
}

}  // namespace openremap
