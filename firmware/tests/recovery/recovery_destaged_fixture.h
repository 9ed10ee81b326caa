// SPDX-License-Identifier: Apache-2.0
// Hand-made destaged parts of chains, on top of the contents of RecoveryTest.
#ifndef OPENREMAP_TEST_RECOVERY_DESTAGED_FIXTURE_H
#define OPENREMAP_TEST_RECOVERY_DESTAGED_FIXTURE_H

#include <algorithm>

#include "recovery/recovery_fixture.h"

namespace orm_test {

using Entries = std::vector<orm_remap_entry>;

inline constexpr uint32_t kHome = 5 * kSlots;  // where destaged slots are, in superblock 5

inline orm_remap_entry entry(uint32_t offset, uint32_t lpn, uint64_t seq) {
  orm_remap_entry e{};
  e.offset = static_cast<uint16_t>(offset);
  e.lpn = lpn;
  e.seq = seq;
  return e;
}

class DestagedRecoveryTest : public RecoveryTest {
 protected:
  static orm_destage_header header(uint32_t sb, uint16_t epoch, uint32_t entries, uint32_t index = 0,
                                   uint32_t slots = 1) {
    orm_destage_header h{};
    h.sb = static_cast<uint16_t>(sb);
    h.gen = 1;
    h.epoch = epoch;
    h.entries = static_cast<uint16_t>(entries);
    h.index = static_cast<uint8_t>(index);
    h.slots = static_cast<uint8_t>(slots);
    return h;
  }

  // A set of one slot or more, one for each list of entries, as a destaging leaves it.
  void destage(uint32_t slot, uint32_t sb, uint32_t set, uint16_t epoch, uint64_t seq,
               const std::vector<Entries> &slots) {
    for (uint32_t k = 0; k < slots.size(); k++) {
      dev.write_destaged(
          slot + k, seq, 1, set,
          header(sb, epoch, static_cast<uint32_t>(slots[k].size()), k, static_cast<uint32_t>(slots.size())), slots[k]);
    }
  }

  uint32_t set_l2p(uint32_t sb, uint32_t set, uint32_t k) { return dev.l2p(MockDevice::destage_lpn(sb, set, k)); }

  static uint32_t part(uint32_t set, uint32_t slots, uint32_t segments) {
    return ORM_PUT(ORM_FW_SB_DESTAGED_SET, set) | ORM_PUT(ORM_FW_SB_DESTAGED_SLOTS, slots) |
           ORM_PUT(ORM_FW_SB_DESTAGED_SEGMENTS, segments);
  }

  bool told_of(uint32_t sb) {
    const std::string line = "superblock " + std::to_string(sb) + ": destaged entries of its chain are lost";
    return std::find(dev.log.begin(), dev.log.end(), line) != dev.log.end();
  }

  uint64_t media_errors() {
    enable();
    admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0, NVME_LOG_PAGE_SMART | 127u << 16));
    nvme_smart_log s;
    nvme_smart_log_unpack(&s, dev.host.data());
    return s.media_errors;
  }

  // Superblocks 0 and 1 have data, superblock 0 a destaged chain of two slots with an entry for LPNs 30 and 31, and
  // superblock 1 one with an entry for LPN 40.
  void two_chains() {
    fill(0, 0, 4, 0, 1);
    fill(1, 0, 4, 10, 5);
    destage(kHome, 0, 1, 3, 60, {{entry(1, 30, 20)}, {entry(2, 31, 21)}});
    destage(kHome + 2, 1, 2, 7, 61, {{entry(3, 40, 22)}});
    dev.write_block(0, 1, 3, 1);
    dev.write_block(1, 1, 9, 2);
    dev.write_commit(50);
  }

  void start_over(const std::vector<uint8_t> &nvram) {
    dev.nvram = nvram;
    dev.flash.assign(dev.flash.size(), {});
    dev.log.clear();
  }

  // What is wrong with superblock 0's chain is none of superblock 1's business.
  void expect_contained() {
    EXPECT_TRUE(told_of(0));
    EXPECT_FALSE(told_of(1));
    EXPECT_EQ(media_errors(), 1u);
    EXPECT_EQ(dev.l2p(1), 1u) << "the slot's own page";
    EXPECT_EQ(dev.l2p(40), kSlots + 3);
    EXPECT_EQ(dev.destaged[1], part(2, 1, 1));
  }
};

}  // namespace orm_test

#endif  // OPENREMAP_TEST_RECOVERY_DESTAGED_FIXTURE_H
