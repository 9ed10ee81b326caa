// SPDX-License-Identifier: Apache-2.0
// Format NVM from its command to an empty namespace: the order of its steps, the answers to other commands meanwhile,
// power cuts.
#include <algorithm>

#include "recovery/recovery_fixture.h"

namespace orm_test {
namespace {

constexpr uint32_t kWord = MockDevice::kNvCounters + ORM_NV_FORMAT_OFFSET;
constexpr uint16_t kCid = 77;

class ReformatTest : public RecoveryTest {
 protected:
  uint32_t nsze = 0;

  // Superblocks 0 to 4 hold the first LPNs, once; superblock 5 some older versions.
  void SetUp() override {
    RecoveryTest::SetUp();
    for (uint32_t sb = 0; sb < 5; sb++) fill(sb, 0, kSlots, sb * kSlots, 1000 + sb * kSlots);
    fill(5, 0, kSlots, 0, 500);
    recover();
    enable();
    nsze = dev.reg[ORM_FW_NVME_NSZE];
    hardware();
  }

  // What the engines do besides what the mock does by itself.
  void hardware() {
    dev.remaps_apply = true;
    dev.on_gc = [this] {
      const uint32_t sb = dev.victims.back();
      if (dev.sb[sb].state != ORM_SB_STATE_FREE) return;
      for (uint32_t slot = sb * kSlots; slot < (sb + 1) * kSlots; slot++) {
        dev.flash[slot] = Slot{};
        if (slot % kSlots == kSlots / 2 && dev.on_nvram_write) dev.on_nvram_write();  // power may go here, too
      }
      if (dev.on_nvram_write) dev.on_nvram_write();
      dev.write_block(sb, dev.sb[sb].gen);
    };
  }

  void send(uint32_t ses = NVME_FORMAT_SES_NONE) {
    nvme_submission_entry e = command(NVME_ADMIN_OPCODE_FORMAT_NVM, 1, ses << 9);
    e.cid = kCid;
    dev.mailbox.emplace_back(0, e);
    settle();
  }
  // With the time that it waits for what raises no interrupt.
  void pass() { settle(1000000); }

