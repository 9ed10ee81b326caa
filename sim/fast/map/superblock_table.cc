// SPDX-License-Identifier: Apache-2.0
#include "map/superblock_table.h"

#include "lib/invariant.h"

namespace orm::fast {

void SuperblockTable::gain(uint32_t sb) {
  believe(records_[sb].valid < p_.slots_per_sb, "more valid slots than the superblock has");
  ++records_[sb].valid;
}

void SuperblockTable::lose(uint32_t sb) {
  believe(records_[sb].valid != 0, "VALID fell below zero");
  --records_[sb].valid;
}

void SuperblockTable::opened(uint32_t sb) {
  believe(records_[sb].state == SbState::kFree, "only a free superblock is opened");
  believe(records_[sb].valid == 0, "a free superblock has no valid slot");
  records_[sb].state = SbState::kOpen;
}

void SuperblockTable::closed(uint32_t sb) {
  believe(records_[sb].state == SbState::kOpen, "only an open superblock is closed");
  records_[sb].state = SbState::kClosed;
}

void SuperblockTable::erased(uint32_t sb) {
  believe(records_[sb].state == SbState::kClosed, "only a closed superblock is erased");
  believe(records_[sb].valid == 0, "an erased superblock has no valid slot");
  records_[sb].state = SbState::kFree;
  ++records_[sb].gen;
  records_[sb].epoch = 0;
  records_[sb].failed = records_[sb].weak = false;
}

void SuperblockTable::retired(uint32_t sb) {
  believe(records_[sb].valid == 0, "a retired superblock has no valid slot");
  records_[sb].state = SbState::kBad;
  ++records_[sb].gen;
  records_[sb].epoch = 0;
  records_[sb].failed = records_[sb].weak = false;
}

void SuperblockTable::program_failed(uint32_t sb) {
  records_[sb].failed = true;
  if (tell_) tell_();
}

void SuperblockTable::compacted(uint32_t sb) {
  believe(records_[sb].epoch < kLastEpoch, "a chain is compacted past its last epoch");
  ++records_[sb].epoch;
}

void SuperblockTable::set(uint32_t sb, const Record &record) {
  believe(sb < p_.superblocks, "firmware bug: no such superblock");
  records_[sb] = record;
}

}  // namespace orm::fast
