// SPDX-License-Identifier: Apache-2.0
#include "merge/block_state.h"

#include <cassert>

namespace openremap {

void BlockStateMachine::Apply(BlockEvent event) {
  switch (event) {
    case BlockEvent::kBlockStart:
      assert(!undecided());  // else the block before it was never decided
      state_ = BlockState::kBegin;
      return;
    case BlockEvent::kKvReserved:
      assert(state_ != BlockState::kUnchanged);  // no entry follows the last one
      if (state_ == BlockState::kBegin) state_ = BlockState::kInProgress;
      return;
    case BlockEvent::kKvDropped:
      assert(state_ != BlockState::kUnchanged);
      state_ = BlockState::kChanged;
      return;
    case BlockEvent::kBlockSwitch:
      if (undecided()) state_ = BlockState::kChanged;
      return;
    case BlockEvent::kBlockEnd:
      assert(state_ != BlockState::kBegin);  // a block has at least one entry
      if (state_ == BlockState::kInProgress) state_ = BlockState::kUnchanged;
      return;
  }
}

}  // namespace openremap
