// SPDX-License-Identifier: Apache-2.0
// A firmware context on a mock device.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "firmware.h"
#include "support/mock_device.h"

namespace orm_test {

// Status code type and status code of a completion: its status field without More and Do Not Retry.
inline uint16_t sct_sc(const Completion &c) { return c.status & 0x7FF; }

class FwTest : public ::testing::Test {
 protected:
  MockDevice dev;
  std::vector<std::max_align_t> memory;
  fw *fw_ = nullptr;
  uint64_t wait = 0;

  // Power comes on (again).
  void boot() {
    memory.assign(fw_size() / sizeof(std::max_align_t) + 1, {});
    fw_ = reinterpret_cast<fw *>(memory.data());
    fw_init(fw_, dev.port());
    settle();
  }

  void boot_running() {
    boot();
    ASSERT_EQ(fw_phase(fw_), FW_RUNNING) << fw_describe(fw_);
  }

  void power_cycle() {
    dev.power_cycle();
    boot();
  }

  // As a port does: polls until nothing is left to do. Time passes only when the firmware asks for it. Firmware that
  // never comes to rest fails the test.
  void settle(uint64_t max_wait_ns = 0) {
    for (int i = 0; i < 200000; i++) {
      wait = fw_poll(fw_);
      if (wait == 0 || dev.irq()) continue;
      if (wait > max_wait_ns) return;
      dev.now_ns += wait;
    }
    FAIL() << "firmware does not come to rest";
  }

  void set_cc(uint32_t cc) {
    dev.reg[ORM_FW_NVME_CC] = cc;
    dev.irq_events |= ORM_FW_IRQ_STATUS_CC_CHANGED_MASK;
    settle();
  }

  void enable() { set_cc(ORM_PUT(ORM_BAR0_CC_EN, 1)); }

  void boot_enabled() {
    boot_running();
    enable();
    ASSERT_EQ(dev.reg[ORM_FW_NVME_CSTS], 1u);
  }

  // Runs one command to its completion.
  Completion run(uint8_t qid, const nvme_submission_entry &e) {
    size_t before = dev.completions.size();
    dev.mailbox.emplace_back(qid, e);
    settle();
    if (dev.completions.size() != before + 1) {
      ADD_FAILURE() << "expected one completion, got " << dev.completions.size() - before;
      return {};
    }
    Completion c = dev.completions.back();
    EXPECT_EQ(c.cid, e.cid);
    EXPECT_EQ(c.qid, qid);
    return c;
  }

  Completion admin(const nvme_submission_entry &e) { return run(0, e); }

  uint32_t csts() { return dev.reg[ORM_FW_NVME_CSTS]; }
};

}  // namespace orm_test
