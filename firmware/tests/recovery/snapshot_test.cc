// SPDX-License-Identifier: Apache-2.0
// The snapshot of the mapping that a shutdown writes (snapshot.h): the start that loads it, the starts that must not,
// power cuts at every NVRAM write and program of both, and the reuse of its superblocks.
extern "C" {
#include "core/device.h"
#include "core/state.h"
}

#include <algorithm>

#include "recovery/recovery_destaged_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kShut = 1u | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_NORMAL);
constexpr uint32_t kLooked = 150;  // LPNs that are compared: more than the namespace has

constexpr uint32_t kProbes = 70;  // and more take those that look at everything

class SnapshotTest : public DestagedRecoveryTest {
 protected:
  // Data, sharers, trims, stale pages, a destaged chain, a torn page; superblocks 0 to 5 are closed.
  void history() {
    fill(0, 0, kSlots, 0, 1);
    fill(1, 0, kSlots, 8, 30);  // 8 to 15 anew
    fill(2, 0, 5, 90, 60);
    dev.flash[2 * kSlots + 3].state = Page::kTorn;
    dev.write_segment(3, 0, 0, 3, 1, 3);
    dev.write_segment(6, 1, 0, 6, 1);
    dev.write_entry(3, 0, 0, 1, 0, 70, 20, 3);
    dev.write_entry(3, 1, 0, 1, 1, 71, 21, 3);
    dev.write_entry(6, 0, 1, 1, 2, 72, 50);
    destage(kHome, 0, 1, 3, 61, {{entry(1, 30, 22)}, {entry(2, 31, 23)}});
    dev.write_block(0, 1, 3, 1);
    dev.write_journal(0, 70, 1, 24);
    dev.write_commit(80);
  }

  void shut() {
    enable();
    set_cc(kShut);
    ASSERT_EQ(ORM_GET(csts(), ORM_FW_NVME_CSTS_SHST), uint32_t{NVME_SHUTDOWN_COMPLETE});
  }

  struct state saved() {
    device d{};
    struct state s {};
    EXPECT_EQ(device_probe(&d, dev.port()), FW_OK);
    EXPECT_EQ(state_load(&s, &d, dev.port()), FW_OK);
    return s;
  }

  std::vector<uint32_t> mapping() {
    std::vector<uint32_t> all;
    for (uint32_t lpn = 0; lpn < kLooked; lpn++) all.push_back(dev.l2p(lpn));
    for (uint32_t set : {1u, 2u})
      for (uint32_t k = 0; k < MockDevice::kDestageSlots; k++) all.push_back(set_l2p(0, set, k));
    return all;
  }

  // What recovery makes of the media, to compare with.
  struct Made {
    std::vector<uint32_t> map, valid, chains;
    size_t free_segments = 0;
    uint32_t destaged = 0;
    uint8_t ref0 = 0;
    bool operator==(const Made &o) const {
      return map == o.map && valid == o.valid && chains == o.chains && free_segments == o.free_segments &&
             destaged == o.destaged && ref0 == o.ref0;
    }
  };
  Made made() {
    Made m{mapping(), {}, {}, dev.free_segments.size(), dev.destaged[0], dev.ref(0)};
    for (const Superblock &s : dev.sb) m.valid.push_back(s.valid);
    for (uint32_t sb = 0; sb < MockDevice::kSuperblocks; sb++) m.chains.push_back(dev.chains[sb].count);
    return m;
  }

  // A start of the history, shut down, and the power off.
  Made with_snapshot() {
    history();
    recover();
    const Made m = made();
    shut();
    EXPECT_NE(saved().snapshot.slots, 0u);
    dev.power_cycle();
    dev.log.clear();
    return m;
  }

  bool told(const std::string &text) {
    return std::any_of(dev.log.begin(), dev.log.end(),
                       [&](const std::string &line) { return line.find(text) != std::string::npos; });
  }

