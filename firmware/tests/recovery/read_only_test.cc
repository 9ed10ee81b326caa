// SPDX-License-Identifier: Apache-2.0
// NVRAM that is lost, or that has a damaged record on which everything depends: which reads work, what is refused, what
// stays unchanged, and how Format NVM makes the device usable again.
#include <algorithm>
#include <random>

#include "recovery/recovery_fixture.h"
#include "test_seed.h"

namespace orm_test {
namespace {

constexpr uint32_t kFormatWord = MockDevice::kNvCounters + ORM_NV_FORMAT_OFFSET;

class ReadOnlyTest : public RecoveryTest {
 protected:
  // LPNs 0 to 47 were written; 60 to 63 share slots of the first ones; 5 and 6 were trimmed.
  void SetUp() override {
    RecoveryTest::SetUp();
    nsze_ = dev.reg[ORM_FW_NVME_NSZE];
    for (uint32_t sb = 0; sb < 3; sb++) fill(sb, 0, kSlots, sb * kSlots, 100 + sb * kSlots);
    dev.write_segment(3, 0, 0, 3, 1);
    for (uint32_t i = 0; i < 3; i++) dev.write_entry(3, i, 0, 1, i, 60 + i, 200 + i);
    dev.write_journal(0, 5, 2, 210);
    dev.write_commit(210);
    nsze_ = (MockDevice::kSuperblocks - 4) * kSlots * 88 / 100;
  }

  // Starts from damaged NVRAM: nothing may be written or erased, whatever the host does.
  void start_read_only(uint32_t cause) {
    const auto nvram = dev.nvram;
    dev.log.clear();
    power_cycle();
    ASSERT_EQ(fw_phase(fw_), FW_RUNNING) << fw_describe(fw_);
    EXPECT_EQ(cause_of(dev), cause);
    EXPECT_EQ(dev.reg[ORM_FW_NVME_STATE], ORM_FW_NVME_STATE_NS_READY_MASK | ORM_FW_NVME_STATE_WRITE_PROTECTED_MASK);
    enable();
    for (int opcode : {int{ORM_VENDOR_OPCODES_REMAP}, int{ORM_VENDOR_OPCODES_REMAP_VECTOR}, int{NVME_IO_OPCODE_COPY},
                       int{NVME_IO_OPCODE_IO_MGMT_SEND}}) {
      EXPECT_EQ(sct_sc(run(1, command(uint8_t(opcode), 1))), NVME_STATUS_WRITE_PROTECTED) << opcode;
    }
    EXPECT_TRUE(dev.remaps.empty());
    const auto [smart, log] = logs();
    EXPECT_EQ(smart.critical_warning, NVME_CRITICAL_WARNING_READ_ONLY | NVME_CRITICAL_WARNING_RELIABILITY);
    EXPECT_EQ(log.read_only, cause);
    EXPECT_GE(log.damaged_words, 1u);
    shut_off();
    EXPECT_EQ(dev.nvram, nvram);
    EXPECT_TRUE(dev.erased.empty());
    EXPECT_TRUE(dev.victims.empty());
  }
  // The only line that says which it was.
  static uint32_t cause_of(const MockDevice &d) {
    const char *const said[] = {"NVRAM is lost", "NvHeader", "pointer is damaged", "BlockRecord", "FormatWord"};
    for (uint32_t i = 0; i < 5; i++) {
      for (const std::string &line : d.log) {
        if (line.find(said[i]) != std::string::npos) return i + 1;
      }
    }
    return 0;
  }
  void shut_off() {
    set_cc(1 | ORM_PUT(ORM_BAR0_CC_SHN, 1));
    settle(1000000);
    EXPECT_EQ(ORM_GET(csts(), ORM_FW_NVME_CSTS_SHST), uint32_t{NVME_SHUTDOWN_COMPLETE});
    set_cc(0);
    enable();
  }
  std::pair<nvme_smart_log, orm_remap_log> logs() {
    std::pair<nvme_smart_log, orm_remap_log> both;
    EXPECT_EQ(admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX, NVME_LOG_PAGE_SMART | 127u << 16)).status, 0);
    nvme_smart_log_unpack(&both.first, dev.host.data());
    EXPECT_EQ(
        admin(command(NVME_ADMIN_OPCODE_GET_LOG_PAGE, UINT32_MAX, ORM_VENDOR_LOG_PAGES_REMAP_LOG | 127u << 16)).status,
        0);
    orm_remap_log_unpack(&both.second, dev.host.data());
    return both;
  }
  void expect_everything() {
    for (uint32_t lpn = 0; lpn < 48; lpn++) EXPECT_EQ(dev.l2p(lpn), lpn == 5 || lpn == 6 ? ORM_UNMAPPED : lpn);
    for (uint32_t i = 0; i < 3; i++) EXPECT_EQ(dev.l2p(60 + i), i);
    EXPECT_EQ(dev.ref(0), 2);
  }
  void expect_written_pages() {
    for (uint32_t lpn = 0; lpn < 48; lpn++)
      EXPECT_EQ(dev.l2p(lpn), lpn) << "flash has it, and nothing says it was trimmed";
    for (uint32_t i = 0; i < 3; i++) EXPECT_EQ(dev.l2p(60 + i), ORM_UNMAPPED);
  }
  // What the engines do besides what the mock does by itself.
  void hardware() {
    dev.remaps_apply = true;
    dev.on_gc = [this] {
      const uint32_t sb = dev.victims.back();
      if (dev.sb[sb].state != ORM_SB_STATE_FREE) return;
      for (uint32_t slot = sb * kSlots; slot < (sb + 1) * kSlots; slot++) dev.flash[slot] = Slot{};
      if (dev.on_nvram_write) dev.on_nvram_write();
      dev.write_block(sb, dev.sb[sb].gen);
    };
  }
  uint16_t format() {
    hardware();
    nvme_submission_entry e = command(NVME_ADMIN_OPCODE_FORMAT_NVM, 1, 0);
    dev.mailbox.emplace_back(0, e);
    settle(1000000);
    return dev.completions.back().status;
  }
  void expect_usable_and_empty() {
    EXPECT_EQ(dev.reg[ORM_FW_NVME_STATE], ORM_FW_NVME_STATE_NS_READY_MASK);
    EXPECT_EQ(dev.reg[ORM_FW_NVME_NSZE], nsze_);
    const auto [smart, log] = logs();
    EXPECT_EQ(smart.critical_warning, 0);
    EXPECT_EQ(log.read_only, 0u);
    EXPECT_EQ(log.damaged_words, 0u);
    for (uint32_t lpn = 0; lpn < nsze_; lpn++) ASSERT_EQ(dev.l2p(lpn), ORM_UNMAPPED) << lpn;
  }

