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
#include "pagefs/fs/page_fs_format.h"
#include "pagefs/fs/read_ahead.h"
#include "pagefs/metadata/checkpoint_size.h"
#include "pagefs/metadata/metadata_log.h"
#include "remap_env.h"

namespace openremap {

struct PageFsStats {
  RemapStats remap;
  uint64_t data_pages_written = 0;      // pages of file contents sent to the device
  CauseBytes data_bytes_by_cause{};     // the same in bytes, by the cause of the file
  uint64_t log_pages_written = 0;       // of these, write-ahead logs
  uint64_t table_pages_written = 0;     // of these, tables, with the pages that were copied because a remap was refused
  uint64_t other_pages_written = 0;     // of these, manifests, CURRENT, info logs
  uint64_t tail_pages_rewritten = 0;    // of these, partial last pages that had been sent before
  uint64_t metadata_pages_written = 0;  // checkpoints and log
  uint64_t data_pages_read = 0;         // pages of file contents read from the device, ahead of a reader too
  uint64_t data_spans_read = 0;         // spans of kSpanPages pages that these reads fill, each read beginning one
  uint64_t flushes = 0;
  uint64_t units_begun = 0;  // PageFsOptions::table_units
  uint64_t used_pages = 0;   // in use now: files, metadata, superblock
  uint64_t free_pages = 0;
};

// The use of the device's pages. total = metadata + file + leaving + free.
struct PageFsSpace {
  uint64_t total_pages = 0;
  uint64_t metadata_pages = 0;  // superblock and metadata areas, including their unused pages
  uint64_t file_pages = 0;      // pages of named files
  uint64_t leaving_pages = 0;   // pages of removed files that are open, or whose removal is not durable yet
  uint64_t free_pages = 0;
  uint64_t promised_pages = 0;     // of the free ones, promised to appended bytes that are not written yet
  uint64_t reserved_pages = 0;     // of the free ones, reserved for opening a database
  uint64_t headroom_pages = 0;     // of the rest, pages that logs leave to compactions
  uint64_t largest_run_pages = 0;  // largest free run
};

struct PageFsOptions {
  // Which devices get a new file system.
  Format format = Format::kIfBlank;
  // One placement handle for the tables of each LSM level, and one for all other files. If the device has fewer, the
  // log, level 0 and level 1, which have the shortest lifetimes, share the first one, and the deepest levels the last.
  bool placement = true;
  // Whether a table begins a reclaim unit of the device (BeginUnit), so that no two tables share one as long as they
  // fit into it and each level has a handle of its own. With fewer handles the log keeps one to itself, level 0 the
  // next, and the deepest levels share the last. A table of which at least half is remapped pages begins none:
  // it has little to fill a unit with. A device without reclaim units is refused.
  bool table_units = false;
  // Whether extents begin at multiples of the device's write granularity where that can be.
  bool align = true;
  // Whether free pages are deallocated: those of removed files, and at a mount after a power cut all that are free. The
  // device is sent no Deallocate otherwise, and keeps what is in free pages until they are written again; so do pages
  // that become free under an earlier mount with `deallocate` off.
  bool deallocate = true;
  // With `deallocate`: whether a new file system deallocates all pages of the device. Without it the device keeps what
  // it held until the file system frees those pages, so a device that is full stays so.
  bool mkfs_discard = true;
  // Where files get their pages. Not stored on the device: each mount has its own.
  Allocation allocation = Allocation::kFirst;
};

// A small crash-safe file system for LevelDB's files on a raw namespace: names, extents of 4 KiB pages, a metadata log
// (metadata_format.h). There are no directories; a name is any string up to kMaxNameBytes.
//
// Durability. After a power cut at any point:
//  * A synced file exists, under the name that it had or a later one, with at least the contents that were synced.
//  * A synced table (Place) exists after the next Sync of a file that is not a table. This suffices because a table
//    counts only once the manifest names it, and it reduces the metadata of a compaction to one page.
//  * Creation, renaming and removal are durable in the order of the calls, at the latest with the next Sync of a file
//    that is not a table. Rename replaces its target atomically.
//  * Pages of a removed file are reused only after the removal is durable.
// Bytes that were appended but not synced may be lost, from the end of the file. They never read as other data.
//
// Errors. A write error of the device is latched: the state in memory may be ahead of the device, so all later changes
// fail. Running out of pages is no such error: an append that finds too few pages changes nothing. Pages are promised
// when bytes are appended, so accepted bytes are never refused later. So is the room that a checkpoint needs for them,
// and for names: creating, appending, renaming to a longer name and punching are refused (IOError, kNoSpaceLeft) before
// the metadata could outgrow its area. Removing never is.
//
// Reserved space. When LevelDB opens a database, it writes the contents of its logs to a table, and a manifest that is
// no larger than the old one. This much space stays reserved beside the logs (files whose name ends in .log): neither
// logs nor tables of level 1 and deeper may take it. Logs also leave a sixteenth of the pages to tables. Only
// compactions free the space of deleted entries, so writes must stop before compactions do.
//
// Thread-safe: one mutex, which is held during device operations. The device must outlive the file system, and the file
// system must outlive all users of its inodes.
class PageFs {
 public:
  // Mounts the file system on the device, which gets one as PageFsOptions::format says. Corruption: the device holds
  // something else, or what is there is damaged.
  static leveldb::Status Open(PageDevice *device, std::unique_ptr<PageFs> *result, const PageFsOptions &options = {});
  // Makes all changes durable, then marks the file system clean, so that the next mount needs no clean-up.
  ~PageFs();
  PageFs(const PageFs &) = delete;
  PageFs &operator=(const PageFs &) = delete;