  void expect_in_full(const Made &m, const char *why) {
    recover();
    EXPECT_TRUE(told(std::string("the snapshot of the mapping is of no use: ") + why)) << why;
    EXPECT_GT(dev.nand_probes, kProbes) << why;
    EXPECT_EQ(made().map, m.map) << why;
    EXPECT_EQ(saved().snapshot.slots, 0u) << why;
    for (uint32_t sb : dev.free_list) EXPECT_TRUE(is_erased(sb)) << why << ": superblock " << sb;
    EXPECT_EQ(dev.free_list.size(), 8u) << why;
  }

  uint32_t snapshot_sb() { return saved().snapshot.sb[0]; }
};

TEST_F(SnapshotTest, AStartGoesByIt) {
  const Made m = with_snapshot();
  const struct state s = saved();
  EXPECT_TRUE(s.clean);
  EXPECT_EQ(s.snapshot.slots, 2u) << "one for the superblocks, one for L2P, which is one page";
  const uint32_t own = s.snapshot.sb[0];
  EXPECT_FALSE(is_erased(own));
  recover();
  EXPECT_EQ(dev.nand_probes, 0u) << "no superblock was open";
  EXPECT_TRUE(made() == m);
  EXPECT_EQ(dev.l2p(30), 1u);
  EXPECT_EQ(dev.l2p(70), ORM_UNMAPPED);
  EXPECT_EQ(dev.ref(1), 3u);
  EXPECT_TRUE(is_erased(own));
  EXPECT_EQ(dev.sb[own].gen, 2u);
  EXPECT_EQ(std::count(dev.free_list.begin(), dev.free_list.end(), own), 1);
  EXPECT_EQ(dev.free_list.size(), 8u);
  EXPECT_EQ(saved().snapshot.slots, 0u);
  EXPECT_GT(dev.seq, 80u) << "numbers go on";
  const auto at_start = made();
  dev.power_cycle();  // a cut now: all is probed, and found to be the same
  recover();
  EXPECT_GT(dev.nand_probes, kProbes);
  EXPECT_EQ(made().map, at_start.map);
}

// Trims that only the journal or the bitmap records must still be trims at the start after the next one, which does not
// load a snapshot.
TEST_F(SnapshotTest, WhatWasTrimmedStaysSo) {
  history();
  dev.write_journal(1, 0, 4, 81);
  dev.write_commit(81);
  recover();
  EXPECT_EQ(dev.l2p(0), ORM_UNMAPPED);
  shut();
  power_cycle();
  EXPECT_EQ(dev.nand_probes, 0u);
  EXPECT_EQ(dev.l2p(0), ORM_UNMAPPED);
  power_cycle();
  EXPECT_GT(dev.nand_probes, 0u);
  EXPECT_EQ(dev.l2p(0), ORM_UNMAPPED);
}

TEST_F(SnapshotTest, OpenSuperblocksAreProbedAndFilledOn) {
  history();
  fill(7, 0, 5, 100, 70);
  recover();
  enable();
  dev.sb[7].state = ORM_SB_STATE_OPEN;
  set_cc(kShut);
  const auto map = mapping();
  power_cycle();
  EXPECT_EQ(dev.nand_probes, 5u + MockDevice::kDies) << "its slots, and the first empty one of each block";
  EXPECT_EQ(mapping(), map);
  EXPECT_EQ(state(7), uint32_t{ORM_SB_STATE_OPEN});
  EXPECT_EQ(dev.restores,
            std::vector<uint32_t>{ORM_PUT(ORM_FW_ALLOC_RESTORE_SB, 7) | ORM_PUT(ORM_FW_ALLOC_RESTORE_NEXT, 5)});
}

TEST_F(SnapshotTest, SuperblocksWithNothingLiveAreLeftToCollections) {
  history();
  fill(8, 0, kSlots, 0, 200);
  recover();
  enable();
  dev.sb[3].state = ORM_SB_STATE_CLOSED;  // the last of it went while the device ran
  dev.free_list.erase(std::find(dev.free_list.begin(), dev.free_list.end(), 3u));
  for (uint32_t i = 0; i < kSlots; i++) dev.program(3 * kSlots + i, 40 + i, 150, 1);
  set_cc(kShut);
  power_cycle();
  EXPECT_EQ(state(3), uint32_t{ORM_SB_STATE_CLOSED});
  EXPECT_FALSE(was_erased(3));
}

