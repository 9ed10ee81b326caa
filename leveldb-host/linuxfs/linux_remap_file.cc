// SPDX-License-Identifier: Apache-2.0
#include "linux_remap_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr size_t kBufferBytes = 256 << 10;
constexpr uint64_t kCopyPages = 64;

}  // namespace

LinuxRemapFile::LinuxRemapFile(LinuxRemapShared *shared, std::string name, int fd)
    : shared_(shared), name_(std::move(name)), fd_(fd) {}

LinuxRemapFile::~LinuxRemapFile() { (void)Close(); }

Status LinuxRemapFile::Fail(const Status &s) {
  if (failed_.ok()) failed_ = s;
  return s;
}

Status LinuxRemapFile::Append(const Slice &data) {
  if (!failed_.ok()) return failed_;
  buffer_.append(data.data(), data.size());
  return buffer_.size() < kBufferBytes ? Status::OK() : WriteBuffer();
}

Status LinuxRemapFile::AppendRemap(const PageRun &source) {
  if (!failed_.ok()) return failed_;
  if (Offset() % kPageBytes != 0) return Status::InvalidArgument(name_, "a remap off the pages");
  if (source.pages == 0) return Status::InvalidArgument(name_, "a remap of no pages");
  Status s = WriteBuffer();
  if (!s.ok()) return s;
  // Neighbours are one range: the command has room for so many.
  if (!kept_.empty() && kept_.back().offset + kept_.back().source.pages * kPageBytes == written_ &&
      kept_.back().source.lpn + kept_.back().source.pages == source.lpn) {
    kept_.back().source.pages += source.pages;
  } else {
    kept_.push_back({written_, source});
  }
  written_ += source.pages * kPageBytes;
  return s;
}