  uint16_t format(uint32_t ses = NVME_FORMAT_SES_NONE) {
    const size_t before = dev.completions.size();
    send(ses);
    pass();
    EXPECT_EQ(dev.completions.size(), before + 1);
    EXPECT_EQ(dev.completions.back().cid, kCid);
    return dev.completions.size() > before ? dev.completions.back().status : 0xFFFF;
  }
  uint32_t mapped() const {
    uint32_t n = 0;
    for (uint32_t lpn = 0; lpn < nsze; lpn++) n += dev.l2p(lpn) != ORM_UNMAPPED;
    return n;
  }
  bool word() const { return orm_get_le(&dev.nvram[kWord], 4) == ORM_FORMAT_MARK; }
  uint32_t ns_state() { return dev.reg[ORM_FW_NVME_STATE]; }
};

TEST_F(ReformatTest, AllIsUnmapped) {
  ASSERT_EQ(mapped(), 5 * kSlots);
  EXPECT_EQ(format(), NVME_STATUS_SUCCESS);
  EXPECT_EQ(mapped(), 0u);
  EXPECT_FALSE(word());
  EXPECT_EQ(ns_state(), ORM_FW_NVME_STATE_NS_READY_MASK);
  EXPECT_TRUE(dev.victims.empty()) << "no erase was asked for";
  power_cycle();
  ASSERT_EQ(fw_phase(fw_), FW_RUNNING) << fw_describe(fw_);
  EXPECT_EQ(mapped(), 0u) << "nothing comes back";
}

TEST_F(ReformatTest, UserDataEraseErasesWhatIsClosed) {
  dev.sb[7].state = ORM_SB_STATE_OPEN;  // handle 0 fills it
  dev.open_streams[ORM_STREAM_HOST] =
      ORM_PUT(ORM_FW_ALLOC_OPEN_SB, 7) | ORM_PUT(ORM_FW_ALLOC_OPEN_NEXT, 3) | ORM_FW_ALLOC_OPEN_OPEN_MASK;
  EXPECT_EQ(format(NVME_FORMAT_SES_USER_DATA), NVME_STATUS_SUCCESS);
  EXPECT_EQ(mapped(), 0u);
  EXPECT_EQ(dev.victims.size(), 5u);
  for (uint32_t sb = 0; sb < 6; sb++) EXPECT_TRUE(is_erased(sb)) << sb;
  EXPECT_EQ(dev.closed_handles, std::vector<uint32_t>{0}) << "open ones take no more data";
}

TEST_F(ReformatTest, AnEmptyNamespaceCostsNothing) {
  EXPECT_EQ(format(), NVME_STATUS_SUCCESS);
  dev.remaps.clear();
  EXPECT_EQ(format(), NVME_STATUS_SUCCESS);
  EXPECT_TRUE(dev.remaps.empty());
}

TEST_F(ReformatTest, WaitsForWhatIsInside) {
  dev.io_quiet = false;
  send();
  EXPECT_EQ(ns_state(), ORM_FW_NVME_STATE_FORMATTING_MASK) << "what comes now is refused";
  EXPECT_FALSE(word()) << "a write that is inside may still be answered";
  EXPECT_TRUE(dev.remaps.empty());
  dev.io_quiet = true;
  pass();
  ASSERT_EQ(dev.completions.size(), 1u);
  EXPECT_EQ(mapped(), 0u);
}

TEST_F(ReformatTest, OthersAreAnsweredMeanwhile) {
  dev.io_quiet = false;
  send();
  EXPECT_EQ(sct_sc(admin(command(NVME_ADMIN_OPCODE_IDENTIFY, 1, NVME_CNS_NAMESPACE))), NVME_STATUS_SUCCESS);
  nvme_identify_namespace n;
  nvme_identify_namespace_unpack(&n, dev.host.data());
  EXPECT_EQ(n.fpi, NVME_FPI_SUPPORTED | 100) << "percent that remain";
  const Completion copy = run(1, command(NVME_IO_OPCODE_COPY, 1));
  EXPECT_EQ(copy.status, NVME_STATUS_FORMAT_IN_PROGRESS | NVME_STATUS_FLAG_MORE) << "and it may be sent again";
  EXPECT_EQ(run(1, command(ORM_VENDOR_OPCODES_REMAP, 1)).status,
            NVME_STATUS_FORMAT_IN_PROGRESS | NVME_STATUS_FLAG_MORE);
  EXPECT_EQ(sct_sc(run(1, command(0x7F, 1))), NVME_STATUS_INVALID_OPCODE);
  EXPECT_EQ(admin(command(NVME_ADMIN_OPCODE_FORMAT_NVM, 1)).status,
            NVME_STATUS_FORMAT_IN_PROGRESS | NVME_STATUS_FLAG_MORE);
  dev.io_quiet = true;
  pass();
  EXPECT_EQ(dev.completions.back().cid, kCid);
  EXPECT_EQ(dev.completions.back().status, NVME_STATUS_SUCCESS);
}

// The engine's list is in the buffer that commands use for their data.
TEST_F(ReformatTest, TheBufferIsTheEnginesWhileItRuns) {
  dev.hold_remap = true;
  send();
  pass();
  ASSERT_EQ(dev.remaps.size(), 1u);
  dev.mailbox.emplace_back(0, command(NVME_ADMIN_OPCODE_IDENTIFY, 0, NVME_CNS_CONTROLLER));
  pass();
  EXPECT_TRUE(dev.completions.empty());
  EXPECT_EQ(dev.mailbox.size(), 1u);
  dev.hold_remap = false;
  dev.release_remap();
  pass();
  EXPECT_EQ(dev.completions.size(), 2u);
  EXPECT_EQ(mapped(), 0u);
}

TEST_F(ReformatTest, NothingIsCollectedBesides) {
  dev.hold_remap = true;
  send();
  pass();
  dev.free_list.resize(1);
  pass();
  EXPECT_TRUE(dev.victims.empty());
  dev.hold_remap = false;
  dev.release_remap();
  pass();
  EXPECT_FALSE(dev.victims.empty()) << "now it is";
}

// With 16 records there are at most four trims at a time, and checkpoints in between.
TEST_F(ReformatTest, ASmallJournal) {
  for (uint32_t lpn = 0; lpn < 5 * kSlots; lpn += 2) {
    const uint32_t slot = dev.l2p(lpn);
    dev.dram[MockDevice::kRef + slot]--;
    dev.sb[slot / kSlots].valid--;
    std::memset(dev.dram.data() + MockDevice::kL2p + 4 * lpn, 0xFF, 4);
  }
  dev.journal_used = MockDevice::kJournal - 1;  // records of trims that the host has sent, and that have taken effect
  for (uint32_t i = 0; i < dev.journal_used; i++) dev.write_journal(i, 0, 1, 2000 + i);
  dev.journal_head = dev.journal_used;
  dev.seq = 3000;
  const uint32_t fences = dev.fences;
  EXPECT_EQ(format(), NVME_STATUS_SUCCESS);
  EXPECT_EQ(mapped(), 0u);
  EXPECT_GT(dev.fences, fences) << "a checkpoint has made room";
  for (const RemapRequest &r : dev.remaps) EXPECT_LE(r.ranges.size(), MockDevice::kJournal / 4);
}

TEST_F(ReformatTest, EngineFailureLeavesItToTheNextOne) {
  dev.remap_results = {ORM_REMAP_RESULT_ENGINE_ERROR};
  EXPECT_EQ(format(), NVME_STATUS_INTERNAL_ERROR | NVME_STATUS_FLAG_MORE);
  EXPECT_TRUE(word());
  EXPECT_EQ(ns_state(), 0u) << "nobody sees half a format";
  EXPECT_EQ(run(1, command(ORM_VENDOR_OPCODES_REMAP, 1)).status,
            NVME_STATUS_NAMESPACE_NOT_READY | NVME_STATUS_FLAG_MORE);
  EXPECT_EQ(format(), NVME_STATUS_SUCCESS);
  EXPECT_EQ(mapped(), 0u);
  EXPECT_EQ(ns_state(), ORM_FW_NVME_STATE_NS_READY_MASK);
}

TEST_F(ReformatTest, FailedEraseIsTold) {
  dev.gc_ok = false;
  EXPECT_EQ(format(NVME_FORMAT_SES_USER_DATA), NVME_STATUS_INTERNAL_ERROR | NVME_STATUS_FLAG_MORE)
      << "the data may be there";
  EXPECT_EQ(mapped(), 0u);
  EXPECT_FALSE(word());
  EXPECT_EQ(ns_state(), ORM_FW_NVME_STATE_NS_READY_MASK | ORM_FW_NVME_STATE_WRITE_PROTECTED_MASK)
      << "the namespace is empty; so many are bad that it cannot be written";
  // Erased after all they would be written again, and the next start would not look into them.
  dev.gc_ok = true;
  const auto free = dev.free_list;
  const size_t victims = dev.victims.size();
  EXPECT_EQ(format(NVME_FORMAT_SES_USER_DATA), NVME_STATUS_SUCCESS);
  EXPECT_EQ(dev.victims.size(), victims);
  EXPECT_EQ(dev.free_list, free);
}

// Superblock 0 holds a destaged part of the chain of superblock 1.
TEST_F(ReformatTest, EmptySuperblocksAreErasedFirst) {
  dev.sb[0].valid++;
  auto hardware_gc = dev.on_gc;
  dev.on_gc = [&] {
    hardware_gc();
    if (dev.victims.back() == 1) dev.sb[0].valid--;
  };
  EXPECT_EQ(format(NVME_FORMAT_SES_USER_DATA), NVME_STATUS_SUCCESS);
  ASSERT_EQ(dev.victims.size(), 5u);
  EXPECT_EQ(dev.victims.back(), 0u);
}

TEST_F(ReformatTest, OneThatStaysUsedIsMoved) {
  dev.sb[2].valid++;
  EXPECT_EQ(format(NVME_FORMAT_SES_USER_DATA), NVME_STATUS_SUCCESS);
  EXPECT_EQ(dev.victims.back(), 2u);
  EXPECT_EQ(dev.victims.size(), 5u);
}

TEST_F(ReformatTest, ControllerResetAbortsTheCommandAndNotTheFormat) {
  dev.hold_remap = true;
  send();
  pass();
  set_cc(0);
  pass();
  ASSERT_EQ(dev.dropped.size(), 1u);
  EXPECT_EQ(dev.dropped[0].cid, kCid);
  EXPECT_EQ(csts() & 1u, 0u);
  enable();
  EXPECT_EQ(ns_state(), ORM_FW_NVME_STATE_FORMATTING_MASK);
  dev.hold_remap = false;
  dev.release_remap();
  pass();
  EXPECT_EQ(mapped(), 0u);
  EXPECT_EQ(ns_state(), ORM_FW_NVME_STATE_NS_READY_MASK);
  EXPECT_TRUE(dev.completions.empty());
}

TEST_F(ReformatTest, ControllerResetBeforeItBeginsChangesNothing) {
  dev.io_quiet = false;
  send();
  set_cc(0);
  dev.io_quiet = true;
  pass();
  EXPECT_EQ(dev.dropped.size(), 1u);
  enable();
  pass();
  EXPECT_EQ(mapped(), 5 * kSlots);
  EXPECT_EQ(ns_state(), ORM_FW_NVME_STATE_NS_READY_MASK);
}

TEST_F(ReformatTest, AShutdownInterruptsIt) {
  dev.hold_remap = true;
  send(NVME_FORMAT_SES_USER_DATA);
  pass();
  set_cc(1 | ORM_PUT(ORM_BAR0_CC_SHN, 1));
  EXPECT_NE(ORM_GET(csts(), ORM_FW_NVME_CSTS_SHST), uint32_t{NVME_SHUTDOWN_COMPLETE}) << "the engine still writes";
  dev.hold_remap = false;
  dev.release_remap();
  pass();
  EXPECT_EQ(ORM_GET(csts(), ORM_FW_NVME_CSTS_SHST), uint32_t{NVME_SHUTDOWN_COMPLETE});
  EXPECT_TRUE(dev.victims.empty()) << "nothing changes any more";
  EXPECT_TRUE(word());
  // Power goes: the next start finishes it. Or it does not.
  set_cc(0);
  pass();
  EXPECT_TRUE(dev.victims.empty());
  enable();
  pass();
  EXPECT_EQ(dev.victims.size(), 5u);
  EXPECT_FALSE(word());
}

TEST_F(ReformatTest, StartAfterAShutdownInBetween) {
  dev.hold_remap = true;
  send();
  pass();
  set_cc(1 | ORM_PUT(ORM_BAR0_CC_SHN, 1));
  dev.hold_remap = false;
  dev.release_remap();
  pass();
  ASSERT_TRUE(word());
  power_cycle();
  ASSERT_EQ(fw_phase(fw_), FW_RUNNING) << fw_describe(fw_);
  EXPECT_EQ(mapped(), 0u);
  EXPECT_FALSE(word());
  for (uint32_t sb = 0; sb < 6; sb++) EXPECT_TRUE(is_erased(sb)) << sb;
}

TEST_F(ReformatTest, AWordThatIsDamagedIsNone) {
  orm_format_word w{};
  w.mark = ORM_FORMAT_MARK;
  orm_format_word_seal(&w, &dev.nvram[kWord]);
  dev.nvram[kWord + 7] ^= 1;
  power_cycle();
  EXPECT_EQ(mapped(), 5 * kSlots);
  w.mark++;
  orm_format_word_seal(&w, &dev.nvram[kWord]);
  power_cycle();
  EXPECT_EQ(mapped(), 5 * kSlots);
}

// Power is cut before each 8-byte NVRAM write of a format, the hardware's included, and within erases; then before each
// such write of the next start. The result is all of the old data or an empty namespace. Data that is written after the
// format has completed stays.
class ReformatCutTest : public ReformatTest, public ::testing::WithParamInterface<uint32_t> {
 protected:
  std::vector<uint8_t> nvram_, frozen_nvram_;
  std::vector<Slot> flash_, frozen_flash_;

