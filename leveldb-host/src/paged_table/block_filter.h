// SPDX-License-Identifier: Apache-2.0
//
// A Bloom filter for the few keys of a one-page data block.
//
// LevelDB's own filter does badly with few keys. It takes bit positions modulo the filter's length, which is at least
// 64, from a hash whose low bits do not depend on the last byte of a key. With four keys the length is 64, a power of
// two, so keys that differ only in their last digit have the same bits: with decimal keys a third of all block reads
// were in vain.
#ifndef OPENREMAP_LEVELDB_HOST_BLOCK_FILTER_H_
#define OPENREMAP_LEVELDB_HOST_BLOCK_FILTER_H_

#include <string>

#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"

namespace openremap {

// Format of a filter: `bits_per_key` bits for each key, then one byte with the number of bits that a key sets.
// Thread-safe.
class BlockFilter : public leveldb::FilterPolicy {
 public:
  // REQUIRES: bits_per_key > 0.
  explicit BlockFilter(int bits_per_key);

  const char *Name() const override { return "openremap.BlockFilter"; }
  void CreateFilter(const leveldb::Slice *keys, int n, std::string *filter) const override;
  // Returns true for every key if `filter` does not have this format.
  bool KeyMayMatch(const leveldb::Slice &key, const leveldb::Slice &filter) const override;

 private:
  const size_t bits_per_key_;
  const size_t probes_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BLOCK_FILTER_H_
