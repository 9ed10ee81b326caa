// SPDX-License-Identifier: Apache-2.0
//
// The records of what changes: how they are read at a mount, how they become durable, and whether they have room.
#include <algorithm>
#include <iterator>
#include <utility>

#include "pagefs/fs/page_fs.h"

namespace openremap {

using leveldb::Status;

namespace {

// An eighth of an area is left to the log, or each commit would need a checkpoint in the end.
constexpr uint64_t kLogShare = 8;

Status NoSpaceForMetadata() {
  return Status::IOError("PageFS", std::string(kNoSpaceLeft) + " for metadata: too many files or extents");
}

}  // namespace

// ---- Mount ----------------------------------------------------------------------------------------------------------

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
    Count(file.get());
  }
  for (const auto &[name, file] : names_) Classify(name, file);  // with all names there
  return Status::OK();
}

// ---- Room -----------------------------------------------------------------------------------------------------------

// Counts the file as it is. Each promised page may become an extent.
void PageFs::Count(Inode *inode) { Count(inode, inode->extents.size() + inode->MissingPages()); }

void PageFs::Count(Inode *inode, uint64_t extents) {
  checkpoint_.Remove(inode->counted);
  inode->counted = {inode->name_bytes, extents};
  checkpoint_.Add(inode->counted);
}

// Whether there is room for `files`, in place of those in `instead` that are not null. For what makes the metadata
// smaller there always is.
Status PageFs::Admit(const std::vector<const Inode *> &instead, const std::vector<FileRecords> &files) {
  const uint64_t bytes = checkpoint_.Bytes();
  for (const Inode *gone : instead) {
    if (gone != nullptr) checkpoint_.Remove(gone->counted);
  }
  for (const FileRecords &file : files) checkpoint_.Add(file);
  const uint64_t most = superblock_.area_pages - std::max<uint64_t>(1, superblock_.area_pages / kLogShare);
  const bool fits = checkpoint_.MaxPages() <= most || checkpoint_.Bytes() <= bytes;
  for (const FileRecords &file : files) checkpoint_.Remove(file);
  for (const Inode *gone : instead) {
    if (gone != nullptr) checkpoint_.Add(gone->counted);
  }
  return fits ? Status::OK() : NoSpaceForMetadata();
}

// ---- Commit ---------------------------------------------------------------------------------------------------------

Status PageFs::Latch(const Status &s) {
  if (!s.ok() && error_.ok()) error_ = s;
  return s;
}

// Queues what the device holds of the file and the log does not know. REQUIRES: WriteOut was done.
void PageFs::QueueState(const File &file) {
  Inode *inode = file.get();
  if (inode->name_bytes == 0 ||
      (inode->size == inode->recorded_size && inode->allocated_pages == inode->recorded_pages))
    return;
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
  if (!queue_.empty() || all_at_once_) {
    Status s = queued_states_.empty() ? Status::OK() : FlushData();
    // A power cut leaves a part of the records, but all of a checkpoint or none.
    bool full = all_at_once_, too_big = false;
    if (s.ok() && !full) s = Latch(log_.Append(queue_, &full));
    if (s.ok() && full) s = Latch(log_.Checkpoint(Snapshot(), &too_big));
    if (s.ok() && too_big) s = NoSpaceForMetadata();
    if (!s.ok()) return s;
    queue_.clear();
    all_at_once_ = false;
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
