// SPDX-License-Identifier: Apache-2.0
#include "nand/slot_log.h"

#include <algorithm>

#include "lib/invariant.h"
#include "orm_formats.h"
#include "top/mutant.h"

namespace orm::fast {

SlotLog::Log *SlotLog::find(uint32_t sb) {
  for (Log &log : logs_) {
    if ((log.state == State::kFilling || log.state == State::kEnding) && log.sb == sb) return &log;
  }
  return nullptr;
}

/// A due log may still belong to an earlier generation of the superblock. Then the present one gets none.
void SlotLog::opened(uint32_t sb) {
  believe(find(sb) == nullptr, "a superblock is opened again before its programs have landed");
  Log *unused = nullptr;
  for (Log &log : logs_) {
    if (log.state == State::kFree && unused == nullptr) unused = &log;
    if (log.state != State::kFree && log.sb == sb) return;
  }
  if (unused == nullptr) return;
  *unused = {};
  unused->state = State::kFilling;
  unused->sb = sb;
}

void SlotLog::closed(uint32_t sb, bool whole) {
  Log *log = find(sb);
  if (log == nullptr) return;
  believe(log->state == State::kFilling, "a superblock is closed twice");
  log->state = State::kEnding;
  if (!whole) log->spoiled = true;
  settle(log);
}

/// A full superblock is closed when its client requests the next slot. The client has requested the program of its last
/// slot before, so no program follows `closed`.
void SlotLog::programs(uint32_t slot, const uint8_t *spare) {
  Log *log = find(p_.superblock_of(slot));
  if (log == nullptr) return;
  const uint32_t offset = p_.offset_of(slot);
  believe(log->state == State::kFilling, "a program in a superblock that was closed");
  believe(offset < p_.data_slots, "a program where the summary will be");
  orm_oob_record oob{};
  orm_oob_record_unpack(&oob, spare);
  const uint64_t seq = oob.seq + uint64_t(mutant(Mutant::kLogOtherSeq));
  const orm_slot_record record{oob.lpn, oob.gen, seq, uint16_t(log->sb)};
  const uint32_t number = uint32_t(log - logs_.data());
  uint8_t raw[ORM_SLOT_RECORD_BYTES];
  orm_slot_record_pack(&record, raw);
  const uint64_t at = p_.log_base + uint64_t(number) * p_.log_bytes + uint64_t(offset) * ORM_SLOT_RECORD_BYTES;
  believe(dram_.write(at, raw, nullptr, sizeof raw), "a slot log outside DRAM");
  log->stream = oob.stream;
  ++log->open;
}

void SlotLog::programmed(uint32_t slot, NandStatus status) {
  Log *log = find(p_.superblock_of(slot));
  if (log == nullptr) return;
  believe(log->open != 0, "an answer to a program that is not under way");
  --log->open;
  if (status != NandStatus::kOk && !mutant(Mutant::kLogKeepsFailed)) log->spoiled = true;
  settle(log);
}

void SlotLog::settle(Log *log) {
  if (log->state != State::kEnding || (log->open != 0 && !mutant(Mutant::kLogDueEarly))) return;
  log->state = log->spoiled ? State::kFree : State::kDue;
  due_ += log->state == State::kDue;
}

SlotLog::Due SlotLog::due() const {
  const auto log = std::find_if(logs_.begin(), logs_.end(), [](const Log &l) { return l.state == State::kDue; });
  if (log == logs_.end()) return {};
  return {true, log->sb, uint32_t(log - logs_.begin()), log->stream};
}

void SlotLog::release(uint32_t log) {
  believe(log < logs_.size() && logs_[log].state == State::kDue, "firmware bug: it releases a log that is not due");
  logs_[log].state = State::kFree;
  --due_;
}

}  // namespace orm::fast
