// SPDX-License-Identifier: Apache-2.0
//
// Damaged and lost NVRAM on the whole controller: what can still be read, what is refused, how the device reports it,
// and how it becomes usable again.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "controller_fixture.h"
#include "openremap_cmd.h"
#include "orm_regs.h"
#include "pcie_debug.h"

namespace openremap {
namespace {

constexpr int kProtected = NVME_STATUS(NVME_STATUS_TYPE_GENERIC, NVME_STATUS_WRITE_PROTECTED);

class DamageControllerTest : public ControllerTest {
 protected:
  // Pages 0 to 159 only written; 160 to 223 shared, moved or trimmed.
  void Fill() {
    for (uint64_t lpn = 0; lpn < 208; lpn += 16) Write(lpn, 16);
    ASSERT_EQ(Remap(0, 240, 24), 0);
    ASSERT_EQ(Remap(160, 300, 8, OPENREMAP_MOVE), 0);
    Deallocate(192, 8);
    ASSERT_EQ(openremap_flush(dev_), 0);
  }
  uint64_t Register(uint32_t offset) {
    uint32_t value = 0;
    EXPECT_EQ(pcie_device_firmware_register(Function(), offset, &value), 0);
    return value;
  }
  pcie_function *Function() { return openremap_pcie_function(dev_); }
  std::vector<uint8_t> Nvram() {
    size_t bytes = 0;
    const uint8_t *data = pcie_device_nvram(Function(), &bytes);
    return {data, data + bytes};
  }
  // Power goes, NVRAM is changed, power comes back.
  void Damage(const std::function<void(std::vector<uint8_t> *)> &change) {
    ASSERT_EQ(Function()->ops->power_cut(Function()), 0);
    std::vector<uint8_t> nvram = Nvram();
    change(&nvram);
    ASSERT_EQ(pcie_device_damage_nvram(Function(), 0, nvram.data(), nvram.size()), 0);
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
  }
  uint8_t CriticalWarning() {
    uint8_t page[NVME_SMART_LOG_BYTES];
    EXPECT_EQ(openremap_get_log_page(dev_, NVME_LOG_PAGE_SMART, 0, page, sizeof page), 0);
    nvme_smart_log log{};
    nvme_smart_log_unpack(&log, page);
    return log.critical_warning;
  }
  void ExpectRefusals() {
    const Page page(OPENREMAP_PAGE_BYTES);
    EXPECT_EQ(openremap_write(dev_, 0, 1, page.data(), false), kProtected);
    EXPECT_EQ(openremap_write(dev_, 0, 1, page.data(), true), kProtected);
    EXPECT_EQ(openremap_write_zeroes(dev_, 0, 1, false), kProtected);
    const openremap_range range = {0, 4};
    EXPECT_EQ(openremap_deallocate(dev_, &range, 1), kProtected);
    EXPECT_EQ(openremap_remap(dev_, 0, 30, 1, OPENREMAP_SHARE), kProtected);
    EXPECT_EQ(openremap_remap(dev_, 0, 30, 1, OPENREMAP_MOVE), kProtected);
    EXPECT_EQ(openremap_flush(dev_), 0);
  }
  // Of a device that can only be read: it says so, and nothing at all changes.
  void ExpectReadOnly(uint32_t cause) {
    const std::vector<uint8_t> nvram = Nvram();
    const uint64_t events = pcie_device_media_events(Function());
    EXPECT_EQ(Stats().read_only, cause);
    EXPECT_EQ(CriticalWarning(), NVME_CRITICAL_WARNING_READ_ONLY | NVME_CRITICAL_WARNING_RELIABILITY);
    nvme_identify_namespace ns{};
    EXPECT_EQ(openremap_identify_namespace(dev_, &ns), 0);
    EXPECT_EQ(ns.nsattr, 1);
    EXPECT_EQ(ns.nsze, pages_);
    ASSERT_NO_FATAL_FAILURE(ExpectRefusals());
    openremap_poll(dev_, 20000000);  // with time for what it might begin by itself
    EXPECT_EQ(pcie_device_media_events(Function()), events);
    EXPECT_EQ(Nvram(), nvram);
  }
  void FormatAndUse() {
    ASSERT_EQ(openremap_format(dev_, false), 0);
    for (auto &[lpn, version] : versions_) version = 0;
    EXPECT_EQ(Stats().read_only, 0u);
    EXPECT_EQ(CriticalWarning(), 0);
    ASSERT_NO_FATAL_FAILURE(CheckAll());
    ASSERT_NO_FATAL_FAILURE(Fill());
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
    EXPECT_EQ(CriticalWarning(), 0);
    ASSERT_NO_FATAL_FAILURE(CheckAll());
  }
};

// Dozens of starts, each of which takes seconds on the RTL. The media and the firmware are the same there.
class DamageModelTest : public DamageControllerTest {};

TEST_P(DamageModelTest, ARecordOnWhichAllDepends) {
  const struct {
    uint32_t reg, offset, cause;
  } table[] = {
      {ORM_FW_NV_HEADER, 20, ORM_READ_ONLY_HEADER},
      {ORM_FW_NV_COMMIT, 1, ORM_READ_ONLY_POINTER},
      {ORM_FW_NV_CHECKPOINT, 6, ORM_READ_ONLY_POINTER},
      {ORM_FW_NV_BLOCKS, 8, ORM_READ_ONLY_BLOCK},
      {ORM_FW_NV_COUNTERS, ORM_NV_FORMAT_OFFSET, ORM_READ_ONLY_FORMAT},
  };
  for (const auto &row : table) {
    ASSERT_NO_FATAL_FAILURE(Fill());
    const uint64_t at = Register(row.reg) + row.offset;
    ASSERT_NO_FATAL_FAILURE(Damage([&](std::vector<uint8_t> *nvram) { (*nvram)[at] ^= 4; }));
    ASSERT_NO_FATAL_FAILURE(ExpectReadOnly(row.cause)) << row.reg;
    ASSERT_NO_FATAL_FAILURE(CheckAll()) << row.reg;
    ASSERT_EQ(openremap_power_cycle(dev_), 0);
    ASSERT_NO_FATAL_FAILURE(ExpectReadOnly(row.cause)) << row.reg;
    ASSERT_NO_FATAL_FAILURE(FormatAndUse()) << row.reg;
  }
}

TEST_P(DamageControllerTest, AllIsLost) {
  std::mt19937_64 random(openremap::TestSeed());
  for (int kind = 0; kind < 3; kind++) {
    ASSERT_NO_FATAL_FAILURE(Fill());
    ASSERT_NO_FATAL_FAILURE(Damage([&](std::vector<uint8_t> *nvram) {
      for (uint8_t &byte : *nvram) byte = kind == 0 ? 0 : kind == 1 ? 0xFF : static_cast<uint8_t>(random());
    }));
    ASSERT_NO_FATAL_FAILURE(ExpectReadOnly(ORM_READ_ONLY_LOST)) << kind;
    for (uint64_t lpn = 0; lpn < 160; lpn++) ASSERT_NO_FATAL_FAILURE(CheckPage(lpn));
    EXPECT_EQ(Read(240), Page(OPENREMAP_PAGE_BYTES)) << "no spare area names a sharer";
    ASSERT_NO_FATAL_FAILURE(FormatAndUse()) << kind;
  }
}

// Damages each segment of the remap table and each record of the journal in turn.
TEST_P(DamageControllerTest, StaysWhereItIs) {
  ASSERT_NO_FATAL_FAILURE(Fill());
  const uint64_t segments = Register(ORM_FW_NV_SEGMENTS);
  const uint32_t bytes = ORM_GET(Register(ORM_FW_CAP_SEG_RESERVE), ORM_FW_CAP_SEG_RESERVE_SEG_BYTES);
  const std::vector<uint8_t> good = Nvram();
  uint64_t owner = 0;  // of the chain: the first segment with a header
  orm_segment_header h;
  while (!orm_segment_header_open(&h, &good[segments + owner * bytes])) owner++;

  ASSERT_NO_FATAL_FAILURE(Damage([&](std::vector<uint8_t> *nvram) { (*nvram)[segments + owner * bytes + 5] ^= 1; }));
  orm_remap_log log = Stats();
  EXPECT_EQ(log.damaged_segments, 1u);
  EXPECT_EQ(CriticalWarning(), NVME_CRITICAL_WARNING_RELIABILITY);
  ASSERT_NO_FATAL_FAILURE(CheckAll()) << "the header could be mended";

  // The chain's first entry: one page is without its data, and goes back to what it was.
  ASSERT_NO_FATAL_FAILURE(
      Damage([&](std::vector<uint8_t> *nvram) { (*nvram)[segments + owner * bytes + ORM_SEGMENT_HEADER_BYTES] ^= 1; }));
  log = Stats();
  EXPECT_EQ(log.damaged_entries, 1u);
  EXPECT_EQ(log.damaged_segments, 1u);
  EXPECT_EQ(log.read_only, 0u);
  uint64_t wrong = 0;
  for (const auto &[lpn, version] : versions_) wrong += Read(lpn) != Contents(version);
  EXPECT_EQ(wrong, 1u);
  ASSERT_NO_FATAL_FAILURE(Write(20, 4));
  ASSERT_EQ(openremap_flush(dev_), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  EXPECT_EQ(Stats().damaged_entries, 1u) << "told once";
  ASSERT_NO_FATAL_FAILURE(CheckPage(20));
}

// Rubbish in every segment that was free, and in the headers of those that were not. The search for their places takes
// a processor long, but no poll of it: the watchdog does not bite.
TEST_P(DamageModelTest, AllSegmentsAtOnce) {
  Close();
  options_.device.firmware_cpu = "vexriscv";
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NO_FATAL_FAILURE(Fill());
  const uint64_t segments = Register(ORM_FW_NV_SEGMENTS);
  const uint32_t bytes = ORM_GET(Register(ORM_FW_CAP_SEG_RESERVE), ORM_FW_CAP_SEG_RESERVE_SEG_BYTES);
  uint64_t damaged = 0, used = 0;
  ASSERT_NO_FATAL_FAILURE(Damage([&](std::vector<uint8_t> *nvram) {
    for (uint64_t at = segments; at + bytes <= nvram->size(); at += bytes, damaged++) {
      const bool free = std::all_of(&(*nvram)[at], &(*nvram)[at] + bytes, [](uint8_t byte) { return byte == 0; });
      used += !free;
      for (uint64_t i = 0; i < (free ? bytes : ORM_SEGMENT_HEADER_BYTES); i++)
        (*nvram)[at + i] = static_cast<uint8_t>(0x81 + (at / bytes + i) % 100);  // no half of a header
    }
  }));
  EXPECT_GT(used, 0u);
  EXPECT_EQ(damaged, ORM_GET(Register(ORM_FW_CAP_SEGMENTS), ORM_FW_CAP_SEGMENTS_SEGMENTS));
  orm_remap_log log = Stats();
  EXPECT_EQ(log.damaged_segments, damaged);
  EXPECT_EQ(log.damaged_entries, 0u);
  EXPECT_EQ(log.read_only, 0u);
  ASSERT_NO_FATAL_FAILURE(CheckAll());
  ASSERT_NO_FATAL_FAILURE(Write(20, 4));
  ASSERT_EQ(Remap(20, 200, 4), 0);
  ASSERT_EQ(openremap_power_cycle(dev_), 0);
  EXPECT_EQ(Stats().damaged_segments, damaged) << "told once";
  ASSERT_NO_FATAL_FAILURE(CheckAll());
}

// Power is cut at any event of a Format NVM that makes such a device usable.
TEST_P(DamageModelTest, FormatCutAnywhere) {
  const uint64_t at = Register(ORM_FW_NV_COMMIT);
  uint64_t cuts = 0;
  for (uint64_t event = 1;; event += 1 + event / 4, cuts++) {
    ASSERT_NO_FATAL_FAILURE(Fill());
    ASSERT_NO_FATAL_FAILURE(Damage([&](std::vector<uint8_t> *nvram) { (*nvram)[at] ^= 4; }));
    pcie_device_cut_before(Function(), event);
    const int rc = openremap_format(dev_, false);
    pcie_device_cut_before(Function(), 0);
    if (rc == 0) break;
    ASSERT_EQ(openremap_power_cycle(dev_), 0) << "event " << event;
    if (Stats().read_only != 0) {
      ASSERT_NO_FATAL_FAILURE(CheckAll()) << "event " << event;
      ASSERT_EQ(openremap_format(dev_, false), 0);
    }
    for (auto &[lpn, version] : versions_) version = 0;
    ASSERT_NO_FATAL_FAILURE(CheckAll()) << "event " << event;
  }
  EXPECT_GT(cuts, 15u);
}

// Damages bits, words and whole segments of NVRAM.
TEST_P(DamageModelTest, RandomDamage) {
  std::mt19937_64 random(openremap::TestSeed());
  const uint64_t bitmaps = Register(ORM_FW_NV_BITMAP), segments = Register(ORM_FW_NV_SEGMENTS);
  const uint64_t bitmap_bytes = Register(ORM_FW_NV_BITMAP_BYTES);
  const uint64_t vital_end = Register(ORM_FW_NV_BLOCKS) + 8 * options_.device.superblocks;
  const uint64_t journal = Register(ORM_FW_NV_JOURNAL);
  const uint64_t counters = Register(ORM_FW_NV_COUNTERS), blocks = Register(ORM_FW_NV_BLOCKS);
  int read_only = 0, contained = 0;
  for (int round = 0; round < 60; round++) {
    ASSERT_NO_FATAL_FAILURE(Fill());
    bool vital = false;
    ASSERT_NO_FATAL_FAILURE(Damage([&](std::vector<uint8_t> *nvram) {
      const uint64_t near = segments + (1u << 14);  // where the chains are
      for (uint64_t n = 1 + random() % 3; n > 0; n--) {
        uint64_t at = segments + random() % (near - segments);
        if (random() % 4 == 0) at = random() % 2 == 0 ? random() % counters : blocks + random() % (vital_end - blocks);
        if (random() % 3 == 0) at = journal + random() % 256;
        uint64_t length = random() % 3 == 0 ? 1 : random() % 2 == 0 ? 8 : 512;
        at &= ~(length - 1);
        if (random() % 4 == 0) {  // of random words one in 256 passes their CRC: of bits none
          at = bitmaps + random() % 2 * bitmap_bytes + random() % 24;
          length = 1;
        }
        for (uint64_t i = at; i < at + length && i < nvram->size(); i++) {
          if (i >= bitmaps && i < segments && length != 1) continue;
          (*nvram)[i] ^= length == 1 ? static_cast<uint8_t>(1u << random() % 8) : static_cast<uint8_t>(random());
          vital = vital || i < ORM_NV_HEADER_BYTES || (i >= blocks && i < vital_end) ||
                  (i >= counters + ORM_NV_FORMAT_OFFSET && i < counters + ORM_NV_FORMAT_OFFSET + 8);
        }
      }
    }));
    const orm_remap_log log = Stats();
    if (vital) {
      EXPECT_NE(log.read_only, 0u) << "round " << round;
    }
    read_only += log.read_only != 0;
    contained += log.read_only == 0 && log.damaged_entries + log.damaged_segments + log.damaged_journal != 0;
    EXPECT_EQ(CriticalWarning() != 0,
              log.read_only != 0 ||
                  log.damaged_entries + log.damaged_segments + log.damaged_journal + log.damaged_words != 0);
    for (uint64_t lpn = 0; lpn < 160; lpn++) ASSERT_NO_FATAL_FAILURE(CheckPage(lpn)) << "round " << round;
    for (uint64_t lpn = 160; lpn < pages_; lpn++) (void)Read(lpn);
    ASSERT_EQ(openremap_format(dev_, false), 0) << "round " << round;
    for (auto &[lpn, version] : versions_) version = 0;
    ASSERT_NO_FATAL_FAILURE(CheckAll()) << "round " << round;
  }
  EXPECT_GT(read_only, 5);
  EXPECT_GT(contained, 5);
}

std::string KindName(const ::testing::TestParamInfo<const char *> &kind) { return kind.param; }
INSTANTIATE_TEST_SUITE_P(Devices, DamageControllerTest, EveryKind(), KindName);
INSTANTIATE_TEST_SUITE_P(Cached, DamageControllerTest, CachedKinds(), KindName);
INSTANTIATE_TEST_SUITE_P(Devices, DamageModelTest, ::testing::Values("model", kWideModel), KindName);
INSTANTIATE_TEST_SUITE_P(Cached, DamageModelTest, CachedKinds(), KindName);

}  // namespace
}  // namespace openremap
