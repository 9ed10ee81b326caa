// SPDX-License-Identifier: Apache-2.0
#include "crash/tables.h"

#include <stdexcept>

namespace orm::crash {
namespace {

class Reader {
 public:
  explicit Reader(pcie_function *fn) : fn_(fn) {}

  Tables all() {
    sizes();
    const uint8_t *nvram = pcie_device_nvram(fn_, &bytes_);
    t_.nvram.assign(nvram, nvram + bytes_);
    header();
    mapping();
    controller();
    flash();
    return std::move(t_);
  }

 private:
  uint32_t reg(uint32_t offset) {
    uint32_t value = 0;
    const int rc = pcie_device_firmware_register(fn_, offset, &value);
    if (rc != 0) throw std::runtime_error("the device's registers cannot be read: " + std::to_string(rc));
    return value;
  }

  void sizes() {
    t_.lpns = reg(ORM_FW_CAP_LPNS);
    t_.destage_lpn = reg(ORM_FW_CAP_DESTAGE_LPN);
    t_.destage_slots = ORM_GET(reg(ORM_FW_CAP_DESTAGE), ORM_FW_CAP_DESTAGE_SLOTS);
    t_.slots_per_sb = reg(ORM_FW_CAP_SLOTS_PER_SB);
    t_.summary_slots = ORM_GET(reg(ORM_FW_CAP_SUMMARY), ORM_FW_CAP_SUMMARY_SLOTS);
    t_.segments_per_chain = ORM_GET(reg(ORM_FW_CAP_SEGMENTS), ORM_FW_CAP_SEGMENTS_PER_CHAIN);
    t_.segment_bytes = ORM_GET(reg(ORM_FW_CAP_SEG_RESERVE), ORM_FW_CAP_SEG_RESERVE_SEG_BYTES);
    t_.sharers = ORM_GET(reg(ORM_FW_CAP_LIMITS), ORM_FW_CAP_LIMITS_SHARERS);
    t_.journal_records = ORM_GET(reg(ORM_FW_CAP_LIMITS), ORM_FW_CAP_LIMITS_JOURNAL_RECORDS);
    t_.nv_commit = reg(ORM_FW_NV_COMMIT);
    t_.nv_checkpoint = reg(ORM_FW_NV_CHECKPOINT);
    t_.nv_counters = reg(ORM_FW_NV_COUNTERS);
    t_.nv_blocks = reg(ORM_FW_NV_BLOCKS);
    t_.nv_journal = reg(ORM_FW_NV_JOURNAL);
    t_.nv_bitmap = reg(ORM_FW_NV_BITMAP);
    t_.nv_bitmap_bytes = reg(ORM_FW_NV_BITMAP_BYTES);
    t_.nv_trim_pointers = reg(ORM_FW_NV_TRIM_POINTERS);
    t_.nv_segments = reg(ORM_FW_NV_SEGMENTS);
  }

  void header() {
    orm_nv_header h;
    if (!orm_nv_header_open(&h, t_.nvram.data() + reg(ORM_FW_NV_HEADER)) || h.magic != ORM_NV_MAGIC) {
      throw std::runtime_error("NVRAM has no valid header");
    }
    t_.nsze = h.nsze;
    t_.superblocks = h.superblocks;
    t_.segments = h.segments;
  }

  void mapping() {
    const uint8_t *dram = pcie_device_dram(fn_, &bytes_);
    const uint8_t *l2p = dram + reg(ORM_FW_DRAM_L2P);
    for (uint32_t lpn = 0; lpn < t_.lpns; ++lpn) t_.l2p.push_back(uint32_t(orm_get_le(l2p + 4 * size_t(lpn), 4)));
    const uint8_t *ref = dram + reg(ORM_FW_DRAM_REF);
    t_.ref.assign(ref, ref + size_t(reg(ORM_FW_CAP_SUPERBLOCKS)) * t_.slots_per_sb);
  }

  Superblock superblock(uint32_t number) {
    if (pcie_device_select_superblock(fn_, number) != 0) throw std::runtime_error("the device does not answer");
    const uint32_t state = reg(ORM_FW_SB_STATE), chain = reg(ORM_FW_SB_CHAIN), part = reg(ORM_FW_SB_DESTAGED);
    Superblock s;
    s.state = orm_sb_state(ORM_GET(state, ORM_FW_SB_STATE_STATE));
    s.valid = ORM_GET(state, ORM_FW_SB_STATE_VALID);
    s.gen = reg(ORM_FW_SB_GEN);
    s.epoch = ORM_GET(chain, ORM_FW_SB_CHAIN_EPOCH);
    s.segments = ORM_GET(chain, ORM_FW_SB_CHAIN_SEGMENTS);
    s.set = ORM_GET(part, ORM_FW_SB_DESTAGED_SET);
    s.set_slots = ORM_GET(part, ORM_FW_SB_DESTAGED_SLOTS);
    s.set_segments = ORM_GET(part, ORM_FW_SB_DESTAGED_SEGMENTS);
    return s;
  }

  void controller() {
    const uint32_t all = reg(ORM_FW_CAP_SUPERBLOCKS);
    for (uint32_t i = 0; i < all; ++i) t_.sb.push_back(superblock(i));
    t_.free_superblocks = reg(ORM_FW_ALLOC_COUNT);
    t_.free_segments = reg(ORM_FW_SEG_COUNT);
    const uint64_t low = reg(ORM_FW_SEQ_LO);
    t_.next_seq = low | uint64_t(reg(ORM_FW_SEQ_HI)) << 32;
    const uint32_t journal = reg(ORM_FW_JOURNAL_STATE);
    t_.journal_head = ORM_GET(journal, ORM_FW_JOURNAL_STATE_HEAD);
    t_.journal_used = ORM_GET(journal, ORM_FW_JOURNAL_STATE_USED);
  }

  void flash() {
    for (uint32_t slot = 0; slot < t_.superblocks * t_.slots_per_sb; ++slot) {
      pcie_slot found{};
      if (pcie_device_slot(fn_, slot, &found) != 0) throw std::runtime_error("flash has fewer slots than the tables");
      Slot s{found.state, false, {}, found.data};
      s.sealed = found.state == PCIE_SLOT_PROGRAMMED && orm_oob_record_open(&s.oob, found.spare);
      t_.slots.push_back(s);
    }
  }

  pcie_function *fn_;
  size_t bytes_ = 0;
  Tables t_;
};

}  // namespace

Tables read_tables(pcie_function *fn) { return Reader(fn).all(); }

}  // namespace orm::crash
