// SPDX-License-Identifier: Apache-2.0
// The host side of the mock: interrupts, controller state, mailbox, queues, completions, host DMA.
#include <gtest/gtest.h>

#include <cstring>

#include "support/mock_device.h"

namespace orm_test {

namespace {

constexpr uint32_t kEventMask =
    ORM_FW_IRQ_STATUS_CC_CHANGED_MASK | ORM_FW_IRQ_STATUS_DMA_DONE_MASK | ORM_FW_IRQ_STATUS_REMAP_DONE_MASK |
    ORM_FW_IRQ_STATUS_GC_DONE_MASK | ORM_FW_IRQ_STATUS_BAD_DOORBELL_MASK | ORM_FW_IRQ_STATUS_HOST_ERROR_MASK |
    ORM_FW_IRQ_STATUS_FENCE_DONE_MASK | ORM_FW_IRQ_STATUS_ABSENT_DOORBELL_MASK | ORM_FW_IRQ_STATUS_SEG_LOW_MASK |
    ORM_FW_IRQ_STATUS_PROGRAM_FAILED_MASK | ORM_FW_IRQ_STATUS_WEAK_READ_MASK;

}  // namespace

std::optional<uint32_t> MockDevice::read_host(uint32_t offset) {
  if (offset >= ORM_FW_MBOX_SQE(0) && offset < ORM_FW_MBOX_SQE(ORM_FW_MBOX_SQE_COUNT)) {
    if (mailbox.empty()) {
      ADD_FAILURE() << "mailbox read while empty";
      return 0;
    }
    uint8_t raw[NVME_SUBMISSION_ENTRY_BYTES];
    nvme_submission_entry_pack(&mailbox.front().second, raw);
    return static_cast<uint32_t>(orm_get_le(raw + (offset - ORM_FW_MBOX_SQE(0)), 4));
  }
  switch (offset) {
    case ORM_FW_IRQ_STATUS:
      return irq_status();
    case ORM_FW_MEMORY_ERROR:
      return memory_error;
    case ORM_FW_MEMORY_ERROR_AT:
      return memory_error_at;
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
    default:
      return std::nullopt;
  }
}

void MockDevice::write_host(uint32_t offset, uint32_t value, bool &known) {
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
    default:
      known = false;
  }
}

uint32_t MockDevice::irq_status() const {
  uint32_t s = irq_events;
  auto plain = [this](uint32_t offset) {
    auto it = reg.find(offset);
    return it == reg.end() ? 0u : it->second;
  };
  if (!mailbox.empty()) s |= ORM_FW_IRQ_STATUS_CMD_AVAIL_MASK;
  if (!nand_results_.empty() && !hold_nand) s |= ORM_FW_IRQ_STATUS_NAND_DONE_MASK;
  if (ORM_GET(memory_error, ORM_FW_MEMORY_ERROR_VALID)) s |= ORM_FW_IRQ_STATUS_MEMORY_ERROR_MASK;
  if (!logs_due.empty()) s |= ORM_FW_IRQ_STATUS_LOG_DUE_MASK;
  if (free_list.size() < plain(ORM_FW_FREE_LOW)) s |= ORM_FW_IRQ_STATUS_FREE_LOW_MASK;
  if (journal_used > plain(ORM_FW_JOURNAL_HIGH)) s |= ORM_FW_IRQ_STATUS_JOURNAL_HIGH_MASK;
  return s;
}

bool MockDevice::irq() const {
  auto it = reg.find(ORM_FW_IRQ_ENABLE);
  return it != reg.end() && (irq_status() & it->second) != 0;
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

void MockDevice::release_dma() {
  dma_busy_ = false;
  irq_events |= ORM_FW_IRQ_STATUS_DMA_DONE_MASK;
}

}  // namespace orm_test
