// SPDX-License-Identifier: Apache-2.0
//
// Writes LevelDB's filter block (doc/table_format.md), as leveldb::FilterBlockBuilder does. Can also take over the
// filter of a block from another table, when the block's keys are not known.
#ifndef OPENREMAP_LEVELDB_HOST_FILTER_WRITER_H_
#define OPENREMAP_LEVELDB_HOST_FILTER_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leveldb/filter_policy.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace openremap {

class FilterWriter {
 public:
  explicit FilterWriter(const leveldb::FilterPolicy *policy) : policy_(policy) {}

  // Begins the data block at file offset `offset`; keys added before belong to the previous block.
  void StartBlock(uint64_t offset);

  void AddKey(const leveldb::Slice &key);

  // Sets the filter of the open block. REQUIRES: no key was added to the block.
  void SetFilter(const leveldb::Slice &filter);

  // Returns the filter block. The slice is valid as long as the writer lives.
  leveldb::Slice Finish();

 private:
  void EndFilter();

  const leveldb::FilterPolicy *policy_;
  std::string keys_;  // of the open block, one behind the other
  std::vector<size_t> starts_;
  std::string result_;
  std::vector<uint32_t> offsets_;
};

// Finds the filters of single blocks in a filter block.
class FilterSource {
 public:
  // REQUIRES: `contents` outlives *source.
  static leveldb::Status Parse(const leveldb::Slice &contents, FilterSource *source);

  // Sets *filter to that of the data block at `offset`. Returns false if the filter block does not cover it.
  bool Find(uint64_t offset, leveldb::Slice *filter) const;

 private:
  leveldb::Slice filters_;
  leveldb::Slice offsets_;  // fixed32 each, the last one is the end of filters_
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_FILTER_WRITER_H_
