// SPDX-License-Identifier: Apache-2.0
//
// The bytes of files: buffered until pages are full or must go, written to extents, shared by remap, read back.
#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "pagefs/fs/page_fs.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

using Lock = std::lock_guard<std::mutex>;

}  // namespace

// ---- Appending ------------------------------------------------------------------------------------------------------

Status PageFs::Append(const File &file, const Slice &data, bool gather) {
  Lock lock(mutex_);
  if (!error_.ok()) return error_;
  if (data.empty()) return Status::OK();
  Inode *inode = file.get();
  Status s = Promise(inode, inode->size + data.size());
  if (!s.ok()) return s;
  if (inode->pending.empty() || inode->pending.back().source.pages != 0) {
    assert(inode->size % kPageBytes == 0);
    PendingSegment segment;
    segment.first_page = inode->size / kPageBytes;
    segment.begin = inode->buffer.size();
    inode->pending.push_back(segment);
  }
  inode->buffer.Append(data.data(), data.size());
  inode->pending.back().bytes += data.size();
  inode->size += data.size();
  inode->tail_clean = false;
  const uint64_t waiting = inode->size / kPageBytes - std::min(inode->size / kPageBytes, inode->pending[0].first_page);
  return waiting >= (gather ? kGatherPages : kWriteBehindPages) ? WriteOut(inode, /*partial=*/false) : Status::OK();
}

Status PageFs::AppendRemap(const File &file, const PageRun &source) {
  Lock lock(mutex_);
  if (!error_.ok()) return error_;
  Inode *inode = file.get();
  if (inode->size % kPageBytes != 0) {
    return Status::InvalidArgument("PageFS", "remap to byte " + std::to_string(inode->size) + ", not a page boundary");
  }
  if (source.pages == 0 || source.lpn >= superblock_.pages || source.pages > superblock_.pages - source.lpn) {
    return Status::InvalidArgument("PageFS", "remap of pages that the device does not have");
  }
  Status s = Promise(inode, inode->size + source.pages * kPageBytes);
  if (!s.ok()) return s;
  PendingSegment *last = inode->pending.empty() ? nullptr : &inode->pending.back();
  if (last != nullptr && last->source.pages != 0 && last->source.lpn + last->source.pages == source.lpn) {
    last->source.pages += source.pages;
  } else {
    PendingSegment segment;
    segment.first_page = inode->size / kPageBytes;
    segment.source = source;
    inode->pending.push_back(segment);
  }
  inode->size += source.pages * kPageBytes;
  return Status::OK();
}

Status PageFs::Sync(const File &file) {
  Lock lock(mutex_);
  if (!error_.ok()) return error_;
  Status s = WriteOut(file.get(), /*partial=*/true);
  if (!s.ok()) return s;
  QueueState(file);
  // A table means nothing until a manifest names it, and goes with that one's Sync.
  return file->level == Inode::kNoLevel ? Commit() : s;
}

Status PageFs::SyncAll() {
  Lock lock(mutex_);
  return Commit();
}

uint64_t PageFs::Offset(const File &file) {
  Lock lock(mutex_);
  return file->size;
}

Status PageFs::CloseWriting(const File &file) {
  Lock lock(mutex_);
  Inode *inode = file.get();
  Status s = error_;
  if (s.ok()) s = WriteOut(inode, /*partial=*/true);
  if (s.ok()) QueueState(file);
  inode->writing = false;
  inode->handles--;
  // The device has everything, a partial last page too; or it has not, and then those bytes are lost.
  if (!s.ok()) DropUnrecorded(inode);
  inode->pending.clear();
  inode->tail_clean = false;
  inode->buffer.Clear();
  Release(inode);
  return s;
}

// Cuts the file back to what the log knows of it, or will; its other pages are named nowhere.
void PageFs::DropUnrecorded(Inode *inode) {
  promised_pages_ -= inode->MissingPages();
  inode->size = inode->recorded_size;
  const std::vector<PageRun> surplus =
      SliceExtents(inode->extents, inode->recorded_pages, inode->allocated_pages - inode->recorded_pages);
  returned_.insert(returned_.end(), surplus.begin(), surplus.end());
  inode->extents = SliceExtents(inode->extents, 0, inode->recorded_pages);
  inode->allocated_pages = inode->recorded_pages;
  Count(inode);
}