TEST_F(SnapshotTest, ASuperblockWithAnIntentIsProbed) {
  history();
  recover();
  shut();
  intent(1, 1, kSlots);
  power_cycle();
  EXPECT_EQ(dev.nand_probes, kSlots);
  EXPECT_EQ(state(1), uint32_t{ORM_SB_STATE_CLOSED});
  EXPECT_FALSE(was_erased(1));
}

class WideSnapshotTest : public SnapshotTest {
 protected:
  WideSnapshotTest() { dev.make_wide(); }
};

TEST_F(WideSnapshotTest, PagesOfFourSlots) {
  fill(0, 0, kSlots, 0, 1);
  recover();
  const auto map = mapping();
  shut();
  EXPECT_EQ(dev.programmed.size(), 1u) << "two slots: one page";
  EXPECT_EQ(dev.programmed[0] % 4, 0u);
  power_cycle();
  EXPECT_EQ(dev.nand_probes, 0u);
  EXPECT_EQ(mapping(), map);
}

// ---- what it must not be taken for

TEST_F(SnapshotTest, SlotsThatCannotBeRead) {
  for (uint32_t k : {0u, 1u}) {
    const Made m = with_snapshot();
    dev.unreadable.insert(snapshot_sb() * kSlots + k);
    expect_in_full(m, "it cannot be read");
    dev.unreadable.clear();
    format_blank();
  }
}

TEST_F(SnapshotTest, SlotsThatAreGone) {
  const Made m = with_snapshot();
  dev.flash[snapshot_sb() * kSlots + 1] = Slot{};
  expect_in_full(m, "it cannot be read");
}

TEST_F(SnapshotTest, EachByteCounts) {
  for (uint32_t at : {0u, 2u, 40u, 4095u, 4096u, 4096u + 4 * 20, 8191u}) {
    const Made m = with_snapshot();
    const uint32_t slot = snapshot_sb() * kSlots + at / ORM_SLOT_BYTES;
    dev.data.at(slot).at(at % ORM_SLOT_BYTES) ^= 1;
    expect_in_full(m, "its");  // records, or CRC
    format_blank();
  }
}

TEST_F(SnapshotTest, TheSuperblockWasErasedSince) {
  const Made m = with_snapshot();
  dev.write_block(snapshot_sb(), 2);
  const uint32_t own = snapshot_sb();
  recover();
  EXPECT_TRUE(told("of no use: its CRC"));
  EXPECT_EQ(made().map, m.map);
  EXPECT_TRUE(is_erased(own));
}

// Its figures could not be trusted, and a bad superblock has no data.
TEST_F(SnapshotTest, ASuperblockThatWentBad) {
  const Made m = with_snapshot();
  dev.write_bad_word(uint64_t{1} << snapshot_sb());
  recover();
  EXPECT_GT(dev.nand_probes, kProbes);
  EXPECT_EQ(made().map, m.map);
}

TEST_F(SnapshotTest, DamagedEntriesMakeTheStartLookAtEverything) {
  history();
  dev.write_entry(3, 2, 0, 1, 2, 73, 25, 3);
  recover();
  shut();
  dev.nvram[MockDevice::kNvSegments + 3 * MockDevice::kSegBytes + 2 * ORM_REMAP_ENTRY_BYTES] ^= 1;
  power_cycle();
  EXPECT_EQ(fw_phase(fw_), FW_RUNNING);
  EXPECT_GT(dev.nand_probes, kProbes);
  EXPECT_TRUE(told("NVRAM is damaged: 1 remap entries"));
  EXPECT_EQ(dev.l2p(71), ORM_UNMAPPED) << "its entry is lost";
  EXPECT_EQ(saved().damaged[DAMAGE_ENTRY], 1u) << "counted once";
}

