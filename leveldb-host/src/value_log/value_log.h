// SPDX-License-Identifier: Apache-2.0
//
// The files of the value log: segments that values are appended to and read from (docs/design/value-log.md).
#ifndef OPENREMAP_LEVELDB_HOST_VALUE_LOG_H_
#define OPENREMAP_LEVELDB_HOST_VALUE_LOG_H_

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "value_log/segment_map.h"
#include "value_log/value_pointer.h"

namespace openremap {

// Thread-safe. One thread at a time appends; any thread may sync, and many may read at once.
class ValueLog {
 public:
  // `options` is that of the open database: its Env, its compression and RemapOptions::value_log_segment_bytes.
  ValueLog(const leveldb::Options &options, std::string dbname);
  // Closes the open segment. What was appended since the last Sync need not be durable.
  ~ValueLog();
  ValueLog(const ValueLog &) = delete;
  ValueLog &operator=(const ValueLog &) = delete;

  // Whether no segment is open that takes values: there is none yet, it is full, or it refused a value.
  bool NeedsSegment() const;
  // The next value begins the segment `number`, which is a new file number.
  void Begin(uint64_t number);
  // The segment that the next value goes to; 0: none.
  uint64_t open_segment() const;

  // Bytes of values that were appended so far, as stored.
  uint64_t appended() const;
  // Of one value, on average; 0: none was appended.
  uint64_t mean_bytes() const;

  // Appends a value, compressed where that is worth it. The first one of a segment syncs the one before. After an error
  // the next values need a new segment: what the file has behind the last Flush is not known. After an error of a Sync
  // every Append fails.
  leveldb::Status Append(const leveldb::Slice &value, ValuePointer *pointer);
  // Appends a value as another pointer has it stored.
  leveldb::Status AppendStored(const leveldb::Slice &stored, const ValuePointer &as, ValuePointer *pointer);
  // Makes what was appended readable. An error: of the values since the last Flush some may not be there, and nothing
  // may point to any of them. It is the error of what failed since then: an append, a Sync of any thread, or this.
  leveldb::Status Flush();
  // Makes it durable; on PageFS, with the next Sync of a file that is no table.
  leveldb::Status Sync();
  // Makes a segment of an earlier process durable, which may still be in the operating system's cache.
  leveldb::Status SyncOld(uint64_t segment);

  // Replaces *value by the value. Corruption: it is not there, or not what the pointer says; never NotFound.
  leveldb::Status Read(const ValuePointer &pointer, std::string *value);
  // The bytes as they are stored, verified.
  leveldb::Status ReadStored(const ValuePointer &pointer, std::string *stored);
  // Reads values side by side where the file layer can, for the Read of each. A hint.
  void Prefetch(const std::vector<ValuePointer> &pointers);
  // The segment is in another file from now on, but for what only older readers need. They find that in the file that
  // it was in before, as long as that is there.
  void Move(uint64_t segment, uint64_t file);
  // Sets *file to the number of the file that the segment is in, and *map to what that has of it; null: all.
  // Corruption: the file does not say.
  leveldb::Status Whereabouts(uint64_t segment, uint64_t *file, std::shared_ptr<const SegmentMap> *map);
  // Pages of the file that the segment is in, a partial last one included; 0: it cannot be told.
  uint64_t Pages(uint64_t segment);
  // The file of a segment goes.
  void Evict(uint64_t file);
  // Sets *has to whether the file of the segment has the bytes of the pointer, whatever they are. An error: the file
  // layer cannot tell.
  leveldb::Status Has(const ValuePointer &pointer, bool *has);

 private:
  struct Reader {
    uint64_t number = 0;  // of the file
    uint64_t bytes = 0;   // that the file had when it was opened: a mapped file shows no more
    std::shared_ptr<leveldb::RandomAccessFile> file;
  };

  leveldb::Status Store(const leveldb::Slice &stored, bool compressed, ValuePointer *pointer);
  leveldb::Status OpenNext();
  leveldb::Status SyncOpen();
  leveldb::Status EndOpen();
  leveldb::Status Refuse(const leveldb::Status &error);
  // A file that a segment moved to.
  struct Target {
    uint64_t file = 0;
    std::shared_ptr<const SegmentMap> map;  // null: not read yet
  };
  // Where the bytes of a pointer are.
  struct Place {
    uint64_t file = 0;
    uint64_t offset = 0;
  };
  leveldb::Status Find(const ValuePointer &pointer, Place *place);
  leveldb::Status ReadMap(uint64_t segment, Target *target);
  leveldb::Status OpenReader(const ValuePointer &pointer, const Place &place,
                             std::shared_ptr<leveldb::RandomAccessFile> *file);

  leveldb::Env *const env_;
  const std::string dbname_;
  const uint64_t segment_bytes_;
  const bool compress_;

  // A Sync holds it while it waits for the device. So what is read with LevelDB's mutex held is atomic, and read
  // without it. But for refused_ only the thread that appends changes that.
  std::mutex write_mutex_;             // guards these
  std::atomic<uint64_t> number_{0};    // of file_
  std::atomic<uint64_t> next_{0};      // begins with the next value; 0: none
  std::atomic<uint64_t> offset_{0};    // in file_
  std::atomic<uint64_t> appended_{0};  // to all segments, without padding
  std::atomic<uint64_t> values_{0};    // that were appended
  std::atomic<bool> open_{false};      // file_ is there
  std::atomic<bool> refused_{false};   // file_ takes no more
  std::unique_ptr<leveldb::WritableFile> file_;
  uint64_t padding_ = 0;    // of the bytes of file_, those that align values
  uint64_t unflushed_ = 0;  // of appended_, since the last Flush
  bool flushed_ = false;    // file_ has values that something may point to
  leveldb::Status lost_;    // why some since the last Flush may not be in file_
  bool unsynced_ = false;   // file_ has bytes that no Sync has covered
  leveldb::Status failed_;  // the first Sync that failed
  std::string compressed_;  // scratch

  std::mutex read_mutex_;      // guards these
  std::list<Reader> readers_;  // the one used last first
  // By segment: the file that it is in, then earlier ones that older readers may need.
  std::map<uint64_t, std::list<Target>> moved_;
};

// "<dbname>/NNNNNN.vlog".
std::string SegmentFileName(const std::string &dbname, uint64_t number);

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_VALUE_LOG_H_
