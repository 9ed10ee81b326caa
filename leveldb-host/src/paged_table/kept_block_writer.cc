// SPDX-License-Identifier: Apache-2.0
#include "paged_table/kept_block_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "db/filename.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr uint64_t kMostPages = 4096;  // that are asked for at a time

}  // namespace

KeptBlockWriter::KeptBlockWriter(leveldb::Env *env, std::string dbname, bool remap)
    : env_(env), remap_env_(remap ? RemapEnv::From(env) : nullptr), dbname_(std::move(dbname)) {}

Status KeptBlockWriter::Append(const SourceBlock &block, leveldb::WritableFile *file, bool *remapped) {
  *remapped = false;
  if (remap_env_ != nullptr) {
    if (auto *remap_file = dynamic_cast<RemapFile *>(file)) {
      Status s = TryRemap(block, remap_file, remapped);
      if (!s.ok() || *remapped) return s;
    }
  }
  return Copy(block, file);
}

// The page of the block and those after it that lie with it; none where the file layer cannot name them.
Status KeptBlockWriter::FindPages(const SourceBlock &block, uint64_t page, PageRun *run) {
  const uint64_t offset = block.offset + page * kPageBytes;
  if (block.file_number != known_file_ || offset < known_offset_ ||
      offset - known_offset_ >= known_.pages * kPageBytes) {
    known_ = {0, 0};
    Status s = remap_env_->GetLpn(leveldb::TableFileName(dbname_, block.file_number), offset, kMostPages, &known_);
    const bool cannot = s.IsNotFound() || s.IsNotSupportedError() || s.IsInvalidArgument();
    if (!s.ok() && !cannot) return s;
    known_file_ = block.file_number;
    known_offset_ = offset;
  }
  const uint64_t ahead = (offset - known_offset_) / kPageBytes;
  if (ahead >= known_.pages) {
    *run = {0, 0};
    return Status::OK();
  }
  *run = {known_.lpn + ahead, std::min(known_.pages - ahead, block.Pages() - page)};
  return Status::OK();
}

Status KeptBlockWriter::TryRemap(const SourceBlock &block, RemapFile *file, bool *remapped) {
  std::vector<PageRun> runs;  // all named before the first is appended: half a block cannot be taken back
  for (uint64_t found = 0; found < block.Pages();) {
    PageRun run;
    Status s = FindPages(block, found, &run);
    if (!s.ok() || run.pages == 0) return s;
    found += run.pages;
    runs.push_back(run);
  }
  for (const PageRun &run : runs) {
    Status s = file->AppendRemap(run);
    if (!s.ok()) return s;
  }
  *remapped = true;
  return Status::OK();
}

Status KeptBlockWriter::Copy(const SourceBlock &block, leveldb::WritableFile *file) {
  std::unique_ptr<leveldb::RandomAccessFile> &source = sources_[block.file_number];
  if (source == nullptr) {
    leveldb::RandomAccessFile *opened = nullptr;
    Status s = env_->NewRandomAccessFile(leveldb::TableFileName(dbname_, block.file_number), &opened);
    if (s.IsNotFound()) {  // a table of an old LevelDB
      s = env_->NewRandomAccessFile(leveldb::SSTTableFileName(dbname_, block.file_number), &opened);
    }
    if (!s.ok()) return s;
    source.reset(opened);
  }
  std::string bytes(block.StoredBytes(), '\0');
  Slice read;
  Status s = source->Read(block.offset, bytes.size(), &read, &bytes[0]);
  if (!s.ok()) return s;
  if (read.size() != bytes.size()) return Status::Corruption("truncated read of an unchanged block");
  s = file->Append(read);
  if (!s.ok()) return s;
  return file->Append(std::string(block.Pages() * kPageBytes - read.size(), '\0'));
}

}  // namespace openremap
