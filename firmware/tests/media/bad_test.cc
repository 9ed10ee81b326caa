// SPDX-License-Identifier: Apache-2.0
// Superblocks with a bad block. They are found at the format or when they fail to erase, and are out of use from then
// on. The word that names them may be damaged, and power may be cut before it is written. A device without spare
// superblocks can only be read.
#include <algorithm>

#include "recovery/recovery_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kWord = MockDevice::kNvCounters + ORM_NV_BAD_OFFSET;

class BadTest : public FwTest {
 protected:
  static uint32_t slot(uint32_t sb, uint32_t die) { return sb * kSlots + die; }
  uint32_t nsze() { return dev.reg[ORM_FW_NVME_NSZE]; }
  // Of what a start that was cut may have left.
  bool word_names_any() { return (orm_get_le(&dev.nvram[kWord], 8) & 0xFFFFFFFFFFFF) != 0; }
  bool is_free(uint32_t sb) { return std::find(dev.free_list.begin(), dev.free_list.end(), sb) != dev.free_list.end(); }
  nvme_smart_log smart() {
    EXPECT_EQ(admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, 0xFFFFFFFF, NVME_LOG_PAGE_SMART | 127u << 16)).status, 0);
    nvme_smart_log s;
    nvme_smart_log_unpack(&s, dev.host.data());
    return s;
  }
};

TEST_F(BadTest, MarkedBlocksTakeTheirSuperblocksOut) {
  dev.flagged_bad = {slot(3, 2), slot(3, 1), slot(7, 0)};
  boot_enabled();
  EXPECT_EQ(nsze(), (12u - 2 - 4) * kSlots * 88 / 100);
  EXPECT_EQ(dev.bad_word(), 1u << 3 | 1u << 7);
  for (uint32_t sb = 0; sb < MockDevice::kSuperblocks; sb++) {
    EXPECT_EQ(is_free(sb), sb != 3 && sb != 7) << sb;
    EXPECT_EQ(dev.sb[sb].state, sb == 3 || sb == 7 ? uint32_t{ORM_SB_STATE_BAD} : uint32_t{ORM_SB_STATE_FREE});
  }
  EXPECT_EQ(smart().available_spare, 100) << "the namespace was made without them";
  EXPECT_EQ(smart().critical_warning, 0);
  const uint32_t now = nsze();
  power_cycle();
  EXPECT_EQ(nsze(), now);
  EXPECT_FALSE(is_free(3));
}

TEST_F(BadTest, TooManyMarksLeaveNoDevice) {
  for (uint32_t sb = 0; sb < 8; sb++) dev.flagged_bad.insert(slot(sb, 0));
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
}

TEST_F(BadTest, AFormatLeavesOutWhatDoesNotErase) {
  dev.worn = {slot(5, 3)};
  boot_enabled();
  EXPECT_EQ(dev.bad_word(), 1u << 5);
  EXPECT_FALSE(is_free(5));
  EXPECT_EQ(smart().available_spare, 100);
}

// The word is damaged, and the blocks erase after all. So fewer are bad than at the format.
TEST_F(BadTest, MoreToSpareThanAtTheFormat) {
  dev.worn = {slot(5, 3)};
  boot_running();
  dev.nvram[kWord] ^= 1;
  dev.worn.clear();
  power_cycle();
  enable();
  EXPECT_EQ(dev.bad_word(), 0u);
  EXPECT_TRUE(is_free(5));
  EXPECT_EQ(smart().available_spare, 100);
  EXPECT_EQ(dev.reg[ORM_FW_NVME_STATE], ORM_FW_NVME_STATE_NS_READY_MASK);
}

TEST_F(BadTest, ACutFormatKeepsWhatItHasFound) {
  dev.flagged_bad = {slot(2, 0)};
  int writes = 0;
  std::vector<uint8_t> frozen;
  dev.on_nvram_write = [&] {
    if (word_names_any() && writes++ == 3) frozen = dev.nvram;
  };
  boot_running();
  ASSERT_FALSE(frozen.empty());
  dev.on_nvram_write = nullptr;
  dev.nvram = frozen;
  dev.flagged_bad.clear();  // as if the mark had been lost
  power_cycle();
  EXPECT_EQ(fw_phase(fw_), FW_RUNNING);
  EXPECT_EQ(dev.bad_word(), 1u << 2);
  EXPECT_FALSE(is_free(2));
}