// Only the older copy of FwState is left. It must not refer to a snapshot that is gone.
TEST_F(SnapshotTest, ItDoesNotComeBackWithTheOlderState) {
  for (bool again : {false, true}) {
    const Made m = with_snapshot();
    recover();
    if (again) enable();
    const uint64_t newest = saved().save;
    dev.nvram[MockDevice::kNvCounters + ORM_NV_STATE_OFFSET + newest % 2 * ORM_FW_STATE_BYTES + 40] ^= 1;
    EXPECT_EQ(saved().save, newest - 1);
    EXPECT_EQ(saved().snapshot.slots, 0u);
    power_cycle();
    EXPECT_GT(dev.nand_probes, kProbes);
    EXPECT_EQ(made().map, m.map);
    format_blank();
  }
}

// ---- shutdowns that write none

TEST_F(SnapshotTest, NotWithoutRest) {
  history();
  recover();
  enable();
  set_cc(1u | ORM_PUT(ORM_BAR0_CC_SHN, NVME_SHUTDOWN_ABRUPT));
  EXPECT_TRUE(saved().clean);
  EXPECT_EQ(saved().snapshot.slots, 0u);
  EXPECT_TRUE(dev.programmed.empty());
}

TEST_F(SnapshotTest, NotWithoutRoom) {
  history();
  recover();
  enable();
  dev.free_list.resize(FW_ALLOC_RESERVE);
  set_cc(kShut);
  EXPECT_TRUE(saved().clean);
  EXPECT_EQ(saved().snapshot.slots, 0u);
  EXPECT_TRUE(dev.programmed.empty());
  dev.erased.clear();
  set_cc(0);
  enable();
  EXPECT_TRUE(dev.erased.empty());
}

TEST_F(SnapshotTest, AProgramThatFails) {
  history();
  recover();
  const Made m = made();
  for (uint32_t sb = 0; sb < MockDevice::kSuperblocks; sb++) dev.program_fails.insert(sb * kSlots + 1);
  shut();
  EXPECT_TRUE(saved().clean);
  EXPECT_EQ(saved().snapshot.slots, 0u);
  EXPECT_EQ(saved().media_errors, 0u);
  const uint32_t own = dev.programmed.at(0) / kSlots;
  set_cc(0);
  EXPECT_FALSE(is_erased(own));
  bool clean = true, known = true;
  dev.on_nvram_write = [&] {
    clean = saved().clean;
    known = known && !(clean && is_erased(own));
  };
  enable();
  dev.on_nvram_write = nullptr;
  EXPECT_TRUE(known) << "the mark of the shutdown goes first";
  EXPECT_FALSE(clean);
  EXPECT_EQ(csts(), 1u);
  EXPECT_TRUE(is_erased(own));
  EXPECT_EQ(mapping(), m.map);
}

// ---- afterwards, without a power cycle

TEST_F(SnapshotTest, ReadyAgainWhenItIsGone) {
  history();
  recover();
  shut();
  const uint32_t own = snapshot_sb();
  set_cc(0);
  EXPECT_EQ(csts(), 0u);
  EXPECT_EQ(saved().snapshot.sb[0], own) << "nothing has changed yet";
  bool known = true;
  dev.on_nvram_write = [&] { known = known && (saved().snapshot.slots == 0 || is_erased(own) == false); };
  dev.hold_gc = true;
  enable();
  dev.on_nvram_write = nullptr;
  EXPECT_TRUE(known) << "the mark goes first";
  EXPECT_EQ(csts(), 1u);
  EXPECT_TRUE(is_erased(own));
  EXPECT_EQ(dev.sb[own].gen, 2u);
  EXPECT_EQ(state(own), uint32_t{ORM_SB_STATE_FREE});
  EXPECT_EQ(std::count(dev.free_list.begin(), dev.free_list.end(), own), 1) << "it never left the list";
  EXPECT_FALSE(saved().clean);
  set_cc(kShut);
  EXPECT_NE(saved().snapshot.slots, 0u) << "and another one";
  power_cycle();
  EXPECT_EQ(dev.nand_probes, 0u);
}

