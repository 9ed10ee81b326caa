// SPDX-License-Identifier: Apache-2.0
//
// Who gets pages: what is promised, what is kept free, which placement handle; and who has them.
#include <algorithm>

#include "pagefs/fs/page_fs.h"

namespace openremap {

using leveldb::Status;

namespace {

using Lock = std::lock_guard<std::mutex>;

// LSM levels of LevelDB, and one kind for all that is no table.
constexpr unsigned kKinds = 8;
// Log, level 0 and level 1: the first kinds, that share a handle when there are too few.
constexpr unsigned kYoungKinds = 3;

// Logs leave this share of the pages for files to the tables of compactions: those give space back.
constexpr uint64_t kHeadroomShare = 16;

// Pages of the table that a page of a log becomes: an item of a little more than half a page may have one to itself,
// and an index may hold long keys once more.
constexpr uint64_t kTableOverLog = 2;

// Beside what logs and manifests take: CURRENT, and what rounding takes.
constexpr uint64_t kOpeningPages = 8;

}  // namespace

void PageFs::Place(const File &file, int level) {
  Lock lock(mutex_);
  file->level = level;
}

void PageFs::Place(const std::string &name, int level) {
  Lock lock(mutex_);
  const File file = Lookup(name);
  if (file != nullptr) file->level = level;
}

void PageFs::SetCause(const std::string &name, WriteCause cause) {
  Lock lock(mutex_);
  const File file = Lookup(name);
  if (file != nullptr) file->cause = cause;
}

// Log and small files are kind 0, tables of level N kind 1 + N.
unsigned PageFs::PlacementOf(const Inode &inode) const {
  const auto kind = static_cast<unsigned>(inode.level + 1);
  // Where tables begin units of their own the log must not be in these: it goes piece by piece, and each table would
  // close the unit that it has begun.
  if (table_units_) return std::min(kind, placements_ - 1);
  const unsigned lacking = kKinds - std::min(kKinds, placements_);
  const unsigned shift = std::min(lacking, kYoungKinds - 1);
  return std::min(kind - std::min(kind, shift), placements_ - 1);
}

uint64_t PageFs::HeadroomPages() const { return (superblock_.pages - 1 - 2 * superblock_.area_pages) / kHeadroomShare; }

// A table that is merged now needs its space twice while that goes on; one that is merged only when logs are refused
// has none.
FileSpace PageFs::GetFileSpace() {
  Lock lock(mutex_);
  const uint64_t left = allocator_.FreePages() - promised_pages_;
  const uint64_t kept = ReservedPages() + HeadroomPages();
  return {(left - std::min(left, kept)) * kPageBytes, HeadroomPages() * kPageBytes};
}

// A new manifest names what the old one does, without what became of it since: it is no larger, however long the keys
// are. As much again is what the old one may grow by, which neither table nor log asks for: an edit names a part of all
// tables.
uint64_t PageFs::ReservedPages() const {
  if (logs_.empty()) return 0;
  uint64_t pages = 0;
  for (const auto &[id, file] : logs_) pages += PagesOf(file->size);
  pages *= kTableOverLog;
  for (const auto &[id, file] : manifests_) pages += 2 * PagesOf(file->size);
  return pages + kOpeningPages;
}

// Sees to it that the file can grow to `size` bytes. When it cannot nothing has changed.
Status PageFs::Promise(Inode *inode, uint64_t size) {
  const uint64_t missing = PagesOf(size) - std::min(PagesOf(size), inode->allocated_pages);
  const uint64_t more = missing - inode->MissingPages();
  if (more == 0) return Status::OK();
  const auto wanted = [&] {
    // A log's next page wants its part of the table, too.
    if (inode->log) return (1 + kTableOverLog) * more + ReservedPages() + HeadroomPages();
    if (inode->level == kValueLogLevel) return more + ReservedPages() + HeadroomPages();
    return inode->level > 0 ? more + ReservedPages() : more;
  };
  if (allocator_.FreePages() - promised_pages_ < wanted()) {
    // Removals that no Sync has made durable yet may hold what is missing.
    Status s = Commit();
    if (!s.ok()) return s;
    const uint64_t left = allocator_.FreePages() - promised_pages_;
    if (left < wanted()) {
      const uint64_t kept = wanted() - more;
      std::string words = kNoSpaceLeft;
      words += ": " + std::to_string(more) + " pages wanted, " + std::to_string(left) + " free";
      if (kept != 0) words += ", " + std::to_string(kept) + " kept for compactions and for opening the database";
      return Status::IOError("PageFS", words);
    }
  }
  const uint64_t extents = inode->extents.size() + missing;
  Status s = Admit({inode}, {{inode->name_bytes, extents}});
  if (!s.ok()) return s;
  promised_pages_ += more;
  Count(inode, extents);
  return s;
}

PageFsSpace PageFs::GetSpace() {
  Lock lock(mutex_);
  PageFsSpace space;
  space.total_pages = superblock_.pages;
  space.metadata_pages = 1 + 2 * superblock_.area_pages;
  for (const auto &[id, file] : inodes_) space.file_pages += DevicePages(file->extents);
  space.free_pages = allocator_.FreePages();
  space.leaving_pages = space.total_pages - space.metadata_pages - space.file_pages - space.free_pages;
  space.promised_pages = promised_pages_;
  space.reserved_pages = std::min(ReservedPages(), space.free_pages - promised_pages_);
  space.headroom_pages = std::min(HeadroomPages(), space.free_pages - promised_pages_ - space.reserved_pages);
  for (const PageRun &run : allocator_.FreeRuns()) {
    space.largest_run_pages = std::max(space.largest_run_pages, run.pages);
  }
  return space;
}

PageFsStats PageFs::GetStats() {
  Lock lock(mutex_);
  PageFsStats stats = stats_;
  stats.metadata_pages_written += log_.PagesWritten();
  const uint64_t data_pages = superblock_.pages - 1 - 2 * superblock_.area_pages;
  stats.free_pages = allocator_.FreePages();
  stats.used_pages = 1 + log_.PagesInUse() + data_pages - stats.free_pages;
  return stats;
}

}  // namespace openremap
