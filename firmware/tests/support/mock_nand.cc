// SPDX-License-Identifier: Apache-2.0
// The mock's flash as firmware reaches it: single operations and their results.
#include <gtest/gtest.h>

#include "support/mock_device.h"

namespace orm_test {

std::optional<uint32_t> MockDevice::read_nand(uint32_t offset) {
  if (offset >= ORM_FW_NAND_OOB(0) && offset < ORM_FW_NAND_OOB(ORM_FW_NAND_OOB_COUNT)) {
    return static_cast<uint32_t>(orm_get_le(&flash[nand_results_.front().slot].oob[offset - ORM_FW_NAND_OOB(0)], 4));
  }
  if (offset >= ORM_FW_NAND_DATA(0) && offset < ORM_FW_NAND_DATA(ORM_FW_NAND_DATA_COUNT))
    return nand_data((offset - ORM_FW_NAND_DATA(0)) / 4);
  switch (offset) {
    case ORM_FW_NAND_AT:
      return ORM_PUT(ORM_FW_NAND_AT_READY, ++data_looks_ >= data_delay);
    case ORM_FW_NAND_STATUS: {
      uint32_t s = ORM_PUT(ORM_FW_NAND_STATUS_READY, 1);
      if (!nand_results_.empty() && !hold_nand)
        s |= ORM_PUT(ORM_FW_NAND_STATUS_VALID, 1) | ORM_PUT(ORM_FW_NAND_STATUS_SLOT, nand_results_.front().slot) |
             ORM_PUT(ORM_FW_NAND_STATUS_STATUS, nand_results_.front().status);
      return s;
    }
    default:
      return std::nullopt;
  }
}

void MockDevice::write_nand(uint32_t offset, uint32_t value, bool &known) {
  switch (offset) {
    case ORM_FW_NAND_AT:
      ASSERT_TRUE(read_done_) << "nothing was read";
      data_at_ = ORM_GET(value, ORM_FW_NAND_AT_AT);
      data_looks_ = 0;
      return;
    case ORM_FW_NAND_GO:
      run_nand(value);
      return;
    case ORM_FW_NAND_POP:
      ASSERT_FALSE(nand_results_.empty());
      nand_results_.pop_front();
      return;
    default:
      known = false;
  }
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

// From firmware's buffers, with spares of zeroes.
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

}  // namespace orm_test