TEST_F(SnapshotTest, ASuperblockThatDoesNotEraseLeavesTheList) {
  history();
  recover();
  shut();
  const uint32_t own = snapshot_sb();
  const size_t free = dev.free_list.size();
  dev.worn.insert(own * kSlots);
  set_cc(0);
  enable();
  EXPECT_EQ(csts(), 1u);
  EXPECT_EQ(dev.bad_word(), uint64_t{1} << own);
  EXPECT_EQ(state(own), uint32_t{ORM_SB_STATE_BAD});
  EXPECT_EQ(std::count(dev.free_list.begin(), dev.free_list.end(), own), 0);
  EXPECT_EQ(dev.free_list.size(), free - 1);
}

TEST_F(SnapshotTest, AShutdownThatIsTakenBack) {
  history();
  recover();
  enable();
  dev.hold_dma = true;
  set_cc(kShut);
  EXPECT_EQ(ORM_GET(csts(), ORM_FW_NVME_CSTS_SHST), uint32_t{NVME_SHUTDOWN_OCCURRING});
  dev.mailbox.emplace_back(uint8_t{0}, command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER));
  settle();
  EXPECT_EQ(dev.mailbox.size(), 1u) << "the DMA is not to be had";
  set_cc(0);
  EXPECT_EQ(csts() & 1u, 1u);
  dev.hold_dma = false;
  dev.release_dma();
  settle(1'000'000);
  EXPECT_EQ(csts(), 0u);
  EXPECT_FALSE(saved().clean);
  enable();
  EXPECT_EQ(csts(), 1u);
  for (uint32_t sb : dev.free_list) EXPECT_TRUE(is_erased(sb));
  dev.power_cycle();
  recover();
  EXPECT_GT(dev.nand_probes, kProbes);
}

// ---- power cuts

TEST_F(SnapshotTest, PowerCutsInTheStartThatGoesByIt) {
  const Made m = with_snapshot();
  const uint32_t own = snapshot_sb();
  const int cuts = cut_everywhere([&] { EXPECT_EQ(dev.nand_probes, 0u); },
                                  [&](int cut) {
                                    EXPECT_EQ(made().map, m.map) << cut;
                                    EXPECT_TRUE(is_erased(own)) << cut;
                                    EXPECT_EQ(dev.free_list.size(), 8u) << cut;
                                  });
  EXPECT_GT(cuts, 20);
}

// Includes the cuts in the next enabling, which revokes it.
TEST_F(SnapshotTest, PowerCutsInTheShutdown) {
  history();
  recover();
  const Made m = made();
  const auto nvram = dev.nvram;
  const auto flash = dev.flash;
  const auto data = dev.data;
  int cuts = 0;
  for (;; cuts++) {
    dev.nvram = nvram;
    dev.flash = flash;
    dev.data = data;
    dev.power_cycle();
    int events = 0;
    std::vector<uint8_t> frozen_nvram;
    std::vector<Slot> frozen_flash;
    auto frozen_data = dev.data;
    auto event = [&] {
      if (events++ != cuts) return;
      frozen_nvram = dev.nvram;
      frozen_flash = dev.flash;
      frozen_data = dev.data;
    };
    recover();
    enable();
    dev.on_nvram_write = dev.on_program = event;
    set_cc(kShut);
    set_cc(0);
    enable();
    dev.on_nvram_write = dev.on_program = nullptr;
    if (frozen_nvram.empty()) break;
    dev.nvram = frozen_nvram;
    dev.flash = frozen_flash;
    dev.data = frozen_data;
    dev.power_cycle();
    recover();
    EXPECT_EQ(made().map, m.map) << "cut " << cuts;
    EXPECT_EQ(dev.free_list.size(), 8u) << "cut " << cuts;
    for (uint32_t sb : dev.free_list) EXPECT_TRUE(is_erased(sb)) << "cut " << cuts << " superblock " << sb;
    if (HasFailure()) break;
  }
  EXPECT_GT(cuts, 200);
}

}  // namespace
}  // namespace orm_test