TEST_F(BadTest, WhatDoesNotEraseAtAStartIsOutForGood) {
  boot_running();
  dev.power_cycle();
  dev.flash[4 * kSlots].state = Page::kTorn;  // nothing live in it
  dev.worn = {slot(4, 1)};
  boot_enabled();
  EXPECT_EQ(dev.bad_word(), 1u << 4);
  EXPECT_EQ(dev.sb[4].state, uint32_t{ORM_SB_STATE_BAD});
  const nvme_smart_log s = smart();
  EXPECT_EQ(s.available_spare, 0) << "one was to spare";
  EXPECT_NE(s.critical_warning & NVME_CRITICAL_WARNING_SPARE, 0);
  EXPECT_EQ(s.media_errors, 1u);
  dev.power_cycle();
  dev.worn.clear();
  boot_enabled();
  EXPECT_TRUE(dev.erased.empty()) << "nobody tries again";
  EXPECT_FALSE(is_free(4));
}

class BadVictimTest : public BadTest {
 protected:
  // A collection of superblock 4 is under way, all of it was moved, and its erase will fail.
  void SetUp() override {
    boot_enabled();
    dev.hold_gc = true;
    for (uint32_t sb = 4; sb < 8; sb++) dev.sb[sb] = {1, sb, ORM_SB_STATE_CLOSED};
    dev.free_list = {0, 1, 2};
    settle();
    ASSERT_EQ(dev.victims, std::vector<uint32_t>{4});
    dev.sb[4].valid = 0;
    dev.gc_ok = false;
  }
};

TEST_F(BadVictimTest, IsOutForGood) {
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.bad_word(), 0u) << "a copy may have failed before it was overwritten";
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 4})) << "once more, without data";
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.bad_word(), 1u << 4);
  EXPECT_EQ(dev.sb[4].gen, 1u);
  EXPECT_FALSE(is_free(4));
  dev.gc_ok = true;
  dev.hold_gc = false;
  settle(100'000'000);
  EXPECT_EQ(std::count(dev.victims.begin(), dev.victims.end(), 4), 2) << "and never again";
}

// The engine takes no other command while it moves the second victim.
TEST_F(BadVictimTest, OneThatErasesTheSecondTimeIsNot) {
  dev.release_gc();
  settle();
  dev.gc_ok = true;
  dev.release_gc();
  settle();
  EXPECT_EQ(dev.bad_word(), 0u);
  EXPECT_TRUE(is_free(4));
}

// Both victims in flight fail to erase.
TEST_F(BadVictimTest, TwoAtOnce) {
  dev.hand_over_gc();
  settle();
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{4, 5}));
  dev.sb[5].valid = 0;
  dev.hand_over_gc();
  for (int i = 0; i < 4; i++) {
    dev.release_gc();
    settle();
  }
  EXPECT_EQ(dev.bad_word(), 1u << 4 | 1u << 5);
  EXPECT_FALSE(is_free(4));
  EXPECT_FALSE(is_free(5));
}

TEST_F(BadVictimTest, BehindAVictimThatIsBeingMoved) {
  dev.hand_over_gc();
  settle();
  ASSERT_EQ(dev.victims, (std::vector<uint32_t>{4, 5}));
  dev.release_gc();  // the first one: its erase failed
  settle();
  EXPECT_EQ(dev.victims.size(), 2u);
  dev.hand_over_gc();
  settle();
  EXPECT_EQ(dev.victims, (std::vector<uint32_t>{4, 5, 4})) << "before any other";
}

TEST_F(BadVictimTest, AShutdownWaitsForIt) {
  dev.release_gc();
  set_cc(1 | ORM_PUT(ORM_BAR0_CC_SHN, 1));
  EXPECT_EQ(ORM_GET(csts(), ORM_FW_NVME_CSTS_SHST), uint32_t{NVME_SHUTDOWN_OCCURRING});
  dev.release_gc();
  settle(1000000);
  EXPECT_EQ(ORM_GET(csts(), ORM_FW_NVME_CSTS_SHST), uint32_t{NVME_SHUTDOWN_COMPLETE});
  EXPECT_EQ(dev.bad_word(), 1u << 4);
}

