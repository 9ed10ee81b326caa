// SPDX-License-Identifier: Apache-2.0
//
// Names, mounting and commits; what happens to the bytes of a file is in page_fs_data.cc.
#include "pagefs/fs/page_fs.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <string_view>
#include <utility>

namespace openremap {

using leveldb::Status;

namespace {

using Lock = std::lock_guard<std::mutex>;

// A metadata area of 1/64 of the device: room for the log between two checkpoints, at 3 % of the pages for both areas.
constexpr uint64_t kAreaShare = 64;
constexpr uint64_t kMinAreaPages = 8;
constexpr uint64_t kMaxAreaPages = 4096;
constexpr uint64_t kMinDataPages = 16;

// Where RepairDB puts what it has done with: no database opens it again.
bool IsArchived(const std::string &name) {
  constexpr std::string_view kFolder = "/lost/";
  const size_t slash = name.rfind('/');
  return slash != std::string::npos && slash + 1 >= kFolder.size() &&
         name.compare(slash + 1 - kFolder.size(), kFolder.size(), kFolder) == 0;
}

bool IsLog(const std::string &name) {
  constexpr std::string_view kSuffix = ".log";
  return name.size() > kSuffix.size() && std::string_view(name).substr(name.size() - kSuffix.size()) == kSuffix;
}

bool IsManifest(const std::string &name) {
  constexpr std::string_view kPrefix = "MANIFEST-";
  const size_t slash = name.rfind('/');
  return name.compare(slash == std::string::npos ? 0 : slash + 1, kPrefix.size(), kPrefix) == 0;
}

// Has the file in the map or not.
void Keep(bool there, const PageFs::File &file, std::map<uint64_t, PageFs::File> *map) {
  if (there) {
    (*map)[file->id] = file;
  } else {
    map->erase(file->id);
  }
}

Status MakeSuperblock(uint64_t pages, Superblock *out) {
  out->pages = pages;
  out->area_pages = std::clamp(pages / kAreaShare, kMinAreaPages, kMaxAreaPages);
  if (pages < 1 + 2 * out->area_pages + kMinDataPages) {
    return Status::InvalidArgument("PageFS", "a device of " + std::to_string(pages) + " pages is too small");
  }
  return Status::OK();
}

// The superblock goes last: a power cut before it leaves a device that reads as never formatted.
Status Format(PageDevice *device, bool deallocate, Superblock *superblock) {
  Status s = MakeSuperblock(device->Pages(), superblock);
  if (s.ok()) s = MetadataLog(device, 1, superblock->area_pages).Format(deallocate);
  if (!s.ok()) return s;
  const std::string page = superblock->Encode();
  return device->Write({{0, 1, page.data(), 0, PageKind::kMetadata}}, /*durable=*/true);
}

}  // namespace

Status PageFs::Open(PageDevice *device, std::unique_ptr<PageFs> *result, const PageFsOptions &options) {
  if (options.table_units && device->UnitPages() == 0) {
    return Status::NotSupported("PageFS", "a reclaim unit for each table, but the device tells of no reclaim units");
  }
  std::string page(kPageBytes, '\0');
  Status s = device->Read(0, 1, &page[0]);
  if (!s.ok()) return s;
  Superblock superblock;
  const bool blank = std::all_of(page.begin(), page.end(), [](char c) { return c == '\0'; });
  s = blank ? Format(device, options.deallocate && options.mkfs_discard, &superblock) : superblock.Decode(page.data());
  if (!s.ok()) return s;
  if (superblock.pages > device->Pages()) {
    return Status::Corruption("PageFS", "made on a device of " + std::to_string(superblock.pages) +
                                            " pages, this one has " + std::to_string(device->Pages()));
  }
  std::unique_ptr<PageFs> fs(new PageFs(device, superblock, options));
  s = fs->Mount(/*trim=*/!blank || options.mkfs_discard);
  if (s.ok()) {
    *result = std::move(fs);
  } else {
    fs->error_ = s;  // nothing to write back
  }
  return s;
}

PageFs::PageFs(PageDevice *device, const Superblock &superblock, const PageFsOptions &options)
    : device_(device),
      superblock_(superblock),
      deallocate_(options.deallocate),
      table_units_(options.table_units),
      placements_(options.placement ? std::max(1u, device->Placements()) : 1),
      log_(device, 1, superblock.area_pages),
      allocator_(1 + 2 * superblock.area_pages, superblock.pages - 1 - 2 * superblock.area_pages,
                 options.align ? device->WriteGranularity() : 1, options.allocation),
      chunks_(device) {
  log_.SetVersion(superblock.version);
}

PageFs::~PageFs() {
  Lock lock(mutex_);
  if (!error_.ok()) return;
  if (!Commit().ok()) return;
  queue_.push_back(Record());  // kClean
  (void)Commit();              // without the mark the next mount cleans up, no more
}

// ---- Mount ----------------------------------------------------------------------------------------------------------

Status PageFs::Mount(bool trim) {
  bool clean = false;
  Status s = log_.Replay([this](const Record &record) { return Replay(record); }, &clean);
  if (s.ok()) s = AdoptExtents();
  bool too_big = false;
  if (s.ok()) s = log_.Checkpoint(Snapshot(), &too_big);
  if (s.ok() && too_big) s = Status::Corruption("PageFS", "the metadata does not fit its own checkpoint");
  // Pages of files that were being written or removed when power went are still mapped; the device is to know that
  // nobody needs them. Only now: the checkpoint above is what makes the removals durable that this mount read.
  if (s.ok() && !clean && deallocate_ && trim) s = TrimFreePages();
  return s;
}

Status PageFs::Replay(const Record &record) {
  const Status bad = Status::Corruption("PageFS", "metadata log contradicts itself");
  if (record.Version() > superblock_.version) return bad;
  switch (record.type) {
    case RecordType::kCreate: {
      if (inodes_.count(record.inode) != 0) return bad;
      auto file = std::make_shared<Inode>(record.inode, &chunks_);
      next_inode_ = std::max(next_inode_, record.inode + 1);
      Bind(record.name, file);
      return Status::OK();
    }
    case RecordType::kExtend: {
      const auto found = inodes_.find(record.inode);
      if (found == inodes_.end()) return bad;
      Inode *inode = found->second.get();
      for (const PageRun &run : record.extents) AppendExtent(run, &inode->extents);
      inode->allocated_pages += FilePages(record.extents);
      inode->size = record.size;
      if (inode->size > inode->allocated_pages * kPageBytes) return bad;
      return Status::OK();
    }
    case RecordType::kPunch: {
      const auto found = inodes_.find(record.inode);
      if (found == inodes_.end()) return bad;
      Inode *inode = found->second.get();
      if (record.first > inode->allocated_pages || record.pages > inode->allocated_pages - record.first) return bad;
      (void)PunchExtents(record.first, record.pages, &inode->extents);
      return Status::OK();
    }
    case RecordType::kRename: {
      const File file = Lookup(record.name);
      if (file == nullptr) return bad;
      names_.erase(record.name);
      Bind(record.second_name, file);
      return Status::OK();
    }
    case RecordType::kRemove:
      if (Lookup(record.name) == nullptr) return bad;
      Unbind(record.name);
      return Status::OK();
    case RecordType::kClean:
      return Status::OK();
  }
  return bad;
}

// Takes the files' pages out of the free ones, which also finds pages that two files claim.
Status PageFs::AdoptExtents() {
  queued_forgets_.clear();  // their pages were never taken
  for (const auto &[id, file] : inodes_) {
    for (const PageRun &run : file->extents) {
      if (!IsHole(run) && !allocator_.Reserve(run)) {
        return Status::Corruption("PageFS", "file " + std::to_string(id) + " claims pages that are not free");
      }
    }
    file->recorded_size = file->durable_size = file->size;
    file->recorded_pages = file->allocated_pages;
  }
  return Status::OK();
}

Status PageFs::TrimFreePages() { return device_->Deallocate(allocator_.FreeRuns()); }

// ---- Names ----------------------------------------------------------------------------------------------------------

Status PageFs::CheckName(const std::string &name) const {
  if (!error_.ok()) return error_;
  if (name.empty() || name.size() > kMaxNameBytes) {
    return Status::InvalidArgument(name.substr(0, 64), "a name has 1 to " + std::to_string(kMaxNameBytes) + " bytes");
  }
  return Status::OK();
}

PageFs::File PageFs::Lookup(const std::string &name) const {
  const auto found = names_.find(name);
  return found != names_.end() ? found->second : nullptr;
}

void PageFs::Unbind(const std::string &name) {
  const auto found = names_.find(name);
  if (found == names_.end()) return;
  const File file = found->second;
  names_.erase(found);
  inodes_.erase(file->id);
  logs_.erase(file->id);
  manifests_.erase(file->id);
  file->named = false;
  queued_forgets_.push_back(file);
}

void PageFs::Bind(const std::string &name, const File &file) {
  Unbind(name);
  names_[name] = file;
  inodes_[file->id] = file;
  file->log = IsLog(name) && !IsArchived(name);
  if (file->cause == WriteCause::kOther) file->cause = CauseOfName(name);
  Keep(file->log, file, &logs_);
  Keep(IsManifest(name) && !IsArchived(name), file, &manifests_);
}

Status PageFs::Create(const std::string &name, File *file) {
  Lock lock(mutex_);
  Status s = CheckName(name);
  if (!s.ok()) return s;
  *file = std::make_shared<Inode>(next_inode_++, &chunks_);
  (*file)->handles = 1;
  (*file)->writing = true;
  Bind(name, *file);
  Record record;
  record.type = RecordType::kCreate;
  record.inode = (*file)->id;
  record.name = name;
  queue_.push_back(std::move(record));
  return s;
}

Status PageFs::OpenForReading(const std::string &name, File *file) {
  Lock lock(mutex_);
  *file = Lookup(name);
  if (*file == nullptr) return Status::NotFound(name, "no such file");
  (*file)->handles++;
  return Status::OK();
}

Status PageFs::OpenForAppending(const std::string &name, File *file) {
  {
    Lock lock(mutex_);
    Status s = CheckName(name);
    if (!s.ok()) return s;
    *file = Lookup(name);
    if (*file != nullptr) {
      Inode *inode = file->get();
      if (inode->writing) return Status::IOError(name, "open for writing already");
      const uint64_t tail = inode->size % kPageBytes;
      if (tail != 0 && inode->pending.empty()) {
        // A page can only be rewritten whole, so its first bytes have to be here.
        PendingSegment segment;
        segment.first_page = inode->size / kPageBytes;
        segment.bytes = static_cast<size_t>(tail);
        std::string page(kPageBytes, '\0');
        s = ReadPages(*inode, segment.first_page, 1, &page[0]);
        if (!s.ok()) return s;
        inode->buffer.Append(page.data(), segment.bytes);
        inode->pending.push_back(segment);
        inode->tail_clean = true;
      }
      inode->handles++;
      inode->writing = true;
      return s;
    }
  }
  return Create(name, file);
}

bool PageFs::Exists(const std::string &name) {
  Lock lock(mutex_);
  return Lookup(name) != nullptr;
}

std::vector<std::string> PageFs::Names() {
  Lock lock(mutex_);
  std::vector<std::string> names;
  for (const auto &[name, file] : names_) names.push_back(name);
  return names;
}

Status PageFs::FileSize(const std::string &name, uint64_t *size) {
  Lock lock(mutex_);
  const File file = Lookup(name);
  if (file == nullptr) return Status::NotFound(name, "no such file");
  *size = file->size;
  return Status::OK();
}

Status PageFs::Remove(const std::string &name) {
  Lock lock(mutex_);
  if (!error_.ok()) return error_;
  if (Lookup(name) == nullptr) return Status::NotFound(name, "no such file");
  Unbind(name);
  Record record;
  record.type = RecordType::kRemove;
  record.name = name;
  queue_.push_back(std::move(record));
  return Status::OK();
}

Status PageFs::Rename(const std::string &from, const std::string &to) {
  Lock lock(mutex_);
  Status s = CheckName(to);
  if (!s.ok()) return s;
  const File file = Lookup(from);
  if (file == nullptr) return Status::NotFound(from, "no such file");
  if (from == to) return s;
  names_.erase(from);
  Bind(to, file);
  Record record;
  record.type = RecordType::kRename;
  record.name = from;
  record.second_name = to;
  queue_.push_back(std::move(record));
  return s;
}

// ---- Commit ---------------------------------------------------------------------------------------------------------

Status PageFs::Latch(const Status &s) {
  if (!s.ok() && error_.ok()) error_ = s;
  return s;
}

// Queues what the device holds of the file and the log does not know. REQUIRES: WriteOut was done.
void PageFs::QueueState(const File &file) {
  Inode *inode = file.get();
  if (!inode->named || (inode->size == inode->recorded_size && inode->allocated_pages == inode->recorded_pages)) return;
  const std::vector<PageRun> runs =
      SliceExtents(inode->extents, inode->recorded_pages, inode->allocated_pages - inode->recorded_pages);
  // At least one record, for the size; each is right by itself, because a power cut may let only the first ones count.
  size_t at = 0;
  do {
    Record record;
    record.type = RecordType::kExtend;
    record.inode = inode->id;
    for (; at < runs.size() && record.extents.size() < Record::kMaxExtents; at++) {
      record.extents.push_back(runs[at]);
      inode->recorded_pages += runs[at].pages;
    }
    record.size = std::min(inode->size, inode->recorded_pages * kPageBytes);
    queue_.push_back(std::move(record));
  } while (at < runs.size());
  inode->recorded_size = inode->size;
  queued_states_.push_back(file);
}

// All names and what is recorded of their files, records that wait included.
std::vector<Record> PageFs::Snapshot() const {
  std::vector<Record> records;
  for (const auto &[name, file] : names_) {
    Record create;
    create.type = RecordType::kCreate;
    create.inode = file->id;
    create.name = name;
    records.push_back(std::move(create));
    const std::vector<PageRun> runs = SliceExtents(file->extents, 0, file->recorded_pages);
    uint64_t pages = 0;
    for (size_t at = 0; at < runs.size();) {
      Record extend;
      extend.type = RecordType::kExtend;
      extend.inode = file->id;
      for (; at < runs.size() && extend.extents.size() < Record::kMaxExtents; at++) {
        extend.extents.push_back(runs[at]);
        pages += runs[at].pages;
      }
      extend.size = std::min(file->recorded_size, pages * kPageBytes);
      records.push_back(std::move(extend));
    }
  }
  return records;
}

Status PageFs::FlushData() {
  if (!unflushed_) return Status::OK();
  Status s = device_->Flush();
  stats_.flushes++;
  if (s.ok()) unflushed_ = false;
  return Latch(s);
}

// Makes the queued records durable: at most one page in the usual case. Data goes first, or a record could name pages
// that hold something else after a power cut; and the pages that the records free go last.
Status PageFs::Commit() {
  if (!error_.ok()) return error_;
  if (!queue_.empty()) {
    Status s = queued_states_.empty() ? Status::OK() : FlushData();
    bool full = false, too_big = false;
    if (s.ok()) s = Latch(log_.Append(queue_, &full));
    if (s.ok() && full) s = Latch(log_.Checkpoint(Snapshot(), &too_big));
    if (s.ok() && too_big) s = Status::IOError("PageFS", "no space left for metadata: too many files or extents");
    if (!s.ok()) return s;
    queue_.clear();
    for (const File &file : queued_states_) file->durable_size = file->recorded_size;
    queued_states_.clear();
    for (const File &file : queued_forgets_) {
      file->forgotten = true;
      Release(file.get());
    }
    queued_forgets_.clear();
    returned_.insert(returned_.end(), queued_holes_.begin(), queued_holes_.end());
    queued_holes_.clear();
  }
  return ReturnPages();
}

// Hands over the pages of a file that nobody can name or reach any more.
void PageFs::Release(Inode *inode) {
  if (!inode->forgotten || inode->handles != 0) return;
  std::remove_copy_if(inode->extents.begin(), inode->extents.end(), std::back_inserter(returned_), IsHole);
  inode->extents.clear();
  inode->allocated_pages = 0;
}

// Deallocates before the pages can be allocated again: the other way round it would hit somebody's new data.
Status PageFs::ReturnPages() {
  if (returned_.empty()) return Status::OK();
  Status s = deallocate_ ? Latch(device_->Deallocate(returned_)) : Status::OK();
  if (!s.ok()) return s;
  for (const PageRun &run : returned_) allocator_.Free(run);
  returned_.clear();
  return s;
}

}  // namespace openremap
