// SPDX-License-Identifier: Apache-2.0
//
// Holes in files: pages that leave a file, while all others keep their offsets.
#include <utility>

#include "pagefs/fs/page_fs.h"

namespace openremap {

using leveldb::Status;

namespace {

using Lock = std::lock_guard<std::mutex>;

// Bytes of extents take no more than this share of a metadata area when a hole is made. In a checkpoint they take a
// third more: a page has room for two full records of them and a half. Files that fill the holes have as many again. So
// names and everything else have a third of the area.
constexpr uint64_t kExtentsShare = 4;

// That a hole adds at most: it may divide one.
constexpr uint64_t kExtentsOfHole = 2;

}  // namespace

Status PageFs::PunchHole(const std::string &name, uint64_t first, uint64_t pages) {
  Lock lock(mutex_);
  if (!error_.ok()) return error_;
  const File file = Lookup(name);
  if (file == nullptr) return Status::NotFound(name, "no such file");
  // A partial last page can be written to, and pages that are not durable have no place yet.
  const auto within = [first, pages](uint64_t all) { return first <= all && pages <= all - first; };
  if (!within(file->size / kPageBytes)) return Status::InvalidArgument(name, "does not have these pages as whole ones");
  if (!within(file->durable_size / kPageBytes)) return Status::NotSupported(name, "not synced yet");
  if (DevicePages(SliceExtents(file->extents, first, pages)) == 0) return Status::OK();
  if (!HasRoomForHole()) return Status::IOError(name, std::string(kNoSpaceLeft) + " for metadata: too many holes");
  Status s = Admit({file.get()}, {{file->name_bytes, file->counted.extents + kExtentsOfHole}});
  if (s.ok()) s = BecomeVersionWithHoles();
  if (!s.ok()) return s;
  const std::vector<PageRun> freed = PunchExtents(first, pages, &file->extents);
  Count(file.get());
  file->punched++;
  queued_holes_.insert(queued_holes_.end(), freed.begin(), freed.end());
  Record record;
  record.type = RecordType::kPunch;
  record.inode = file->id;
  record.first = first;
  record.pages = pages;
  queue_.push_back(std::move(record));
  return s;
}

// A checkpoint has to fit an area.
bool PageFs::HasRoomForHole() const {
  uint64_t extents = kExtentsOfHole;
  for (const auto &[id, file] : inodes_) extents += file->extents.size();
  return extents * Record::kExtentBytes <= superblock_.area_pages * kMetadataPayloadBytes / kExtentsShare;
}

// Before the first record that older programs do not know: they refuse the file system from then on.
Status PageFs::BecomeVersionWithHoles() {
  if (superblock_.version >= kHolesVersion) return Status::OK();
  Superblock next = superblock_;
  next.version = kHolesVersion;
  const std::string page = next.Encode();
  const Status s = device_->Write({{0, 1, page.data(), 0, PageKind::kMetadata}}, /*durable=*/true);
  if (!s.ok()) return Latch(s);
  stats_.metadata_pages_written++;
  superblock_ = next;
  log_.SetVersion(next.version);
  return s;
}

}  // namespace openremap
