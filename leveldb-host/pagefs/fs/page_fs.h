// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_PAGEFS_PAGE_FS_H_
#define OPENREMAP_PAGEFS_PAGE_FS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "pagefs/device/page_device.h"
#include "pagefs/fs/extent_allocator.h"
#include "pagefs/fs/inode.h"
#include "pagefs/fs/read_ahead.h"
#include "pagefs/metadata/metadata_log.h"
#include "remap_env.h"

namespace openremap {

struct PageFsStats {
  RemapStats remap;
  uint64_t data_pages_written = 0;      // pages of file contents sent to the device
  uint64_t tail_pages_rewritten = 0;    // of these, partial last pages that had been sent before
  uint64_t metadata_pages_written = 0;  // checkpoints and log
  uint64_t flushes = 0;
  uint64_t used_pages = 0;  // held now: files, metadata, superblock
  uint64_t free_pages = 0;
};

// Where all pages of the device are. total = metadata + file + leaving + free.
struct PageFsSpace {
  uint64_t total_pages = 0;
  uint64_t metadata_pages = 0;  // superblock and metadata areas, whether or not they hold anything
  uint64_t file_pages = 0;      // of files that have a name
  uint64_t leaving_pages = 0;   // of files without: still open, or the removal is not durable yet
  uint64_t free_pages = 0;
  uint64_t promised_pages = 0;     // of the free ones, for what was appended and is not written
  uint64_t reserved_pages = 0;     // of the free ones, for a database to be opened with
  uint64_t headroom_pages = 0;     // of the others, that logs leave to compactions
  uint64_t largest_run_pages = 0;  // free side by side
};

struct PageFsOptions {
  // Each LSM level's tables, and all else, get a placement handle of their own. Where the device has fewer, log, level 0
  // and level 1, which die soonest, share the first, and the deepest levels the last.
  bool placement = true;
};

// A small crash-safe file system for LevelDB's files on a raw namespace: names, extents of 4 KiB pages, a metadata log
// (metadata_format.h). There are no directories; a name is any string up to kMaxNameBytes.
//
// What survives a power cut, at any instruction:
//  * a file that was synced, under the name it had then or one it was given later, with the contents synced or more;
//  * a table (Place) that was synced: as soon as the next Sync of a file that is none. A table counts when a manifest names
//    it, and that way a compaction costs one page of metadata;
//  * creation, renaming and removal in the order they were done: each is durable no later than the next Sync of any
//    file that is no table, and never before one that came earlier. Rename replaces its target in one step;
//  * pages of a removed file go back to the device, and to other files, only when the removal is durable.
// Bytes that were appended and not synced may be lost, from the end of the file; they never read as something else.
//
// A write error of the device is latched: what is in memory may be ahead of the device, so every later change fails
// too. Running out of pages is not such an error: the append that finds too few changes nothing. Pages are promised when
// bytes are appended, so what was taken is not refused later.
//
// LevelDB writes a table of what its logs hold when it is opened, and a manifest that is no larger than the one it has, so
// that much stays free beside logs (files whose name ends in .log): neither logs nor tables from level 1 on may take it. And
// logs leave a sixteenth of the pages to tables: only compactions give back what deletions free, so writes are to end before those do.
//
// Thread-safe: one mutex, held while the device works. The device must outlive the file system, and the file system all
// inodes' users.
class PageFs {
 public:
  // Mounts what the device holds; formats it when its first page reads zero.
  static leveldb::Status Open(PageDevice *device, std::unique_ptr<PageFs> *result, const PageFsOptions &options = {});
  // Makes everything done so far durable, then leaves a mark that spares the next mount its clean-up.
  ~PageFs();
  PageFs(const PageFs &) = delete;
  PageFs &operator=(const PageFs &) = delete;

  using File = std::shared_ptr<Inode>;

  // A new, empty file under this name, open for writing; what it named before is gone.
  leveldb::Status Create(const std::string &name, File *file);
  // The file is for a table of LSM level `level`; -1, as it is at first: for no table. Not remembered on the device.
  void Place(const File &file, int level);
  // The same by name; nothing for no such name.
  void Place(const std::string &name, int level);
  // NotFound for no such name. One handle at a time may write.
  leveldb::Status OpenForReading(const std::string &name, File *file);
  leveldb::Status OpenForAppending(const std::string &name, File *file);  // makes it when there is none
  // `ahead`: what Read was given, which may go then.
  void CloseReading(const File &file, ReadAhead *ahead = nullptr);
  // Sends what is buffered, the partial last page too; durable with the next Sync of any file that is no table.
  leveldb::Status CloseWriting(const File &file);

