// SPDX-License-Identifier: Apache-2.0
#include "rocksbench/rocks_level_db.h"

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#include "rocksdb/iterator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/write_batch.h"

namespace openremap {

using leveldb::Slice;
using leveldb::Status;

namespace {

rocksdb::Slice Rocks(const Slice &slice) { return {slice.data(), slice.size()}; }
Slice Level(const rocksdb::Slice &slice) { return {slice.data(), slice.size()}; }

class RocksSnapshot : public leveldb::Snapshot {
 public:
  explicit RocksSnapshot(const rocksdb::Snapshot *snapshot) : snapshot_(snapshot) {}
  const rocksdb::Snapshot *get() const { return snapshot_; }

 private:
  const rocksdb::Snapshot *const snapshot_;
};

rocksdb::WriteOptions Rocks(const leveldb::WriteOptions &options) {
  rocksdb::WriteOptions write;
  write.sync = options.sync;
  return write;
}

rocksdb::ReadOptions Rocks(const leveldb::ReadOptions &options) {
  rocksdb::ReadOptions read;
  read.verify_checksums = options.verify_checksums;
  read.fill_cache = options.fill_cache;
  if (options.snapshot != nullptr) read.snapshot = static_cast<const RocksSnapshot *>(options.snapshot)->get();
  return read;
}

class RocksIterator : public leveldb::Iterator {
 public:
  explicit RocksIterator(rocksdb::Iterator *it) : it_(it) {}
  bool Valid() const override { return it_->Valid(); }
  void SeekToFirst() override { it_->SeekToFirst(); }
  void SeekToLast() override { it_->SeekToLast(); }
  void Seek(const Slice &target) override { it_->Seek(Rocks(target)); }
  void Next() override { it_->Next(); }
  void Prev() override { it_->Prev(); }
  Slice key() const override { return Level(it_->key()); }
  Slice value() const override { return Level(it_->value()); }
  Status status() const override { return ToLevelStatus(it_->status()); }

 private:
  const std::unique_ptr<rocksdb::Iterator> it_;
};

class BatchCopier : public leveldb::WriteBatch::Handler {
 public:
  explicit BatchCopier(rocksdb::WriteBatch *to) : to_(to) {}
  void Put(const Slice &key, const Slice &value) override { Note(to_->Put(Rocks(key), Rocks(value))); }
  void Delete(const Slice &key) override { Note(to_->Delete(Rocks(key))); }
  const rocksdb::Status &status() const { return status_; }

 private:
  void Note(const rocksdb::Status &s) {
    if (status_.ok()) status_ = s;
  }
  rocksdb::WriteBatch *const to_;
  rocksdb::Status status_;
};

}  // namespace

Status ToLevelStatus(const rocksdb::Status &s) {
  if (s.ok()) return Status::OK();
  std::string text = s.ToString();
  const size_t colon = text.find(": ");
  if (colon != std::string::npos) text.erase(0, colon + 2);
  if (s.IsNotFound()) return Status::NotFound(text);
  if (s.IsCorruption()) return Status::Corruption(text);
  if (s.IsNotSupported()) return Status::NotSupported(text);
  if (s.IsInvalidArgument()) return Status::InvalidArgument(text);
  return Status::IOError(text);
}

RocksLevelDb::RocksLevelDb(std::unique_ptr<rocksdb::DB> db, InlineRocksEnv *env) : db_(std::move(db)), env_(env) {}

RocksLevelDb::~RocksLevelDb() = default;

Status RocksLevelDb::Put(const leveldb::WriteOptions &options, const Slice &key, const Slice &value) {
  return ToLevelStatus(db_->Put(Rocks(options), Rocks(key), Rocks(value)));
}

Status RocksLevelDb::Delete(const leveldb::WriteOptions &options, const Slice &key) {
  return ToLevelStatus(db_->Delete(Rocks(options), Rocks(key)));
}

Status RocksLevelDb::Write(const leveldb::WriteOptions &options, leveldb::WriteBatch *updates) {
  rocksdb::WriteBatch batch;
  BatchCopier copier(&batch);
  const Status s = updates->Iterate(&copier);
  if (!s.ok()) return s;
  if (!copier.status().ok()) return ToLevelStatus(copier.status());
  return ToLevelStatus(db_->Write(Rocks(options), &batch));
}

Status RocksLevelDb::Get(const leveldb::ReadOptions &options, const Slice &key, std::string *value) {
  return ToLevelStatus(db_->Get(Rocks(options), Rocks(key), value));
}

leveldb::Iterator *RocksLevelDb::NewIterator(const leveldb::ReadOptions &options) {
  return new RocksIterator(db_->NewIterator(Rocks(options)));
}

const leveldb::Snapshot *RocksLevelDb::GetSnapshot() { return new RocksSnapshot(db_->GetSnapshot()); }

void RocksLevelDb::ReleaseSnapshot(const leveldb::Snapshot *snapshot) {
  const std::unique_ptr<const RocksSnapshot> held(static_cast<const RocksSnapshot *>(snapshot));
  db_->ReleaseSnapshot(held->get());
}

// As VersionSet::DebugString() of LevelDB, without the keys.
std::string RocksLevelDb::Tables() {
  rocksdb::ColumnFamilyMetaData family;
  db_->GetColumnFamilyMetaData(&family);
  std::string text;
  for (const rocksdb::LevelMetaData &level : family.levels) {
    text += "--- level " + std::to_string(level.level) + " ---\n";
    for (const rocksdb::SstFileMetaData &file : level.files) {
      text += " " + std::to_string(file.file_number) + ":" + std::to_string(file.size) + "\n";
    }
  }
  return text;
}

bool RocksLevelDb::GetProperty(const Slice &property, std::string *value) {
  if (property == "leveldb.sstables") {
    *value = Tables();
    return true;
  }
  return db_->GetProperty(Rocks(property), value);
}

void RocksLevelDb::GetApproximateSizes(const leveldb::Range *range, int n, uint64_t *sizes) {
  std::vector<rocksdb::Range> ranges;
  for (int i = 0; i < n; i++) ranges.emplace_back(Rocks(range[i].start), Rocks(range[i].limit));
  // It fails for wrong options only.
  db_->GetApproximateSizes(rocksdb::SizeApproximationOptions(), db_->DefaultColumnFamily(), ranges.data(), n, sizes)
      .PermitUncheckedError();
}

void RocksLevelDb::CompactRange(const Slice *begin, const Slice *end) {
  std::atomic<bool> done{false};
  std::thread waiting([&] {
    const rocksdb::Slice first = begin != nullptr ? Rocks(*begin) : rocksdb::Slice();
    const rocksdb::Slice last = end != nullptr ? Rocks(*end) : rocksdb::Slice();
    // LevelDB's has no status; an error of the database shows in the next write.
    db_->CompactRange(rocksdb::CompactRangeOptions(), begin != nullptr ? &first : nullptr,
                      end != nullptr ? &last : nullptr)
        .PermitUncheckedError();
    done = true;
  });
  while (!done) {
    env_->RunPending();
    std::this_thread::yield();
  }
  waiting.join();
}

}  // namespace openremap
