// SPDX-License-Identifier: Apache-2.0
//
// A trace of pages: the calls that a PageDevice got, without the data. Format version 2, little endian:
//
//   header   byte 0   magic "ORMPGTRC"
//            8   u32  version, 2; 1: writes have no kind
//            12  u32  bytes of a page, 4096
//            16  u64  pages of the device
//            24  u32  placements of the device
//            28  u32  CRC-32C of bytes 0 to 27
//   blocks   byte 0   u32  bytes of the payload
//            4   u32  records in it; 0: the last block
//            8   u32  CRC-32C of bytes 0 to 7 and of the payload
//            12       payload: the records; of the last block, u64 number of records in the file
//
// A record is a byte (bits 0 to 3 operation, bit 4 durable, bit 5 refused, bit 6 the first pages of a file, bit 7 the
// next record belongs to the same call) and LEB128 numbers:
//
//   read, deallocate   lpn, pages
//   write              lpn, pages, placement, kind
//   remap              lpn (target), source, pages
//   flush              -
//   begin unit         placement
//
// An lpn is the zigzag difference to the page behind that of the record before in the same block (0 in the first), a
// source that to the lpn. A file without its last block was not completed.
#ifndef OPENREMAP_PAGEFS_PAGE_TRACE_H_
#define OPENREMAP_PAGEFS_PAGE_TRACE_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "pagefs/device/page_device.h"

namespace openremap {

// The values are part of the format.
enum class PageOperation : uint8_t { kRead = 0, kWrite = 1, kFlush = 2, kDeallocate = 3, kRemap = 4, kBeginUnit = 5 };

// By PageKind, in options and reports.
inline constexpr const char *kPageKindNames[kPageKinds] = {"unknown", "metadata", "log", "table", "other"};

struct PageRecord {
  PageOperation operation = PageOperation::kFlush;
  bool durable = false;  // of a write
  bool refused = false;  // of a remap: the device had no room for it
  bool begins = false;   // of a write: the first pages of a file
  bool more = false;     // the next record belongs to the same call
  uint64_t lpn = 0;      // of a remap, the target
  uint64_t source = 0;   // of a remap
  uint64_t pages = 0;    // 0 for a flush and the beginning of a unit
  unsigned placement = 0;
  PageKind kind = PageKind::kUnknown;  // of a write

  bool HasPages() const { return operation != PageOperation::kFlush && operation != PageOperation::kBeginUnit; }
  friend bool operator==(const PageRecord &a, const PageRecord &b) {
    return a.operation == b.operation && a.durable == b.durable && a.refused == b.refused && a.more == b.more &&
           a.lpn == b.lpn && a.source == b.source && a.pages == b.pages && a.placement == b.placement &&
           a.kind == b.kind && a.begins == b.begins;
  }
};

// What the trace was recorded on.
struct PageTraceInfo {
  uint64_t pages = 0;
  uint32_t placements = 1;
  bool kinds = true;  // whether its writes have a kind
};

struct FileCloser {
  void operator()(std::FILE *file) const { std::fclose(file); }
};

// Not thread-safe.
class PageTraceWriter {
 public:
  // Makes the file, or empties it. IOError, with the file's name, if that cannot be done.
  static leveldb::Status Create(const std::string &path, const PageTraceInfo &info,
                                std::unique_ptr<PageTraceWriter> *result);
  // An error is kept for Close().
  void Add(const PageRecord &record);
  // Completes the file; later records are dropped. IOError if anything could not be written.
  leveldb::Status Close();

 private:
  PageTraceWriter(const std::string &path, std::FILE *file) : path_(path), file_(file) {}
  void Put(const std::string &bytes);
  void EndBlock();

  const std::string path_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  bool kinds_ = true;
  std::string block_;
  uint32_t block_records_ = 0;
  uint64_t records_ = 0;
  uint64_t next_lpn_ = 0;
  leveldb::Status error_;  // latched
};

// Not thread-safe.
class PageTraceReader {
 public:
  // IOError: the file cannot be read. Corruption: it is no trace, is damaged, or has a version that is not known. Each
  // message begins with the file's name.
  static leveldb::Status Open(const std::string &path, std::unique_ptr<PageTraceReader> *result);

  const PageTraceInfo &info() const { return info_; }
  const std::string &path() const { return path_; }
  // The next record; *end behind the last. Corruption: the file is damaged or was not completed, with the number of
  // records before that.
  leveldb::Status Next(PageRecord *record, bool *end);

 private:
  PageTraceReader(const std::string &path, std::FILE *file) : path_(path), file_(file) {}
  leveldb::Status Wrong(const std::string &what) const;
  leveldb::Status Get(size_t bytes, std::string *out);
  leveldb::Status ReadHeader();
  leveldb::Status ReadBlock(bool *end);
  bool Decode(PageRecord *record);

  const std::string path_;
  const std::unique_ptr<std::FILE, FileCloser> file_;
  PageTraceInfo info_;
  std::string block_;
  leveldb::Slice rest_;  // of the block
  uint32_t block_left_ = 0;
  uint64_t records_ = 0;
  uint64_t next_lpn_ = 0;
  bool ended_ = false;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGE_TRACE_H_