void PageFs::CloseReading(const File &file, ReadAhead *ahead) {
  Lock lock(mutex_);
  if (ahead != nullptr) ahead->Forget();
  file->handles--;
  Release(file.get());
}

// ---- To the device --------------------------------------------------------------------------------------------------

// Pages that were promised.
void PageFs::Allocate(Inode *inode, uint64_t pages) {
  const bool follows = !inode->extents.empty() && !IsHole(inode->extents.back());
  const uint64_t goal = follows ? inode->extents.back().lpn + inode->extents.back().pages : 0;
  const bool taken = allocator_.Allocate(pages, goal, &inode->extents);
  assert(taken);
  (void)taken;
  inode->allocated_pages += pages;
  promised_pages_ -= pages;
  Count(inode);
}

// Sends what is pending, a partial last page only with `partial`.
Status PageFs::WriteOut(Inode *inode, bool partial) {
  if (inode->pending.empty() || inode->tail_clean) return Status::OK();
  const uint64_t end = partial ? PagesOf(inode->size) : inode->size / kPageBytes;
  if (end <= inode->pending.front().first_page) return Status::OK();
  const uint64_t held = inode->allocated_pages;
  if (end > held) Allocate(inode, end - held);

  const unsigned placement = PlacementOf(*inode);
  std::vector<WriteRun> writes;
  std::vector<RemapRun> remaps;
  std::string last_page;
  for (const PendingSegment &segment : inode->pending) {
    if (segment.first_page >= end) break;
    const uint64_t pages = std::min(segment.Pages(), end - segment.first_page);
    uint64_t done = 0;
    for (const PageRun &run : SliceExtents(inode->extents, segment.first_page, pages)) {
      if (segment.source.pages != 0) {
        remaps.push_back({segment.source.lpn + done, run.lpn, run.pages});
      } else {
        const uint64_t whole = std::min(run.pages, segment.bytes / kPageBytes - done);
        for (uint64_t sent = 0; sent < whole;) {
          const auto [data, bytes] =
              inode->buffer.Piece(segment.begin + static_cast<size_t>((done + sent) * kPageBytes),
                                  static_cast<size_t>((whole - sent) * kPageBytes));
          writes.push_back({run.lpn + sent, bytes / kPageBytes, data, placement, inode->Kind()});
          sent += bytes / kPageBytes;
        }
        if (whole < run.pages) {
          const auto at = static_cast<size_t>((done + whole) * kPageBytes);
          last_page.assign(kPageBytes, '\0');
          inode->buffer.CopyTo(segment.begin + at, segment.bytes - at, &last_page[0]);
          writes.push_back({run.lpn + whole, 1, last_page.data(), placement, inode->Kind()});
        }
        CountWritten(*inode, run.pages);
      }
      done += run.pages;
    }
  }
  if (inode->pending.front().first_page < held) stats_.tail_pages_rewritten++;

  Status s;
  if (!writes.empty()) {
    uint64_t written = 0, remapped = 0;
    for (const WriteRun &run : writes) written += run.pages;
    for (const RemapRun &run : remaps) remapped += run.pages;
    writes.front().begins = held == 0;
    if (held == 0) s = BeginUnit(*inode, written, remapped);
    unflushed_ = true;
    if (s.ok()) s = Latch(device_->Write(writes, /*durable=*/false));
  }
  if (s.ok()) s = SendRemaps(*inode, remaps);
  if (s.ok()) KeepTail(inode, partial);
  return s;
}

// After a write-out only a partial last page stays in memory. `clean`: the device has that, too.
void PageFs::KeepTail(Inode *inode, bool clean) {
  const auto tail = static_cast<size_t>(inode->size % kPageBytes);
  inode->buffer.KeepLast(tail);
  inode->pending.clear();
  if (tail == 0) return;
  PendingSegment rest;
  rest.first_page = inode->size / kPageBytes;
  rest.bytes = tail;
  inode->pending.push_back(rest);
  inode->tail_clean = clean;
}

