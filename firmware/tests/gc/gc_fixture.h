// SPDX-License-Identifier: Apache-2.0
// A running device whose collections last until the test ends them.
#pragma once

#include "support/fw_fixture.h"

namespace orm_test {

class GcTest : public FwTest {
 protected:
  void SetUp() override {
    boot_enabled();
    dev.hold_gc = true;
  }

  void closed(uint32_t sb, uint32_t valid, uint32_t gen = 1) { dev.sb[sb] = {gen, valid, ORM_SB_STATE_CLOSED}; }

  static nvme_submission_entry remap() {
    nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP, 1, 0);
    e.cdw12 = 10;
    e.cdw14 = 1;
    return e;
  }

  orm_gc_intent intent(uint32_t place = 0) {
    orm_gc_intent i{};
    EXPECT_TRUE(orm_gc_intent_open(&i, &dev.nvram[MockDevice::kNvCounters + place * ORM_GC_INTENT_BYTES]));
    return i;
  }

  // The youngest victim has been moved, and is being erased.
  void hand_over() {
    dev.hand_over_gc();
    settle();
  }
};

}  // namespace orm_test
