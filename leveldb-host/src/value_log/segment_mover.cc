// SPDX-License-Identifier: Apache-2.0
#include "value_log/segment_mover.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "db/filename.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

SegmentMover::SegmentMover(leveldb::Env *env, std::string dbname)
    : env_(env), remap_(RemapEnv::From(env)), dbname_(std::move(dbname)) {}

Status SegmentMover::Move(uint64_t segment, const SegmentPages &pages, uint64_t source, const SegmentMap *map,
                          uint64_t target, MovedPages *moved) {
  *moved = MovedPages();
  const std::string from = leveldb::ValueLogFileName(dbname_, source);
  const std::string name = leveldb::ValueLogFileName(dbname_, target);
  RemapFile *opened = nullptr;
  Status s = remap_->NewRemapFile(name, kValueLogLevel, &opened);
  if (!s.ok()) return s;
  std::unique_ptr<RemapFile> file(opened);
  for (uint64_t page = 0; s.ok() && page < pages.end();) {
    uint64_t count = 0, at = page * kPageBytes;
    while (pages.Has(page + count)) count++;
    if (count == 0) {
      page++;
      continue;
    }
    if (map != nullptr && !map->Find(page * kPageBytes, count * kPageBytes, &at)) {
      s = Status::Corruption(from, "has no page " + std::to_string(page) + " of the segment");
      break;
    }
    s = AppendPages(from, at / kPageBytes, count, file.get(), moved);
    page += count;
  }
  std::string encoded;
  SegmentMap(segment, pages).EncodeTo(&encoded);
  if (s.ok()) s = file->Append(encoded);
  if (s.ok()) s = file->Sync();
  const Status closed = file->Close();
  file.reset();
  if (s.ok()) s = closed;
  if (!s.ok()) (void)env_->RemoveFile(name);
  return s;
}

Status SegmentMover::AppendPages(const std::string &source, uint64_t page, uint64_t pages, RemapFile *file,
                                 MovedPages *moved) {
  while (pages != 0) {
    PageRun run;
    Status s = remap_->GetLpn(source, page * kPageBytes, pages, &run);
    // The file ends before it.
    if (s.IsInvalidArgument()) return Status::Corruption(source, s.ToString());
    if (!s.ok() && !s.IsNotSupportedError()) return s;
    if (s.ok() && run.pages != 0) {
      s = file->AppendRemap(run);
      moved->remapped += run.pages;
    } else {
      run.pages = 1;
      s = Copy(source, page, file);
      moved->copied++;
    }
    if (!s.ok()) return s;
    page += run.pages;
    pages -= run.pages;
  }
  return Status::OK();
}

// The page is filled up, if it is a partial one, because the next one begins behind it.
Status SegmentMover::Copy(const std::string &source, uint64_t page, RemapFile *file) {
  const uint64_t offset = page * kPageBytes;
  uint64_t size = 0;
  Status s = env_->GetFileSize(source, &size);
  if (!s.ok()) return s;
  if (size <= offset) return Status::Corruption(source, "ends before a page that is referred to");
  leveldb::RandomAccessFile *opened = nullptr;
  s = env_->NewRandomAccessFile(source, &opened);
  if (!s.ok()) return s;
  const std::unique_ptr<leveldb::RandomAccessFile> reader(opened);
  std::string data(kPageBytes, '\0');
  Slice read;
  // Not beyond the end, which LevelDB's own files refuse.
  const auto bytes = static_cast<size_t>(std::min<uint64_t>(kPageBytes, size - offset));
  s = reader->Read(offset, bytes, &read, &data[0]);
  if (!s.ok()) return s;
  if (read.size() != bytes) return Status::Corruption(source, "a page cannot be read as a whole");
  std::string copy = read.ToString();
  copy.resize(kPageBytes);
  return file->Append(copy);
}

}  // namespace openremap