void PageFs::CountWritten(const Inode &inode, uint64_t pages) {
  stats_.data_pages_written += pages;
  stats_.data_bytes_by_cause.at(static_cast<size_t>(inode.cause)) += pages * kPageBytes;
  switch (inode.Kind()) {
    case PageKind::kTable:
      stats_.table_pages_written += pages;
      break;
    case PageKind::kLog:
      stats_.log_pages_written += pages;
      break;
    default:
      stats_.other_pages_written += pages;
  }
}

// For a file of which `written` pages are about to be written, the first ones, and `remapped` to be shared.
Status PageFs::BeginUnit(const Inode &inode, uint64_t written, uint64_t remapped) {
  if (!table_units_ || inode.level == Inode::kNoLevel || written <= remapped) return Status::OK();
  stats_.units_begun++;
  return Latch(device_->BeginUnit(PlacementOf(inode)));
}

// One vector command where the device takes that many runs and pages.
Status PageFs::SendRemaps(const Inode &inode, const std::vector<RemapRun> &runs) {
  std::vector<RemapRun> batch;
  uint64_t room = device_->MaxRemapPages();
  for (RemapRun rest : runs) {
    while (rest.pages != 0) {
      const uint64_t pages = std::min(rest.pages, room);
      batch.push_back({rest.source, rest.target, pages});
      room -= pages;
      rest = {rest.source + pages, rest.target + pages, rest.pages - pages};
      if (room != 0 && batch.size() < device_->MaxRemapRuns()) continue;
      Status s = RemapVector(inode, batch);
      if (!s.ok()) return s;
      batch.clear();
      room = device_->MaxRemapPages();
    }
  }
  return batch.empty() ? Status::OK() : RemapVector(inode, batch);
}

// A refused vector is halved until the runs that the device has no room for are found; those are copied.
Status PageFs::RemapVector(const Inode &inode, const std::vector<RemapRun> &runs) {
  bool refused = false;
  Status s = Latch(device_->Remap(runs, &refused));
  if (!s.ok()) return s;
  if (!refused) {
    stats_.remap.remap_commands++;
    for (const RemapRun &run : runs) stats_.remap.remapped_pages += run.pages;
    return s;
  }
  if (runs.size() == 1) return CopyInstead(inode, runs[0]);
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  s = RemapVector(inode, {runs.begin(), middle});
  return s.ok() ? RemapVector(inode, {middle, runs.end()}) : s;
}

Status PageFs::CopyInstead(const Inode &inode, const RemapRun &run) {
  std::string data(static_cast<size_t>(run.pages * kPageBytes), '\0');
  Status s = device_->Read(run.source, run.pages, &data[0]);
  if (!s.ok()) return s;  // what cannot be read is the source's matter: nothing here is ahead of the device
  unflushed_ = true;
  s = Latch(
      device_->Write({{run.target, run.pages, data.data(), PlacementOf(inode), inode.Kind()}}, /*durable=*/false));
  if (!s.ok()) return s;
  CountWritten(inode, run.pages);
  stats_.remap.fallback_pages += run.pages;
  return s;
}

// ---- Reading --------------------------------------------------------------------------------------------------------

void PageFs::CountRead(uint64_t pages) {
  stats_.data_pages_read += pages;
  stats_.data_spans_read += (pages + kSpanPages - 1) / kSpanPages;
}