  // Full pages go to the device by themselves, kWriteBehindPages at a time; `gather`: only after many more, so that the
  // file lies in one extent.
  leveldb::Status Append(const File &file, const leveldb::Slice &data, bool gather);
  leveldb::Status AppendRemap(const File &file, const PageRun &source);
  leveldb::Status Sync(const File &file);
  uint64_t Offset(const File &file);
  // `ahead`: of this open file, if what follows is to be read ahead; made for windows(). While somebody writes the file,
  // nothing is.
  leveldb::Status Read(const File &file, uint64_t offset, size_t n, leveldb::Slice *result, char *scratch,
                       ReadAhead *ahead = nullptr);
  // As PrefetchingFile's; nothing while somebody writes the file.
  void Prefetch(const File &file, const std::vector<FileRange> &ranges, ReadAhead *ahead);
  ReadWindows *windows() { return &windows_; }

  bool Exists(const std::string &name);
  std::vector<std::string> Names();
  leveldb::Status FileSize(const std::string &name, uint64_t *size);
  leveldb::Status Remove(const std::string &name);
  leveldb::Status Rename(const std::string &from, const std::string &to);

  // As RemapEnv::GetLpn.
  leveldb::Status GetLpn(const std::string &name, uint64_t offset, uint64_t max_pages, PageRun *run);
  PageFsStats GetStats();
  PageFsSpace GetSpace();
  // Whether logs are refused, or will be soon: RemapEnv::SpaceIsShort().
  bool SpaceIsShort();

  static constexpr uint64_t kWriteBehindPages = 32;
  static constexpr uint64_t kGatherPages = 2048;

 private:
  PageFs(PageDevice *device, const Superblock &superblock, const PageFsOptions &options);

  leveldb::Status Mount();
  leveldb::Status Replay(const Record &record);
  leveldb::Status AdoptExtents();
  leveldb::Status TrimFreePages();

  // All of these: mutex_ held.
  leveldb::Status CheckName(const std::string &name) const;
  File Lookup(const std::string &name) const;
  void Bind(const std::string &name, const File &file);
  void Unbind(const std::string &name);
  void QueueState(const File &file);
  std::vector<Record> Snapshot() const;
  leveldb::Status Commit();
  leveldb::Status FlushData();
  leveldb::Status ReturnPages();
  unsigned PlacementOf(const Inode &inode) const;
  uint64_t ReservedPages() const;
  uint64_t HeadroomPages() const;
  leveldb::Status Promise(Inode *inode, uint64_t size);
  void Allocate(Inode *inode, uint64_t pages);
  leveldb::Status WriteOut(Inode *inode, bool partial);
  void KeepTail(Inode *inode, bool clean);
  void Release(Inode *inode);
  void DropUnrecorded(Inode *inode);
  leveldb::Status SendRemaps(const std::vector<RemapRun> &runs, unsigned placement);
  leveldb::Status RemapVector(const std::vector<RemapRun> &runs, unsigned placement);
  leveldb::Status CopyInstead(const RemapRun &run, unsigned placement);
  leveldb::Status ReadPages(const Inode &inode, uint64_t first, uint64_t pages, char *data);
  leveldb::Status Latch(const leveldb::Status &s);

  std::mutex mutex_;
  PageDevice *const device_;
  const Superblock superblock_;
  const unsigned placements_;  // that are used
  MetadataLog log_;
  ExtentAllocator allocator_;

  ChunkPool chunks_;  // before all files
  std::map<std::string, File> names_;
  std::map<uint64_t, File> inodes_;  // of all names; during a mount, of all records
  std::map<uint64_t, File> logs_;    // of these, LevelDB's write-ahead logs
  std::map<uint64_t, File> manifests_;
  uint64_t next_inode_ = 1;

  std::vector<Record> queue_;         // records that wait for the next commit
  std::vector<File> queued_states_;   // files whose state is among them
  std::vector<File> queued_forgets_;  // files whose last name goes with them
  std::vector<PageRun> returned_;     // pages that no durable state names: to be deallocated, then free
  uint64_t promised_pages_ = 0;       // free ones that what is pending will take
  bool unflushed_ = false;            // data was sent since the last flush
  ReadWindows windows_;

  leveldb::Status error_;  // latched
  PageFsStats stats_;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGE_FS_H_