  uint32_t nsze_ = 0;
};

TEST_F(ReadOnlyTest, LostNvram) {
  std::mt19937 random(openremap::TestSeed());
  const auto flash = dev.flash;
  for (int kind = 0; kind < 5; kind++) {
    for (auto &byte : dev.nvram) byte = kind == 0 ? 0 : kind == 1 ? 0xFF : uint8_t(random());
    dev.flash = flash;
    ASSERT_NO_FATAL_FAILURE(start_read_only(ORM_READ_ONLY_LOST));
    expect_written_pages();
    EXPECT_EQ(dev.reg[ORM_FW_NVME_NSZE], nsze_);
  }
}

// The first pages are no longer those of this device. The pages behind them show that the device was in use.
TEST_F(ReadOnlyTest, LostNvramIsNotTakenForANewDevice) {
  for (uint32_t die = 0; die < MockDevice::kDies; die++) dev.flash[die].state = Page::kTorn;
  std::fill(dev.nvram.begin(), dev.nvram.end(), uint8_t{0});
  start_read_only(ORM_READ_ONLY_LOST);
  EXPECT_EQ(dev.l2p(4), 4u);
  EXPECT_EQ(dev.l2p(0), ORM_UNMAPPED);
}

// What is left of the trim bitmap counts for nothing.
TEST_F(ReadOnlyTest, LostNvramHasNoTrims) {
  std::fill(dev.nvram.begin(), dev.nvram.end(), uint8_t{0xA5});
  dev.write_trims(0, 0, (uint64_t{1} << ORM_TRIM_WORD_LPNS) - 1, 1000);
  ASSERT_NO_FATAL_FAILURE(start_read_only(ORM_READ_ONLY_LOST));
  expect_written_pages();
}

// The bitmap has pointers of its own.
TEST_F(ReadOnlyTest, TrimsAreKnownWithoutTheCheckpointPointer) {
  dev.write_trims(1, 0, 0x3, 150);
  dev.nvram[0x108] ^= 1;
  ASSERT_NO_FATAL_FAILURE(start_read_only(ORM_READ_ONLY_POINTER));
  EXPECT_EQ(dev.l2p(0), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(1), ORM_UNMAPPED);
  EXPECT_EQ(dev.l2p(2), 2u);
}

