// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "firmware_limits.h"
#include "support/fw_fixture.h"

namespace orm_test {
namespace {

using StartupTest = FwTest;

orm_nv_header header(const MockDevice &dev) {
  orm_nv_header h;
  EXPECT_TRUE(orm_nv_header_open(&h, dev.nvram.data()));
  return h;
}

void put_header(MockDevice *dev, const orm_nv_header &h) { orm_nv_header_seal(&h, dev->nvram.data()); }

TEST_F(StartupTest, PlacementHandlesAsAskedFor) {
  dev.options().placement_handles = 2;
  boot_running();
  EXPECT_EQ(header(dev).handles, 2);
  // One more superblock spare; half of the 12 % is held back.
  EXPECT_EQ(header(dev).nsze, (MockDevice::kSuperblocks - 5) * MockDevice::kSlotsPerSb * 94 / 100);
  EXPECT_EQ(dev.reg[ORM_FW_ALLOC_HANDLES], 2u);
  dev.options().placement_handles = 3;
  power_cycle();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL) << "it was formatted with 2";
  dev.options().placement_handles = 0;
  power_cycle();
  EXPECT_EQ(fw_phase(fw_), FW_RUNNING);
}

TEST_F(StartupTest, RemapSegmentsAsAskedFor) {
  constexpr uint32_t kAsked = MockDevice::kSegments - 2;
  dev.options().remap_segments = kAsked;
  boot_running();
  EXPECT_EQ(header(dev).segments, kAsked);
  EXPECT_EQ(dev.free_segments.size(), kAsked);
  EXPECT_LT(*std::max_element(dev.free_segments.begin(), dev.free_segments.end()), kAsked);
  dev.options().remap_segments = MockDevice::kSegments;
  power_cycle();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL) << "it was formatted with fewer";
  dev.options().remap_segments = 0;
  power_cycle();
  EXPECT_EQ(fw_phase(fw_), FW_RUNNING);
  EXPECT_EQ(dev.free_segments.size(), kAsked);
}

TEST_F(StartupTest, RemapSegmentsThatMakeNoTable) {
  for (const uint32_t wrong : {1u, 2 * MockDevice::kReserve - 1, MockDevice::kSegments + 1}) {
    dev.options().remap_segments = wrong;
    boot();
    EXPECT_EQ(fw_phase(fw_), FW_FATAL) << wrong;
    EXPECT_STREQ(fw_describe(fw_), "remap segments: too few for GC, or too many");
    power_cycle();
  }
}

TEST_F(StartupTest, MorePlacementHandlesThanTheHardwareHas) {
  dev.options().placement_handles = MockDevice::kHandles + 1;
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
}

TEST_F(StartupTest, NoOrTooManyPlacementHandlesInTheHeader) {
  boot_running();
  orm_nv_header h = header(dev);
  for (uint32_t handles : {0u, FW_MAX_HANDLES + 1u}) {
    h.handles = static_cast<uint8_t>(handles);
    put_header(&dev, h);
    const auto before = dev.nvram;
    power_cycle();
    EXPECT_EQ(fw_phase(fw_), FW_FATAL) << handles;
    EXPECT_EQ(dev.nvram, before);
  }
}

// What the console says of the board before anything else.
TEST_F(StartupTest, TheConsoleTellsWhatItsOwnerMustKnow) {
  const auto said = [&](unsigned board) {
    dev.board() = static_cast<uint8_t>(board);
    dev.log.clear();
    power_cycle();
    EXPECT_EQ(fw_phase(fw_), FW_RUNNING);
    std::vector<std::string> lines;
    for (const std::string &line : dev.log)
      if (line.find("volatile") != std::string::npos || line.find("record of its tests") != std::string::npos)
        lines.push_back(line);
    return lines;
  };
  using Lines = std::vector<std::string>;
  const std::string unverified = "this board was loaded with what has no record of its tests";
  boot_running();
  EXPECT_EQ(said(0), Lines{});
  EXPECT_EQ(said(ORM_BOARD_NVRAM_VOLATILE),
            Lines{"NVRAM is volatile: a device that loses power can only be read until Format NVM"});
  EXPECT_EQ(said(ORM_BOARD_FLASH_VOLATILE), Lines{"flash is volatile: all data is lost with the power"});
  EXPECT_EQ(said(ORM_BOARD_UNVERIFIED), Lines{unverified});
  EXPECT_EQ(said(ORM_BOARD_FLAGS),
            (Lines{"NVRAM is volatile: so is flash, all data is lost with the power", unverified}));
}

