// SPDX-License-Identifier: Apache-2.0
#include "value_log/value_log.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "db/filename.h"
#include "port/port.h"
#include "prefetching_file.h"
#include "remap_env.h"
#include "util/crc32c.h"
#include "value_log/defects.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

using Lock = std::lock_guard<std::mutex>;

// A value is stored compressed if that saves an eighth, as LevelDB's blocks are.
constexpr size_t kWorthAShare = 8;
// Padding takes no more than this share of a segment.
constexpr uint64_t kPaddingShare = 16;
constexpr size_t kMostReaders = 64;

Status Damaged(const ValuePointer &pointer, const std::string &why) {
  return Status::Corruption("value log segment " + std::to_string(pointer.segment),
                            "byte " + std::to_string(pointer.offset) + ": " + why);
}

}  // namespace

std::string SegmentFileName(const std::string &dbname, uint64_t number) {
  return leveldb::ValueLogFileName(dbname, number);
}

ValueLog::ValueLog(const leveldb::Options &options, std::string dbname)
    : env_(options.env),
      dbname_(std::move(dbname)),
      segment_bytes_(options.remap.value_log_segment_bytes),
      compress_(options.compression == leveldb::kSnappyCompression) {}

ValueLog::~ValueLog() {
  if (file_ != nullptr) (void)file_->Close();
}

// ---- Writing --------------------------------------------------------------------------------------------------------

bool ValueLog::NeedsSegment() const { return next_ == 0 && (!open_ || refused_ || offset_ >= segment_bytes_); }

void ValueLog::Begin(uint64_t number) { next_ = number; }

uint64_t ValueLog::open_segment() const {
  const uint64_t next = next_;
  return next != 0 ? next : number_.load();
}

uint64_t ValueLog::appended() const { return appended_; }

uint64_t ValueLog::mean_bytes() const {
  const uint64_t values = values_;
  return values == 0 ? 0 : appended_ / values;
}

Status ValueLog::Append(const Slice &value, ValuePointer *pointer) {
  const Lock lock(write_mutex_);
  if (compress_ && leveldb::port::Snappy_Compress(value.data(), value.size(), &compressed_) &&
      compressed_.size() < value.size() - value.size() / kWorthAShare) {
    return Store(compressed_, /*compressed=*/true, pointer);
  }
  return Store(value, /*compressed=*/false, pointer);
}

Status ValueLog::AppendStored(const Slice &stored, const ValuePointer &as, ValuePointer *pointer) {
  const Lock lock(write_mutex_);
  return Store(stored, as.compressed, pointer);
}

Status ValueLog::Store(const Slice &stored, bool compressed, ValuePointer *pointer) {
  if (!failed_.ok()) return failed_;
  if (stored.size() > std::numeric_limits<uint32_t>::max()) {
    return Status::InvalidArgument("value log", "a value of more than 4 GiB");
  }
  if (next_ != 0) {
    Status s = OpenNext();
    if (!s.ok()) return s;
  }
  if (file_ == nullptr || refused_) return Status::IOError("value log", "no open segment");
  const uint64_t behind = offset_ % kPageBytes;
  if (stored.size() >= kPageBytes && behind != 0) {
    const uint64_t padding = kPageBytes - behind;
    if (padding_ + padding <= segment_bytes_ / kPaddingShare) {
      Status s = file_->Append(std::string(static_cast<size_t>(padding), '\0'));
      if (!s.ok()) return Refuse(s);
      offset_ += padding;
      padding_ += padding;
    }
  }
  unsynced_ = true;
  Status s = file_->Append(stored);
  if (!s.ok()) return Refuse(s);
  *pointer = {number_, offset_, static_cast<uint32_t>(stored.size()),
              leveldb::crc32c::Mask(leveldb::crc32c::Value(stored.data(), stored.size())), compressed};
  offset_ += stored.size();
  appended_ += stored.size();
  values_++;
  unflushed_ += stored.size();
  return s;
}

// What a call that failed has left in the file is not known, nor what it has dropped of what was buffered before:
// LevelDB's own files drop all of it.
Status ValueLog::Refuse(const Status &error) {
  refused_ = true;
  if (unflushed_ != 0 && lost_.ok()) lost_ = error;
  return error;
}

// The segment before is synced while it is at hand: later Syncs only look at the open one. If it refused its first
// values nothing points to it, and it goes: a full file system that is tried again and again would fill with such ones.
Status ValueLog::EndOpen() {
  if (file_ == nullptr) return Status::OK();
  const bool in_vain = refused_ && !flushed_;
  const Status synced = in_vain ? Status::OK() : SyncOpen();
  if (!synced.ok()) return synced;
  const Status closed = file_->Close();
  file_.reset();
  open_ = unsynced_ = false;
  if (!in_vain) return closed;
  (void)env_->RemoveFile(SegmentFileName(dbname_, number_));  // or later, as a segment that the ledger does not know
  return Status::OK();
}

