// SPDX-License-Identifier: Apache-2.0
// Puts contents into the mock's flash and NVRAM, and looks them up.
#include <gtest/gtest.h>

#include "support/mock_device.h"

namespace orm_test {

void MockDevice::program(uint32_t slot, uint32_t lpn, uint64_t seq_, uint32_t gen, uint8_t stream) {
  orm_oob_record r{};
  r.lpn = lpn;
  r.gen = gen;
  r.seq = seq_;
  r.stream = stream;
  r.version = ORM_FORMAT_VERSION;
  r.slot = slot;
  flash[slot].state = Page::kGood;
  data.erase(slot);
  orm_oob_record_seal(&r, flash[slot].oob.data());
}

void MockDevice::finish_log(uint32_t log_, uint32_t sb_) {
  for (uint32_t i = 0; i < data_slots(); i++) {
    orm_oob_record oob;
    const Slot &slot = flash.at(sb_ * kSlotsPerSb + i);
    if (!orm_oob_record_open(&oob, slot.oob.data()) || oob.lpn == ORM_UNMAPPED) continue;
    orm_slot_record r{};
    r.lpn = oob.lpn;
    r.gen = oob.gen;
    r.seq = oob.seq;
    r.sb = static_cast<uint16_t>(sb_);
    orm_slot_record_pack(&r, log_at(log_, i));
  }
  logs_due[log_] = sb_;
}

void MockDevice::write_segment(uint32_t seg, uint32_t sb_, uint32_t index, uint32_t prev, uint32_t gen,
                               uint16_t epoch) {
  orm_segment_header h{};
  h.sb = static_cast<uint16_t>(sb_);
  h.index = static_cast<uint16_t>(index);
  h.gen = gen;
  h.prev = static_cast<uint16_t>(prev);
  h.epoch = epoch;
  orm_segment_header_seal(&h, &nvram[kNvSegments + seg * kSegBytes]);
}

void MockDevice::write_entry(uint32_t seg, uint32_t index, uint32_t sb_, uint32_t gen, uint32_t offset, uint32_t lpn,
                             uint64_t seq_, uint16_t epoch) {
  orm_remap_entry e{};
  e.lpn = lpn;
  e.offset = static_cast<uint16_t>(offset);
  e.seq = seq_;
  orm_remap_entry_seal(&e, static_cast<uint16_t>(sb_), gen, epoch,
                       &nvram[kNvSegments + seg * kSegBytes + (index + 1) * ORM_REMAP_ENTRY_BYTES]);
}

void MockDevice::write_journal(uint32_t index, uint32_t lpn, uint32_t pages, uint64_t seq_) {
  orm_journal_record r{};
  r.lpn = lpn;
  r.pages = static_cast<uint16_t>(pages);
  r.seq = seq_;
  orm_journal_record_seal(&r, &nvram[kNvJournal + index * ORM_JOURNAL_RECORD_BYTES]);
}

void MockDevice::write_commit(uint64_t seq_) {
  orm_pointer_word w{};
  w.seq = seq_;
  orm_pointer_word_seal(&w, &nvram[0x100]);
}

uint64_t MockDevice::bad_word() const {
  orm_bad_word w{};
  EXPECT_TRUE(orm_bad_word_open(&w, &nvram[kNvCounters + ORM_NV_BAD_OFFSET], 0));
  return w.bad;
}

void MockDevice::write_bad_word(uint64_t bad) {
  orm_bad_word w{};
  w.bad = bad;
  orm_bad_word_seal(&w, 0, &nvram[kNvCounters + ORM_NV_BAD_OFFSET]);
}

void MockDevice::write_checkpoint(uint64_t seq_) {
  orm_pointer_word w{};
  w.seq = seq_;
  orm_pointer_word_seal(&w, &nvram[0x108]);
}

namespace {
constexpr uint32_t kRegionLpns = ORM_TRIM_WORD_LPNS * ORM_TRIM_REGION_WORDS;
}

void MockDevice::write_trims(uint32_t bitmap, uint32_t first, uint64_t trimmed_, uint64_t seq_) {
  const uint32_t word = first / ORM_TRIM_WORD_LPNS, region = first / kRegionLpns;
  orm_trim_word w{};
  w.trimmed = trimmed_;
  orm_trim_word_seal(&w, word, &nvram[kNvBitmap + bitmap * kNvBitmapBytes + word * ORM_TRIM_WORD_BYTES]);
  orm_trim_pointer p{};
  p.seq = seq_;
  p.bitmap = static_cast<uint8_t>(bitmap);
  orm_trim_pointer_seal(&p, region, &nvram[kNvTrimPointers + region * ORM_TRIM_POINTER_BYTES]);
}

orm_trim_pointer MockDevice::trim_pointer(uint32_t lpn) const {
  const uint32_t region = lpn / kRegionLpns;
  const uint8_t *raw = &nvram[kNvTrimPointers + region * ORM_TRIM_POINTER_BYTES];
  orm_trim_pointer p{};
  if (orm_get_le(raw, 8) == 0) return p;
  EXPECT_TRUE(orm_trim_pointer_open(&p, raw, region)) << "pointer " << region;
  return p;
}

bool MockDevice::trimmed(uint32_t lpn) const {
  const orm_trim_pointer p = trim_pointer(lpn);
  const uint32_t word = lpn / ORM_TRIM_WORD_LPNS;
  const uint8_t *raw = &nvram[kNvBitmap + p.bitmap * kNvBitmapBytes + word * ORM_TRIM_WORD_BYTES];
  orm_trim_word w;
  if (p.seq == 0 || orm_get_le(raw, 8) == 0) return false;
  EXPECT_TRUE(orm_trim_word_open(&w, raw, word)) << "word " << word << " of bitmap " << unsigned{p.bitmap};
  return (w.trimmed >> (lpn % ORM_TRIM_WORD_LPNS)) & 1;
}

void MockDevice::write_destaged(uint32_t slot, uint64_t seq_, uint32_t slot_gen, uint32_t set,
                                const orm_destage_header &h, const std::vector<orm_remap_entry> &entries) {
  program(slot, destage_lpn(h.sb, set, h.index), seq_, slot_gen, ORM_STREAM_GC);
  std::vector<uint8_t> &d = data[slot];
  d.assign(ORM_SLOT_BYTES, 0xEE);
  orm_destage_header_seal(&h, d.data());
  for (size_t i = 0; i < entries.size(); i++)
    orm_remap_entry_seal(&entries[i], h.sb, h.gen, h.epoch, &d[(i + 1) * ORM_REMAP_ENTRY_BYTES]);
}

void MockDevice::write_block(uint32_t sb_, uint32_t gen, uint16_t epoch, uint8_t set) {
  orm_block_record b{};
  b.gen = gen;
  b.epoch = epoch;
  b.set = set;
  orm_block_record_seal(&b, static_cast<uint16_t>(sb_), &nvram[kNvBlocks + sb_ * ORM_BLOCK_RECORD_BYTES]);
}

}  // namespace orm_test
