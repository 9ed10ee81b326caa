// SPDX-License-Identifier: Apache-2.0
//
// Entries of an InProgress block, held back until the block is known to be changed or unchanged (RemapCom, section 4.3,
// "lazy write back"). Never holds more than one data block.
#ifndef OPENREMAP_LEVELDB_HOST_LAZY_BUFFER_H_
#define OPENREMAP_LEVELDB_HOST_LAZY_BUFFER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "leveldb/slice.h"

namespace openremap {

class LazyBuffer {
 public:
  // Copies `key`, because an iterator decodes each key into the same buffer. Keeps `value` by reference: it lies in the
  // source block, which stays loaded while it is InProgress. If the block turns out damaged, call Clear().
  void Push(const leveldb::Slice &key, const leveldb::Slice &value) {
    entries_.push_back({keys_.size(), key.size(), value});
    keys_.append(key.data(), key.size());
  }

  void Clear() {
    keys_.clear();
    entries_.clear();
  }

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  leveldb::Slice key(size_t i) const { return {keys_.data() + entries_[i].key_offset, entries_[i].key_size}; }
  leveldb::Slice value(size_t i) const { return entries_[i].value; }

 private:
  struct Entry {
    size_t key_offset;
    size_t key_size;
    leveldb::Slice value;
  };

  std::string keys_;
  std::vector<Entry> entries_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_LAZY_BUFFER_H_
