// SPDX-License-Identifier: Apache-2.0
#include "rocksfs/page_files.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "rocksfs/io_status.h"

namespace openremap {

using rocksdb::FSReadRequest;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

namespace {

IOStatus ReadFile(PageFs *fs, const PageFs::File &file, ReadAhead *ahead, uint64_t offset, size_t n, Slice *result,
                  char *scratch) {
  leveldb::Slice found;
  const leveldb::Status s = fs->Read(file, offset, n, &found, scratch, ahead);
  *result = Slice(found.data(), s.ok() ? found.size() : 0);
  return ToIoStatus(s);
}

}  // namespace

// ---- Reading --------------------------------------------------------------------------------------------------------

RocksSequentialFile::RocksSequentialFile(PageFs *fs, PageFs::File file)
    : fs_(fs), file_(std::move(file)), ahead_(fs->windows()) {}

RocksSequentialFile::~RocksSequentialFile() { fs_->CloseReading(file_, &ahead_); }

IOStatus RocksSequentialFile::Read(size_t n, const IOOptions &, Slice *result, char *scratch, IODebugContext *) {
  IOStatus s = ReadFile(fs_, file_, &ahead_, offset_, n, result, scratch);
  if (s.ok()) offset_ += result->size();
  return s;
}

IOStatus RocksSequentialFile::Skip(uint64_t n) {
  offset_ = std::min(offset_ + n, fs_->Offset(file_));
  return IOStatus::OK();
}

RocksRandomAccessFile::RocksRandomAccessFile(PageFs *fs, PageFs::File file, bool direct)
    : fs_(fs), file_(std::move(file)), direct_(direct), ahead_(fs->windows()) {}

RocksRandomAccessFile::~RocksRandomAccessFile() { fs_->CloseReading(file_, &ahead_); }

IOStatus RocksRandomAccessFile::CheckAligned(uint64_t offset, size_t n) const {
  if (!direct_ || (offset % kPageBytes == 0 && n % kPageBytes == 0)) return IOStatus::OK();
  return IOStatus::InvalidArgument("PageFS", "direct read of " + std::to_string(n) + " bytes from byte " +
                                                 std::to_string(offset) + " on, which are no whole pages");
}

IOStatus RocksRandomAccessFile::ReadWith(ReadAhead *ahead, uint64_t offset, size_t n, Slice *result,
                                         char *scratch) const {
  IOStatus s = CheckAligned(offset, n);
  if (!s.ok()) *result = Slice();
  return s.ok() ? ReadFile(fs_, file_, ahead, offset, n, result, scratch) : s;
}

IOStatus RocksRandomAccessFile::Read(uint64_t offset, size_t n, const IOOptions &, Slice *result, char *scratch,
                                     IODebugContext *) const {
  return ReadWith(direct_ ? nullptr : &ahead_, offset, n, result, scratch);
}

IOStatus RocksRandomAccessFile::MultiRead(FSReadRequest *requests, size_t count, const IOOptions &, IODebugContext *) {
  for (size_t begin = 0; begin < count; begin += ReadAhead::kStreams) {
    const size_t end = std::min(count, begin + ReadAhead::kStreams);
    std::vector<FileRange> ranges;
    for (size_t i = begin; i < end; i++) {
      if (CheckAligned(requests[i].offset, requests[i].len).ok()) {
        ranges.push_back({requests[i].offset, requests[i].len});
      }
    }
    fs_->Prefetch(file_, ranges, &ahead_);
    for (size_t i = begin; i < end; i++) {
      FSReadRequest &request = requests[i];
      request.status = ReadWith(&ahead_, request.offset, request.len, &request.result, request.scratch);
    }
  }
  return IOStatus::OK();
}

// ---- Writing --------------------------------------------------------------------------------------------------------

RocksWritableFile::RocksWritableFile(PageFs *fs, PageFs::File file, std::string name, const FileHints &hints,
                                     const rocksdb::FileOptions &options)
    : FSWritableFile(options), fs_(fs), file_(std::move(file)), name_(std::move(name)), hints_(hints) {}

RocksWritableFile::~RocksWritableFile() { Close(IOOptions(), nullptr).PermitUncheckedError(); }

// Before the first byte: what RocksDB tells of a file it tells between creating it and appending to it.
void RocksWritableFile::PlaceOnce() {
  if (placed_) return;
  placed_ = true;
  hints_.life_time = GetWriteLifeTimeHint();
  hints_.priority = GetIOPriority();
  fs_->Place(file_, PlaceOf(hints_));
  fs_->SetCause(name_, CauseOf(hints_));
}

IOStatus RocksWritableFile::Append(const Slice &data, const IOOptions &, IODebugContext *) {
  if (!refused_.ok()) return refused_;
  PlaceOnce();
  const bool gather = hints_.kind == RocksFileKind::kTable || hints_.kind == RocksFileKind::kBlob;
  refused_ = ToIoStatus(fs_->Append(file_, leveldb::Slice(data.data(), data.size()), gather));
  return refused_;
}

IOStatus RocksWritableFile::Truncate(uint64_t size, const IOOptions &, IODebugContext *) {
  const uint64_t now = fs_->Offset(file_);
  if (size == now) return IOStatus::OK();
  return IOStatus::NotSupported(
      "PageFS", name_ + ": cut or extended from " + std::to_string(now) + " to " + std::to_string(size) + " bytes");
}

IOStatus RocksWritableFile::Close(const IOOptions &, IODebugContext *) {
  if (closed_) return IOStatus::OK();
  closed_ = true;
  return ToIoStatus(fs_->CloseWriting(file_));
}

IOStatus RocksWritableFile::Sync(const IOOptions &, IODebugContext *) { return ToIoStatus(fs_->Sync(file_)); }

uint64_t RocksWritableFile::GetFileSize(const IOOptions &, IODebugContext *) { return fs_->Offset(file_); }

IOStatus RocksDirectory::Fsync(const IOOptions &, IODebugContext *) { return ToIoStatus(fs_->SyncAll()); }

}  // namespace openremap