Status LinuxRemapFile::WriteAt(uint64_t offset, const char *data, size_t bytes) {
  while (bytes != 0) {
    const ssize_t done = pwrite(fd_, data, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return Fail(Status::IOError(name_, std::strerror(done < 0 ? errno : EIO)));
    offset += static_cast<uint64_t>(done);
    data += done;
    bytes -= static_cast<size_t>(done);
  }
  return Status::OK();
}

Status LinuxRemapFile::WriteBuffer() {
  Status s = WriteAt(written_, buffer_.data(), buffer_.size());
  if (!s.ok()) return s;
  written_ += buffer_.size();
  buffer_.clear();
  return s;
}

Status LinuxRemapFile::SyncFile() {
  return fsync(fd_) == 0 ? Status::OK() : Fail(Status::IOError(name_, std::strerror(errno)));
}

// Ranges side by side in one call, each of which may cost the device a command.
Status LinuxRemapFile::MakeRoom(bool *possible) {
  *possible = true;
  for (size_t i = 0; i < kept_.size() && *possible;) {
    const uint64_t from = kept_[i].offset;
    uint64_t to = from;
    while (i < kept_.size() && kept_[i].offset == to) to += kept_[i++].source.pages * kPageBytes;
    Status s = shared_->places->MakeWritten(fd_, from, to - from);
    if (s.IsNotSupportedError()) {
      *possible = false;
    } else if (!s.ok()) {
      return Fail(s);
    }
  }
  return Status::OK();
}

// *known: the file system tells where all ranges lie.
Status LinuxRemapFile::Targets(std::vector<RemapRun> *runs, bool *known) {
  *known = true;
  for (const Kept &kept : kept_) {
    for (uint64_t done = 0; done < kept.source.pages;) {
      PageRun run;
      Status s = shared_->places->Locate(fd_, kept.offset + done * kPageBytes, kept.source.pages - done, &run);
      if (s.IsNotSupportedError()) {
        *known = false;
        return Status::OK();
      }
      if (!s.ok()) return Fail(s);
      runs->push_back({kept.source.lpn + done, run.lpn, run.pages});
      done += run.pages;
    }
  }
  return Status::OK();
}

// As few commands as the device's limits allow. Those of a table need not be one: until the last is done nobody reads it.
Status LinuxRemapFile::Remap(const std::vector<RemapRun> &runs) {
  const size_t most_runs = shared_->device->MaxRemapRuns();
  const uint64_t most_pages = shared_->device->MaxRemapPages();
  std::vector<RemapRun> command;
  uint64_t pages = 0;
  size_t next = 0;
  uint64_t taken = 0;  // pages of runs[next]
  bool refused = false;
  while (next < runs.size() || !command.empty()) {
    if (next < runs.size() && command.size() < most_runs && pages < most_pages) {
      const RemapRun &run = runs[next];
      const uint64_t part = std::min(run.pages - taken, most_pages - pages);
      command.push_back({run.source + taken, run.target + taken, part});
      pages += part;
      taken += part;
      if (taken == run.pages) {
        next++;
        taken = 0;
      }
      continue;
    }
    if (!refused) {
      Status s = shared_->device->Remap(command, &refused);
      if (!s.ok()) return Fail(s);
    }
    if (refused) {
      // The device has no room: this command and all after it are written. Offsets follow from the order of the ranges.
      break;
    }
    shared_->stats.remapped_pages += pages;
    shared_->stats.remap_commands++;
    command.clear();
    pages = 0;
  }
  if (!refused) return Status::OK();
  // The pages that are there already are the first ones.
  uint64_t left = 0;
  for (const RemapRun &run : command) left += run.pages;
  for (size_t i = next; i < runs.size(); i++) left += runs[i].pages - (i == next ? taken : 0);
  uint64_t there = 0;
  for (const RemapRun &run : runs) there += run.pages;
  there -= left;
  std::vector<Kept> rest;
  for (const Kept &kept : kept_) {
    const uint64_t skip = std::min(there, kept.source.pages);
    there -= skip;
    if (skip < kept.source.pages) {
      rest.push_back({kept.offset + skip * kPageBytes, {kept.source.lpn + skip, kept.source.pages - skip}});
    }
  }
  return Copy(rest);
}

Status LinuxRemapFile::Copy(const std::vector<Kept> &kept) {
  std::string data;
  for (const Kept &range : kept) {
    for (uint64_t done = 0; done < range.source.pages;) {
      const uint64_t pages = std::min(range.source.pages - done, kCopyPages);
      data.resize(pages * kPageBytes);
      Status s = shared_->device->Read(range.source.lpn + done, pages, &data[0]);
      if (!s.ok()) return Fail(s);
      s = WriteAt(range.offset + done * kPageBytes, data.data(), data.size());
      if (!s.ok()) return s;
      done += pages;
      shared_->stats.fallback_pages += pages;
    }
  }
  return SyncFile();
}

Status LinuxRemapFile::Sync() {
  if (!failed_.ok()) return failed_;
  Status s = WriteBuffer();
  if (!s.ok()) return s;
  if (kept_.empty()) return SyncFile();
  std::lock_guard<std::mutex> lock(shared_->mutex);
  bool possible = false, known = false;
  std::vector<RemapRun> runs;
  s = MakeRoom(&possible);
  if (s.ok() && possible) s = SyncFile();
  if (s.ok() && possible) s = Targets(&runs, &known);
  if (s.ok()) s = known ? Remap(runs) : Copy(kept_);
  if (!s.ok()) return s;
  for (const Kept &kept : kept_) {
    // Best effort: what was read ahead into these pages was read before they had their contents.
    (void)posix_fadvise(fd_, static_cast<off_t>(kept.offset), static_cast<off_t>(kept.source.pages * kPageBytes),
                        POSIX_FADV_DONTNEED);
  }
  kept_.clear();
  return s;
}

Status LinuxRemapFile::Close() {
  if (fd_ < 0) return Status::OK();
  Status s = failed_;
  if (s.ok()) s = kept_.empty() ? WriteBuffer() : Sync();
  if (close(fd_) != 0 && s.ok()) s = Status::IOError(name_, std::strerror(errno));
  fd_ = -1;
  return s;
}

}  // namespace openremap
