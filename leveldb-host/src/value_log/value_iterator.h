// SPDX-License-Identifier: Apache-2.0
#ifndef OPENREMAP_LEVELDB_HOST_VALUE_ITERATOR_H_
#define OPENREMAP_LEVELDB_HOST_VALUE_ITERATOR_H_

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "leveldb/iterator.h"
#include "value_log/value_log.h"

namespace openremap {

// Shows the values of an iterator over tagged ones. A value is read when it is asked for. From the second Next() in a
// row on, the iterator below runs ahead by up to kMostAhead entries, whose values are read side by side where the file
// layer can. A value that cannot be read ends the iteration: Valid() is false from then on until the next seek, and
// status() has the error.
//
// Thread-safe as leveldb::Iterator.
class ValueIterator : public leveldb::Iterator {
 public:
  static constexpr size_t kMostAhead = 32;
  // Of the values that are read side by side, as stored.
  static constexpr uint64_t kMostBytesAhead = 1 << 20;

  // `log` outlives this. REQUIRES: Seek(key()) of `tagged` finds that key again.
  ValueIterator(std::unique_ptr<leveldb::Iterator> tagged, ValueLog *log) : tagged_(std::move(tagged)), log_(log) {}

  bool Valid() const override { return !failed_ && (!ahead_.empty() || tagged_->Valid()); }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(const leveldb::Slice &target) override;
  void Next() override;
  void Prev() override;
  leveldb::Slice key() const override { return ahead_.empty() ? tagged_->key() : ahead_.front().key; }
  leveldb::Slice value() const override;
  leveldb::Status status() const override;

 private:
  struct Entry {
    std::string key, tagged;
  };

  void Moved();
  void RunAhead();

  const std::unique_ptr<leveldb::Iterator> tagged_;
  ValueLog *const log_;
  // The current entry and those behind it; tagged_ stands behind the last one. Empty: tagged_ has the current one.
  std::deque<Entry> ahead_;
  size_t forwards_ = 0;  // calls of Next() in a row
  size_t window_ = 1;    // entries to run ahead by, next time

  mutable std::mutex mutex_;  // guards these: const functions may be called by several threads
  mutable bool read_ = false;
  mutable std::string value_;
  mutable leveldb::Status status_;  // the first value that could not be read
  mutable std::atomic<bool> failed_{false};
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_VALUE_ITERATOR_H_
