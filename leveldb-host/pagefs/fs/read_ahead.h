// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_READ_AHEAD_H_
#define OPENREMAP_PAGEFS_READ_AHEAD_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "leveldb/status.h"
#include "pagefs/fs/read_stream.h"
#include "prefetching_file.h"

namespace openremap {

// Read-ahead of one open file. Separates its reads into parallel sequential streams: a table of several sorted runs is
// merged from that many places while gets read it, too. A read that continues no stream starts one and replaces the
// least recently used. So random reads cause no read-ahead windows, and displace those that are no longer read. Not
// thread-safe.
class ReadAhead {
 public:
  static constexpr size_t kStreams = 16;  // more than RemapOptions::blend_runs

  // REQUIRES: `windows` outlives this.
  explicit ReadAhead(ReadWindows *windows) : windows_(windows) {}

  // Bytes [offset, offset + n) of the file, which has `file_bytes` now; where it had less before, none of those has
  // changed. An error is one of reading these bytes themselves. REQUIRES: n != 0, offset + n <= file_bytes.
  leveldb::Status Read(const PageReader &read, uint64_t offset, size_t n, uint64_t file_bytes, char *out);
  // Reads these ranges at once, each for one Read of its bytes that is to follow; those that a window has, or that
  // reach beyond the file, are left out, and so are those after the first kStreams. An error is left to those reads.
  void Prefetch(const PagesReader &read, const std::vector<FileRange> &ranges, uint64_t file_bytes);
  // So many holes were made in the file so far: what was read ahead before the last one may be what was there.
  void NoteHoles(uint64_t holes) {
    if (holes != holes_) Forget();
    holes_ = holes;
  }
  // Forgets all streams.
  void Forget() { streams_.clear(); }

 private:
  using Streams = std::vector<std::unique_ptr<ReadStream>>;
  Streams::iterator Find(uint64_t offset, size_t n);
  void NoteSize(uint64_t file_bytes);
  ReadStream *Oldest();  // which is the one read last from now on

  ReadWindows *const windows_;
  Streams streams_;  // the one read last is the last one
  uint64_t file_bytes_ = 0;
  uint64_t holes_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_READ_AHEAD_H_
