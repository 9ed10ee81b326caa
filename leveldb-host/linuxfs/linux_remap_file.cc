// SPDX-License-Identifier: Apache-2.0
#include "linux_remap_file.h"

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
  // A file with kept pages holds back all of it until its sync, a table's size at most.
  return buffer_.size() < kBufferBytes || !kept_.empty() ? Status::OK() : WriteWholePages();
}

Status LinuxRemapFile::AppendRemap(const PageRun &source) {
  if (!failed_.ok()) return failed_;
  if (Offset() % kPageBytes != 0) return Status::InvalidArgument(name_, "a remap off the pages");
  if (source.pages == 0) return Status::InvalidArgument(name_, "a remap of no pages");
  EndPiece();
  const uint64_t offset = begun_;
  // Adjacent ranges are merged, because a command has room for a limited number.
  if (!kept_.empty() && kept_.back().offset + kept_.back().source.pages * kPageBytes == offset &&
      kept_.back().source.lpn + kept_.back().source.pages == source.lpn) {
    kept_.back().source.pages += source.pages;
  } else {
    kept_.push_back({offset, source});
  }
  begun_ += source.pages * kPageBytes;
  return Status::OK();
}

void LinuxRemapFile::EndPiece() {
  if (buffer_.empty()) return;
  const uint64_t offset = std::exchange(begun_, Offset());
  pieces_.push_back({offset, std::move(buffer_)});
  buffer_.clear();
}

Status LinuxRemapFile::Write(uint64_t offset, const std::string &data) {
  Status s = WriteAt(fd_, name_, offset, data.data(), data.size());
  if (!s.ok()) return Fail(s);
  shared_->written.Add(shared_->causes.Of(name_), data.size());
  return s;
}

// REQUIRES: nothing is kept yet. Whole pages, so that what follows them can get its space in one piece.
Status LinuxRemapFile::WriteWholePages() {
  const size_t bytes = buffer_.size() / kPageBytes * kPageBytes;
  Status s = WriteAt(fd_, name_, begun_, buffer_.data(), bytes);
  if (!s.ok()) return Fail(s);
  shared_->written.Add(shared_->causes.Of(name_), bytes);
  buffer_.erase(0, bytes);
  begun_ += bytes;
  flushed_ = begun_;
  return s;
}

Status LinuxRemapFile::WritePieces() {
  EndPiece();
  for (const Piece &piece : pieces_) {
    Status s = Write(piece.offset, piece.data);
    if (!s.ok()) return s;
  }
  pieces_.clear();
  flushed_ = begun_;
  return Status::OK();
}

Status LinuxRemapFile::SyncFile() {
  return fsync(fd_) == 0 ? Status::OK() : Fail(Status::IOError(name_, std::strerror(errno)));
}

// All that is not written yet, what is kept and what lies between, gets its space in one call: the fewer extents a
// table has, the less the file system's journal writes for it.
Status LinuxRemapFile::MakeRoom(bool *possible) {
  const uint64_t from = (flushed_ + kPageBytes - 1) / kPageBytes * kPageBytes;
  const uint64_t end = Offset() / kPageBytes * kPageBytes;  // beyond it are a table's last bytes, no whole page
  Status s = shared_->places->MakeWritten(fd_, from, end - from);
  *possible = s.ok();
  return s.ok() || s.IsNotSupportedError() ? Status::OK() : Fail(s);
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

// As few commands as the device's limits allow. Those of a table need not be one: until the last is done nobody reads
// it.
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
      s = Write(range.offset + done * kPageBytes, data);
      if (!s.ok()) return s;
      done += pages;
      shared_->stats.fallback_pages += pages;
    }
  }
  return SyncFile();
}

Status LinuxRemapFile::Sync() {
  if (!failed_.ok()) return failed_;
  if (kept_.empty()) {
    Status s = WritePieces();
    return s.ok() ? SyncFile() : s;
  }
  std::lock_guard<std::mutex> lock(shared_->mutex);
  bool possible = false, known = false;
  std::vector<RemapRun> runs;
  Status s = MakeRoom(&possible);
  if (s.ok()) s = WritePieces();
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
  if (s.ok()) s = kept_.empty() ? WritePieces() : Sync();
  if (close(fd_) != 0 && s.ok()) s = Status::IOError(name_, std::strerror(errno));
  fd_ = -1;
  return s;
}

}  // namespace openremap
