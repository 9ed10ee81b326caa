// SPDX-License-Identifier: Apache-2.0
//
// A table on a kernel file system, with pages that are remapped below the file system.
//
// Steps of a Sync, in the order that a crash can interrupt:
//   1 write the appended data, and allocate written extents for the ranges to be remapped (FilePlaces::MakeWritten)
//   2 fsync: data, extents and length are durable, so extents do not move or appear later
//   3 find the places of the ranges and send the vector command, which is durable when the device answers
//   4 drop the ranges from the page cache
// Before step 3 the ranges read as zeroes. That is safe: a table is not read before its Sync has returned, and a table
// that a crash leaves between steps 2 and 3 is in no manifest. Ranges that cannot be remapped are copied from the
// source pages and synced.
#ifndef OPENREMAP_LINUXFS_LINUX_REMAP_FILE_H_
#define OPENREMAP_LINUXFS_LINUX_REMAP_FILE_H_

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "file_places.h"
#include "pagefs/device/page_device.h"
#include "remap_env.h"
#include "write_cause.h"

namespace openremap {

// The shared state of all files of a layer. `mutex` guards the device, which is not thread-safe, and `stats`.
struct LinuxRemapShared {
  LinuxRemapShared(PageDevice *the_device, FilePlaces *the_places) : device(the_device), places(the_places) {}

  PageDevice *const device;
  FilePlaces *const places;
  std::mutex mutex;
  RemapStats stats;
  FileCauses causes;
  CauseCounters written;
};

class LinuxRemapFile : public RemapFile {
 public:
  // Takes ownership of `fd`, an empty file open for reading and writing. REQUIRES: `shared` outlives the file.
  LinuxRemapFile(LinuxRemapShared *shared, std::string name, int fd);
  ~LinuxRemapFile() override;

  leveldb::Status Append(const leveldb::Slice &data) override;
  leveldb::Status AppendRemap(const PageRun &source) override;
  // Does nothing: a table is not read while it is written, so only full buffers are written.
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override;
  // Also syncs if pages are still to be remapped.
  leveldb::Status Close() override;
  uint64_t Offset() const override { return begun_ + buffer_.size(); }

 private:
  struct Kept {
    uint64_t offset;
    PageRun source;
  };
  struct Piece {
    uint64_t offset;
    std::string data;
  };
  void EndPiece();
  leveldb::Status WriteWholePages();
  leveldb::Status WritePieces();
  leveldb::Status Write(uint64_t offset, const std::string &data);
  leveldb::Status SyncFile();
  leveldb::Status MakeRoom(bool *possible);
  leveldb::Status Targets(std::vector<RemapRun> *runs, bool *known);
  leveldb::Status Remap(const std::vector<RemapRun> &runs);
  leveldb::Status Copy(const std::vector<Kept> &kept);
  leveldb::Status Fail(const leveldb::Status &s);

  LinuxRemapShared *const shared_;
  const std::string name_;
  int fd_;
  uint64_t flushed_ = 0;  // bytes before this offset are in the file system
  std::vector<Piece> pieces_;
  uint64_t begun_ = 0;  // file offset of the buffer
  std::string buffer_;
  std::vector<Kept> kept_;  // ranges to be remapped, by offset
  leveldb::Status failed_;  // the first error; the file is unusable after it
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_LINUX_REMAP_FILE_H_
