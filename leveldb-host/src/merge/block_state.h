// SPDX-License-Identifier: Apache-2.0
//
// State of one input data block while a compaction merges it (RemapCom, section 4.2, figure 6 and table 1).
#ifndef OPENREMAP_LEVELDB_HOST_BLOCK_STATE_H_
#define OPENREMAP_LEVELDB_HOST_BLOCK_STATE_H_

#include <cstdint>

namespace openremap {

enum class BlockState : uint8_t {
  kBegin,       // the merge is at the first entry
  kInProgress,  // all entries so far go to the output, in order
  kChanged,     // an entry was dropped, or entries of another block came between
  kUnchanged,   // all entries went to the output, in order and with nothing between them
};

enum class BlockEvent : uint8_t {
  kBlockStart,   // block_start: the first entry is traversed
  kKvReserved,   // KV_reserved: the entry goes to the output
  kKvDropped,    // KV_dropped: the entry does not
  kBlockSwitch,  // block_switch: the merge turns to another block (or the output table ends) before the last entry
  kBlockEnd,     // block_end: the last entry has been traversed
};

// Follows the blocks of one input sorted run, one after the other. One byte of state. Not thread-safe.
class BlockStateMachine {
 public:
  BlockState state() const { return state_; }

  // Whether the block has further entries and can still end unchanged.
  bool undecided() const { return state_ == BlockState::kBegin || state_ == BlockState::kInProgress; }

  // REQUIRES: the first event is block_start; a further block_start comes only after the block before it is decided;
  // block_end comes only after an entry.
  void Apply(BlockEvent event);

 private:
  BlockState state_ = BlockState::kChanged;  // no block yet: only block_start leaves it
};

}  // namespace openremap

#endif  // OPENREMAP_LEVELDB_HOST_BLOCK_STATE_H_