TEST_F(StartupTest, BlankDeviceIsFormatted) {
  boot_running();
  orm_nv_header h = header(dev);
  EXPECT_EQ(h.superblocks, MockDevice::kSuperblocks);
  EXPECT_EQ(h.format_count, 1u);
  // 4 superblocks spare, 12 % of the rest held back
  EXPECT_EQ(h.nsze, (MockDevice::kSuperblocks - 4) * MockDevice::kSlotsPerSb * 88 / 100);
  EXPECT_EQ(h.handles, 1);
  EXPECT_EQ(dev.reg[ORM_FW_NVME_NSZE], h.nsze);
  EXPECT_EQ(dev.reg[ORM_FW_NVME_STATE], 1u);
  EXPECT_EQ(dev.free_list.size(), MockDevice::kSuperblocks);
  EXPECT_EQ(dev.free_segments.size(), MockDevice::kSegments);
  EXPECT_EQ(dev.erased.size(), MockDevice::kSuperblocks * MockDevice::kDies);
  EXPECT_EQ(dev.seq, 1u);
  for (uint32_t lpn = 0; lpn < h.nsze; lpn++) EXPECT_EQ(dev.l2p(lpn), ORM_UNMAPPED);
  for (const Superblock &s : dev.sb) {
    EXPECT_EQ(s.state, uint32_t{ORM_SB_STATE_FREE});
    EXPECT_EQ(s.gen, 1u);
  }
}

TEST_F(StartupTest, SecondStartDoesNotFormat) {
  boot_running();
  dev.power_cycle();
  boot_running();
  EXPECT_EQ(header(dev).format_count, 1u);
  EXPECT_TRUE(dev.erased.empty());
  EXPECT_EQ(dev.free_list.size(), MockDevice::kSuperblocks);
}

TEST_F(StartupTest, OptionsMakeASmallerDevice) {
  dev.options().superblocks = 8;
  dev.options().over_provision_pct = 50;
  boot_running();
  EXPECT_EQ(dev.reg[ORM_FW_NVME_NSZE], 4 * MockDevice::kSlotsPerSb / 2);
  EXPECT_EQ(dev.free_list.size(), 8u);
  EXPECT_EQ(dev.sb[8].state, uint32_t{ORM_SB_STATE_BAD}) << "superblocks that are not in use are never given out";
}

TEST_F(StartupTest, TooFewSuperblocks) {
  dev.options().superblocks = 4;
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_STREQ(fw_describe(fw_), "too few superblocks to run");
  EXPECT_EQ(csts(), ORM_PUT(ORM_FW_NVME_CSTS_CFS, 1) | ORM_PUT(ORM_FW_NVME_CSTS_DEAD, 1)) << "no reset hides it";
}

TEST_F(StartupTest, MoreSuperblocksThanThereAre) {
  dev.options().superblocks = MockDevice::kSuperblocks + 1;
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
}

TEST_F(StartupTest, OtherHardware) {
  dev.reg[ORM_FW_ID] = 0xFFFFFFFF;
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_STREQ(fw_describe(fw_), "no OpenRemap controller behind the window");
}

TEST_F(StartupTest, OtherRegisterMap) {
  dev.reg[ORM_FW_VERSION] = ORM_FW_VERSION_RESET + 1;
  boot();
  EXPECT_STREQ(fw_describe(fw_), "register map version unknown");
}

TEST_F(StartupTest, GeometryOutOfRange) {
  dev.reg[ORM_FW_CAP_SUPERBLOCKS] = 4;
  boot();
  EXPECT_STREQ(fw_describe(fw_), "geometry out of range");
}

TEST_F(StartupTest, OtherFormatVersionIsRefusedAndNothingIsLost) {
  boot_running();
  orm_nv_header h = header(dev);
  h.version = ORM_FORMAT_VERSION + 1;
  put_header(&dev, h);
  auto before = dev.nvram;
  power_cycle();
  EXPECT_STREQ(fw_describe(fw_), "media format version unknown");
  EXPECT_EQ(dev.nvram, before);
  EXPECT_TRUE(dev.erased.empty());
}

// Media that is refused for its version stays unchanged.
class VersionTest : public FwTest {
 protected:
  void refused(const char *step) {
    const auto nvram = dev.nvram;
    dev.log.clear();
    power_cycle();
    EXPECT_EQ(fw_phase(fw_), FW_FATAL);
    EXPECT_STREQ(fw_describe(fw_), "media format version unknown");
    EXPECT_EQ(csts(), ORM_PUT(ORM_FW_NVME_CSTS_CFS, 1) | ORM_PUT(ORM_FW_NVME_CSTS_DEAD, 1));
    EXPECT_EQ(dev.nvram, nvram);
    EXPECT_TRUE(dev.erased.empty());
    ASSERT_EQ(dev.log.size(), 1u);
    EXPECT_NE(dev.log[0].find(step), std::string::npos) << dev.log[0];
  }
};

TEST_F(VersionTest, SavedFigures) {
  boot_running();
  const uint32_t at = MockDevice::kNvCounters + ORM_NV_STATE_OFFSET;
  for (uint32_t copy : {0u, 1u}) {
    orm_fw_state s;
    uint8_t *raw = &dev.nvram[at + copy * ORM_FW_STATE_BYTES];
    if (!orm_fw_state_open(&s, raw)) continue;
    s.version = ORM_FORMAT_VERSION + 1;
    orm_fw_state_seal(&s, raw);
  }
  refused("'read pointers', which reads pointers, BlockRecords, FwStates");
}

