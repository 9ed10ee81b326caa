// SPDX-License-Identifier: Apache-2.0
//
// A Bloom filter for few keys: those of a data block of one page.
//
// LevelDB's own takes the positions of bits modulo the filter's length, of which it has at least 64, from a hash whose low bits the
// last byte of a key does not reach. Of a block of four keys that is 64, a power of two, and keys that differ in their last digit
// have the same bits: of keys that are numbers a third of all blocks were read in vain.
#ifndef OPENREMAP_LEVELDB_HOST_BLOCK_FILTER_H_
#define OPENREMAP_LEVELDB_HOST_BLOCK_FILTER_H_

#include <string>

#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"

namespace openremap {

// Thread-safe. A filter is its bits, `bits_per_key` for each key, and a byte that says how many of them a key has.
class BlockFilter : public leveldb::FilterPolicy {
 public:
  // REQUIRES: bits_per_key > 0.
  explicit BlockFilter(int bits_per_key);

  const char *Name() const override { return "openremap.BlockFilter"; }
  void CreateFilter(const leveldb::Slice *keys, int n, std::string *filter) const override;
  // A filter that is not one of these matches every key.
  bool KeyMayMatch(const leveldb::Slice &key, const leveldb::Slice &filter) const override;

 private:
  const size_t bits_per_key_;
  const size_t probes_;
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BLOCK_FILTER_H_
