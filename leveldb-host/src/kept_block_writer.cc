// SPDX-License-Identifier: Apache-2.0
#include "kept_block_writer.h"

#include <utility>
#include <vector>

#include "db/filename.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

KeptBlockWriter::KeptBlockWriter(leveldb::Env *env, std::string dbname)
    : env_(env), remap_env_(RemapEnv::From(env)), dbname_(std::move(dbname)) {}

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

Status KeptBlockWriter::TryRemap(const SourceBlock &block, RemapFile *file, bool *remapped) {
  const std::string fname = leveldb::TableFileName(dbname_, block.file_number);
  std::vector<PageRun> runs;  // all named before the first is appended: half a block cannot be taken back
  for (uint64_t found = 0; found < block.Pages();) {
    PageRun run;
    Status s = remap_env_->GetLpn(fname, block.offset + found * kPageBytes, block.Pages() - found, &run);
    if (s.IsNotFound() || s.IsNotSupportedError() || s.IsInvalidArgument() || (s.ok() && run.pages == 0)) {
      return Status::OK();
    }
    if (!s.ok()) return s;
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