Status ValueLog::OpenNext() {
  Status s = failed_.ok() ? EndOpen() : failed_;
  if (!s.ok()) return s;
  const std::string name = SegmentFileName(dbname_, next_);
  leveldb::WritableFile *file = nullptr;
  s = env_->NewWritableFile(name, &file);
  number_ = s.ok() ? next_.load() : 0;
  next_ = 0;
  if (!s.ok()) return s;
  file_.reset(file);
  offset_ = padding_ = 0;
  refused_ = flushed_ = false;
  open_ = true;
  if (RemapEnv *const remap = RemapEnv::From(env_)) remap->PlaceFile(name, kValueLogLevel);
  return s;
}

Status ValueLog::SyncOpen() {
  if (!failed_.ok()) return failed_;
  if (file_ == nullptr || !unsynced_) return Status::OK();
  if (SeededDefects().values_not_synced) return Status::OK();
  failed_ = file_->Sync();
  if (!failed_.ok()) return Refuse(failed_);
  unsynced_ = false;
  return failed_;
}

Status ValueLog::Flush() {
  const Lock lock(write_mutex_);
  if (unflushed_ == 0) return Status::OK();
  if (lost_.ok() && file_ != nullptr) {  // else they were synced with their segment
    const Status s = file_->Flush();
    if (s.ok()) flushed_ = true;
    if (!s.ok()) (void)Refuse(s);
  }
  if (!lost_.ok()) appended_ -= unflushed_;
  unflushed_ = 0;
  return std::exchange(lost_, Status::OK());
}

Status ValueLog::Sync() {
  const Lock lock(write_mutex_);
  return SyncOpen();
}

Status ValueLog::SyncOld(uint64_t segment) {
  const std::string name = SegmentFileName(dbname_, segment);
  leveldb::WritableFile *opened = nullptr;
  Status s = env_->NewAppendableFile(name, &opened);
  if (s.IsNotSupportedError()) return Status::OK();
  if (!s.ok()) return s;
  const std::unique_ptr<leveldb::WritableFile> file(opened);
  if (RemapEnv *const remap = RemapEnv::From(env_)) remap->PlaceFile(name, kValueLogLevel);
  s = file->Sync();
  const Status closed = file->Close();
  return s.ok() ? closed : s;
}

// ---- Reading --------------------------------------------------------------------------------------------------------

void ValueLog::Move(uint64_t segment, uint64_t file) {
  const Lock lock(read_mutex_);
  moved_[segment].push_front({file, nullptr});
}

Status ValueLog::Whereabouts(uint64_t segment, uint64_t *file, std::shared_ptr<const SegmentMap> *map) {
  *file = segment;
  map->reset();
  const Lock lock(read_mutex_);
  const auto moved = moved_.find(segment);
  if (moved == moved_.end()) return Status::OK();
  Target &target = moved->second.front();
  const Status s = ReadMap(segment, &target);
  *file = target.file;
  *map = target.map;
  return s;
}

uint64_t ValueLog::Pages(uint64_t segment) {
  uint64_t file = 0, bytes = 0;
  std::shared_ptr<const SegmentMap> map;
  if (!Whereabouts(segment, &file, &map).ok()) return 0;
  if (map != nullptr) return map->pages();
  if (!env_->GetFileSize(SegmentFileName(dbname_, file), &bytes).ok()) return 0;
  return (bytes + kPageBytes - 1) / kPageBytes;
}

// REQUIRES: read_mutex_ is held.
Status ValueLog::ReadMap(uint64_t segment, Target *target) {
  if (target->map != nullptr) return Status::OK();
  const std::string name = SegmentFileName(dbname_, target->file);
  auto map = std::make_shared<SegmentMap>();
  Status s = SegmentMap::Read(env_, name, map.get());
  if (s.ok() && map->segment() != segment) s = Status::Corruption(name, "is of another segment");
  if (!s.ok()) return s.IsNotFound() ? Status::Corruption(name, s.ToString()) : s;
  target->map = std::move(map);
  return s;
}

Status ValueLog::Find(const ValuePointer &pointer, Place *place) {
  *place = {pointer.segment, pointer.offset};
  const Lock lock(read_mutex_);
  const auto moved = moved_.find(pointer.segment);
  if (moved == moved_.end()) return Status::OK();
  for (Target &target : moved->second) {
    Status s = ReadMap(pointer.segment, &target);
    if (!s.ok()) return s;
    if (!target.map->Find(pointer.offset, pointer.bytes, &place->offset)) continue;
    place->file = target.file;
    break;
  }
  return Status::OK();
}

