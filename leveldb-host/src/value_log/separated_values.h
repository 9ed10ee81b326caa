// SPDX-License-Identifier: Apache-2.0
//
// Key-value separation of an open database: what LevelDB's DBImpl calls (docs/design/value-log.md).
#ifndef OPENREMAP_LEVELDB_HOST_SEPARATED_VALUES_H_
#define OPENREMAP_LEVELDB_HOST_SEPARATED_VALUES_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "leveldb/options.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"
#include "value_log/segment_collector.h"
#include "value_log/segment_ledger.h"
#include "value_log/value_iterator.h"
#include "value_log/value_log.h"

namespace openremap {

// "The mutex" is the database's. The thread that writes is the one at the front of LevelDB's queue of writers.
class SeparatedValues {
 public:
  // `options` are those of the open database; they and `ledger`, which the mutex guards, outlive this.
  SeparatedValues(const leveldb::Options &options, const std::string &dbname, SegmentLedger *ledger);

  // ---- Opening; the mutex is held

  // A record of a log is replayed. Sets *torn if its values are not there: the record and all later ones are no more.
  leveldb::Status Replay(const leveldb::WriteBatch &record, bool *torn);
  // Whether a record was torn: later logs are not to be read.
  bool torn() const { return torn_; }

  // ---- Writing

  // A memtable begins, with a log of this number, a new file number. The thread that writes; the mutex is held.
  void MemtableBegins(uint64_t log_number);
  // Whether the memtable refers to so many bytes of the log that it is to be flushed: nobody knows which of them are
  // dead, and their segments cannot be collected. The thread that writes; the mutex is held.
  bool MemtableIsFull() const;
  // Makes a new file number.
  using NewNumber = std::function<uint64_t()>;
  // Before a write. The thread that writes; the mutex is held.
  // `oldest_version` is in use, and so are snapshots from `oldest_snapshot` on.
  void Prepare(const SegmentCollector::TableBytes &table_bytes, const NewNumber &new_number, uint64_t oldest_version,
               uint64_t oldest_snapshot);
  // Sets *separated to the batch to write in place of `batch`, which is valid until the next call. An error: `batch` is
  // refused; *separated has nothing of it, but what the collector inserts again, and is to be written all the same. The
  // thread that writes, without the mutex.
  leveldb::Status Separate(const leveldb::WriteBatch &batch, const SegmentCollector::NewScan &new_scan,
                           leveldb::WriteBatch **separated);
  // After it. The thread that writes; the mutex is held.
  void Written(bool ok);
  // Whether values are refused, because space is short.
  bool Refuses() const;
  // Makes the values of all pointers durable, before what has the pointers; see ValueLog::Sync(). Any thread.
  leveldb::Status Sync();
  // The older memtable is about to be, and has been, flushed by an edit. The mutex is held.
  void AddCollected(SegmentChanges *changes) const;
  void MemtableFlushed();

  // ---- Reading

  // Replaces a tagged value by the value. The caller uses a version with the pointer. Any thread.
  leveldb::Status Resolve(std::string *value);
  std::unique_ptr<leveldb::Iterator> NewIterator(std::unique_ptr<leveldb::Iterator> tagged);
  // Iterators as of a sequence number; the mutex is held.
  void AddReader(uint64_t sequence) { readers_.insert(sequence); }
  void RemoveReader(uint64_t sequence) { readers_.erase(readers_.find(sequence)); }

  // ---- Files; the mutex is held

  // Whether the file with this number, of the value log, is needed; as Prepare().
  bool Keeps(uint64_t file, uint64_t oldest_version, uint64_t oldest_snapshot) const;
  // It goes.
  void Forget(uint64_t file);
  // For DB::GetProperty(): one "name value" a line.
  std::string Describe() const;

 private:
  uint64_t OldestSequence(uint64_t oldest_snapshot) const;
  void PreparePunching(uint64_t oldest_version, uint64_t oldest_snapshot);
  void RemoveDurably(const std::vector<uint64_t> &segments);
  void SyncSomething();

  static constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();

  const leveldb::Options &options_;
  const std::string dbname_;
  SegmentLedger *const ledger_;
  ValueLog log_;
  SegmentCollector collector_;

  // Opening.
  bool torn_ = false;
  std::set<uint64_t> replayed_;  // segments of an earlier process that logs refer to

  leveldb::WriteBatch separated_;  // of the thread that writes

  // The mutex guards these. The first segments that the memtable and the older one may refer to; kNone: none.
  uint64_t mem_segment_ = kNone;
  uint64_t imm_segment_ = kNone;
  uint64_t mem_began_ = 0;  // ValueLog::appended() when the memtable began
  // Collected, with what was inserted again in the memtable or an older one.
  std::vector<uint64_t> mem_collected_, imm_collected_;
  // Moved, to be said with the memtable's edit.
  using Moves = std::map<uint64_t, SegmentChanges::Move>;
  Moves mem_moved_, imm_moved_;
  uint64_t moving_ = 0;  // the file whose pages the write under way remaps or punches out; 0: none
  // With pages that can be punched out when the memtable's edit is durable; and those that were, to be said with it.
  std::set<uint64_t> mem_punchable_, imm_punchable_;
  std::map<uint64_t, uint64_t> mem_punched_, imm_punched_;
  uint64_t punching_ = 0;  // the next segment to be punched; 0: none
  std::multiset<uint64_t> readers_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_SEPARATED_VALUES_H_