TEST_F(ReadOnlyTest, PagesPastTheUsualNamespaceAreShownToo) {
  dev.program(3 * kSlots, nsze_ + 2, 400, 1);
  std::fill(dev.nvram.begin(), dev.nvram.end(), uint8_t{0});
  start_read_only(ORM_READ_ONLY_LOST);
  EXPECT_EQ(dev.reg[ORM_FW_NVME_NSZE], nsze_ + 3);
  EXPECT_EQ(dev.l2p(nsze_ + 2), 3 * kSlots);
  EXPECT_EQ(format(), NVME_STATUS_SUCCESS);
  expect_usable_and_empty();
}

TEST_F(ReadOnlyTest, AnyByteOfTheHeader) {
  const auto good = dev.nvram;
  for (uint32_t at = 0; at < ORM_NV_HEADER_BYTES; at++) {
    dev.nvram = good;
    dev.nvram[at] ^= 0x10;
    ASSERT_NO_FATAL_FAILURE(start_read_only(ORM_READ_ONLY_HEADER)) << at;
    ASSERT_NO_FATAL_FAILURE(expect_everything());
  }
}

class FewerSuperblocksTest : public ReadOnlyTest {
 protected:
  FewerSuperblocksTest() { dev.options().superblocks = 8; }
};

// Only the header says how many the device uses. Behind the records of those there is nothing.
TEST_F(FewerSuperblocksTest, TheHeaderIsNotAllOfNvram) {
  dev.options().superblocks = 0;
  dev.nvram[20] ^= 1;
  const auto good = dev.nvram;
  start_read_only(ORM_READ_ONLY_HEADER);
  expect_everything();
  for (const uint32_t sb : {0u, 5u, 7u, 8u, 11u}) {
    SCOPED_TRACE(sb);
    dev.nvram = good;
    dev.nvram[MockDevice::kNvBlocks + sb * ORM_BLOCK_RECORD_BYTES] ^= 1;
    start_read_only(ORM_READ_ONLY_LOST);
  }
}

TEST_F(ReadOnlyTest, Pointers) {
  const auto good = dev.nvram;
  for (uint32_t at = 0x100; at < 0x108; at++) {
    dev.nvram = good;
    dev.nvram[at] ^= 1;
    ASSERT_NO_FATAL_FAILURE(start_read_only(ORM_READ_ONLY_POINTER)) << at;
    ASSERT_NO_FATAL_FAILURE(expect_everything());
    dev.nvram = good;
    dev.nvram[at + 8] ^= 1;
    ASSERT_NO_FATAL_FAILURE(start_read_only(ORM_READ_ONLY_POINTER)) << at;
    ASSERT_NO_FATAL_FAILURE(expect_everything());
  }
}

// The pointer is below the value that the last checkpoint required, so it is wrong.
TEST_F(ReadOnlyTest, ACommitPointerThatIsTooOld) {
  dev.write_checkpoint(205);
  dev.write_commit(150);
  start_read_only(ORM_READ_ONLY_POINTER);
}

// An entry past it shows that only behind one that may be newer than the checkpoint.
TEST_F(ReadOnlyTest, ACommitPointerThatIsTooOldAndAnEntryThatDoesNotTell) {
  dev.write_entry(3, 0, 0, 1, 0, 60, 209);
  dev.write_entry(3, 1, 0, 1, 1, 61, 210);
  dev.write_checkpoint(205);
  dev.write_commit(150);
  start_read_only(ORM_READ_ONLY_POINTER);
  for (uint32_t i = 0; i < 3; i++) EXPECT_EQ(dev.l2p(60 + i), i);
}

TEST_F(ReadOnlyTest, BlockRecord) {
  const auto good = dev.nvram;
  for (uint32_t bit = 0; bit < 64; bit++) {
    dev.nvram = good;
    dev.nvram[MockDevice::kNvBlocks + bit / 8] ^= uint8_t(1u << bit % 8);
    ASSERT_NO_FATAL_FAILURE(start_read_only(ORM_READ_ONLY_BLOCK)) << bit;
    ASSERT_NO_FATAL_FAILURE(expect_everything());
  }
}

// A record that passes its short CRC by chance; the spare areas show that it is wrong.
TEST_F(ReadOnlyTest, BlockRecordOfAnotherGeneration) {
  for (uint32_t gen : {0u, 2u, 77u}) {
    dev.write_block(1, gen);
    ASSERT_NO_FATAL_FAILURE(start_read_only(ORM_READ_ONLY_BLOCK)) << gen;
    ASSERT_NO_FATAL_FAILURE(expect_everything());
  }
}

