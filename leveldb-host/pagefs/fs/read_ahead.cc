// SPDX-License-Identifier: Apache-2.0
#include "pagefs/fs/read_ahead.h"

#include <algorithm>
#include <utility>

#include "pagefs/fs/inode.h"

namespace openremap {

using leveldb::Status;

// The nearest one before the read: a stream may jump over where another one is.
ReadAhead::Streams::iterator ReadAhead::Find(uint64_t offset, size_t n) {
  auto best = streams_.end();
  for (auto at = streams_.begin(); at != streams_.end(); ++at) {
    if ((*at)->Holds(offset, n)) return at;
    if ((*at)->Follows(offset) && (best == streams_.end() || (*at)->end() > (*best)->end())) best = at;
  }
  return best;
}

void ReadAhead::NoteSize(uint64_t file_bytes) {
  if (file_bytes == file_bytes_) return;
  Forget();  // windows may end with zeros where there is something now
  file_bytes_ = file_bytes;
}

ReadStream *ReadAhead::Oldest() {
  if (streams_.size() < kStreams) {
    streams_.push_back(std::make_unique<ReadStream>(windows_));
  } else {
    std::rotate(streams_.begin(), streams_.begin() + 1, streams_.end());
  }
  return streams_.back().get();
}

Status ReadAhead::Read(const PageReader &read, uint64_t offset, size_t n, uint64_t file_bytes, char *out) {
  NoteSize(file_bytes);
  const auto found = Find(offset, n);
  if (found == streams_.end()) {
    Oldest()->Begin(offset + n);
    return ReadExactly(read, offset, n, out);
  }
  std::rotate(found, found + 1, streams_.end());
  return streams_.back()->Read(read, offset, n, PagesOf(file_bytes), out);
}

void ReadAhead::Prefetch(const PagesReader &read, const std::vector<FileRange> &ranges, uint64_t file_bytes) {
  NoteSize(file_bytes);
  std::vector<FileRange> taken;
  std::vector<std::unique_ptr<char[]>> memory;
  std::vector<PagesWanted> wanted;
  for (const FileRange &range : ranges) {
    if (taken.size() == kStreams) break;
    if (range.bytes == 0 || range.offset > file_bytes || range.bytes > file_bytes - range.offset) continue;
    const auto holds = [&range](const auto &stream) {
      return stream->Holds(range.offset, static_cast<size_t>(range.bytes));
    };
    if (std::any_of(streams_.begin(), streams_.end(), holds)) continue;
    const uint64_t first = range.offset / kPageBytes;
    const uint64_t pages = PagesOf(range.offset + range.bytes) - first;
    if (pages > ReadStream::kMostPages) continue;  // windows are no larger
    memory.push_back(NewPages(pages));
    wanted.push_back({first, pages, memory.back().get()});
    taken.push_back(range);
  }
  if (wanted.empty() || !read(wanted).ok()) return;
  for (size_t i = 0; i < taken.size(); i++) {
    Oldest()->BeginWith(std::move(memory[i]), wanted[i].first, wanted[i].pages, taken[i].offset);
  }
}

}  // namespace openremap
