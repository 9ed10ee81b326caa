// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_ROCKSBENCH_ROCKS_LEVEL_DB_H_
#define OPENREMAP_ROCKSBENCH_ROCKS_LEVEL_DB_H_

#include <cstdint>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "rocksdb/db.h"
#include "rocksrun/inline_rocks_env.h"

namespace openremap {

// A RocksDB database behind LevelDB's interface, so that what runs on one runs on the other. Thread-safe as
// leveldb::DB, but for CompactRange().
class RocksLevelDb : public leveldb::DB {
 public:
  // The database uses `env`, which outlives this; its background work waits for RunPending() there.
  RocksLevelDb(std::unique_ptr<rocksdb::DB> db, InlineRocksEnv *env);
  // REQUIRES: nothing is pending.
  ~RocksLevelDb() override;

  leveldb::Status Put(const leveldb::WriteOptions &options, const leveldb::Slice &key,
                      const leveldb::Slice &value) override;
  leveldb::Status Delete(const leveldb::WriteOptions &options, const leveldb::Slice &key) override;
  leveldb::Status Write(const leveldb::WriteOptions &options, leveldb::WriteBatch *updates) override;
  leveldb::Status Get(const leveldb::ReadOptions &options, const leveldb::Slice &key, std::string *value) override;
  leveldb::Iterator *NewIterator(const leveldb::ReadOptions &options) override;
  const leveldb::Snapshot *GetSnapshot() override;
  void ReleaseSnapshot(const leveldb::Snapshot *snapshot) override;
  // `leveldb.sstables`, as LevelDB has it; and RocksDB's own properties.
  bool GetProperty(const leveldb::Slice &property, std::string *value) override;
  void GetApproximateSizes(const leveldb::Range *range, int n, uint64_t *sizes) override;
  // Runs what is pending meanwhile.
  void CompactRange(const leveldb::Slice *begin, const leveldb::Slice *end) override;

  rocksdb::DB *rocks() { return db_.get(); }

 private:
  std::string Tables();

  const std::unique_ptr<rocksdb::DB> db_;
  InlineRocksEnv *const env_;
};

// The same kind and text.
leveldb::Status ToLevelStatus(const rocksdb::Status &s);

}  // namespace openremap

#endif  // OPENREMAP_ROCKSBENCH_ROCKS_LEVEL_DB_H_
