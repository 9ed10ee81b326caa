// SPDX-License-Identifier: Apache-2.0
// The mock's collector: victims, compactions, destagings.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "support/mock_device.h"

namespace orm_test {

std::optional<uint32_t> MockDevice::read_gc(uint32_t offset) {
  switch (offset) {
    case ORM_FW_GC_STATUS:
      return gc_outcomes_.empty() ? 0 : gc_outcomes_.front().status | ORM_FW_GC_STATUS_VALID_MASK;
    case ORM_FW_GC_QUEUE: {
      const GcOutcome o = gc_outcomes_.empty() ? GcOutcome{} : gc_outcomes_.front();
      return ORM_PUT(ORM_FW_GC_QUEUE_SB, o.sb) | ORM_PUT(ORM_FW_GC_QUEUE_CHAIN, o.chain) |
             ORM_PUT(ORM_FW_GC_QUEUE_ROOM, gc_room());
    }
    default:
      return std::nullopt;
  }
}

void MockDevice::write_gc(uint32_t offset, uint32_t value, bool &known) {
  switch (offset) {
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
    default:
      known = false;
  }
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
    program_failed.erase(victim);
    weak.erase(victim);
    chains.erase(victim);
    destaged.erase(victim);
  }
  if (on_gc) on_gc();
  irq_events |= ORM_FW_IRQ_STATUS_GC_DONE_MASK;
}

void MockDevice::hand_over_gc() {
  gc_moving_ = false;
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

}  // namespace orm_test
