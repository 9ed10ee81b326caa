// SPDX-License-Identifier: Apache-2.0
#include "reflink_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "posix_file.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

ReflinkFile::ReflinkFile(ReflinkShared *shared, std::string name, int fd)
    : shared_(shared), name_(std::move(name)), fd_(fd), file_system_(shared->cloner->FileSystemOf(fd)) {}

ReflinkFile::~ReflinkFile() { (void)Close(); }

Status ReflinkFile::Fail(const Status &s) {
  if (failed_.ok()) failed_ = s;
  return s;
}

Status ReflinkFile::Append(const Slice &data) {
  if (!failed_.ok()) return failed_;
  Status s = CloneKept();
  if (!s.ok()) return s;
  buffer_.append(data.data(), data.size());
  return buffer_.size() < kBufferBytes ? s : WriteBuffer();
}

Status ReflinkFile::AppendRemap(const PageRun &source) {
  if (!failed_.ok()) return failed_;
  if (Offset() % kPageBytes != 0) return Status::InvalidArgument(name_, "a remap off the pages");
  if (source.pages == 0) return Status::InvalidArgument(name_, "a remap of no pages");
  // Neighbours are one range: each call is an entry of the file system's journal. Numbers of files lie apart.
  if (kept_.pages != 0 && kept_.lpn + kept_.pages == source.lpn) {
    kept_.pages += source.pages;
    return Status::OK();
  }
  Status s = kept_.pages != 0 ? CloneKept() : WriteBuffer();
  if (s.ok()) kept_ = source;
  return s;
}

Status ReflinkFile::Write(const std::string &data) {
  Status s = WriteAt(fd_, name_, written_, data.data(), data.size());
  if (!s.ok()) return Fail(s);
  written_ += data.size();
  shared_->written.Add(shared_->causes.Of(name_), data.size());
  return s;
}

Status ReflinkFile::WriteBuffer() {
  Status s = Write(buffer_);
  buffer_.clear();
  return s;
}

Status ReflinkFile::CloneKept() {
  if (kept_.pages == 0) return Status::OK();
  std::string fname;
  uint64_t offset = 0;
  if (!shared_->numbers.Find(kept_.lpn, &fname, &offset)) {
    return Fail(Status::InvalidArgument(name_, "a remap of pages of no file"));
  }
  const OpenFile source(fname, O_RDONLY);
  if (!source.status().ok()) return Fail(source.status());
  const uint64_t bytes = kept_.pages * kPageBytes;
  CloneResult result = CloneResult::kNever;
  int rc = 0;
  if (!shared_->without.Has(file_system_)) {
    rc = shared_->cloner->Clone({source.fd(), offset, fd_, written_, bytes});
    result = CloneResultOf(rc);
  }
  switch (result) {
    case CloneResult::kDone:
      written_ += bytes;
      shared_->cloned_pages += kept_.pages;
      shared_->clones++;
      kept_ = PageRun();
      return Status::OK();
    case CloneResult::kFailed:
      return Fail(Status::IOError(name_, std::strerror(-rc)));
    case CloneResult::kNever:
      shared_->without.Add(file_system_);
      break;
    case CloneResult::kNotHere:
      break;
  }
  return Copy(source.fd(), fname, offset);
}

// The kept range, from a file that cannot share it.
Status ReflinkFile::Copy(int source, const std::string &fname, uint64_t offset) {
  std::string data;
  while (kept_.pages != 0) {
    const uint64_t pages = std::min(kept_.pages, kCopyPages);
    data.resize(pages * kPageBytes);
    Status s = ReadAt(source, fname, offset, &data[0], data.size());
    if (!s.ok()) return Fail(s);
    s = Write(data);
    if (!s.ok()) return s;
    offset += data.size();
    kept_.lpn += pages;
    kept_.pages -= pages;
    shared_->copied_pages += pages;
  }
  return Status::OK();
}

Status ReflinkFile::WriteOut() {
  if (!failed_.ok()) return failed_;
  Status s = CloneKept();
  return s.ok() ? WriteBuffer() : s;
}

Status ReflinkFile::Sync() {
  Status s = WriteOut();
  if (!s.ok()) return s;
  return fdatasync(fd_) == 0 ? s : Fail(Status::IOError(name_, std::strerror(errno)));
}

Status ReflinkFile::Close() {
  if (fd_ < 0) return Status::OK();
  Status s = WriteOut();
  if (close(fd_) != 0 && s.ok()) s = Status::IOError(name_, std::strerror(errno));
  fd_ = -1;
  return s;
}

}  // namespace openremap