  using File = std::shared_ptr<Inode>;

  // Creates an empty file, open for writing. Replaces an existing file of this name.
  leveldb::Status Create(const std::string &name, File *file);
  // Marks the file as a table of LSM level `level`; -1, the initial value: not a table. Not stored on the device.
  void Place(const File &file, int level);
  // Place() by name; does nothing if there is no such file.
  void Place(const std::string &name, int level);
  // As RemapEnv::SetCause(); does nothing if there is no such file.
  void SetCause(const std::string &name, WriteCause cause);
  // NotFound: there is no such file. One handle at a time may write.
  leveldb::Status OpenForReading(const std::string &name, File *file);
  leveldb::Status OpenForAppending(const std::string &name, File *file);  // creates it if needed
  // `ahead` is the one that Read() was given; it may be deleted afterwards.
  void CloseReading(const File &file, ReadAhead *ahead = nullptr);
  // Writes all buffered bytes, including the partial last page. Durable with the next Sync of a file that is not a
  // table.
  leveldb::Status CloseWriting(const File &file);

  // Appends write full pages, kWriteBehindPages at a time. With `gather` many more are collected
  // first, so that the file lies in one extent.
  leveldb::Status Append(const File &file, const leveldb::Slice &data, bool gather);
  leveldb::Status AppendRemap(const File &file, const PageRun &source);
  leveldb::Status Sync(const File &file);
  // Makes all names durable, and all tables that were synced.
  leveldb::Status SyncAll();
  uint64_t Offset(const File &file);
  // `ahead`, if not null, reads ahead for this open file; it must use windows(). There is no read-ahead while the file
  // is written.
  leveldb::Status Read(const File &file, uint64_t offset, size_t n, leveldb::Slice *result, char *scratch,
                       ReadAhead *ahead = nullptr);
  // As PrefetchingFile::Prefetch(). Does nothing while the file is written.
  void Prefetch(const File &file, const std::vector<FileRange> &ranges, ReadAhead *ahead);
  ReadWindows *windows() { return &windows_; }

  bool Exists(const std::string &name);
  std::vector<std::string> Names();
  leveldb::Status FileSize(const std::string &name, uint64_t *size);
  leveldb::Status Remove(const std::string &name);
  leveldb::Status Rename(const std::string &from, const std::string &to);
  // Renames all files whose names begin with `from` and a slash: they begin with `to` and a slash then. A power cut
  // leaves all of them renamed, or none. Durable as Rename(), with a checkpoint of the metadata. On error nothing has
  // changed. InvalidArgument: `to` is or lies below `from`, or a name becomes too long. IOError: there is a file `to`,
  // or one below it.
  leveldb::Status RenameFolder(const std::string &from, const std::string &to);

  // As RemapEnv::PunchHole(). Durable with the next Sync of a file that is not a table, which frees the pages. Makes
  // the file system one of version 2. IOError: with it extents might take too much of a metadata area.
  leveldb::Status PunchHole(const std::string &name, uint64_t first, uint64_t pages);