// Its slots would count as garbage, and be erased.
TEST_F(VersionTest, SpareAreas) {
  boot_running();
  for (uint32_t lpn = 0; lpn < 5; lpn++) dev.program(lpn, lpn, 100 + lpn, 1);
  orm_oob_record r;
  ASSERT_TRUE(orm_oob_record_open(&r, dev.flash[3].oob.data()));
  for (int other : {-1, 1}) {
    r.version = uint8_t(ORM_FORMAT_VERSION + other);
    orm_oob_record_seal(&r, dev.flash[3].oob.data());
    refused("'probe spare areas', which reads summaries, OobRecords");
  }
  r.gen = 7;  // of an earlier life of the block: it does not count, whatever its version
  orm_oob_record_seal(&r, dev.flash[3].oob.data());
  power_cycle();
  EXPECT_EQ(fw_phase(fw_), FW_RUNNING) << fw_describe(fw_);
}

TEST_F(StartupTest, NoStartWithoutAnIdentity) {
  dev.identity().serial = nullptr;
  boot();
  EXPECT_EQ(fw_phase(fw_), FW_FATAL);
  EXPECT_STREQ(fw_describe(fw_), "no valid serial number and EUI-64 from the port");
  EXPECT_EQ(dev.nvram, std::vector<uint8_t>(MockDevice::kNvBytes)) << "nothing was formatted";
}

TEST_F(StartupTest, EachStepIsTold) {
  boot_running();
  dev.debug_log.clear();
  power_cycle();
  const std::vector<std::string> told = dev.debug_log;
  ASSERT_EQ(told.size(), 28u);
  EXPECT_EQ(told.front(), "start-up: check hardware (capability registers -> geometry)");
  EXPECT_EQ(told[3].find("start-up: read pointers ("), 0u);
  EXPECT_EQ(told.back(), "start-up: open (CrashLog -> FwState, registers)");
}

TEST_F(StartupTest, AllOnesAreBlankToo) {
  std::fill(dev.nvram.begin(), dev.nvram.end(), uint8_t{0xFF});
  boot_running();
  EXPECT_EQ(header(dev).format_count, 1u);
  EXPECT_EQ(dev.free_list.size(), MockDevice::kSuperblocks);
}

TEST_F(StartupTest, OtherGeometryIsRefused) {
  boot_running();
  const orm_nv_header good = header(dev);
  EXPECT_NE(good.flash, 0u);
  orm_nv_header changed[3] = {good, good, good};
  changed[0].slots_per_sb *= 2;
  changed[1].flash ^= ORM_PUT(ORM_FW_CAP_FLASH_CHANNELS, 2) | ORM_PUT(ORM_FW_CAP_FLASH_DIES_PER_CHANNEL, 3);
  changed[2].summary_slots = 1;
  for (const orm_nv_header &h : changed) {
    put_header(&dev, h);
    power_cycle();
    EXPECT_STREQ(fw_describe(fw_), "media formatted for another geometry");
    EXPECT_TRUE(dev.erased.empty());
  }
}

// The same number of slots in a superblock, in pages of another size.
TEST_F(StartupTest, PagesOfOtherSizesAreRefused) {
  boot_running();
  dev.make_wide();
  power_cycle();
  EXPECT_STREQ(fw_describe(fw_), "media formatted for another geometry");
}

TEST_F(StartupTest, OptionsThatContradictTheMediumAreRefused) {
  boot_running();
  dev.options().superblocks = 8;
  power_cycle();
  EXPECT_STREQ(fw_describe(fw_), "options differ from those formatted with");
  dev.options().superblocks = 0;
  dev.options().over_provision_pct = 40;
  power_cycle();
  EXPECT_STREQ(fw_describe(fw_), "options differ from those formatted with");
  dev.options().over_provision_pct = 12;
  power_cycle();
  EXPECT_EQ(fw_phase(fw_), FW_RUNNING);
}

// Power is cut before each 8-byte NVRAM write of a format in turn. The next start must always find an empty device.
TEST_F(StartupTest, FormatCutAnywhereStartsAgain) {
  for (int cut = 0;; cut++) {
    MockDevice fresh;
    dev.nvram = fresh.nvram;
    dev.flash = fresh.flash;
    dev.power_cycle();
    int writes = 0;
    std::vector<uint8_t> frozen;
    dev.on_nvram_write = [&] {
      if (writes++ == cut) frozen = dev.nvram;
    };
    boot_running();
    dev.on_nvram_write = nullptr;
    if (frozen.empty()) {
      EXPECT_GT(cut, 50);
      break;
    }
    dev.nvram = frozen;
    power_cycle();
    ASSERT_EQ(fw_phase(fw_), FW_RUNNING) << "cut " << cut << ": " << fw_describe(fw_);
    ASSERT_EQ(dev.free_list.size(), MockDevice::kSuperblocks);
  }
}

}  // namespace
}  // namespace orm_test
