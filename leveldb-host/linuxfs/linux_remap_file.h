// SPDX-License-Identifier: Apache-2.0
//
// A table on a file system of the kernel, with pages that are remapped below it.
//
// Order of a Sync, which is what a crash leaves something of:
//   1 what was appended is written, the ranges to be remapped get written extents (FilePlaces::MakeWritten)
//   2 fsync: data, extents and length are durable, so no extent can move or appear later
//   3 the places of the ranges, then the vector command: durable when the device answers
//   4 the page cache is emptied of the ranges
// Until 3 the ranges read zeroes; nobody reads a table before its Sync has returned, and a table that a crash leaves between
// 2 and 3 is in no manifest. What cannot be remapped is copied from the source pages and synced.
#ifndef OPENREMAP_LINUXFS_LINUX_REMAP_FILE_H_
#define OPENREMAP_LINUXFS_LINUX_REMAP_FILE_H_

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "file_places.h"
#include "pagefs/device/page_device.h"
#include "remap_env.h"

namespace openremap {

// What the files of one layer share. PageDevice is not thread-safe: hold `mutex` for it, and for `stats`.
struct LinuxRemapShared {
  PageDevice *device;
  FilePlaces *places;
  std::mutex mutex;
  RemapStats stats;
};

class LinuxRemapFile : public RemapFile {
 public:
  // Takes `fd` over, an empty file open for reading and writing. `shared` outlives the file.
  LinuxRemapFile(LinuxRemapShared *shared, std::string name, int fd);
  ~LinuxRemapFile() override;

  leveldb::Status Append(const leveldb::Slice &data) override;
  leveldb::Status AppendRemap(const PageRun &source) override;
  // Nobody reads a table while it is written, so whole buffers go out.
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override;
  // Syncs as well where something is still to be remapped.
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
  uint64_t flushed_ = 0;  // the file system has all before it
  std::vector<Piece> pieces_;
  uint64_t begun_ = 0;  // where the buffer goes
  std::string buffer_;
  std::vector<Kept> kept_;  // to be remapped, in order of offset
  leveldb::Status failed_;  // the first failure: nothing of the file can be relied on after it
};

}  // namespace openremap

#endif  // OPENREMAP_LINUXFS_LINUX_REMAP_FILE_H_
