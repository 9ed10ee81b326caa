// SPDX-License-Identifier: Apache-2.0
//
// Names and mounting. The records of what changes are in page_fs_metadata.cc, the bytes of files in page_fs_data.cc.
#include "pagefs/fs/page_fs.h"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

namespace openremap {

using leveldb::Status;

namespace {

using Lock = std::lock_guard<std::mutex>;

// The name up to its last slash; empty: it has none.
std::string_view FolderOf(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
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

}  // namespace

Status PageFs::Open(PageDevice *device, std::unique_ptr<PageFs> *result, const PageFsOptions &options) {
  if (options.table_units && device->UnitPages() == 0) {
    return Status::NotSupported("PageFS", "a reclaim unit for each table, but the device tells of no reclaim units");
  }
  bool make = false;
  std::string first;
  Status s = ToBeFormatted(device, options.format, &first, &make);
  if (!s.ok()) return s;
  Superblock superblock;
  s = make ? FormatDevice(device, options.deallocate && options.mkfs_discard, first, &superblock)
           : superblock.Decode(first.data());
  if (!s.ok()) return s;
  if (superblock.pages > device->Pages()) {
    return Status::Corruption("PageFS", "made on a device of " + std::to_string(superblock.pages) +
                                            " pages, this one has " + std::to_string(device->Pages()));
  }
  std::unique_ptr<PageFs> fs(new PageFs(device, superblock, options));
  s = fs->Mount(/*trim=*/!make || options.mkfs_discard);
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
  // Programs that did not count what a checkpoint takes have left more files than it holds. Removals make room; until
  // then no record fits, and nothing that is free may be written to. What was read of the log is to stay.
  if (s.ok() && too_big) return Latch(device_->Flush());
  // Pages of files that were being written or removed when power went are still mapped; the device is to know that
  // nobody needs them. Only now: the checkpoint above is what makes the removals durable that this mount read.
  if (s.ok() && !clean && deallocate_ && trim) s = TrimFreePages();
  return s;
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
  file->name_bytes = 0;
  Count(file.get());
  queued_forgets_.push_back(file);
}

void PageFs::Bind(const std::string &name, const File &file) {
  Unbind(name);
  names_[name] = file;
  inodes_[file->id] = file;
  file->name_bytes = name.size();
  Count(file.get());
  if (file->cause == WriteCause::kOther) file->cause = CauseOfName(name);
  Classify(name, file);
}

// Whether a database may open the file as a log or a manifest. It opens none that RepairDB has put into `lost`, nor
// what RocksDB has put into `archive`, which is no database itself.
void PageFs::Classify(const std::string &name, const File &file) {
  const std::string folder(FolderOf(name));
  const bool archived =
      EndsWith(folder, "/lost") || (EndsWith(folder, "/archive") && Lookup(folder + "/CURRENT") == nullptr);
  file->log = IsLog(name) && !archived;
  Keep(file->log, file, &logs_);
  Keep(IsManifest(name) && !archived, file, &manifests_);
}

Status PageFs::Create(const std::string &name, File *file) {
  Lock lock(mutex_);
  Status s = CheckName(name);
  if (s.ok()) s = Admit({Lookup(name).get()}, {{name.size(), 0}});
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
  s = Admit({file.get(), Lookup(to).get()}, {{to.size(), file->counted.extents}});
  if (!s.ok()) return s;
  names_.erase(from);
  Bind(to, file);
  Record record;
  record.type = RecordType::kRename;
  record.name = from;
  record.second_name = to;
  queue_.push_back(std::move(record));
  return s;
}

Status PageFs::RenameFolder(const std::string &from, const std::string &to) {
  Lock lock(mutex_);
  Status s = CheckName(to);
  if (!s.ok()) return s;
  const std::string old_folder = from + "/", new_folder = to + "/";
  const auto in = [](const std::string &name, const std::string &folder) {
    return name.compare(0, folder.size(), folder) == 0;
  };
  if (in(new_folder, old_folder)) return Status::InvalidArgument(to, "lies below " + from);
  const auto there = names_.lower_bound(new_folder);
  if (Lookup(to) != nullptr || (there != names_.end() && in(there->first, new_folder))) {
    return Status::IOError(to, "is there already");
  }
  const auto begin = names_.lower_bound(old_folder);
  auto end = begin;
  std::vector<std::pair<std::string, File>> renamed;
  std::vector<const Inode *> instead;
  std::vector<FileRecords> files;
  for (; end != names_.end() && in(end->first, old_folder); ++end) {
    renamed.emplace_back(new_folder + end->first.substr(old_folder.size()), end->second);
    s = CheckName(renamed.back().first);
    if (!s.ok()) return s;
    instead.push_back(end->second.get());
    files.push_back({renamed.back().first.size(), end->second->counted.extents});
  }
  s = Admit(instead, files);
  if (!s.ok() || renamed.empty()) return s;
  names_.erase(begin, end);
  for (const auto &[name, file] : renamed) Bind(name, file);
  for (const auto &[name, file] : renamed) Classify(name, file);  // with all names there
  all_at_once_ = true;
  return s;
}

}  // namespace openremap
