// SPDX-License-Identifier: Apache-2.0
// Flash errors: which of them the host sees, and which it must not see.
#include <cstring>
#include <set>
#include <string>

#include "controller_fixture.h"
#include "orm_bytes.h"
#include "orm_nvme.h"
#include "pcie_debug.h"
#include "pcie_function.h"

namespace openremap {
namespace {

class FaultsTest : public ControllerTest {
 protected:
  pcie_function *fn() { return openremap_pcie_function(dev_); }
  uint32_t SlotOf(uint64_t lpn) {
    size_t bytes = 0;
    return uint32_t(orm_get_le(pcie_device_dram(fn(), &bytes) + 4 * lpn, 4));
  }
  void Spoil(pcie_nand_fault fault, uint64_t lpn) {
    ASSERT_EQ(openremap_flush(dev_), 0);
    ASSERT_EQ(pcie_device_nand_fault(fn(), fault, SlotOf(lpn)), 0);
  }
  // What is programmed behind it shows that no power cut has torn its page.
  void Lose(uint64_t lpn) {
    ASSERT_NO_FATAL_FAILURE(Write(kBehind, 24));
    ASSERT_NO_FATAL_FAILURE(Spoil(PCIE_FAULT_DATA_LOST, lpn));
    lost_.insert(lpn);
  }
  int TryRead(uint64_t lpn, uint64_t count = 1) {
    Page pages(count * OPENREMAP_PAGE_BYTES);
    return openremap_read(dev_, lpn, count, pages.data());
  }
  void Rewrite(uint64_t lpn, uint64_t count = 1) {
    ASSERT_NO_FATAL_FAILURE(Write(lpn, count));
    for (uint64_t i = 0; i < count; i++) lost_.erase(lpn + i);
  }
  // The LPNs whose data is lost read as errors, all others as they should.
  void CheckOthers() {
    for (const auto &[lpn, version] : versions_) {
      if (lost_.count(lpn) != 0) {
        ASSERT_EQ(TryRead(lpn), NVME_STATUS_UNRECOVERED_READ) << "LPN " << lpn;
      } else {
        ASSERT_NO_FATAL_FAILURE(CheckPage(lpn));
      }
    }
  }
  nvme_smart_log Smart() {
    uint8_t raw[512];
    nvme_smart_log s{};
    EXPECT_EQ(openremap_get_log_page(dev_, NVME_LOG_PAGE_SMART, 0, raw, sizeof raw), 0);
    nvme_smart_log_unpack(&s, raw);
    return s;
  }
  // What the NAND model says of itself.
  uint64_t Figure(const std::string &name) {
    char text[4096] = "";
    EXPECT_GT(fn()->ops->sim_stats(fn(), text, sizeof text), 0);
    const char *at = std::strstr(text, ("\"" + name + "\": ").c_str());
    EXPECT_NE(at, nullptr) << name;
    return at == nullptr ? 0 : std::strtoull(at + name.size() + 4, nullptr, 10);
  }
  // Fills superblocks, of each of which an eighth stays valid: the emptiest is one that has less, and the RTL is done
  // soon.
  void Rounds(int rounds) {
    for (int round = 0; round < rounds; round++) {
      for (uint64_t lpn = 16; lpn < 128; lpn += 16) ASSERT_NO_FATAL_FAILURE(Write(lpn, 16));
      ASSERT_NO_FATAL_FAILURE(Write(128 + 16 * (kept_++ % 32), 16));
    }
  }

  // Of a device of 24; with this much over-provisioning, 0: as usual, which leaves one to spare.
  void WillLoseASuperblock(uint32_t over_provision_pct) {
    Close();
    options_.device.superblocks = 24;
    options_.device.over_provision_pct = over_provision_pct;
    Open();
    ASSERT_NO_FATAL_FAILURE(Write(0, 8));
    ASSERT_EQ(openremap_flush(dev_), 0);
    ASSERT_EQ(pcie_device_nand_fault(fn(), PCIE_FAULT_ERASE, SlotOf(5)), 0);
  }

