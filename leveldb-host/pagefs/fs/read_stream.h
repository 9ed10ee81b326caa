// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_READ_STREAM_H_
#define OPENREMAP_PAGEFS_READ_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "leveldb/status.h"

namespace openremap {

// Reads pages of a file from page `first` on.
using PageReader = std::function<leveldb::Status(uint64_t first, uint64_t pages, char *data)>;

// Page ranges of a file to read in parallel.
struct PagesWanted {
  uint64_t first;
  uint64_t pages;
  char *data;
};
using PagesReader = std::function<leveldb::Status(const std::vector<PagesWanted> &wanted)>;

// Uninitialised memory for pages. A std::string would fill it first.
std::unique_ptr<char[]> NewPages(uint64_t pages);

// Bytes of a file, and no page more than they lie in. REQUIRES: n != 0.
leveldb::Status ReadExactly(const PageReader &read, uint64_t offset, size_t n, char *out);

class ReadStream;

// Limits the memory of all read-ahead windows by the number of streams that hold one. Not thread-safe.
class ReadWindows {
 public:
  // 8 MiB in all. A scan needs one for each level and each table of level 0; a compaction needs those of two levels.
  static constexpr size_t kMost = 64;

  // Records that the stream filled its window. Beyond kMost windows, drops the one that was filled longest ago.
  void Add(ReadStream *stream);
  void Remove(const ReadStream *stream);
  size_t count() const { return streams_.size(); }

 private:
  std::vector<ReadStream *> streams_;  // in the order in which their windows were filled
};

// A stream of sequential reads of a file, as a compaction or a scan makes them: each read begins where the last one
// ended, or on the next page. The fourth read of a stream reads ahead into a window of four pages. Each window is twice
// as long as the one before, up to 128 KiB, as in Linux. Before the first window, only the requested pages are read.
//
// Once there is a window, reads may skip pages, as a compaction does over blocks that it need not read: within the
// window, or beyond it by up to its length; skipped pages beyond it are not read. After a window with skips, the next
// one has the same length, or half of it if less than a quarter of its pages was used. If less than half of a four-page
// window was used, the stream must be sequential again before the next window.
//
// A window is kept until its last byte has been read. Not thread-safe.
class ReadStream {
 public:
  static constexpr uint64_t kFirstPages = 4;
  static constexpr uint64_t kMostPages = 32;

  // `windows` outlives this.
  explicit ReadStream(ReadWindows *windows) : windows_(windows) {}
  ~ReadStream() { DropWindow(); }
  ReadStream(const ReadStream &) = delete;
  ReadStream &operator=(const ReadStream &) = delete;

  // A new stream, of which one read is known, that ended before byte `end`.
  void Begin(uint64_t end);
  void DropWindow();
  // A new stream that is about to read from byte `begin` on, out of these pages (from `first` on) which were read
  // before it asked. They are no sign of reads that follow one another: the window is for one read, and decides nothing
  // of the next.
  void BeginWith(std::unique_ptr<char[]> pages, uint64_t first, uint64_t count, uint64_t begin);

  // Whether the window has all of these bytes.
  bool Holds(uint64_t offset, size_t n) const;
  // Whether a read from here on would be the stream's next one.
  bool Follows(uint64_t offset) const;
  uint64_t end() const { return end_; }

  // REQUIRES: Holds, or Follows and the file has all of the bytes. An error is one of reading these bytes themselves.
  leveldb::Status Read(const PageReader &read, uint64_t offset, size_t n, uint64_t file_pages, char *out);

 private:
  uint64_t WindowEnd() const { return window_pages_ == 0 ? 0 : window_first_ + window_pages_; }
  uint64_t NextLength(uint64_t asked) const;
  void Serve(uint64_t offset, size_t n, char *out);

  ReadWindows *const windows_;
  uint64_t end_ = UINT64_MAX;  // where the last read ended
  int following_ = 0;          // reads that followed one another since the first

  std::unique_ptr<char[]> window_;
  uint64_t window_first_ = 0;  // page of the file
  uint64_t window_pages_ = 0;  // 0: no window

  // Of the last window that was read ahead, be it there or not. 0: nothing is read ahead yet.
  uint64_t length_ = 0;
  uint64_t used_ = 0;    // pages of it that reads had
  uint64_t passed_ = 0;  // the page after those
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_READ_STREAM_H_
