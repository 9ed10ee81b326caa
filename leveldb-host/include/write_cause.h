// SPDX-License-Identifier: Apache-2.0
//
// Why bytes of files are written, so that write amplification can be told apart by cause. LevelDB knows the cause of a
// table, and tells the file layer (RemapEnv::SetCause); that of other files follows from their names. The file layer
// counts, because it alone knows what a byte costs: partial pages that are written again, and copies in place of a
// remap.
#ifndef OPENREMAP_LEVELDB_HOST_WRITE_CAUSE_H_
#define OPENREMAP_LEVELDB_HOST_WRITE_CAUSE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace openremap {

enum class WriteCause : uint8_t {
  kLog,               // the write-ahead log
  kFlush,             // tables of memtables; also of logs, when a database is opened or repaired
  kSizeCompaction,    // tables of compactions of levels that were too large
  kSeekCompaction,    // of tables that gets looked into in vain too often
  kManualCompaction,  // of CompactRange()
  kValueLog,          // segments of the value log
  kOther,             // manifest, CURRENT and the info log
};
constexpr size_t kWriteCauses = static_cast<size_t>(WriteCause::kOther) + 1;

// "log", "flush", "size_compaction", "seek_compaction", "manual_compaction", "value_log",
// "other".
const char *WriteCauseName(WriteCause cause);

// kLog, kValueLog or kOther, by the name of a file of LevelDB.
WriteCause CauseOfName(const std::string &fname);

// Bytes, by WriteCause.
using CauseBytes = std::array<uint64_t, kWriteCauses>;
uint64_t SumOf(const CauseBytes &bytes);

// Counters that several threads add to.
class CauseCounters {
 public:
  void Add(WriteCause cause, uint64_t bytes) { bytes_.at(static_cast<size_t>(cause)) += bytes; }
  CauseBytes Get() const;

 private:
  std::array<std::atomic<uint64_t>, kWriteCauses> bytes_{};
};

// The causes of files by name, for a file layer that has no state of its own for a file. Thread-safe.
class FileCauses {
 public:
  void Set(const std::string &fname, WriteCause cause);
  // As CauseOfName() where none was set.
  WriteCause Of(const std::string &fname) const;
  // The file has gone, or has another name.
  void Forget(const std::string &fname);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, WriteCause> causes_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_WRITE_CAUSE_H_