  static constexpr uint64_t kBehind = 40;
  uint64_t kept_ = 0;
  std::set<uint64_t> lost_;
};

TEST_P(FaultsTest, LostDataIsAnErrorOfItsPageAlone) {
  Write(0, 16);
  Lose(5);
  EXPECT_EQ(TryRead(0, 5), 0);
  EXPECT_EQ(TryRead(4, 4), NVME_STATUS_UNRECOVERED_READ);
  EXPECT_EQ(TryRead(6, 10), 0);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  EXPECT_EQ(Smart().media_errors, 2u) << "commands";
  EXPECT_NE(Smart().critical_warning & NVME_CRITICAL_WARNING_RELIABILITY, 0);
  Rewrite(5);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
}

TEST_P(FaultsTest, OlderDataDoesNotComeBack) {
  Write(0, 8);
  ASSERT_EQ(openremap_flush(dev_), 0);
  Write(0, 8);
  Lose(3);
  for (int i = 0; i < 2; i++) {
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
    ASSERT_NO_FATAL_FAILURE(CheckOthers());
  }
  Deallocate(3, 1);
  lost_.clear();
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
}

TEST_P(FaultsTest, EverySharerOfLostDataFails) {
  Write(0, 8);
  ASSERT_EQ(Remap(2, 100, 4), 0);
  Lose(3);
  lost_.insert(101);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  Rewrite(3);
  EXPECT_EQ(TryRead(101), NVME_STATUS_UNRECOVERED_READ);
  ASSERT_EQ(Remap(0, 101, 1), 0);
  lost_.clear();
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
}

// Collections move the slots around it. The lost slot stays where it is, and reads fail until it is written again.
TEST_P(FaultsTest, CollectionsLeaveLostDataWhereItIs) {
  ASSERT_NO_FATAL_FAILURE(Write(0, 8));
  Lose(7);
  const uint32_t slot = SlotOf(7), other = SlotOf(6);
  ASSERT_NO_FATAL_FAILURE(Rounds(12));
  EXPECT_NE(SlotOf(6), other) << "its superblock was collected";
  EXPECT_EQ(SlotOf(7), slot);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  Rewrite(7);
  const uint64_t victims = Stats().gc_victims;
  ASSERT_NO_FATAL_FAILURE(Rounds(8));
  EXPECT_GT(Stats().gc_victims, victims);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
}

// The CRC behind the decoder detects it: the host gets an error, never wrong data.
TEST_P(FaultsTest, MiscorrectedDataIsAnError) {
  Write(0, 8);
  ASSERT_NO_FATAL_FAILURE(Write(kBehind, 24));
  ASSERT_NO_FATAL_FAILURE(Spoil(PCIE_FAULT_DATA_MISCORRECTED, 2));
  lost_.insert(2);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  EXPECT_EQ(Figure("miscorrected"), 4u) << "at each read-retry level";
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
}

// A miscorrected spare has no good CRC. Collections find no owner in it, and leave the slot alone.
TEST_P(FaultsTest, AMiscorrectedSpareNamesNobody) {
  ASSERT_NO_FATAL_FAILURE(Write(0, 8));
  ASSERT_NO_FATAL_FAILURE(Spoil(PCIE_FAULT_SPARE_MISCORRECTED, 7));
  const uint32_t slot = SlotOf(7), other = SlotOf(6);
  ASSERT_NO_FATAL_FAILURE(Rounds(12));
  EXPECT_NE(SlotOf(6), other) << "its superblock was collected";
  EXPECT_EQ(SlotOf(7), slot);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
}

// The chain names one of its two sharers, and the spare does not name the other one. Both keep the slot.
TEST_P(FaultsTest, AMiscorrectedSpareOfASharedSlotKeepsAllOfThem) {
  ASSERT_NO_FATAL_FAILURE(Write(0, 8));
  ASSERT_EQ(Remap(7, 12, 1), 0);
  ASSERT_NO_FATAL_FAILURE(Spoil(PCIE_FAULT_SPARE_MISCORRECTED, 7));
  const uint32_t slot = SlotOf(7), other = SlotOf(6);
  ASSERT_EQ(SlotOf(12), slot);
  ASSERT_NO_FATAL_FAILURE(Rounds(12));
  EXPECT_NE(SlotOf(6), other) << "its superblock was collected";
  EXPECT_EQ(SlotOf(7), slot);
  EXPECT_EQ(SlotOf(12), slot);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
}

// The page can be read at another read-retry level. Neither the host nor collections nor recovery see an error.
TEST_P(FaultsTest, AReadRetryGivesWhatTheReadDidNot) {
  Write(0, 16);
  ASSERT_NO_FATAL_FAILURE(Spoil(PCIE_FAULT_SLOT_DRIFTED, 5));
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  EXPECT_EQ(Stats().nand_read_retries, 2u);
  EXPECT_EQ(Figure("retries"), 2u);
  EXPECT_EQ(Smart().media_errors, 0u);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  EXPECT_EQ(Figure("retries"), 4u) << "its spare, too";
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  Lose(6);
  const uint64_t before = Figure("retries");
  EXPECT_EQ(TryRead(6), NVME_STATUS_UNRECOVERED_READ);
  EXPECT_EQ(Figure("retries"), before + 3) << "as many levels as there are";
}

// Pages that took retries are moved without any host command, and then take none.
TEST_P(FaultsTest, WhatNearlyFailsIsReclaimed) {
  Write(0, 16);
  ASSERT_NO_FATAL_FAILURE(Rounds(3));
  ASSERT_NO_FATAL_FAILURE(Spoil(PCIE_FAULT_SLOT_DRIFTED, 5));
  const uint32_t slot = SlotOf(5), other = SlotOf(6);
  ASSERT_EQ(Stats().gc_victims, 0u);
  EXPECT_EQ(TryRead(5), 0);
  for (int waits = 0; waits < 200 && Stats().read_reclaims == 0; waits++) openremap_poll(dev_, 1000000);
  EXPECT_EQ(Stats().read_reclaims, 1u);
  EXPECT_EQ(Stats().gc_victims, 1u);
  EXPECT_NE(SlotOf(5), slot);
  EXPECT_NE(SlotOf(6), other) << "with its superblock";
  const uint64_t retries = Figure("retries");
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  EXPECT_EQ(Figure("retries"), retries);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
}

// The raw bit errors rise to what the code can correct at the last read-retry level, and beyond. A read gives the right
// data or an error, and the device goes on.
TEST_P(FaultsTest, WornFlashGivesRightDataOrAnError) {
  Close();
  options_.device.nand_faults = "bit-errors=216";
  Open();
  versions_.clear();
  // Less than a superblock: what is in closed ones is moved, or cannot be, which counts, too.
  for (uint64_t lpn = 16; lpn < 128; lpn += 16) ASSERT_NO_FATAL_FAILURE(Write(lpn, 16));
  ASSERT_EQ(openremap_flush(dev_), 0);
  uint64_t errors = 0;
  for (int round = 0; round < 2; round++) {
    for (const auto &[lpn, version] : versions_) {
      Page page(OPENREMAP_PAGE_BYTES);
      const int rc = openremap_read(dev_, lpn, 1, page.data());
      if (rc == 0) {
        ASSERT_EQ(page, Contents(version)) << "LPN " << lpn;
      } else {
        ASSERT_EQ(rc, NVME_STATUS_UNRECOVERED_READ) << "LPN " << lpn;
        errors++;
      }
    }
  }
  EXPECT_GT(errors, 0u);
  EXPECT_LT(errors, versions_.size() / 4);
  EXPECT_GT(Figure("corrected_bits"), 0u);
  EXPECT_EQ(Smart().media_errors, errors);
}

// A superblock with a marked block is left out: the namespace is smaller, and nothing else shows it.
TEST_P(FaultsTest, MarkedBlocksAreLeftOut) {
  const uint64_t whole = pages_;
  Close();
  options_.device.superblocks = 0;
  Open();
  const uint64_t all = pages_;
  ASSERT_GT(all, whole);
  Close();
  options_.device.nand_faults = "factory-bad=3";
  Open();
  EXPECT_LT(pages_, all);
  EXPECT_EQ(Smart().available_spare, 100);
  ASSERT_NO_FATAL_FAILURE(Rounds(3));
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  EXPECT_EQ(openremap_get_info(dev_)->pages, pages_);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

// A victim's block fails to erase. Its superblock is retired, also after a power cycle, and the host sees nothing.
TEST_P(FaultsTest, ABlockThatDoesNotEraseIsRetired) {
  ASSERT_NO_FATAL_FAILURE(WillLoseASuperblock(30));
  for (int i = 0; i < 60 && Figure("failed_erases") < 2; i++) ASSERT_NO_FATAL_FAILURE(Rounds(1));
  EXPECT_EQ(Figure("failed_erases"), 2u) << "tried once more, without copies";
  ASSERT_NO_FATAL_FAILURE(Rounds(2));
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  const uint8_t spare = Smart().available_spare;
  EXPECT_LT(spare, 100);
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  EXPECT_EQ(Figure("failed_erases"), 2u) << "nobody tries again";
  EXPECT_EQ(Smart().available_spare, spare);
  ASSERT_NO_FATAL_FAILURE(Rounds(6));
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
}

// The data is programmed elsewhere, again and again if that fails, too. Its superblock is retired.
TEST_P(FaultsTest, AProgramThatFailsLosesNothing) {
  ASSERT_NO_FATAL_FAILURE(Write(0, 16));
  ASSERT_EQ(openremap_flush(dev_), 0);
  const uint32_t place = SlotOf(3);
  for (int i = 0; i < 3; i++) {
    ASSERT_EQ(pcie_device_nand_fault(fn(), PCIE_FAULT_PROGRAM, 1), 0);
    ASSERT_NO_FATAL_FAILURE(Write(3));
    EXPECT_EQ(TryRead(3), 0) << "it comes behind the program, and finds where the data is then";
    ASSERT_NO_FATAL_FAILURE(CheckPage(3));
    ASSERT_EQ(openremap_flush(dev_), 0);
    ASSERT_NO_FATAL_FAILURE(CheckOthers());
  }
  EXPECT_EQ(Figure("failed_programs"), 3u);
  EXPECT_NE(SlotOf(3), place);
  const orm_remap_log stats = Stats();
  EXPECT_EQ(stats.nand_program_fails, 3u);
  EXPECT_EQ(stats.host_saved_pages, 3u);
  EXPECT_EQ(Smart().media_errors, 0u);
  EXPECT_EQ(Smart().critical_warning & NVME_CRITICAL_WARNING_RELIABILITY, 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
}

// Before the page is saved, it is written again, deallocated or remapped. The newest state counts, also after a power
// cut.
TEST_P(FaultsTest, ProgramsFailUnderOtherCommands) {
  ASSERT_NO_FATAL_FAILURE(Write(0, 32));
  ASSERT_EQ(openremap_flush(dev_), 0);
  for (uint64_t round = 0; round < 12; round++) {
    ASSERT_EQ(pcie_device_nand_fault(fn(), PCIE_FAULT_PROGRAM, 1 + round % 3), 0);
    ASSERT_NO_FATAL_FAILURE(Write(2 * round, 3));
    if (round % 4 == 0) {
      ASSERT_NO_FATAL_FAILURE(Write(2 * round, 2));
    } else if (round % 4 == 1) {
      ASSERT_NO_FATAL_FAILURE(Deallocate(2 * round, 2));
    } else {
      const uint32_t flags = round % 4 == 2 ? 0 : OPENREMAP_MOVE;
      ASSERT_EQ(Remap(2 * round, 200 + 4 * round, 3, flags), 0);
    }
    ASSERT_NO_FATAL_FAILURE(CheckOthers());
    if (round % 2 == 0) continue;
    ASSERT_EQ(openremap_flush(dev_), 0);
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
    ASSERT_NO_FATAL_FAILURE(CheckOthers());
  }
  EXPECT_GE(Figure("failed_programs"), IsWide(GetParam()) ? 4u : 6u) << "pages of several slots are fewer programs";
}

// With collections, programs of copies fail, and so do programs of pages in superblocks that are collected. The
// superblocks are retired one by one.
TEST_P(FaultsTest, SuperblocksInWhichProgramsFailAreRetired) {
  Close();
  options_.device.superblocks = 32;
  options_.device.over_provision_pct = 40;
  options_.device.nand_faults = "program-fail=0.001";
  options_.device.seed = 3;
  Open();
  ASSERT_NO_FATAL_FAILURE(Write(0, 16));
  for (int i = 0; i < 80 && (Figure("failed_programs") < 3 || Smart().available_spare == 100); i++)
    ASSERT_NO_FATAL_FAILURE(Rounds(1));
  ASSERT_EQ(openremap_flush(dev_), 0);
  EXPECT_GE(Figure("failed_programs"), 1u);
  EXPECT_LT(Smart().available_spare, 100);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
  EXPECT_EQ(Stats().nand_program_fails, Figure("failed_programs") * InPage());
  const uint8_t spare = Smart().available_spare;
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  EXPECT_LE(Smart().available_spare, spare);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
}

class WornTest : public FaultsTest {};

// Reads of a block disturb it. It must be moved before the first of them needs a retry.
TEST_P(WornTest, WhatIsReadOftenIsReclaimedInTime) {
  Close();
  options_.device.nand_faults = "bit-errors=10,read-disturb=400";
  Open();
  versions_.clear();
  ASSERT_NO_FATAL_FAILURE(Write(0, 16));
  ASSERT_NO_FATAL_FAILURE(Rounds(3));
  ASSERT_EQ(openremap_flush(dev_), 0);
  const uint32_t slot = SlotOf(5);
  for (int reads = 0; reads < 4000 && Stats().read_reclaims == 0; reads++) ASSERT_EQ(TryRead(5), 0);
  EXPECT_EQ(Stats().read_reclaims, 1u);
  EXPECT_NE(SlotOf(5), slot);
  EXPECT_GT(Figure("weak"), 0u);
  EXPECT_EQ(Figure("retries"), 0u);
  ASSERT_NO_FATAL_FAILURE(CheckOthers());
}

// Without spare superblocks nothing more can be written. No data is lost.
TEST_P(WornTest, TheLastSuperblockToSpareMakesTheDeviceReadOnly) {
  ASSERT_NO_FATAL_FAILURE(WillLoseASuperblock(0));
  int status = 0;
  for (uint64_t i = 0; i < 8000 && status == 0; i++) {
    const uint64_t round = i / 128, k = i % 128; /* as Rounds() */
    const uint64_t lpn = k < 112 ? 16 + k : 128 + 16 * (round % 32) + k % 16, held = versions_[lpn];
    const Page page = Contents(++last_version_);
    status = openremap_write(dev_, lpn, 1, page.data(), false);
    versions_[lpn] = status == 0 ? last_version_ : held;
  }
  for (int again = 0; again < 2; again++) {
    ASSERT_EQ(status, NVME_STATUS_WRITE_PROTECTED);
    EXPECT_EQ(Figure("failed_erases"), 2u);
    const openremap_range range = {0, 4};
    EXPECT_EQ(openremap_remap(dev_, 0, 300, 4, OPENREMAP_SHARE), NVME_STATUS_WRITE_PROTECTED);
    EXPECT_EQ(openremap_deallocate(dev_, &range, 1), NVME_STATUS_WRITE_PROTECTED);
    EXPECT_EQ(openremap_flush(dev_), 0);
    EXPECT_EQ(Smart().available_spare, 0);
    EXPECT_NE(Smart().critical_warning & NVME_CRITICAL_WARNING_READ_ONLY, 0);
    ASSERT_NO_FATAL_FAILURE(CheckOthers());
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
    const Page page(OPENREMAP_PAGE_BYTES);
    status = openremap_write(dev_, 20, 1, page.data(), false);
  }
}

// Not on the RTL, which would take half a minute; damage_controller_test tests write protection there.
INSTANTIATE_TEST_SUITE_P(Kinds, WornTest, ::testing::Values("model", kWideModel),
                         [](const auto &kind) { return std::string(kind.param); });
INSTANTIATE_TEST_SUITE_P(Kinds, FaultsTest, EveryKind(), [](const auto &kind) { return std::string(kind.param); });
INSTANTIATE_TEST_SUITE_P(Cached, FaultsTest, CachedKinds(), [](const auto &kind) { return std::string(kind.param); });

}  // namespace
}  // namespace openremap
