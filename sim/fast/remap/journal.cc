// SPDX-License-Identifier: Apache-2.0
#include "remap/journal.h"

#include "lib/invariant.h"
#include "orm_formats.h"

namespace orm::fast {

Task<bool> Journal::trim(uint32_t lpn, uint32_t pages, uint64_t seq) {
  co_await turn_.take();
  believe(room() != 0, "a trim record without room in the ring");
  believe(seq > committed_ && pages != 0, "a trim record of an event that has been committed, or of no pages");
  orm_journal_record record{};
  record.lpn = lpn;
  record.pages = uint16_t(pages);
  record.seq = seq;
  uint8_t raw[ORM_JOURNAL_RECORD_BYTES];
  orm_journal_record_seal(&record, raw);
  co_await nvram_.durable(p_.nv_journal + head_ * ORM_JOURNAL_RECORD_BYTES, raw, sizeof raw);
  head_ = (head_ + 1) & (p_.k.journal_records - 1);
  moved.notify();
  turn_.give();
  co_return true;
}

Task<bool> Journal::commit(uint64_t seq) {
  co_await turn_.take();
  believe(seq >= committed_, "the commit pointer went back: seqs are drawn and committed under the mapLock");
  orm_pointer_word word{};
  word.seq = seq;
  uint8_t raw[ORM_POINTER_WORD_BYTES];
  orm_pointer_word_seal(&word, raw);
  co_await nvram_.durable(p_.nv_commit, raw, sizeof raw);
  committed_ = seq;
  turn_.give();
  co_return true;
}

Task<bool> Journal::block(uint32_t sb, uint32_t gen, uint32_t epoch, uint32_t set) {
  co_await turn_.take();
  orm_block_record record{};
  record.gen = gen;
  record.epoch = uint16_t(epoch);
  record.set = uint8_t(set);
  uint8_t raw[ORM_BLOCK_RECORD_BYTES];
  orm_block_record_seal(&record, uint16_t(sb), raw);
  co_await nvram_.durable(p_.nv_blocks + sb * ORM_BLOCK_RECORD_BYTES, raw, sizeof raw);
  turn_.give();
  co_return true;
}

void Journal::set_tail(uint32_t index) {
  const uint32_t mask = p_.k.journal_records - 1;
  believe(((index - tail_) & mask) <= used(), "the tail may only move up to the head");
  tail_ = index & mask;
  moved.notify();
}

void Journal::load(uint32_t index) {
  head_ = tail_ = index & (p_.k.journal_records - 1);
  moved.notify();
}

}  // namespace orm::fast