// Writes that there is room for are accepted before that, and all later ones are refused.
TEST_F(BadVictimTest, TheLastOneToSpareIsTheEndOfWriting) {
  EXPECT_EQ(dev.reg[ORM_FW_NVME_STATE], ORM_FW_NVME_STATE_NS_READY_MASK);
  admin(command(NVME_ADMIN_OPCODE_SET_FEATURES, 0, NVME_FEATURE_ASYNC_EVENT_CONFIG, NVME_CRITICAL_WARNING_READ_ONLY));
  const nvme_submission_entry aer = command(NVME_ADMIN_OPCODE_ASYNC_EVENT);
  dev.mailbox.emplace_back(uint8_t{0}, aer);
  settle();
  const size_t before = dev.completions.size();
  dev.release_gc();
  settle();
  dev.release_gc();
  settle();
  ASSERT_EQ(dev.completions.size(), before + 1);
  EXPECT_EQ(dev.completions.back().cid, aer.cid);
  EXPECT_EQ(dev.completions.back().dw0, uint32_t{NVME_ASYNC_EVENT_SMART_RELIABILITY});
  for (int again = 0; again < 2; again++) {
    EXPECT_EQ(dev.reg[ORM_FW_NVME_STATE], ORM_FW_NVME_STATE_NS_READY_MASK | ORM_FW_NVME_STATE_WRITE_PROTECTED_MASK);
    EXPECT_EQ(sct_sc(run(1, command(ORM_VENDOR_OPCODES_REMAP, 1))), NVME_STATUS_WRITE_PROTECTED);
    EXPECT_NE(smart().critical_warning & NVME_CRITICAL_WARNING_READ_ONLY, 0);
    EXPECT_EQ(
        admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX, ORM_VENDOR_LOG_PAGES_REMAP_LOG | 127u << 16)).status,
        0);
    orm_remap_log log{};
    orm_remap_log_unpack(&log, dev.host.data());
    EXPECT_EQ(log.read_only, uint32_t{ORM_READ_ONLY_WORN});
    EXPECT_EQ(admin(command(NVME_ADMIN_OPCODE_IDENTIFY, 1, NVME_CNS_NAMESPACE)).status, 0);
    nvme_identify_namespace ns{};
    nvme_identify_namespace_unpack(&ns, dev.host.data());
    EXPECT_EQ(ns.nsattr, NVME_NSATTR_WRITE_PROTECTED);
    if (again == 0) {
      const size_t victims = dev.victims.size();
      EXPECT_GT(victims, 2u) << "collections go on";
      dev.hold_gc = false;
      power_cycle();
      enable();
    }
  }
}

// The buffer with the remap's list belongs to the engine until the remap ends.
TEST_F(BadVictimTest, ARemapThatRunsRunsToItsEnd) {
  dev.hold_remap = true;
  nvme_submission_entry e = command(ORM_VENDOR_OPCODES_REMAP, 1, 0, 0);
  e.cdw12 = 20;
  e.cdw14 = 1;
  dev.mailbox.emplace_back(uint8_t{1}, e);
  settle();
  ASSERT_EQ(dev.remaps.size(), 1u);
  const size_t before = dev.completions.size();
  for (int i = 0; i < 2; i++) {
    dev.release_gc();
    settle();
  }
  EXPECT_EQ(dev.reg[ORM_FW_NVME_STATE], ORM_FW_NVME_STATE_NS_READY_MASK | ORM_FW_NVME_STATE_WRITE_PROTECTED_MASK);
  EXPECT_EQ(dev.completions.size(), before);
  dev.release_remap();
  settle();
  ASSERT_EQ(dev.completions.size(), before + 1);
  EXPECT_EQ(dev.completions.back().status, 0);
}

// The word of a bad, half erased superblock is damaged, so only flash shows that it is bad.
class BadWordTest : public RecoveryTest {
 protected:
  static constexpr uint32_t kMarked = 3, kWorn = 5, kFull = 6;
  void SetUp() override {
    RecoveryTest::SetUp();
    dev.flagged_bad = {kMarked * kSlots + 2};
    dev.write_bad_word(1u << kMarked | 1u << kWorn);
    fill(kFull, 0, kSlots, 0, 1);
    dev.write_commit(kSlots);
    dev.write_block(kWorn, UINT32_MAX);    // it was bad at the format
    for (uint32_t i = 0; i < kSlots; i++)  // die 1 was erased, the others were not
      if (i % MockDevice::kDies != 1) dev.program(kWorn * kSlots + i, 40 + i, 500 + i, 1);
    dev.worn = {kWorn * kSlots + 1};
  }
  void expect_all_known() {
    EXPECT_EQ(dev.bad_word(), 1u << kMarked | 1u << kWorn);
    EXPECT_EQ(state(kMarked), uint32_t{ORM_SB_STATE_BAD});
    EXPECT_EQ(state(kWorn), uint32_t{ORM_SB_STATE_BAD});
    EXPECT_EQ(state(kFull), uint32_t{ORM_SB_STATE_CLOSED});
    EXPECT_EQ(dev.free_list.size(), MockDevice::kSuperblocks - 3);
    for (uint32_t lpn = 0; lpn < kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), kFull * kSlots + lpn);
    for (uint32_t lpn = 40; lpn < 40 + kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), ORM_UNMAPPED);
  }
  uint64_t damaged_words() {
    enable();
    EXPECT_EQ(
        admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX, ORM_VENDOR_LOG_PAGES_REMAP_LOG | 127u << 16)).status,
        0);
    orm_remap_log log{};
    orm_remap_log_unpack(&log, dev.host.data());
    return log.damaged_words;
  }
};

