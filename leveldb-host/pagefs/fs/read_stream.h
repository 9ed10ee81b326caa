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

// Pages of a file, to be read side by side.
struct PagesWanted {
  uint64_t first;
  uint64_t pages;
  char *data;
};
using PagesReader = std::function<leveldb::Status(const std::vector<PagesWanted> &wanted)>;

// Memory for pages, with nothing in it. (Not a std::string, which would write all of it first.)
std::unique_ptr<char[]> NewPages(uint64_t pages);

// Bytes of a file, and no page more than they lie in. REQUIRES: n != 0.
leveldb::Status ReadExactly(const PageReader &read, uint64_t offset, size_t n, char *out);

class ReadStream;

// Which streams hold a window: a bound on the memory of all. Not thread-safe.
class ReadWindows {
 public:
  // 8 MiB. A scan has one for each level and each table of level 0, a compaction for those of two levels.
  static constexpr size_t kMost = 64;

  // The stream has filled its window. Beyond kMost, the one that was filled longest ago is given up.
  void Add(ReadStream *stream);
  void Remove(const ReadStream *stream);
  size_t count() const { return streams_.size(); }

 private:
  std::vector<ReadStream *> streams_;  // in the order in which their windows were filled
};

// Reads of a file that follow one another, as those of a compaction or a scan do: each begins where the last one ended, or
// on the page after it. The fourth of them reads ahead into a window of four pages, and each window is twice as long as the
// one before, up to 128 KiB, as Linux does for its file systems. Before that, pages are read as they are asked for.
//
// Once there is a window, reads may jump (a compaction does, over blocks that it need not read): over pages inside it, or
// behind it as far as it is long, where nothing is read that was jumped over. A window that reads jumped in is followed by
// one of its length, and by one of half of it when they had less than a quarter of its pages. When they had less than half
// of four pages, reads have to follow one another again.
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
  // A new stream that is about to read from byte `begin` on, out of these pages (from `first` on) which were read before it
  // asked. They are no sign of reads that follow one another: the window is for one read, and decides nothing of the next.
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
