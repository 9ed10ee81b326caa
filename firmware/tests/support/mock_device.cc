// SPDX-License-Identifier: Apache-2.0
#include "support/mock_device.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace orm_test {

namespace {

constexpr uint32_t kEventMask =
    ORM_FW_IRQ_STATUS_CC_CHANGED_MASK | ORM_FW_IRQ_STATUS_DMA_DONE_MASK | ORM_FW_IRQ_STATUS_REMAP_DONE_MASK |
    ORM_FW_IRQ_STATUS_GC_DONE_MASK | ORM_FW_IRQ_STATUS_BAD_DOORBELL_MASK | ORM_FW_IRQ_STATUS_HOST_ERROR_MASK |
    ORM_FW_IRQ_STATUS_FENCE_DONE_MASK | ORM_FW_IRQ_STATUS_ABSENT_DOORBELL_MASK | ORM_FW_IRQ_STATUS_SEG_LOW_MASK |
    ORM_FW_IRQ_STATUS_PROGRAM_FAILED_MASK | ORM_FW_IRQ_STATUS_WEAK_READ_MASK;

// Writable registers without behaviour of their own.
constexpr uint32_t kPlain[] = {
    ORM_FW_IRQ_ENABLE,    ORM_FW_NVME_CSTS,      ORM_FW_NVME_NSZE,     ORM_FW_QUEUE_ID,     ORM_FW_QUEUE_BASE_LO,
    ORM_FW_QUEUE_BASE_HI, ORM_FW_QUEUE_ENTRIES,  ORM_FW_CPL_DW0,       ORM_FW_DMA_PRP1_LO,  ORM_FW_DMA_PRP1_HI,
    ORM_FW_DMA_PRP2_LO,   ORM_FW_DMA_PRP2_HI,    ORM_FW_DMA_DRAM,      ORM_FW_REMAP_LIST,   ORM_FW_SB_SELECT,
    ORM_FW_ALLOC_RESERVE, ORM_FW_FREE_LOW,       ORM_FW_JOURNAL_HIGH,  ORM_FW_SEQ_LO,       ORM_FW_CHAIN_SB,
    ORM_FW_NVME_CC,       ORM_FW_INT_COALESCING, ORM_FW_ALLOC_HANDLES, ORM_FW_ALLOC_STREAM, ORM_FW_SEG_LOW,
    ORM_FW_NAND_BUFFER,
};

bool is_plain(uint32_t offset) {
  for (uint32_t r : kPlain) {
    if (r == offset) return true;
  }
  return false;
}

}  // namespace

MockDevice::MockDevice() : dram(kDramBytes + 16), nvram(kNvBytes), host(1 << 20), flash(kLpns), sb(kSuperblocks) {
  for (auto &b : buffers) b.assign(ORM_SLOT_BYTES, 0x55);
  port_.ctx = this;
  port_.mmio_read = [](void *ctx, uint32_t offset) { return static_cast<MockDevice *>(ctx)->read(offset); };
  port_.mmio_write = [](void *ctx, uint32_t offset, uint32_t value) {
    static_cast<MockDevice *>(ctx)->write(offset, value);
  };
  port_.dram = dram.data();
  port_.nvram_read = [](void *ctx, uint32_t addr, void *buf, size_t len) {
    auto *m = static_cast<MockDevice *>(ctx);
    ASSERT_TRUE(addr % 8 == 0 && len % 8 == 0 && addr + len <= kNvBytes) << std::hex << addr << " " << len;
    memcpy(buf, m->nvram.data() + addr, len);
  };
  port_.nvram_write = [](void *ctx, uint32_t addr, const void *buf, size_t len) {
    auto *m = static_cast<MockDevice *>(ctx);
    ASSERT_TRUE(addr % 8 == 0 && len % 8 == 0 && addr + len <= kNvBytes) << std::hex << addr << " " << len;
    for (size_t i = 0; i < len; i += 8) {  // 8 bytes are atomic: a cut may come before each
      if (m->on_nvram_write) m->on_nvram_write();
      memcpy(m->nvram.data() + addr + i, static_cast<const uint8_t *>(buf) + i, 8);
    }
  };
  port_.time_ns = [](void *ctx) { return static_cast<MockDevice *>(ctx)->now_ns; };
  port_.temperature_k = [](void *ctx) { return static_cast<MockDevice *>(ctx)->kelvin; };
  port_.log = [](void *ctx, platform_log_level level, const char *line) {
    auto *m = static_cast<MockDevice *>(ctx);
    (level == PLATFORM_LOG_DEBUG ? m->debug_log : m->log).emplace_back(line);
  };
  port_.watchdog_pet = [](void *ctx) { static_cast<MockDevice *>(ctx)->pets++; };
}

void MockDevice::power_cycle() {
  std::fill(dram.begin(), dram.end(), 0xA5);
  std::fill(sb.begin(), sb.end(), Superblock{});
  mailbox.clear();
  completions.clear();
  dropped.clear();
  engines = firmware = {};
  queues.clear();
  erased.clear();
  reg.clear();
  irq_events = 0;
  remaps.clear();
  victims.clear();
  seq = 0;
  journal_head = journal_used = 0;
  free_list.clear();
  chains.clear();
  logs_due.clear();
  destaged.clear();
  destagings.clear();
  nand_reads = nand_probes = 0;
  programmed.clear();
  for (auto &b : buffers) b.assign(ORM_SLOT_BYTES, 0x55);
  read_done_ = false;
  links.clear();
  free_segments.clear();
  restores.clear();
  open_streams.clear();
  closed_handles.clear();
  counters = {};
  nand_results_.clear();
  dma_busy_ = remap_busy_ = gc_moving_ = fence_busy_ = false;
  gc_flights_.clear();
  gc_outcomes_.clear();
}