// Pages of the file, wherever they are: on the device, to be shared, or still in memory (then zero-padded).
Status PageFs::ReadPages(const Inode &inode, uint64_t first, uint64_t pages, char *data) {
  const uint64_t end = first + pages;
  const uint64_t on_device = inode.pending.empty() ? end : std::min(end, inode.pending.front().first_page);
  Status s;
  if (first < on_device) {
    char *out = data;
    for (const PageRun &run : SliceExtents(inode.extents, first, on_device - first)) {
      if (IsHole(run)) {
        std::memset(out, 0, static_cast<size_t>(run.pages * kPageBytes));
      } else {
        s = device_->Read(run.lpn, run.pages, out);
        if (!s.ok()) return s;
        CountRead(run.pages);
      }
      out += run.pages * kPageBytes;
    }
  }
  for (const PendingSegment &segment : inode.pending) {
    const uint64_t from = std::max(first, segment.first_page);
    const uint64_t to = std::min(end, segment.first_page + segment.Pages());
    if (from >= to) continue;
    char *out = data + (from - first) * kPageBytes;
    if (segment.source.pages != 0) {
      s = device_->Read(segment.source.lpn + (from - segment.first_page), to - from, out);
      if (!s.ok()) return s;
      CountRead(to - from);
    } else {
      const auto at = static_cast<size_t>((from - segment.first_page) * kPageBytes);
      const auto wanted = static_cast<size_t>((to - from) * kPageBytes);
      const size_t there = std::min(wanted, segment.bytes - at);
      inode.buffer.CopyTo(segment.begin + at, there, out);
      std::memset(out + there, 0, wanted - there);
    }
  }
  return s;
}

Status PageFs::Read(const File &file, uint64_t offset, size_t n, Slice *result, char *scratch, ReadAhead *ahead) {
  Lock lock(mutex_);
  *result = Slice(scratch, 0);
  if (offset >= file->size || n == 0) return Status::OK();
  n = static_cast<size_t>(std::min<uint64_t>(n, file->size - offset));
  const PageReader read = [this, &file](uint64_t first, uint64_t pages, char *data) {
    return ReadPages(*file, first, pages, data);
  };
  if (ahead != nullptr) ahead->NoteHoles(file->punched);
  Status s = ahead != nullptr && !file->writing ? ahead->Read(read, offset, n, file->size, scratch)
                                                : ReadExactly(read, offset, n, scratch);
  if (s.ok()) *result = Slice(scratch, n);
  return s;
}

void PageFs::Prefetch(const File &file, const std::vector<FileRange> &ranges, ReadAhead *ahead) {
  Lock lock(mutex_);
  if (file->writing) return;
  const PagesReader read = [this, &file](const std::vector<PagesWanted> &wanted) {
    std::vector<ReadRun> runs;
    for (const PagesWanted &pages : wanted) {
      char *out = pages.data;
      for (const PageRun &run : SliceExtents(file->extents, pages.first, pages.pages)) {
        if (IsHole(run)) {
          std::memset(out, 0, static_cast<size_t>(run.pages * kPageBytes));
        } else {
          runs.push_back({run.lpn, run.pages, out});
          CountRead(run.pages);
        }
        out += run.pages * kPageBytes;
      }
    }
    return runs.empty() ? Status::OK() : device_->ReadTogether(runs);
  };
  assert(file->pending.empty());  // only what is being written has pages elsewhere than on the device
  ahead->NoteHoles(file->punched);
  ahead->Prefetch(read, ranges, file->size);
}

Status PageFs::GetLpn(const std::string &name, uint64_t offset, uint64_t max_pages, PageRun *run) {
  Lock lock(mutex_);
  const File file = Lookup(name);
  if (file == nullptr) return Status::NotFound(name, "no such file");
  if (offset % kPageBytes != 0) return Status::InvalidArgument(name, "offset is not a multiple of the page size");
  if (offset >= file->size) return Status::InvalidArgument(name, "offset is past the end");
  const uint64_t page = offset / kPageBytes;
  // Only pages that are durable and full keep their place and their contents.
  if (offset >= file->durable_size) return Status::NotSupported(name, "not synced yet");
  const uint64_t whole = file->durable_size / kPageBytes;
  const std::vector<PageRun> runs = SliceExtents(file->extents, page, 1);
  if (IsHole(runs[0])) return Status::NotSupported(name, "a hole");
  *run = {runs[0].lpn, 0};
  if (page >= whole) return Status::OK();
  const uint64_t most = std::min(max_pages, whole - page);
  if (most != 0) run->pages = SliceExtents(file->extents, page, most)[0].pages;
  return Status::OK();
}

}  // namespace openremap
