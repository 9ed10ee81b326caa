// SPDX-License-Identifier: Apache-2.0
//
// Writes LevelDB's filter block (doc/table_format.md), as leveldb::FilterBlockBuilder does, and can take the filter of a
// block over from another table, where the block's keys are not at hand.
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

  // The data block at file offset `offset` begins: what was added goes with the block before it.
  void StartBlock(uint64_t offset);

  void AddKey(const leveldb::Slice &key);

  // `filter` is the one of all keys of the open block. REQUIRES: none was added to it.
  void SetFilter(const leveldb::Slice &filter);

  // The slice lives as long as the writer.
  leveldb::Slice Finish();

 private:
  void EndFilter();

  const leveldb::FilterPolicy *policy_;
  std::string keys_;  // of the open block, one behind the other
  std::vector<size_t> starts_;
  std::string result_;
  std::vector<uint32_t> offsets_;
};

// Looks single filters up in a filter block.
class FilterSource {
 public:
  // REQUIRES: `contents` lives as long as this object.
  static leveldb::Status Parse(const leveldb::Slice &contents, FilterSource *source);

  // The filter of the data block at `offset`; false: the filter block does not reach that far.
  bool Find(uint64_t offset, leveldb::Slice *filter) const;

 private:
  leveldb::Slice filters_;
  leveldb::Slice offsets_;  // fixed32 each, the last one is the end of filters_
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_FILTER_WRITER_H_