TEST_F(ReadOnlyTest, FormatWord) {
  dev.nvram[kFormatWord + 2] ^= 4;
  start_read_only(ORM_READ_ONLY_FORMAT);
  expect_everything();
}

// More sharers than possible: trims are lost, so it cannot be known which of the sharers are valid.
TEST_F(ReadOnlyTest, MoreSharersThanASlotCanHave) {
  dev.nvram[0x108] ^= 1;
  for (uint32_t seg = 4; seg < 20; seg++) {
    dev.write_segment(seg, 1, seg - 4, seg == 4 ? 4 : seg - 1, 1);
    for (uint32_t i = 0; i < 3; i++) dev.write_entry(seg, i, 1, 1, 0, 50 + (seg - 4) * 3 + i, 150 + seg * 3 + i);
  }
  start_read_only(ORM_READ_ONLY_POINTER);
  EXPECT_EQ(dev.ref(kSlots), MockDevice::kSharers) << "the rest is unmapped";
}

TEST_F(ReadOnlyTest, AHostThatAsksHearsOfIt) {
  dev.nvram[0x100] ^= 1;
  power_cycle();
  enable();
  nvme_submission_entry aer = command(NVME_ADMIN_OPCODE_ASYNC_EVENT);
  dev.mailbox.emplace_back(0, aer);
  settle();
  EXPECT_TRUE(dev.completions.empty()) << "nobody asked for SMART events";
  dev.mailbox.emplace_back(
      0, command(NVME_ADMIN_OPCODE_SET_FEATURES, 0, NVME_FEATURE_ASYNC_EVENT_CONFIG, NVME_CRITICAL_WARNING_READ_ONLY));
  settle();
  EXPECT_EQ(dev.completions.size(), 2u);
  const auto event = std::find_if(dev.completions.begin(), dev.completions.end(),
                                  [](const Completion &c) { return c.dw0 == NVME_ASYNC_EVENT_SMART_RELIABILITY; });
  EXPECT_NE(event, dev.completions.end());
}

TEST_F(ReadOnlyTest, FormatMakesItUsable) {
  const auto good = dev.nvram;
  const auto flash = dev.flash;
  const std::vector<std::pair<uint32_t, uint32_t>> damage = {{20, ORM_READ_ONLY_HEADER},
                                                             {0x100, ORM_READ_ONLY_POINTER},
                                                             {MockDevice::kNvBlocks, ORM_READ_ONLY_BLOCK},
                                                             {kFormatWord, ORM_READ_ONLY_FORMAT},
                                                             {0, ORM_READ_ONLY_LOST}};
  for (const auto &[at, cause] : damage) {
    dev.nvram = good;
    dev.flash = flash;
    if (cause == ORM_READ_ONLY_LOST) std::fill(dev.nvram.begin(), dev.nvram.end(), uint8_t{0xFF});
    dev.nvram[at] ^= 1;
    dev.on_gc = nullptr;
    ASSERT_NO_FATAL_FAILURE(start_read_only(cause));
    ASSERT_EQ(format(), NVME_STATUS_SUCCESS) << cause;
    ASSERT_NO_FATAL_FAILURE(expect_usable_and_empty()) << cause;
    EXPECT_EQ(dev.victims.size(), MockDevice::kSuperblocks) << "every superblock was erased";
    power_cycle();
    ASSERT_EQ(fw_phase(fw_), FW_RUNNING) << fw_describe(fw_);
    enable();
    ASSERT_NO_FATAL_FAILURE(expect_usable_and_empty()) << cause;
    EXPECT_EQ(dev.free_list.size(), MockDevice::kSuperblocks);
  }
}

