// SPDX-License-Identifier: Apache-2.0
// Hand-made flash and NVRAM contents, and a start from them. Each test begins with a formatted device: all generations
// are 1.
#ifndef OPENREMAP_TEST_RECOVERY_FIXTURE_H
#define OPENREMAP_TEST_RECOVERY_FIXTURE_H

#include "support/fw_fixture.h"

namespace orm_test {

inline constexpr uint32_t kSlots = MockDevice::kSlotsPerSb;

class RecoveryTest : public FwTest {
 protected:
  void SetUp() override {
    boot_running();
    dev.power_cycle();
  }

  void recover() {
    boot();
    ASSERT_EQ(fw_phase(fw_), FW_RUNNING) << fw_describe(fw_);
  }

  // Programs the slots of a superblock's summary: `raw` has the records, and room for the trailer `t`, which gets its
  // CRC here.
  void put_summary(uint32_t sb, std::vector<uint8_t> raw, orm_summary_trailer t) {
    const size_t covered = raw.size() - ORM_SUMMARY_TRAILER_BYTES;
    const uint32_t crc = orm_crc32c_final(orm_crc32c_update(ORM_CRC32C_INIT, raw.data(), covered));
    orm_summary_trailer_seal(&t, crc, &raw[covered]);
    for (uint32_t k = 0; k < dev.summary_slots; k++) {
      const uint32_t slot = dev.summary_slot(sb, k);
      dev.flash[slot] = {Page::kGood, {}};
      dev.data[slot].assign(raw.begin() + k * ORM_SLOT_BYTES, raw.begin() + (k + 1) * ORM_SLOT_BYTES);
    }
  }

  // As formatted, before a start. The answer is the size of the namespace, in pages.
  uint32_t format_blank() {
    MockDevice blank;
    dev.flash = blank.flash;
    dev.nvram = blank.nvram;
    dev.data.clear();
    dev.power_cycle();
    recover();
    const uint32_t nsze = dev.reg[ORM_FW_NVME_NSZE];
    dev.power_cycle();
    return nsze;
  }

  // Recovers what media hold now once without a cut, which `expect()` takes the result of, then with power going
  // before each NVRAM write of a recovery in turn and a second recovery after it, which `check(cut)` looks at. The
  // answer is how many cuts there were; a failed check ends it.
  template <class Expect, class Check>
  int cut_everywhere(Expect expect, Check check) {
    const auto nvram = dev.nvram;
    const auto flash = dev.flash;
    recover();
    expect();
    int cuts = 0;
    for (; !HasFailure(); cuts++) {
      dev.nvram = nvram;
      dev.flash = flash;
      dev.power_cycle();
      int writes = 0;
      std::vector<uint8_t> frozen_nvram;
      std::vector<Slot> frozen_flash;
      dev.on_nvram_write = [&] {
        if (writes++ != cuts) return;
        frozen_nvram = dev.nvram;
        frozen_flash = dev.flash;
      };
      boot();
      dev.on_nvram_write = nullptr;
      if (frozen_nvram.empty()) break;
      dev.nvram = frozen_nvram;
      dev.flash = frozen_flash;
      dev.power_cycle();
      recover();
      check(cuts);
    }
    return cuts;
  }

  // Slots `from`.. of superblock `sb` hold LPNs `lpn`.. with seqs `seq`..
  void fill(uint32_t sb, uint32_t from, uint32_t n, uint32_t lpn, uint64_t seq, uint8_t stream = ORM_STREAM_HOST) {
    for (uint32_t i = 0; i < n; i++) dev.program(sb * kSlots + from + i, lpn + i, seq + i, 1, stream);
  }

  // Shuts down with the named superblocks open, and so quickly that there is no snapshot.
  void shut_down(std::initializer_list<uint32_t> open) {
    recover();
    enable();
    for (uint32_t sb : open) dev.sb[sb].state = ORM_SB_STATE_OPEN;
    set_cc(1 | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_ABRUPT));
    dev.power_cycle();
  }

  void intent(uint32_t sb, uint32_t gen, uint32_t good, uint32_t place = 0, uint32_t order = 0) {
    orm_gc_intent i{};
    i.order = order;
    i.sb = static_cast<uint16_t>(sb);
    i.gen = gen;
    i.good_slots = static_cast<uint16_t>(good);
    orm_gc_intent_seal(&i, &dev.nvram[MockDevice::kNvCounters + place * ORM_GC_INTENT_BYTES]);
  }

  bool is_erased(uint32_t sb) {
    for (uint32_t i = 0; i < kSlots; i++) {
      if (dev.flash[sb * kSlots + i].state != Page::kErased) return false;
    }
    return true;
  }

  bool was_erased(uint32_t sb) {
    for (uint32_t slot : dev.erased) {
      if (slot / kSlots == sb) return true;
    }
    return false;
  }

  uint32_t state(uint32_t sb) { return dev.sb[sb].state; }
};

}  // namespace orm_test

#endif  // OPENREMAP_TEST_RECOVERY_FIXTURE_H
