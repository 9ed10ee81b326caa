// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's file objects on PageFS. Each is handed out by PageFileSystem, and must not outlive its PageFs.
#ifndef OPENREMAP_ROCKSFS_PAGE_FILES_H_
#define OPENREMAP_ROCKSFS_PAGE_FILES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "pagefs/fs/page_fs.h"
#include "pagefs/fs/read_ahead.h"
#include "rocksdb/file_system.h"
#include "rocksfs/file_hints.h"

namespace openremap {

// Reads from the beginning on, with PageFS's read-ahead. Not thread-safe, as the interface has it.
class RocksSequentialFile : public rocksdb::FSSequentialFile {
 public:
  RocksSequentialFile(PageFs *fs, PageFs::File file);
  ~RocksSequentialFile() override;

  rocksdb::IOStatus Read(size_t n, const rocksdb::IOOptions &options, rocksdb::Slice *result, char *scratch,
                         rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus Skip(uint64_t n) override;
  // PageFS keeps no pages of a file that nobody reads.
  rocksdb::IOStatus InvalidateCache(size_t, size_t) override { return rocksdb::IOStatus::OK(); }

 private:
  PageFs *const fs_;
  const PageFs::File file_;
  ReadAhead ahead_;
  uint64_t offset_ = 0;
};

// Thread-safe. Prefetch() stays NotSupported: PageFS has no cache to prefetch into, and RocksDB then reads ahead into a
// buffer of its own, by one command.
class RocksRandomAccessFile : public rocksdb::FSRandomAccessFile {
 public:
  // `direct`: RocksDB reads whole pages, and nothing is read ahead for it.
  RocksRandomAccessFile(PageFs *fs, PageFs::File file, bool direct);
  ~RocksRandomAccessFile() override;

  // InvalidArgument: a direct read of parts of pages.
  rocksdb::IOStatus Read(uint64_t offset, size_t n, const rocksdb::IOOptions &options, rocksdb::Slice *result,
                         char *scratch, rocksdb::IODebugContext *dbg) const override;
  // Sends the reads of up to ReadAhead::kStreams requests side by side.
  rocksdb::IOStatus MultiRead(rocksdb::FSReadRequest *requests, size_t count, const rocksdb::IOOptions &options,
                              rocksdb::IODebugContext *dbg) override;
  bool use_direct_io() const override { return direct_; }
  size_t GetRequiredBufferAlignment() const override { return kPageBytes; }
  rocksdb::IOStatus InvalidateCache(size_t, size_t) override { return rocksdb::IOStatus::OK(); }

 private:
  rocksdb::IOStatus CheckAligned(uint64_t offset, size_t n) const;
  rocksdb::IOStatus ReadWith(ReadAhead *ahead, uint64_t offset, size_t n, rocksdb::Slice *result, char *scratch) const;

  PageFs *const fs_;
  const PageFs::File file_;
  const bool direct_;
  mutable ReadAhead ahead_;  // the file system's mutex guards it
};

// A file that is written from its end on. PageFS gathers whole pages by itself and has no cache below, so direct writes
// would be the same: the file says that it has none (use_direct_io), and RocksDB appends what it has.
//
// Sync of a table or blob file is durable after the next Fsync of a directory, or the next Sync of another kind of
// file. RocksDB does the one before it names the table in a manifest, and the other when it does. Sync may run beside
// Append, as RocksDB's SyncWAL() wants.
class RocksWritableFile : public rocksdb::FSWritableFile {
 public:
  // `hints.life_time` and `hints.priority` are those that RocksDB sets before it appends.
  RocksWritableFile(PageFs *fs, PageFs::File file, std::string name, const FileHints &hints,
                    const rocksdb::FileOptions &options);
  ~RocksWritableFile() override;

  using rocksdb::FSWritableFile::Append;
  // NoSpace: nothing was appended, and nothing will be until the file is opened anew, because RocksDB counts the bytes
  // as its own.
  rocksdb::IOStatus Append(const rocksdb::Slice &data, const rocksdb::IOOptions &options,
                           rocksdb::IODebugContext *dbg) override;
  // NotSupported: `size` is not that of the file. PageFS's files only grow.
  rocksdb::IOStatus Truncate(uint64_t size, const rocksdb::IOOptions &options, rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus Close(const rocksdb::IOOptions &options, rocksdb::IODebugContext *dbg) override;
  // Does nothing: readers see buffered bytes anyway, and the device gets whole pages.
  rocksdb::IOStatus Flush(const rocksdb::IOOptions &, rocksdb::IODebugContext *) override {
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions &options, rocksdb::IODebugContext *dbg) override;
  bool IsSyncThreadSafe() const override { return true; }
  uint64_t GetFileSize(const rocksdb::IOOptions &options, rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus InvalidateCache(size_t, size_t) override { return rocksdb::IOStatus::OK(); }

 private:
  void PlaceOnce();

  PageFs *const fs_;
  const PageFs::File file_;
  const std::string name_;
  FileHints hints_;
  bool placed_ = false;
  bool closed_ = false;
  rocksdb::IOStatus refused_;  // by the first append that failed
};

// Fsync makes all names durable, and all tables that were synced.
class RocksDirectory : public rocksdb::FSDirectory {
 public:
  explicit RocksDirectory(PageFs *fs) : fs_(fs) {}

  rocksdb::IOStatus Fsync(const rocksdb::IOOptions &options, rocksdb::IODebugContext *dbg) override;
  rocksdb::IOStatus Close(const rocksdb::IOOptions &, rocksdb::IODebugContext *) override {
    return rocksdb::IOStatus::OK();
  }

 private:
  PageFs *const fs_;
};

}  // namespace openremap

#endif  // OPENREMAP_ROCKSFS_PAGE_FILES_H_