TEST_F(BadWordTest, EveryBit) {
  const auto nvram = dev.nvram;
  const auto flash = dev.flash;
  for (uint32_t bit = 0; bit < 64 && !HasFailure(); bit++) {
    dev.nvram = nvram;
    dev.flash = flash;
    dev.power_cycle();
    dev.nvram[kWord + bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    recover();
    expect_all_known();
    EXPECT_EQ(damaged_words(), 1u) << bit;
    EXPECT_TRUE(was_erased(kWorn)) << "which shows that it is bad";
    EXPECT_FALSE(was_erased(kFull));
    dev.power_cycle();
    recover();
    expect_all_known();
    EXPECT_EQ(damaged_words(), 1u) << "not found again";
    EXPECT_TRUE(dev.erased.empty());
  }
}

// A word that passes its check is believed. So it is not written before all bad superblocks are known again.
TEST_F(BadWordTest, CutsWhileItIsFoundOut) {
  dev.nvram[kWord] ^= 1;
  EXPECT_GT(cut_everywhere([&] { expect_all_known(); }, [&](int) { expect_all_known(); }), 20);
}

TEST_F(BadWordTest, AGoodOneIsBelieved) {
  dev.worn.clear();
  dev.flagged_bad.clear();
  recover();
  expect_all_known();
  EXPECT_EQ(damaged_words(), 0u);
  EXPECT_TRUE(dev.erased.empty());
}

// The erase failed, and power is cut before that is recorded. The next start finds it out again, whatever state the
// erase left.
TEST_F(RecoveryTest, AVictimWhoseEraseFailed) {
  for (const bool half : {false, true}) {
    format_blank();
    fill(5, 0, kSlots, 0, 1);
    intent(5, 1, kSlots);
    fill(6, 0, kSlots, 0, 1, ORM_STREAM_GC);
    if (half)
      for (uint32_t page = 0; page < MockDevice::kPages; page++) dev.flash[5 * kSlots + page * 4] = Slot{};
    dev.worn = {5 * kSlots + 1};
    recover();
    const uint32_t has = half ? 6 : 5;  // intact: its slots win, and those of the unfinished copy go
    for (uint32_t lpn = 0; lpn < kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), has * kSlots + lpn);
    EXPECT_EQ(state(5), uint32_t{half ? ORM_SB_STATE_BAD : ORM_SB_STATE_CLOSED});
    dev.power_cycle();
    dev.worn.clear();
  }
}

// It went bad after the format. Its readable slots are valid, but lose to newer ones.
TEST_F(BadWordTest, OneThatWentBadLater) {
  dev.write_block(kWorn, 1);
  for (uint32_t i = 0; i < kSlots; i++)
    if (i % MockDevice::kDies != 1) dev.program(kWorn * kSlots + i, i, i == 0 ? 1 : 0, 1);  // LPN 0's is a copy
  dev.nvram[kWord] ^= 1;
  recover();
  for (uint32_t lpn = 1; lpn < kSlots; lpn++) EXPECT_EQ(dev.l2p(lpn), kFull * kSlots + lpn);
  EXPECT_TRUE(dev.l2p(0) == kFull * kSlots || dev.l2p(0) == kWorn * kSlots);
  EXPECT_NE(state(kWorn), uint32_t{ORM_SB_STATE_FREE});
}

// Its blocks erase again, so there is one good superblock more than at the format.
TEST_F(BadWordTest, OneThatErasesIsGoodAgain) {
  dev.worn.clear();
  dev.nvram[MockDevice::kNvCounters + ORM_NV_BAD_OFFSET + 7] ^= 1;
  recover();
  EXPECT_EQ(dev.bad_word(), 1u << kMarked);
  EXPECT_EQ(state(kWorn), uint32_t{ORM_SB_STATE_FREE});
}

// The word is damaged again and again, and power is cut before it is written. Nothing of an earlier format may come
// back.
TEST_F(BadWordTest, DamagedTwice) {
  for (int again = 0; again < 3; again++) {
    dev.nvram[kWord] ^= 1;
    std::vector<uint8_t> frozen;
    dev.on_nvram_write = [&] {
      if (dev.erased.size() >= MockDevice::kDies && frozen.empty()) frozen = dev.nvram;
    };
    recover();
    dev.on_nvram_write = nullptr;
    expect_all_known();
    ASSERT_FALSE(frozen.empty());
    dev.nvram = frozen;
    dev.power_cycle();
  }
}

}  // namespace
}  // namespace orm_test
