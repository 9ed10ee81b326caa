// SPDX-License-Identifier: Apache-2.0
#include "support/mock_device.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace orm_test {

namespace {

// Writable registers without side effects.
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
    ASSERT_TRUE(addr % 8 == 0 && len % 8 == 0 && addr + len <= m->nvram.size()) << std::hex << addr << " " << len;
    memcpy(buf, m->nvram.data() + addr, len);
  };
  port_.nvram_write = [](void *ctx, uint32_t addr, const void *buf, size_t len) {
    auto *m = static_cast<MockDevice *>(ctx);
    ASSERT_TRUE(addr % 8 == 0 && len % 8 == 0 && addr + len <= m->nvram.size()) << std::hex << addr << " " << len;
    for (size_t i = 0; i < len; i += 8) {  // 8 bytes are atomic: a cut may come before each
      if (m->on_nvram_write) m->on_nvram_write();
      memcpy(m->nvram.data() + addr + i, static_cast<const uint8_t *>(buf) + i, 8);
    }
  };
  port_.cache_clean = [](void *ctx, uint32_t addr, size_t len) {
    static_cast<MockDevice *>(ctx)->cache_calls.push_back({true, addr, len});
  };
  port_.cache_invalidate = [](void *ctx, uint32_t addr, size_t len) {
    static_cast<MockDevice *>(ctx)->cache_calls.push_back({false, addr, len});
  };
  port_.time_ns = [](void *ctx) { return static_cast<MockDevice *>(ctx)->now_ns; };
  port_.temperature_k = [](void *ctx) { return static_cast<MockDevice *>(ctx)->kelvin; };
  port_.log_level = PLATFORM_LOG_DEBUG;
  port_.log = [](void *ctx, platform_log_level level, const char *line) {
    auto *m = static_cast<MockDevice *>(ctx);
    (level == PLATFORM_LOG_DEBUG ? m->debug_log : m->log).emplace_back(line);
  };
  port_.watchdog_pet = [](void *ctx) { static_cast<MockDevice *>(ctx)->pets++; };
  port_.identity = {"MOCK0001", {0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77}};
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
  memory_error = memory_error_at = 0;
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

uint32_t MockDevice::read(uint32_t offset) {
  using Part = std::optional<uint32_t> (MockDevice::*)(uint32_t);
  constexpr Part kParts[] = {&MockDevice::read_host, &MockDevice::read_caps,  &MockDevice::read_gc,
                             &MockDevice::read_nand, &MockDevice::read_remap, &MockDevice::read_tables};
  if (on_access) on_access(offset);
  for (Part part : kParts) {
    if (const std::optional<uint32_t> value = (this->*part)(offset)) return *value;
  }
  if (!is_plain(offset)) ADD_FAILURE() << "firmware reads register 0x" << std::hex << offset;
  return reg[offset];
}

void MockDevice::write(uint32_t offset, uint32_t value) {
  using Part = void (MockDevice::*)(uint32_t, uint32_t, bool &);
  constexpr Part kParts[] = {&MockDevice::write_host, &MockDevice::write_gc, &MockDevice::write_nand,
                             &MockDevice::write_remap, &MockDevice::write_tables};
  if (on_access) on_access(offset);
  for (Part part : kParts) {
    bool known = true;
    (this->*part)(offset, value, known);
    if (known) return;
  }
  ASSERT_TRUE(is_plain(offset)) << "firmware writes register 0x" << std::hex << offset;
  reg[offset] = value;
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