// The words that name bad superblocks are lost with the rest of NVRAM; the marks are in flash.
TEST_F(ReadOnlyTest, MarksOfTheFactoryAreFoundAgain) {
  constexpr uint32_t kBad = 9;
  dev.flagged_bad = {kBad * kSlots + 1};
  std::fill(dev.nvram.begin(), dev.nvram.end(), uint8_t{0});
  ASSERT_NO_FATAL_FAILURE(start_read_only(ORM_READ_ONLY_LOST));
  expect_written_pages();
  EXPECT_EQ(dev.sb[kBad].state, uint32_t{ORM_SB_STATE_BAD});
  ASSERT_EQ(format(), NVME_STATUS_SUCCESS);
  nsze_ = (MockDevice::kSuperblocks - 1 - 4) * kSlots * 88 / 100;
  ASSERT_NO_FATAL_FAILURE(expect_usable_and_empty());
  EXPECT_EQ(dev.bad_word(), 1u << kBad);
  dev.on_gc = nullptr;
  power_cycle();
  enable();
  ASSERT_NO_FATAL_FAILURE(expect_usable_and_empty());
  EXPECT_EQ(dev.sb[kBad].state, uint32_t{ORM_SB_STATE_BAD});
  EXPECT_EQ(std::count(dev.free_list.begin(), dev.free_list.end(), kBad), 0);
}

// Power is cut before each NVRAM write of the format. Then the device is read-only as before, or it is empty.
// The first one has unmapped pages, each with a seq and a record in the ring, and has failed in the end.
TEST_F(ReadOnlyTest, ASecondFormatBeginsWithAnEmptyJournal) {
  dev.nvram[20] ^= 1;
  start_read_only(ORM_READ_ONLY_HEADER);
  dev.options().placement_handles = MockDevice::kHandles + 1;
  EXPECT_NE(format(), NVME_STATUS_SUCCESS);
  dev.options().placement_handles = 0;
  dev.journal_head = 5;
  dev.journal_used = 3;
  dev.seq += 1000;
  const uint64_t drawn = dev.seq;
  EXPECT_EQ(format(), NVME_STATUS_SUCCESS);
  expect_usable_and_empty();
  EXPECT_EQ(dev.journal_used, 0u);
  orm_pointer_word commit{};
  ASSERT_TRUE(orm_pointer_word_open(&commit, &dev.nvram[0x100]));
  EXPECT_GE(commit.seq, drawn - 1);
  EXPECT_LT(commit.seq, dev.seq);
}

class ManyHandlesTest : public ReadOnlyTest {
 protected:
  ManyHandlesTest() { dev.options().over_provision_pct = 60; }
};

// Superblocks that do not erase make the namespace smaller than it was guessed, and take handles.
TEST_F(ManyHandlesTest, TheHardwareHasThoseOfTheHeader) {
  std::fill(dev.nvram.begin(), dev.nvram.end(), uint8_t{0});
  for (uint32_t sb = 9; sb < 12; sb++) dev.worn.insert(sb * kSlots);
  start_read_only(ORM_READ_ONLY_LOST);
  const uint32_t before = dev.reg[ORM_FW_ALLOC_HANDLES];
  (void)format();
  orm_nv_header h{};
  ASSERT_TRUE(orm_nv_header_open(&h, dev.nvram.data()));
  EXPECT_LT(h.handles, before);
  EXPECT_EQ(dev.reg[ORM_FW_ALLOC_HANDLES], h.handles);
  EXPECT_EQ(dev.reg[ORM_FW_NVME_NSZE], h.nsze);
}

TEST_F(ReadOnlyTest, FormatCutAnywhere) {
  dev.nvram[MockDevice::kNvBlocks] ^= 1;
  const auto damaged = dev.nvram;
  const auto flash = dev.flash;
  int cut = 0;
  for (; !HasFailure(); cut++) {
    dev.nvram = damaged;
    dev.flash = flash;
    power_cycle();
    enable();
    int writes = 0;
    std::vector<uint8_t> frozen_nvram;
    std::vector<Slot> frozen_flash;
    dev.on_nvram_write = [&] {
      if (writes++ != cut) return;
      frozen_nvram = dev.nvram;
      frozen_flash = dev.flash;
    };
    ASSERT_EQ(format(), NVME_STATUS_SUCCESS);
    dev.on_nvram_write = nullptr;
    dev.on_gc = nullptr;
    if (frozen_nvram.empty()) break;
    dev.nvram = frozen_nvram;
    dev.flash = frozen_flash;
    power_cycle();
    ASSERT_EQ(fw_phase(fw_), FW_RUNNING) << cut << ": " << fw_describe(fw_);
    enable();
    if (cut < 2)  // before the BadWord, and before the mark of a format
      EXPECT_NE(dev.reg[ORM_FW_NVME_STATE] & ORM_FW_NVME_STATE_WRITE_PROTECTED_MASK, 0u);
    else
      ASSERT_NO_FATAL_FAILURE(expect_usable_and_empty()) << cut;
  }
  EXPECT_GT(cut, 20);
}

}  // namespace
}  // namespace orm_test
