// SPDX-License-Identifier: Apache-2.0
// The mock's remap engine, journal and remap table.
#include <gtest/gtest.h>

#include <cstring>

#include "support/mock_device.h"

namespace orm_test {

std::optional<uint32_t> MockDevice::read_remap(uint32_t offset) {
  switch (offset) {
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
    case ORM_FW_JOURNAL_STATE:
      return ORM_PUT(ORM_FW_JOURNAL_STATE_HEAD, journal_head) | ORM_PUT(ORM_FW_JOURNAL_STATE_USED, journal_used);
    case ORM_FW_SEG_COUNT:
      return static_cast<uint32_t>(free_segments.size());
    case ORM_FW_SEG_LEAST:
      return segments_least;
    default:
      return std::nullopt;
  }
}

void MockDevice::write_remap(uint32_t offset, uint32_t value, bool &known) {
  switch (offset) {
    case ORM_FW_REMAP_GO:
      run_remap(value);
      return;
    case ORM_FW_JOURNAL_TAIL:
      journal_used = (journal_head + kJournal - value) % kJournal;
      return;
    case ORM_FW_JOURNAL_LOAD:
      journal_head = value;
      journal_used = 0;
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
    default:
      known = false;
  }
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

void MockDevice::release_remap() {
  remap_busy_ = false;
  irq_events |= ORM_FW_IRQ_STATUS_REMAP_DONE_MASK;
}

}  // namespace orm_test