  // As RemapEnv::GetLpn.
  leveldb::Status GetLpn(const std::string &name, uint64_t offset, uint64_t max_pages, PageRun *run);
  PageFsStats GetStats();
  PageFsSpace GetSpace();
  // As RemapEnv::GetFileSpace().
  FileSpace GetFileSpace();

  static constexpr uint64_t kWriteBehindPages = 32;
  static constexpr uint64_t kGatherPages = 2048;
  static constexpr uint64_t kSpanPages = 8;  // that a flash page of 32 KiB has, for what is counted of reads

 private:
  PageFs(PageDevice *device, const Superblock &superblock, const PageFsOptions &options);

  leveldb::Status Mount(bool trim);
  leveldb::Status Replay(const Record &record);
  leveldb::Status AdoptExtents();
  leveldb::Status TrimFreePages();

  // REQUIRES, for all of these: mutex_ is held.
  leveldb::Status CheckName(const std::string &name) const;
  File Lookup(const std::string &name) const;
  void Bind(const std::string &name, const File &file);
  void Classify(const std::string &name, const File &file);
  void Unbind(const std::string &name);
  void Count(Inode *inode);
  void Count(Inode *inode, uint64_t extents);
  leveldb::Status Admit(const std::vector<const Inode *> &instead, const std::vector<FileRecords> &files);
  void QueueState(const File &file);
  std::vector<Record> Snapshot() const;
  leveldb::Status Commit();
  leveldb::Status FlushData();
  leveldb::Status ReturnPages();
  leveldb::Status BecomeVersionWithHoles();
  bool HasRoomForHole() const;
  unsigned PlacementOf(const Inode &inode) const;
  uint64_t ReservedPages() const;
  uint64_t HeadroomPages() const;
  leveldb::Status Promise(Inode *inode, uint64_t size);
  void Allocate(Inode *inode, uint64_t pages);
  leveldb::Status WriteOut(Inode *inode, bool partial);
  void KeepTail(Inode *inode, bool clean);
  void Release(Inode *inode);
  void DropUnrecorded(Inode *inode);
  void CountWritten(const Inode &inode, uint64_t pages);
  void CountRead(uint64_t pages);
  leveldb::Status BeginUnit(const Inode &inode, uint64_t written, uint64_t remapped);
  leveldb::Status SendRemaps(const Inode &inode, const std::vector<RemapRun> &runs);
  leveldb::Status RemapVector(const Inode &inode, const std::vector<RemapRun> &runs);
  leveldb::Status CopyInstead(const Inode &inode, const RemapRun &run);
  leveldb::Status ReadPages(const Inode &inode, uint64_t first, uint64_t pages, char *data);
  leveldb::Status Latch(const leveldb::Status &s);

  std::mutex mutex_;
  PageDevice *const device_;
  Superblock superblock_;
  const bool deallocate_;
  const bool table_units_;
  const unsigned placements_;  // that are used
  MetadataLog log_;
  ExtentAllocator allocator_;

  ChunkPool chunks_;  // before all files
  std::map<std::string, File> names_;
  std::map<uint64_t, File> inodes_;  // of all names; during a mount, of all records
  std::map<uint64_t, File> logs_;    // of these, LevelDB's write-ahead logs
  std::map<uint64_t, File> manifests_;
  uint64_t next_inode_ = 1;
  CheckpointSize checkpoint_;  // of all names, as their files will be when all that is pending is written

  std::vector<Record> queue_;          // records that wait for the next commit
  bool all_at_once_ = false;           // the next commit is a checkpoint: what it changes must not be torn
  std::vector<File> queued_states_;    // files whose state is among them
  std::vector<File> queued_forgets_;   // files whose last name goes with them
  std::vector<PageRun> queued_holes_;  // pages that become free with it
  std::vector<PageRun> returned_;      // pages that no durable state names: to be deallocated if at all, then free
  uint64_t promised_pages_ = 0;        // free ones that what is pending will take
  bool unflushed_ = false;             // data was sent since the last flush
  ReadWindows windows_;

  leveldb::Status error_;  // latched
  PageFsStats stats_;
};

}  // namespace openremap

#endif  // OPENREMAP_PAGEFS_PAGE_FS_H_