  bool boot_cut_at(int cut, const std::function<void()> &work) {
    int writes = 0;
    frozen_nvram_.clear();
    dev.on_nvram_write = [&] {
      if (writes++ != cut) return;
      frozen_nvram_ = dev.nvram;
      frozen_flash_ = dev.flash;
    };
    work();
    dev.on_nvram_write = nullptr;
    return !frozen_nvram_.empty();
  }
  void restore(const std::vector<uint8_t> &nvram, const std::vector<Slot> &flash) {
    dev.nvram = nvram;
    dev.flash = flash;
    dev.power_cycle();
  }
  void check(const std::string &when, bool marked, bool completed) {
    ASSERT_EQ(fw_phase(fw_), FW_RUNNING) << when << ": " << fw_describe(fw_);
    ASSERT_FALSE(word()) << when;
    ASSERT_EQ(mapped(), marked || completed ? 0 : 5 * kSlots) << when;
    if (marked || completed) return;
    for (uint32_t lpn = 0; lpn < 5 * kSlots; lpn++) ASSERT_EQ(dev.l2p(lpn), lpn) << when;
  }
};

TEST_P(ReformatCutTest, OldDataOrNone) {
  nvram_ = dev.nvram;
  flash_ = dev.flash;
  int cuts = 0, starts = 0, flagged_cuts = 0;
  bool begun = false;
  for (;; cuts++) {
    restore(nvram_, flash_);
    dev.remaps_apply = false;
    boot_running();
    enable();
    dev.remaps_apply = true;
    dev.seq = 5000;
    if (!boot_cut_at(cuts, [&] { EXPECT_EQ(format(GetParam()), NVME_STATUS_SUCCESS); })) break;
    const std::vector<uint8_t> nvram = frozen_nvram_;
    const std::vector<Slot> flash = frozen_flash_;
    const bool marked = orm_get_le(&nvram[kWord], 4) == ORM_FORMAT_MARK;
    begun = begun || marked;
    flagged_cuts += marked;
    const bool completed = begun && !marked;
    const std::string when = "cut " + std::to_string(cuts);
    restore(nvram, flash);
    boot();
    ASSERT_NO_FATAL_FAILURE(check(when, marked, completed));
    for (int again = cuts % 3;; again += 3, starts++) {  // each of a start's writes comes up within three cuts
      restore(nvram, flash);
      if (!boot_cut_at(again, [&] { boot(); })) break;
      restore(frozen_nvram_, frozen_flash_);
      boot();
      ASSERT_NO_FATAL_FAILURE(check(when + ", then " + std::to_string(again), marked, completed));
    }
  }
  EXPECT_GE(flagged_cuts, GetParam() == NVME_FORMAT_SES_USER_DATA ? 20 : 4);
  EXPECT_GT(starts, 3 * cuts);

  // It has completed. New data goes where the allocator would put it.
  const uint32_t sb = GetParam() == NVME_FORMAT_SES_USER_DATA ? 0 : 8;
  dev.program(sb * kSlots, 3, dev.seq + 1, dev.sb[sb].gen);
  power_cycle();
  ASSERT_EQ(fw_phase(fw_), FW_RUNNING) << fw_describe(fw_);
  EXPECT_EQ(dev.l2p(3), sb * kSlots);
  EXPECT_EQ(mapped(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Ses, ReformatCutTest,
                         ::testing::Values(uint32_t{NVME_FORMAT_SES_NONE}, uint32_t{NVME_FORMAT_SES_USER_DATA}));

}  // namespace
}  // namespace orm_test
