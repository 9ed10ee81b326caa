// SPDX-License-Identifier: Apache-2.0
//
// State of one input data block while a compaction merges it (RemapCom, section 4.2, figure 6 and table 1).
#ifndef OPENREMAP_LEVELDB_HOST_BLOCK_STATE_H_
#define OPENREMAP_LEVELDB_HOST_BLOCK_STATE_H_

#include <cstdint>

namespace openremap {

enum class BlockState : uint8_t {
  kBegin,       // the first entry is being traversed
  kInProgress,  // all entries so far go out as they came in
  kChanged,     // an entry was dropped, or entries of another block came in between
  kUnchanged,   // all entries were traversed and the block is as it was
};

enum class BlockEvent : uint8_t {
  kBlockStart,   // block_start: the first entry is traversed
  kKvReserved,   // KV_reserved: the entry goes to the output
  kKvDropped,    // KV_dropped: the entry does not
  kBlockSwitch,  // block_switch: the merge turns to another block (or the output table ends) before the last entry
  kBlockEnd,     // block_end: the last entry has been traversed
};

// One per input sorted run, since blocks of a run follow one another. One byte of state.
class BlockStateMachine {
 public:
  BlockState state() const { return state_; }

  // Whether entries are still to come and the block can still end unchanged.
  bool undecided() const { return state_ == BlockState::kBegin || state_ == BlockState::kInProgress; }

  // REQUIRES: block_start comes first, and again only when the block before it is decided; block_end only after an
  // entry.
  void Apply(BlockEvent event);

 private:
  BlockState state_ = BlockState::kChanged;  // no block yet: only block_start leaves it
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BLOCK_STATE_H_