Status ValueLog::Has(const ValuePointer &pointer, bool *has) {
  *has = false;
  Place place;
  Status s = Find(pointer, &place);
  if (!s.ok()) return s;
  uint64_t bytes = 0;
  s = env_->GetFileSize(SegmentFileName(dbname_, place.file), &bytes);
  *has = s.ok() && bytes >= place.offset + pointer.bytes;
  return s.IsNotFound() ? Status::OK() : s;
}

Status ValueLog::OpenReader(const ValuePointer &pointer, const Place &place,
                            std::shared_ptr<leveldb::RandomAccessFile> *file) {
  const uint64_t end = place.offset + pointer.bytes;
  const Lock lock(read_mutex_);
  const auto known =
      std::find_if(readers_.begin(), readers_.end(), [&](const Reader &reader) { return reader.number == place.file; });
  if (known != readers_.end() && known->bytes >= end) {
    readers_.splice(readers_.begin(), readers_, known);
    *file = known->file;
    return Status::OK();
  }
  const std::string name = SegmentFileName(dbname_, place.file);
  Reader reader;
  reader.number = place.file;
  // Before it is opened: then it shows at least these.
  Status s = env_->GetFileSize(name, &reader.bytes);
  if (!s.ok()) return s.IsNotFound() ? Damaged(pointer, "the segment is missing") : s;
  if (reader.bytes < end) return Damaged(pointer, "behind the end of the segment");
  leveldb::RandomAccessFile *opened = nullptr;
  s = env_->NewRandomAccessFile(name, &opened);
  if (!s.ok()) return s.IsNotFound() ? Damaged(pointer, s.ToString()) : s;
  reader.file.reset(opened);
  *file = reader.file;
  if (known != readers_.end()) readers_.erase(known);
  readers_.push_front(std::move(reader));
  if (readers_.size() > kMostReaders) readers_.pop_back();
  return s;
}

Status ValueLog::ReadStored(const ValuePointer &pointer, std::string *stored) {
  std::shared_ptr<leveldb::RandomAccessFile> file;
  Place place;
  Status s = Find(pointer, &place);
  if (s.ok()) s = OpenReader(pointer, place, &file);
  if (!s.ok()) return s;
  stored->resize(pointer.bytes);
  Slice read;
  s = file->Read(place.offset, pointer.bytes, &read, &(*stored)[0]);
  if (!s.ok()) return s.IsNotFound() ? Damaged(pointer, s.ToString()) : s;
  if (read.size() != pointer.bytes) return Damaged(pointer, "the value is cut short");
  if (leveldb::crc32c::Mask(leveldb::crc32c::Value(read.data(), read.size())) != pointer.checksum) {
    return Damaged(pointer, "wrong checksum");
  }
  if (read.data() != stored->data()) stored->assign(read.data(), read.size());
  return s;
}

Status ValueLog::Read(const ValuePointer &pointer, std::string *value) {
  if (!pointer.compressed) return ReadStored(pointer, value);
  std::string stored;
  Status s = ReadStored(pointer, &stored);
  if (!s.ok()) return s;
  size_t bytes = 0;
  if (!leveldb::port::Snappy_GetUncompressedLength(stored.data(), stored.size(), &bytes)) {
    return Damaged(pointer, "compressed with something that this build does not know");
  }
  value->resize(bytes);
  if (!leveldb::port::Snappy_Uncompress(stored.data(), stored.size(), &(*value)[0])) {
    return Damaged(pointer, "cannot be uncompressed");
  }
  return s;
}

void ValueLog::Prefetch(const std::vector<ValuePointer> &pointers) {
  struct Wanted {
    std::vector<FileRange> ranges;
    const ValuePointer *furthest = nullptr;
    Place at;  // the furthest
  };
  std::map<uint64_t, Wanted> by_file;
  for (const ValuePointer &pointer : pointers) {
    Place place;
    if (!Find(pointer, &place).ok()) continue;
    Wanted &wanted = by_file[place.file];
    wanted.ranges.push_back({place.offset, pointer.bytes});
    if (wanted.furthest == nullptr || wanted.at.offset + wanted.furthest->bytes < place.offset + pointer.bytes) {
      wanted.furthest = &pointer;
      wanted.at = place;
    }
  }
  for (const auto &[number, wanted] : by_file) {
    std::shared_ptr<leveldb::RandomAccessFile> file;
    if (!OpenReader(*wanted.furthest, wanted.at, &file).ok()) continue;
    const PrefetchingFile *const prefetching = PrefetchingFile::From(file.get());
    if (prefetching != nullptr) prefetching->Prefetch(wanted.ranges);
  }
}

void ValueLog::Evict(uint64_t file) {
  const Lock lock(read_mutex_);
  readers_.remove_if([file](const Reader &reader) { return reader.number == file; });
  for (auto at = moved_.begin(); at != moved_.end();) {
    at->second.remove_if([file](const Target &target) { return target.file == file; });
    at = at->second.empty() ? moved_.erase(at) : std::next(at);
  }
}

}  // namespace openremap