uint32_t MockDevice::l2p(uint32_t lpn) const { return static_cast<uint32_t>(orm_get_le(&dram[kL2p + 4 * lpn], 4)); }

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

void MockDevice::write_checkpoint(uint64_t seq_, uint8_t tag) {
  orm_pointer_word w{};
  w.seq = seq_;
  w.tag = tag;
  orm_pointer_word_seal(&w, &nvram[0x108]);
}

void MockDevice::write_trims(uint32_t bitmap, uint32_t first, uint64_t trimmed_) {
  const uint32_t word = first / ORM_TRIM_WORD_LPNS;
  orm_trim_word w{};
  w.trimmed = trimmed_;
  orm_trim_word_seal(&w, word, &nvram[kNvBitmap + bitmap * kNvBitmapBytes + word * ORM_TRIM_WORD_BYTES]);
}

bool MockDevice::trimmed(uint32_t bitmap, uint32_t lpn) const {
  const uint32_t word = lpn / ORM_TRIM_WORD_LPNS;
  const uint8_t *raw = &nvram[kNvBitmap + bitmap * kNvBitmapBytes + word * ORM_TRIM_WORD_BYTES];
  orm_trim_word w;
  if (orm_get_le(raw, 8) == 0) return false;
  EXPECT_TRUE(orm_trim_word_open(&w, raw, word)) << "word " << word << " of bitmap " << bitmap;
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

uint32_t MockDevice::irq_status() const {
  uint32_t s = irq_events;
  auto plain = [this](uint32_t offset) {
    auto it = reg.find(offset);
    return it == reg.end() ? 0u : it->second;
  };
  if (!mailbox.empty()) s |= ORM_FW_IRQ_STATUS_CMD_AVAIL_MASK;
  if (!nand_results_.empty() && !hold_nand) s |= ORM_FW_IRQ_STATUS_NAND_DONE_MASK;
  if (!logs_due.empty()) s |= ORM_FW_IRQ_STATUS_LOG_DUE_MASK;
  if (free_list.size() < plain(ORM_FW_FREE_LOW)) s |= ORM_FW_IRQ_STATUS_FREE_LOW_MASK;
  if (journal_used > plain(ORM_FW_JOURNAL_HIGH)) s |= ORM_FW_IRQ_STATUS_JOURNAL_HIGH_MASK;
  return s;
}

bool MockDevice::irq() const {
  auto it = reg.find(ORM_FW_IRQ_ENABLE);
  return it != reg.end() && (irq_status() & it->second) != 0;
}

uint32_t MockDevice::read(uint32_t offset) {
  if (on_access) on_access(offset);
  if (offset >= ORM_FW_MBOX_SQE(0) && offset < ORM_FW_MBOX_SQE(ORM_FW_MBOX_SQE_COUNT)) {
    if (mailbox.empty()) {
      ADD_FAILURE() << "mailbox read while empty";
      return 0;
    }
    uint8_t raw[NVME_SUBMISSION_ENTRY_BYTES];
    nvme_submission_entry_pack(&mailbox.front().second, raw);
    return static_cast<uint32_t>(orm_get_le(raw + (offset - ORM_FW_MBOX_SQE(0)), 4));
  }
  if (offset >= ORM_FW_NAND_OOB(0) && offset < ORM_FW_NAND_OOB(ORM_FW_NAND_OOB_COUNT)) {
    return static_cast<uint32_t>(orm_get_le(&flash[nand_results_.front().slot].oob[offset - ORM_FW_NAND_OOB(0)], 4));
  }
  if (offset >= ORM_FW_NAND_DATA(0) && offset < ORM_FW_NAND_DATA(ORM_FW_NAND_DATA_COUNT))
    return nand_data((offset - ORM_FW_NAND_DATA(0)) / 4);
  switch (offset) {
    case ORM_FW_ID:
      return reg.count(offset) ? reg[offset] : ORM_FW_ID_RESET;
    case ORM_FW_VERSION:
      return reg.count(offset) ? reg[offset] : ORM_FW_VERSION_RESET;
    case ORM_FW_CAP_FLASH:
      return ORM_PUT(ORM_FW_CAP_FLASH_CHANNELS, kChannels) |
             ORM_PUT(ORM_FW_CAP_FLASH_DIES_PER_CHANNEL, dies_per_channel) |
             ORM_PUT(ORM_FW_CAP_FLASH_PAGES_PER_BLOCK, pages_per_block);
    case ORM_FW_CAP_SUPERBLOCKS:
      return reg.count(offset) ? reg[offset] : superblocks;
    case ORM_FW_CAP_SLOTS_PER_SB:
      return reg.count(offset) ? reg[offset] : kSlotsPerSb;
    case ORM_FW_CAP_LPNS:
      return lpns();
    case ORM_FW_CAP_QUEUES:
      return ORM_PUT(ORM_FW_CAP_QUEUES_IO_PAIRS, kQueues) | ORM_PUT(ORM_FW_CAP_QUEUES_ENTRIES, kEntries);
    case ORM_FW_CAP_SEGMENTS:
      return ORM_PUT(ORM_FW_CAP_SEGMENTS_SEGMENTS, kSegments) | ORM_PUT(ORM_FW_CAP_SEGMENTS_PER_CHAIN, kPerChain);
    case ORM_FW_CAP_LIMITS:
      return ORM_PUT(ORM_FW_CAP_LIMITS_SHARERS, kSharers) | ORM_PUT(ORM_FW_CAP_LIMITS_MDTS_PAGES, 8) |
             ORM_PUT(ORM_FW_CAP_LIMITS_JOURNAL_RECORDS, kJournal);
    case ORM_FW_CAP_PLACEMENT:
      return reg.count(offset) ? reg[offset] : kHandles;
    case ORM_FW_CAP_BUFFERS:
      return reg.count(offset) ? reg[offset] : kBuffers;
    case ORM_FW_CAP_SUMMARY:
      return reg.count(offset) ? reg[offset]
                               : ORM_PUT(ORM_FW_CAP_SUMMARY_SLOTS, summary_slots) |
                                     ORM_PUT(ORM_FW_CAP_SUMMARY_LOGS, summary_slots == 0 ? 0u : 2u);
    case ORM_FW_LOG_STATUS:
      return logs_due.empty() ? 0
                              : ORM_FW_LOG_STATUS_VALID_MASK | ORM_PUT(ORM_FW_LOG_STATUS_LOG, logs_due.begin()->first) |
                                    ORM_PUT(ORM_FW_LOG_STATUS_SB, logs_due.begin()->second) |
                                    ORM_PUT(ORM_FW_LOG_STATUS_STREAM, ORM_STREAM_GC);
    case ORM_FW_CAP_DESTAGE:
      return reg.count(offset) ? reg[offset] : kDestageSlots;
    case ORM_FW_CAP_DESTAGE_LPN:
      return reg.count(offset) ? reg[offset] : lpns() - 2 * kDestageSlots * superblocks;
    case ORM_FW_SB_DESTAGED: {
      auto it = destaged.find(reg[ORM_FW_SB_SELECT]);
      return it == destaged.end() ? 0 : it->second;
    }
    case ORM_FW_NAND_AT:
      return ORM_PUT(ORM_FW_NAND_AT_READY, ++data_looks_ >= data_delay);
    case ORM_FW_ALLOC_OPEN:
      return open_streams[reg[ORM_FW_ALLOC_STREAM]];
    case ORM_FW_CAP_SEG_RESERVE:
      return ORM_PUT(ORM_FW_CAP_SEG_RESERVE_COUNT, kReserve) | ORM_PUT(ORM_FW_CAP_SEG_RESERVE_SEG_BYTES, kSegBytes);
    case ORM_FW_CAP_COPY:
      return reg.count(offset) ? reg[offset] : kCopy;
    case ORM_FW_DRAM_L2P:
      return kL2p;
    case ORM_FW_DRAM_REF:
      return kRef;
    case ORM_FW_DRAM_LOG:
      return kLog;
    case ORM_FW_DRAM_FW:
      return kFwDram;
    case ORM_FW_DRAM_BYTES:
      return kDramBytes;
    case ORM_FW_NV_HEADER:
      return 0;
    case ORM_FW_NV_COMMIT:
      return 0x100;
    case ORM_FW_NV_CHECKPOINT:
      return 0x108;
    case ORM_FW_NV_COUNTERS:
      return kNvCounters;
    case ORM_FW_NV_BLOCKS:
      return kNvBlocks;
    case ORM_FW_NV_JOURNAL:
      return kNvJournal;
    case ORM_FW_NV_BITMAP:
      return kNvBitmap;
    case ORM_FW_NV_BITMAP_BYTES:
      return kNvBitmapBytes;
    case ORM_FW_NV_SEGMENTS:
      return kNvSegments;
    case ORM_FW_NV_BYTES:
      return kNvBytes;
    case ORM_FW_IRQ_STATUS:
      return irq_status();
    case ORM_FW_NVME_STATE:
      return reg[offset] | ORM_PUT(ORM_FW_NVME_STATE_IO_QUIET, io_quiet);
    case ORM_FW_MBOX_STATUS:
      return ORM_PUT(ORM_FW_MBOX_STATUS_VALID, !mailbox.empty()) |
             ORM_PUT(ORM_FW_MBOX_STATUS_QID, mailbox.empty() ? 0u : mailbox.front().first);
    case ORM_FW_QUEUE_INSIDE: {
      uint32_t qid = ORM_GET(reg[ORM_FW_QUEUE_ID], ORM_FW_QUEUE_ID_QID), waiting = 0;
      for (const auto &m : mailbox) waiting += m.first == qid;
      return engines.at(qid) + firmware.at(qid) + waiting;
    }
    case ORM_FW_ADMIN_HELD:
      return reg[offset] | ORM_PUT(ORM_FW_ADMIN_HELD_ROOM, admin_room);
    case ORM_FW_CPL_QUEUE:
      return reg[offset] | ORM_PUT(ORM_FW_CPL_QUEUE_READY, completion_room);
    case ORM_FW_DMA_STATUS:
      return ORM_PUT(ORM_FW_DMA_STATUS_STATUS, dma_status) | ORM_PUT(ORM_FW_DMA_STATUS_BUSY, dma_busy_);
    case ORM_FW_REMAP_STATUS:
      return remap_outcome_ | ORM_PUT(ORM_FW_REMAP_STATUS_BUSY, remap_busy_);
    case ORM_FW_REMAP_PAGES: {
      uint32_t pages = 0;
      for (const auto &r : remaps.back().ranges) pages += r.nlb;
      return pages;
    }
    case ORM_FW_REMAP_SEQ_LO: {
      const uint64_t settled = remap_busy_ ? remap_from_ : seq;
      latched_ = static_cast<uint32_t>(settled >> 32);
      return static_cast<uint32_t>(settled);
    }
    case ORM_FW_REMAP_SEQ_HI:
      return latched_;
    case ORM_FW_GC_STATUS:
      return gc_outcomes_.empty() ? 0 : gc_outcomes_.front().status | ORM_FW_GC_STATUS_VALID_MASK;
    case ORM_FW_GC_QUEUE: {
      const GcOutcome o = gc_outcomes_.empty() ? GcOutcome{} : gc_outcomes_.front();
      return ORM_PUT(ORM_FW_GC_QUEUE_SB, o.sb) | ORM_PUT(ORM_FW_GC_QUEUE_CHAIN, o.chain) |
             ORM_PUT(ORM_FW_GC_QUEUE_ROOM, gc_room());
    }
    case ORM_FW_SB_STATE: {
      const Superblock &s = sb.at(reg[ORM_FW_SB_SELECT]);
      return ORM_PUT(ORM_FW_SB_STATE_VALID, s.valid) | ORM_PUT(ORM_FW_SB_STATE_STATE, s.state) |
             ORM_PUT(ORM_FW_SB_STATE_FAILED, failing.count(reg[ORM_FW_SB_SELECT])) |
             ORM_PUT(ORM_FW_SB_STATE_WEAK, weak.count(reg[ORM_FW_SB_SELECT]));
    }
    case ORM_FW_SB_GEN:
      return sb.at(reg[ORM_FW_SB_SELECT]).gen;
    case ORM_FW_SB_CHAIN: {
      auto it = chains.find(reg[ORM_FW_SB_SELECT]);
      return it == chains.end() ? 0 : it->second.count;
    }
    case ORM_FW_ALLOC_COUNT:
      return static_cast<uint32_t>(free_list.size());
    case ORM_FW_SEQ_LO:
      latched_ = static_cast<uint32_t>(seq >> 32);
      return static_cast<uint32_t>(seq);
    case ORM_FW_SEQ_HI:
      return latched_;
    case ORM_FW_JOURNAL_STATE:
      return ORM_PUT(ORM_FW_JOURNAL_STATE_HEAD, journal_head) | ORM_PUT(ORM_FW_JOURNAL_STATE_USED, journal_used);
    case ORM_FW_FENCE:
      return ORM_PUT(ORM_FW_FENCE_BUSY, fence_busy_);
    case ORM_FW_SEG_COUNT:
      return static_cast<uint32_t>(free_segments.size());
    case ORM_FW_SEG_LEAST:
      return segments_least;
    case ORM_FW_NAND_STATUS: {
      uint32_t s = ORM_PUT(ORM_FW_NAND_STATUS_READY, 1);
      if (!nand_results_.empty() && !hold_nand)
        s |= ORM_PUT(ORM_FW_NAND_STATUS_VALID, 1) | ORM_PUT(ORM_FW_NAND_STATUS_SLOT, nand_results_.front().slot) |
             ORM_PUT(ORM_FW_NAND_STATUS_STATUS, nand_results_.front().status);
      return s;
    }
    case ORM_FW_COUNTER_LO:
      latched_ = static_cast<uint32_t>(counters.at(selected_counter_) >> 32);
      return static_cast<uint32_t>(counters.at(selected_counter_));
    case ORM_FW_COUNTER_HI:
      return latched_;
    default:
      break;
  }
  if (!is_plain(offset)) ADD_FAILURE() << "firmware reads register 0x" << std::hex << offset;
  return reg[offset];
}

void MockDevice::write(uint32_t offset, uint32_t value) {
  if (on_access) on_access(offset);
  switch (offset) {
    case ORM_FW_IRQ_STATUS:
      irq_events &= ~(value & kEventMask);
      return;
    case ORM_FW_NVME_STATE:
      reg[offset] = value & (ORM_FW_NVME_STATE_NS_READY_MASK | ORM_FW_NVME_STATE_FORMATTING_MASK |
                             ORM_FW_NVME_STATE_WRITE_PROTECTED_MASK);
      return;
    case ORM_FW_INT_VECTOR: {
      const uint32_t vector = ORM_GET(value, ORM_FW_INT_VECTOR_VECTOR);
      ASSERT_LE(vector, kQueues);
      direct_vectors.erase(vector);
      if (ORM_GET(value, ORM_FW_INT_VECTOR_DIRECT)) direct_vectors.insert(vector);
      return;
    }
    case ORM_FW_QUEUE_GO:
      queues.push_back({reg[ORM_FW_QUEUE_ID], reg[ORM_FW_QUEUE_ENTRIES], value,
                        reg[ORM_FW_QUEUE_BASE_LO] | static_cast<uint64_t>(reg[ORM_FW_QUEUE_BASE_HI]) << 32});
      return;
    case ORM_FW_MBOX_POP:
      ASSERT_FALSE(mailbox.empty());
      firmware.at(mailbox.front().first)++;
      mailbox.pop_front();
      return;
    case ORM_FW_CPL_QUEUE:
      reg[offset] = value & ORM_FW_CPL_QUEUE_QID_MASK;
      return;
    case ORM_FW_CPL_POST: {
      ASSERT_TRUE(completion_room);
      Completion c{static_cast<uint8_t>(reg[ORM_FW_CPL_QUEUE]),
                   static_cast<uint16_t>(ORM_GET(value, ORM_FW_CPL_POST_CID)),
                   static_cast<uint16_t>(ORM_GET(value, ORM_FW_CPL_POST_STATUS)), reg[ORM_FW_CPL_DW0]};
      ASSERT_GT(firmware.at(c.qid), 0u) << "each command is completed once";
      firmware.at(c.qid)--;
      // The queues go with CC.EN.
      (ORM_GET(reg[ORM_FW_NVME_CC], ORM_BAR0_CC_EN) ? completions : dropped).push_back(c);
      return;
    }
    case ORM_FW_ADMIN_HELD:
      ASSERT_LE(ORM_GET(value, ORM_FW_ADMIN_HELD_COUNT), firmware.at(0));
      reg[offset] = value & ORM_FW_ADMIN_HELD_COUNT_MASK;
      return;
    case ORM_FW_DMA_GO:
      run_dma(value);
      return;
    case ORM_FW_REMAP_GO:
      run_remap(value);
      return;
    case ORM_FW_GC_GO:
      ASSERT_TRUE(gc_room());
      if (ORM_GET(value, ORM_FW_GC_GO_DESTAGE)) {
        ASSERT_TRUE(ORM_GET(value, ORM_FW_GC_GO_CHAIN));
        run_destaging(ORM_GET(value, ORM_FW_GC_GO_SB));
        return;
      }
      if (ORM_GET(value, ORM_FW_GC_GO_CHAIN)) {
        run_compaction(ORM_GET(value, ORM_FW_GC_GO_SB));
        return;
      }
      victims.push_back(ORM_GET(value, ORM_FW_GC_GO_SB));
      ASSERT_EQ(sb.at(victims.back()).state, uint32_t{ORM_SB_STATE_CLOSED});
      gc_flights_.push_back(victims.back());
      retired.erase(victims.back());
      if (ORM_GET(value, ORM_FW_GC_GO_RETIRE)) retired.insert(victims.back());
      gc_moving_ = true;
      if (!hold_gc) release_gc();
      return;
    case ORM_FW_GC_POP:
      ASSERT_FALSE(gc_outcomes_.empty());
      gc_outcomes_.pop_front();
      return;
    case ORM_FW_SB_STATE: {
      Superblock &s = sb.at(reg[ORM_FW_SB_SELECT]);
      s.valid = ORM_GET(value, ORM_FW_SB_STATE_VALID);
      s.state = ORM_GET(value, ORM_FW_SB_STATE_STATE);
      return;
    }
    case ORM_FW_SB_GEN:
      sb.at(reg[ORM_FW_SB_SELECT]).gen = value;
      return;
    case ORM_FW_SB_CHAIN:
      sb.at(reg[ORM_FW_SB_SELECT]).epoch = ORM_GET(value, ORM_FW_SB_CHAIN_EPOCH);
      return;
    case ORM_FW_SB_DESTAGED:
      ASSERT_LE(ORM_GET(value, ORM_FW_SB_DESTAGED_SET), 2u);
      destaged[reg[ORM_FW_SB_SELECT]] = value;
      return;
    case ORM_FW_NAND_AT:
      ASSERT_TRUE(read_done_) << "nothing was read";
      data_at_ = ORM_GET(value, ORM_FW_NAND_AT_AT);
      data_looks_ = 0;
      return;
    case ORM_FW_ALLOC_FREE:
      if (ORM_GET(value, ORM_FW_ALLOC_FREE_CLEAR))
        free_list.clear();
      else
        free_list.push_back(value);
      return;
    case ORM_FW_LOG_RELEASE:
      EXPECT_EQ(logs_due.erase(ORM_GET(value, ORM_FW_LOG_RELEASE_LOG)), 1u) << "the log is not due";
      return;
    case ORM_FW_ALLOC_CLOSE:
      closed_handles.push_back(ORM_GET(value, ORM_FW_ALLOC_CLOSE_HANDLE));
      if (on_close) return on_close();
      open_streams[ORM_STREAM_HOST + ORM_STREAM_HANDLE * closed_handles.back()] |= ORM_FW_ALLOC_OPEN_FULL_MASK;
      return;
    case ORM_FW_ALLOC_RESTORE:
      restores.push_back(value);
      return;
    case ORM_FW_SEQ_HI:
      seq = reg[ORM_FW_SEQ_LO] | static_cast<uint64_t>(value) << 32;
      return;
    case ORM_FW_JOURNAL_TAIL:
      journal_used = (journal_head + kJournal - value) % kJournal;
      return;
    case ORM_FW_JOURNAL_LOAD:
      journal_head = value;
      journal_used = 0;
      return;
    case ORM_FW_FENCE:
      ASSERT_FALSE(fence_busy_);
      fences++;
      fence_busy_ = true;
      if (!hold_fence) release_fence();
      return;
    case ORM_FW_CHAIN_GO:
      ASSERT_EQ(destaged.count(ORM_GET(reg[ORM_FW_CHAIN_SB], ORM_FW_CHAIN_SB_SB)), 0u) << "the chain is loaded first";
      chains[ORM_GET(reg[ORM_FW_CHAIN_SB], ORM_FW_CHAIN_SB_SB)] = {ORM_GET(reg[ORM_FW_CHAIN_SB], ORM_FW_CHAIN_SB_COUNT),
                                                                   ORM_GET(value, ORM_FW_CHAIN_GO_TAIL),
                                                                   ORM_GET(value, ORM_FW_CHAIN_GO_FILL)};
      return;
    case ORM_FW_CHAIN_LINK:
      links[ORM_GET(value, ORM_FW_CHAIN_LINK_SEG)] = ORM_GET(value, ORM_FW_CHAIN_LINK_PREV);
      return;
    case ORM_FW_SEG_FREE:
      free_segments.push_back(value);
      return;
    case ORM_FW_SEG_LEAST:
      segments_least = static_cast<uint32_t>(free_segments.size());
      return;
    case ORM_FW_NAND_GO:
      run_nand(value);
      return;
    case ORM_FW_NAND_POP:
      ASSERT_FALSE(nand_results_.empty());
      nand_results_.pop_front();
      return;
    case ORM_FW_COUNTER_SELECT:
      selected_counter_ = ORM_GET(value, ORM_FW_COUNTER_SELECT_INDEX);
      if (ORM_GET(value, ORM_FW_COUNTER_SELECT_CLEAR)) counters = {};
      return;
    default:
      break;
  }
  ASSERT_TRUE(is_plain(offset)) << "firmware writes register 0x" << std::hex << offset;
  reg[offset] = value;
}

void MockDevice::run_nand(uint32_t word) {
  uint32_t slot = ORM_GET(word, ORM_FW_NAND_GO_SLOT), op = ORM_GET(word, ORM_FW_NAND_GO_OP);
  ASSERT_LT(slot, flash.size());
  for (const Result &r : nand_results_) ASSERT_NE(die_of(r.slot), die_of(slot)) << "one operation a die";
  uint32_t status = ORM_FW_NAND_STATUS_OK, has = 0;
  const uint32_t buffer = reg[ORM_FW_NAND_BUFFER];
  if (op == ORM_FW_NAND_OP_ERASE) {
    erased.push_back(slot);
    ASSERT_FALSE(has_block_of(flagged_bad, slot)) << "an erase loses the mark";
    if (erase_fails || has_block_of(worn, slot)) {
      status = ORM_FW_NAND_STATUS_FAILED;
    } else {
      const uint32_t base = slot / kSlotsPerSb * kSlotsPerSb;
      for (uint32_t i = base; i < base + kSlotsPerSb; i++) {
        if (die_of(i) == die_of(slot)) flash[i] = Slot{};
      }
    }
  } else if (op == ORM_FW_NAND_OP_READ) {
    ASSERT_TRUE(buffer < kBuffers && is_idle(buffer)) << "it has another use";
    nand_reads++;
    has = 1;
    const bool stored = flash[slot].state == Page::kGood || flash[slot].state == Page::kDataRetried;
    const bool good = stored && unreadable.count(slot) == 0;
    if (buffer == 0) read_done_ = good;
    if (!good)
      status = flash[slot].state == Page::kErased ? ORM_FW_NAND_STATUS_ERASED : ORM_FW_NAND_STATUS_UNCORRECTABLE;
    auto it = data.find(slot);
    buffers.at(buffer).assign(ORM_SLOT_BYTES, 0x55);
    if (good && it != data.end()) buffers.at(buffer) = it->second;
  } else if (op == ORM_FW_NAND_OP_PROGRAM) {
    has = slots_per_page;
    status = run_program(slot);
  } else {
    ASSERT_EQ(op, uint32_t{ORM_FW_NAND_OP_PROBE});
    nand_probes++;
    if (flash[slot].state == Page::kErased) status = ORM_FW_NAND_STATUS_ERASED;
    if (flash[slot].state == Page::kTorn) status = ORM_FW_NAND_STATUS_UNCORRECTABLE;
    if (flash[slot].state == Page::kDataRetried) status = ORM_FW_NAND_STATUS_FAILED;
    if (flash[slot].state == Page::kDataLost || has_block_of(flagged_bad, slot)) status = ORM_FW_NAND_STATUS_FAILED;
  }
  nand_results_.push_back({slot, status, has, buffer});
}

// Out of firmware's buffers, with spares of zeroes.
uint32_t MockDevice::run_program(uint32_t slot) {
  const uint32_t buffer = reg[ORM_FW_NAND_BUFFER];
  EXPECT_EQ(slot % slots_per_page, 0u) << "a page begins inside";
  EXPECT_LE(buffer + slots_per_page, kBuffers);
  if (on_program) on_program();
  programmed.push_back(slot);
  const bool fails = program_fails.count(slot) != 0;
  for (uint32_t i = 0; i < slots_per_page; i++) {
    EXPECT_TRUE(is_idle(buffer + i)) << "it has another use";
    EXPECT_EQ(flash[slot + i].state, Page::kErased) << "slot " << slot + i << " is not erased";
    flash[slot + i] = {fails ? Page::kTorn : Page::kGood, {}};
    data[slot + i] = buffers.at(buffer + i);
  }
  return fails ? ORM_FW_NAND_STATUS_FAILED : ORM_FW_NAND_STATUS_OK;
}

bool MockDevice::is_idle(uint32_t buffer) const {
  for (const Result &r : nand_results_) {
    if (buffer >= r.first && buffer < r.first + r.buffers) return false;
  }
  return true;
}

uint32_t MockDevice::nand_data(uint32_t word) {
  EXPECT_GE(data_looks_, data_delay) << "NAND_DATA is not ready";
  return static_cast<uint32_t>(orm_get_le(&buffers[0].at(data_at_ * ORM_REMAP_ENTRY_BYTES + 4 * word), 4));
}

uint8_t *MockDevice::host_at(uint64_t addr, size_t len) {
  if (addr < kHost || addr + len > kHost + host.size()) {
    ADD_FAILURE() << "DMA outside host memory: 0x" << std::hex << addr;
    return host.data();
  }
  return host.data() + (addr - kHost);
}

void MockDevice::move_data(uint32_t bytes, bool to_host) {
  uint64_t prp1 = reg[ORM_FW_DMA_PRP1_LO] | static_cast<uint64_t>(reg[ORM_FW_DMA_PRP1_HI]) << 32;
  // Unit tests use contiguous buffers; PRP lists are the hardware's business.
  uint8_t *h = host_at(prp1, bytes);
  uint8_t *d = dram.data() + reg[ORM_FW_DMA_DRAM];
  if (to_host)
    memcpy(h, d, bytes);
  else
    memcpy(d, h, bytes);
}

void MockDevice::run_dma(uint32_t word) {
  uint32_t bytes = ORM_GET(word, ORM_FW_DMA_GO_BYTES);
  ASSERT_FALSE(dma_busy_);
  ASSERT_TRUE(bytes > 0 && reg[ORM_FW_DMA_DRAM] % 16 == 0);
  ASSERT_EQ(bytes % (ORM_GET(word, ORM_FW_DMA_GO_TO_HOST) ? 4u : 16u), 0u);
  ASSERT_LE(reg[ORM_FW_DMA_DRAM] + bytes, kDramBytes);
  if (ORM_GET(word, ORM_FW_DMA_GO_BUFFER)) {
    ASSERT_EQ(bytes, uint32_t{ORM_SLOT_BYTES});
    run_buffer_dma(ORM_GET(word, ORM_FW_DMA_GO_TO_HOST));
  } else if (dma_status == 0) {
    move_data(bytes, ORM_GET(word, ORM_FW_DMA_GO_TO_HOST));
  }
  dma_busy_ = true;
  if (!hold_dma) release_dma();
}

void MockDevice::run_buffer_dma(bool to_buffer) {
  const uint32_t buffer = reg[ORM_FW_NAND_BUFFER];
  ASSERT_TRUE(buffer < kBuffers && is_idle(buffer)) << "it has another use";
  uint8_t *in_dram = dram.data() + reg[ORM_FW_DMA_DRAM];
  if (dma_status != 0) return;
  if (to_buffer)
    memcpy(buffers[buffer].data(), in_dram, ORM_SLOT_BYTES);
  else
    memcpy(in_dram, buffers[buffer].data(), ORM_SLOT_BYTES);
}

void MockDevice::run_remap(uint32_t word) {
  ASSERT_FALSE(remap_busy_);
  RemapRequest r;
  r.move = ORM_GET(word, ORM_FW_REMAP_GO_MOVE);
  r.copy = ORM_GET(word, ORM_FW_REMAP_GO_COPY);
  for (uint32_t i = 0; i < ORM_GET(word, ORM_FW_REMAP_GO_RANGES); i++) {
    orm_remap_range range;
    orm_remap_range_unpack(&range, dram.data() + reg[ORM_FW_REMAP_LIST] + i * ORM_REMAP_RANGE_BYTES);
    r.ranges.push_back(range);
  }
  remaps.push_back(r);
  remap_from_ = seq;
  remap_outcome_ = 0;
  if (!remap_results.empty()) {
    remap_outcome_ = remap_results.front();
    remap_results.pop_front();
  }
  if (remaps_apply && remap_outcome_ == ORM_REMAP_RESULT_OK) apply_copy(r);
  remap_busy_ = true;
  if (!hold_remap) release_remap();
}

// A Copy from pages without data: a trim record for each range, the commit pointer, the mapping.
void MockDevice::apply_copy(const RemapRequest &r) {
  ASSERT_TRUE(r.copy && !r.move);
  if (journal_used + r.ranges.size() > kJournal) {
    remap_outcome_ = ORM_REMAP_RESULT_NVRAM_FULL;
    return;
  }
  for (const orm_remap_range &range : r.ranges) {
    if (on_nvram_write) on_nvram_write();
    write_journal(journal_head, uint32_t(range.dst), range.nlb, ++seq);
    journal_head = (journal_head + 1) % kJournal;
    journal_used++;
  }
  if (on_nvram_write) on_nvram_write();
  write_commit(seq);
  for (const orm_remap_range &range : r.ranges) {
    for (uint32_t i = 0; i < range.nlb; i++) {
      ASSERT_EQ(l2p(uint32_t(range.src) + i), uint32_t{ORM_UNMAPPED}) << "it has data";
      const uint32_t slot = l2p(uint32_t(range.dst) + i);
      if (slot == ORM_UNMAPPED) continue;
      if (--dram[kRef + slot] == 0) sb.at(slot / kSlotsPerSb).valid--;
      std::memset(dram.data() + kL2p + 4 * (range.dst + i), 0xFF, 4);
    }
  }
}

void MockDevice::release_dma() {
  dma_busy_ = false;
  irq_events |= ORM_FW_IRQ_STATUS_DMA_DONE_MASK;
}

void MockDevice::release_remap() {
  remap_busy_ = false;
  irq_events |= ORM_FW_IRQ_STATUS_REMAP_DONE_MASK;
}

void MockDevice::hand_over_gc() {
  gc_moving_ = false;
  irq_events |= ORM_FW_IRQ_STATUS_GC_DONE_MASK;
}

void MockDevice::release_gc() {
  ASSERT_FALSE(gc_flights_.empty());
  const uint32_t victim = gc_flights_.front();
  gc_flights_.pop_front();
  if (gc_flights_.empty()) gc_moving_ = false;
  Superblock &s = sb.at(victim);
  const bool moved = gc_ok && !std::exchange(copies_fail, false);
  if (moved) s.valid = 0;
  const bool ok =
      moved && !std::any_of(worn.begin(), worn.end(), [&](uint32_t slot) { return slot / kSlotsPerSb == victim; });
  if (gc_ok && !moved) counters[ORM_COUNTER_NAND_PROGRAM_FAILS]++;
  gc_outcomes_.push_back({victim, ORM_PUT(ORM_FW_GC_STATUS_OK, ok) | (ok ? 0 : gc_why), false});
  if (ok) {  // the erase, its record, and only then the table
    std::fill_n(flash.begin() + victim * kSlotsPerSb, kSlotsPerSb, Slot{});
    write_block(victim, s.gen + 1);
    const bool back = retired.count(victim) == 0;
    s = {s.gen + 1, 0, back ? ORM_SB_STATE_FREE : ORM_SB_STATE_BAD};
    if (back) free_list.push_back(victim);
    failing.erase(victim);
    weak.erase(victim);
    chains.erase(victim);
    destaged.erase(victim);
  }
  if (on_gc) on_gc();
  irq_events |= ORM_FW_IRQ_STATUS_GC_DONE_MASK;
}

void MockDevice::run_compaction(uint32_t sb_) {
  compactions.push_back(sb_);
  const uint32_t gives = std::exchange(stale[sb_], 0);
  gc_outcomes_.push_back(
      {sb_, ORM_PUT(ORM_FW_GC_STATUS_OK, gives != 0) | ORM_PUT(ORM_FW_GC_STATUS_REFUSED, gives == 0), true});
  chains.at(sb_).count -= gives;
  free_segments.resize(free_segments.size() + gives);
  irq_events |= ORM_FW_IRQ_STATUS_GC_DONE_MASK;
}

void MockDevice::run_destaging(uint32_t sb_) {
  destagings.push_back(sb_);
  irq_events |= ORM_FW_IRQ_STATUS_GC_DONE_MASK;
  auto fails = destage_outcome.find(sb_);
  if (fails != destage_outcome.end()) {
    gc_outcomes_.push_back({sb_, fails->second, true});
    return;
  }
  const uint32_t gives = std::exchange(chains.at(sb_).count, 0), before = destaged[sb_];
  gc_outcomes_.push_back({sb_, ORM_PUT(ORM_FW_GC_STATUS_OK, 1), true});
  free_segments.resize(free_segments.size() + gives);
  destaged[sb_] = ORM_PUT(ORM_FW_SB_DESTAGED_SET, ORM_GET(before, ORM_FW_SB_DESTAGED_SET) == 1 ? 2u : 1u) |
                  ORM_PUT(ORM_FW_SB_DESTAGED_SLOTS, 1) |
                  ORM_PUT(ORM_FW_SB_DESTAGED_SEGMENTS, ORM_GET(before, ORM_FW_SB_DESTAGED_SEGMENTS) + gives);
  if (on_destage) on_destage();
}

void MockDevice::release_fence() {
  fence_busy_ = false;
  irq_events |= ORM_FW_IRQ_STATUS_FENCE_DONE_MASK;
}

nvme_submission_entry command(uint8_t opcode, uint32_t nsid, uint32_t cdw10, uint32_t cdw11, uint64_t prp1) {
  static uint16_t cid = 0x100;
  nvme_submission_entry e{};
  e.opcode = opcode;
  e.cid = cid++;
  e.nsid = nsid;
  e.prp1 = prp1;
  e.cdw10 = cdw10;
  e.cdw11 = cdw11;
  return e;
}

}  // namespace orm_test
