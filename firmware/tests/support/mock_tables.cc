// SPDX-License-Identifier: Apache-2.0
// The mock's superblock table, allocator, logs, fence, sequence and counters.
#include <gtest/gtest.h>

#include "support/mock_device.h"

namespace orm_test {

std::optional<uint32_t> MockDevice::read_tables(uint32_t offset) {
  switch (offset) {
    case ORM_FW_LOG_STATUS:
      return logs_due.empty() ? 0
                              : ORM_FW_LOG_STATUS_VALID_MASK | ORM_PUT(ORM_FW_LOG_STATUS_LOG, logs_due.begin()->first) |
                                    ORM_PUT(ORM_FW_LOG_STATUS_SB, logs_due.begin()->second) |
                                    ORM_PUT(ORM_FW_LOG_STATUS_STREAM, ORM_STREAM_GC);
    case ORM_FW_SB_DESTAGED: {
      auto it = destaged.find(reg[ORM_FW_SB_SELECT]);
      return it == destaged.end() ? 0 : it->second;
    }
    case ORM_FW_ALLOC_OPEN:
      return open_streams[reg[ORM_FW_ALLOC_STREAM]];
    case ORM_FW_SB_STATE: {
      const Superblock &s = sb.at(reg[ORM_FW_SB_SELECT]);
      return ORM_PUT(ORM_FW_SB_STATE_VALID, s.valid) | ORM_PUT(ORM_FW_SB_STATE_STATE, s.state) |
             ORM_PUT(ORM_FW_SB_STATE_FAILED, program_failed.count(reg[ORM_FW_SB_SELECT])) |
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
    case ORM_FW_FENCE:
      return ORM_PUT(ORM_FW_FENCE_BUSY, fence_busy_);
    case ORM_FW_COUNTER_LO:
      latched_ = static_cast<uint32_t>(counters.at(selected_counter_) >> 32);
      return static_cast<uint32_t>(counters.at(selected_counter_));
    case ORM_FW_COUNTER_HI:
      return latched_;
    default:
      return std::nullopt;
  }
}

void MockDevice::write_tables(uint32_t offset, uint32_t value, bool &known) {
  switch (offset) {
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
      if (on_close) {
        on_close();
        return;
      }
      open_streams[ORM_STREAM_HOST + ORM_STREAM_HANDLE * closed_handles.back()] |= ORM_FW_ALLOC_OPEN_FULL_MASK;
      return;
    case ORM_FW_ALLOC_RESTORE:
      restores.push_back(value);
      return;
    case ORM_FW_SEQ_HI:
      seq = reg[ORM_FW_SEQ_LO] | static_cast<uint64_t>(value) << 32;
      return;
    case ORM_FW_FENCE:
      ASSERT_FALSE(fence_busy_);
      fences++;
      fence_busy_ = true;
      if (!hold_fence) release_fence();
      return;
    case ORM_FW_COUNTER_SELECT:
      selected_counter_ = ORM_GET(value, ORM_FW_COUNTER_SELECT_INDEX);
      if (ORM_GET(value, ORM_FW_COUNTER_SELECT_CLEAR)) counters = {};
      return;
    default:
      known = false;
  }
}

void MockDevice::release_fence() {
  fence_busy_ = false;
  irq_events |= ORM_FW_IRQ_STATUS_FENCE_DONE_MASK;
}

}  // namespace orm_test
