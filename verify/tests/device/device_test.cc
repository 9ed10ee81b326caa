// SPDX-License-Identifier: Apache-2.0
//
// The whole device (controller, Verilated or as the fast model, firmware, memories) through the PCIe-function
// interface, as a program uses it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "device_kind.h"
#include "nand_types.h"
#include "openremap.h"
#include "openremap_stats.h"
#include "orm_formats.h"
#include "orm_regs.h"
#include "pcie_debug.h"
#include "pcie_function.h"
#include "seeded_random.h"
#include "temp_dir.h"
#include "test_seed.h"

namespace orm {
namespace {

using Page = std::vector<uint8_t>;

Page page_of(uint64_t value) {
  Page page(OPENREMAP_PAGE_BYTES);
  SeededRandom random(value);
  for (size_t i = 0; i < page.size(); i += 8) {
    const uint64_t word = random.next();
    std::memcpy(page.data() + i, &word, 8);
  }
  return page;
}

/// A small device: with few superblocks, start-up is short.
class Ssd {
 public:
  explicit Ssd(const char *kind, pcie_device_options device = {}) {
    openremap_options options{};
    openremap::ChooseDevice(kind, &device);
    if (device.superblocks == 0) device.superblocks = 16;
    device.seed = openremap::TestSeed();
    options.device = device;
    options.create = pcie_device_create;
    if (openremap_open(&options, &dev, error, sizeof error) != 0) dev = nullptr;
  }
  ~Ssd() {
    if (dev != nullptr) {
      EXPECT_EQ(openremap_close(dev), 0);
    }
  }
  Ssd(const Ssd &) = delete;
  Ssd &operator=(const Ssd &) = delete;

  int write(uint64_t lpn, uint64_t value, bool fua = false) {
    return openremap_write(dev, lpn, 1, page_of(value).data(), fua);
  }
  Page read(uint64_t lpn) {
    Page page(OPENREMAP_PAGE_BYTES);
    EXPECT_EQ(openremap_read(dev, lpn, 1, page.data()), 0) << "LPN " << lpn;
    return page;
  }

  openremap_device *dev = nullptr;
  char error[256] = "";
};

class Device : public ::testing::TestWithParam<const char *> {};

TEST_P(Device, WritesAndReadsBack) {
  Ssd ssd(GetParam());
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  for (uint64_t lpn = 0; lpn < 40; ++lpn) ASSERT_EQ(ssd.write(lpn * 3, lpn + 1), 0);
  for (uint64_t lpn = 0; lpn < 40; ++lpn) ASSERT_EQ(ssd.read(lpn * 3), page_of(lpn + 1)) << lpn * 3;
  EXPECT_EQ(ssd.read(1), Page(OPENREMAP_PAGE_BYTES)) << "never written";
}

TEST_P(Device, ACheckerSeesTheCountersThatTheLogHas) {
  Ssd ssd(GetParam());
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  for (uint64_t lpn = 0; lpn < 5; ++lpn) ASSERT_EQ(ssd.write(lpn, lpn), 0);
  pcie_function *fn = openremap_pcie_function(ssd.dev);
  uint64_t written = 0;
  ASSERT_EQ(pcie_device_counter(fn, ORM_COUNTER_HOST_WRITE_PAGES, &written), 0);
  EXPECT_EQ(written, 5u);
  orm_remap_log log{};
  ASSERT_EQ(openremap_get_stats(ssd.dev, &log), 0) << "the log still has the counters it asks for";
  EXPECT_EQ(log.host_write_pages, written);
  EXPECT_EQ(pcie_device_counter(fn, ORM_COUNTERS, &written), -EINVAL);
  ASSERT_EQ(fn->ops->power_cut(fn), 0);
  EXPECT_EQ(pcie_device_counter(fn, 0, &written), -ENODEV);
  ASSERT_EQ(fn->ops->power_on(fn), 0);
  ASSERT_EQ(openremap_reset(ssd.dev), 0);
}

TEST_P(Device, ACheckerSeesRegistersAndMedia) {
  Ssd ssd(GetParam());
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  ASSERT_EQ(ssd.write(5, 7, true), 0);
  pcie_function *fn = openremap_pcie_function(ssd.dev);
  uint32_t id = 0, state = 0, next = 0;
  ASSERT_EQ(pcie_device_firmware_register(fn, ORM_FW_ID, &id), 0);
  EXPECT_EQ(id, ORM_FW_ID_RESET);

  size_t bytes = 0;
  const uint32_t slot = uint32_t(orm_get_le(pcie_device_dram(fn, &bytes) + 4 * 5, 4));
  pcie_slot held{}, erased{};
  ASSERT_EQ(pcie_device_slot(fn, slot, &held), 0);
  EXPECT_EQ(held.state, PCIE_SLOT_PROGRAMMED);
  EXPECT_EQ(Page(held.data, held.data + OPENREMAP_PAGE_BYTES), page_of(7));
  orm_oob_record oob{};
  ASSERT_TRUE(orm_oob_record_open(&oob, held.spare));
  EXPECT_EQ(oob.lpn, 5u);
  EXPECT_EQ(oob.slot, slot);
  ASSERT_EQ(pcie_device_firmware_register(fn, ORM_FW_CAP_SLOTS_PER_SB, &next), 0);
  ASSERT_EQ(pcie_device_slot(fn, (slot / next + 1) * next, &erased), 0);
  EXPECT_EQ(erased.state, PCIE_SLOT_ERASED);
  EXPECT_EQ(pcie_device_slot(fn, UINT32_MAX, &erased), -EINVAL);

  ASSERT_EQ(pcie_device_select_superblock(fn, slot / next), 0);
  ASSERT_EQ(pcie_device_firmware_register(fn, ORM_FW_SB_STATE, &state), 0);
  EXPECT_EQ(ORM_GET(state, ORM_FW_SB_STATE_STATE), uint32_t(ORM_SB_STATE_OPEN));
  EXPECT_EQ(ORM_GET(state, ORM_FW_SB_STATE_VALID), 1u);

  ASSERT_EQ(fn->ops->power_cut(fn), 0);
  EXPECT_EQ(pcie_device_firmware_register(fn, ORM_FW_ID, &id), -ENODEV);
  EXPECT_EQ(pcie_device_select_superblock(fn, 0), -ENODEV);
  ASSERT_EQ(openremap_power_cycle(ssd.dev), 0);
}

/// The slots of summaries, and the logs of superblocks that are being filled. There are none with pages of four slots,
/// of which these superblocks have few.
TEST_P(Device, ACheckerSeesWhereSummariesAre) {
  Ssd ssd(GetParam());
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  pcie_function *fn = openremap_pcie_function(ssd.dev);
  uint32_t cap = 0, slots = 0, log = 0, firmware = 0, status = 0;
  ASSERT_EQ(pcie_device_firmware_register(fn, ORM_FW_CAP_SUMMARY, &cap), 0);
  ASSERT_EQ(pcie_device_firmware_register(fn, ORM_FW_CAP_SLOTS_PER_SB, &slots), 0);
  ASSERT_EQ(pcie_device_firmware_register(fn, ORM_FW_DRAM_LOG, &log), 0);
  ASSERT_EQ(pcie_device_firmware_register(fn, ORM_FW_DRAM_FW, &firmware), 0);
  ASSERT_EQ(pcie_device_firmware_register(fn, ORM_FW_LOG_STATUS, &status), 0);
  const bool wide = std::string(GetParam()) == "wide_model";
  EXPECT_EQ(ORM_GET(cap, ORM_FW_CAP_SUMMARY_SLOTS), wide ? 0u : slots / 128);
  EXPECT_EQ(ORM_GET(cap, ORM_FW_CAP_SUMMARY_LOGS), wide ? 0u : 7u);
  EXPECT_EQ(firmware - log, wide ? 0u : 7u * 4096);
  EXPECT_EQ(status, 0u) << "nothing is full";
}

TEST_P(Device, ThatIsNewFormatsItself) {
  Ssd ssd(GetParam());
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  pcie_function *fn = openremap_pcie_function(ssd.dev);
  size_t bytes = 0;
  EXPECT_EQ(orm_get_le(pcie_device_nvram(fn, &bytes), 8), ORM_NV_MAGIC);
  for (const uint8_t byte : {uint8_t(0), uint8_t(0xFF)}) {
    ASSERT_EQ(ssd.write(5, 7, true), 0);
    EXPECT_EQ(pcie_device_blank_nvram(fn, byte), -EBUSY) << "power is on";
    EXPECT_EQ(pcie_device_blank_flash(fn), -EBUSY);
    EXPECT_EQ(pcie_device_damage_nvram(fn, 0, &byte, 1), -EBUSY);
    ASSERT_EQ(fn->ops->power_cut(fn), 0);
    ASSERT_EQ(pcie_device_blank_nvram(fn, byte), 0);
    ASSERT_EQ(pcie_device_blank_flash(fn), 0);
    const uint8_t *nvram = pcie_device_nvram(fn, &bytes);
    EXPECT_TRUE(std::all_of(nvram, nvram + bytes, [&](uint8_t b) { return b == byte; }));
    EXPECT_EQ(pcie_device_damage_nvram(fn, bytes, &byte, 1), -EINVAL);
    ASSERT_EQ(openremap_power_cycle(ssd.dev), 0);
    EXPECT_EQ(ssd.read(5), Page(OPENREMAP_PAGE_BYTES));
  }
}

TEST_P(Device, SimulationFiguresAreJson) {
  Ssd ssd(GetParam());
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  pcie_function *fn = openremap_pcie_function(ssd.dev);
  char text[1024];
  const int length = fn->ops->sim_stats(fn, text, sizeof text);
  ASSERT_EQ(size_t(length), std::strlen(text));
  for (const char *name :
       {"\"sim_cycles\": ", "\"evaluated_cycles\": ", "\"wall_seconds\": ", "\"cycles_per_second\": "}) {
    EXPECT_NE(std::string(text).find(name), std::string::npos) << text;
  }
}

TEST_P(Device, AStartUpTellsItsSteps) {
  pcie_device_options options{};
  options.firmware_cpu = "none";  // so that the flash takes the most time
  Ssd ssd(GetParam(), options);
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  ASSERT_EQ(ssd.write(0, 1, true), 0);
  pcie_function *fn = openremap_pcie_function(ssd.dev);
  ASSERT_EQ(fn->ops->power_cut(fn), 0);
  EXPECT_EQ(pcie_device_start_up(fn, nullptr, 0), 0u);
  const uint64_t on = fn->ops->now_ns(fn);
  ASSERT_EQ(fn->ops->power_on(fn), 0);
  ASSERT_EQ(openremap_reset(ssd.dev), 0);
  std::vector<pcie_device_step> steps(pcie_device_start_up(fn, nullptr, 0));
  ASSERT_EQ(pcie_device_start_up(fn, steps.data(), steps.size()), steps.size());
  ASSERT_GT(steps.size(), 2u);
  EXPECT_STREQ(steps.front().name, "check hardware");
  EXPECT_STREQ(steps.back().name, "open");
  uint64_t sum = 0, longest = 0;
  std::string slowest;
  for (const pcie_device_step &step : steps) {
    sum += step.ns;
    if (step.ns > longest) slowest = step.name;
    longest = std::max(longest, step.ns);
    EXPECT_TRUE(step.name != std::string("read header") || step.nvram_read >= ORM_NV_HEADER_BYTES);
    EXPECT_TRUE(step.name != std::string("open") || step.nvram_written >= ORM_FW_STATE_BYTES);
  }
  EXPECT_EQ(slowest, "probe spare areas") << "which waits for the flash";
  EXPECT_GE(longest, NandTiming().read_ns);
  EXPECT_LE(sum, fn->ops->now_ns(fn) - on);
}

/// Firmware performs the erases of a format and of a start-up; they count like GC's.
TEST_P(Device, EveryEraseIsCounted) {
  Ssd ssd(GetParam());
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  pcie_function *fn = openremap_pcie_function(ssd.dev);
  const auto model = [&] {
    char text[1024];
    EXPECT_GT(fn->ops->sim_stats(fn, text, sizeof text), 0);
    const std::string json = text, name = "\"erases\": ";
    return std::strtoull(json.c_str() + json.find(name) + name.size(), nullptr, 10);
  };
  const auto controller = [&] {
    orm_remap_log log{};
    EXPECT_EQ(openremap_get_stats(ssd.dev, &log), 0);
    return uint64_t(log.nand_erase);
  };
  EXPECT_GE(controller(), 16u) << "those of the format";
  EXPECT_EQ(controller(), model());
  for (uint64_t i = 0; i < 300; ++i) ASSERT_EQ(ssd.write(i % 100, i + 1), 0);
  EXPECT_EQ(controller(), model());
}

TEST(RtlOnly, OptionsOutOfRangeAreRefusedWithALine) {
  pcie_device_options options{};
  options.superblocks = 100'000;
  const TempDir dir;
  const std::string images = dir.path + "/images", wave = dir.path + "/wave.txt", nowhere = dir.path + "/no/wave.fst";
  const std::string file = dir.path + "/file";
  std::fclose(std::fopen(file.c_str(), "w"));
  const auto refused = [](const pcie_device_options &wrong, const std::string &words) {
    SCOPED_TRACE(words);
    const pcie_host host{};
    char error[256] = "";
    errno = 0;
    EXPECT_EQ(pcie_device_create(&wrong, &host, error, sizeof error), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_NE(std::string(error).find(words), std::string::npos) << error;
    EXPECT_EQ(std::string(error).find('\n'), std::string::npos) << error;
  };
  options.image_dir = images.c_str();
  refused(options, "superblocks: 100000 is not from 5 to 64");
  options.superblocks = 4;
  refused(options, "superblocks: 4 is not from 5 to 64");
  options.superblocks = 0;
  options.remap_segments = 1;
  refused(options, "segments of the remap table: 1 is not from 68 to ");
  options.remap_segments = 0;
  options.images_unchanged = 1;
  refused(options, "no image of a device in");
  EXPECT_FALSE(std::filesystem::exists(images)) << "nothing is made before the options are known to be good";
  options = {};
  options.geometry = "2x2x64x32x2";
  refused(options, "geometry: the rtl was built for 2x2x64x32x1");
  options.geometry = "2x2x64x32";
  options.trace_file = wave.c_str();
  refused(options, "only the rtl without a geometry writes waveforms");
  options = {};
  options.kind = "floppy";
  refused(options, "device: 'floppy' is not one of: rtl, model");
  options = {};
  options.over_provision_pct = 100;
  refused(options, "over-provisioning");
  options = {};
  options.images_unchanged = 1;
  refused(options, "no folder is named");
  options = {};
  options.kind = "abacus";
  refused(options, "abacus");
  options = {};
  options.trace_file = wave.c_str();
  refused(options, ".vcd or .fst");
  options.image_dir = file.c_str();
  options.trace_file = nullptr;
  refused(options, "cannot keep images in '" + file + "': Not a directory");
#ifndef __SANITIZE_ADDRESS__  // that build writes no waveforms
  options = {};
  options.trace_file = nowhere.c_str();
  refused(options, "cannot write trace file");
#endif
}

TEST(CheckOptions, SaysWhatADeviceOfThisKindCannotHave) {
  const TempDir dir;
  const std::string wave = dir.path + "/wave.fst", text = dir.path + "/wave.txt", images = dir.path + "/images";
  const auto says = [](const pcie_device_options &options) {
    char error[256] = "";
    return pcie_device_check(&options, error, sizeof error) == 0 ? std::string("nothing") : std::string(error);
  };
  pcie_device_options good{};
  good.image_dir = images.c_str();
  for (const char *kind : {"rtl", "model"}) {
    good.kind = kind;
    EXPECT_EQ(says(good), "nothing");
  }
  EXPECT_FALSE(std::filesystem::exists(images)) << "nothing is made";
  for (const char *kind : {"rtl", "model", "soc"}) {
    pcie_device_options wrong{};
    wrong.kind = kind;
    wrong.trace_file = text.c_str();
    EXPECT_NE(says(wrong), "nothing") << kind;
    wrong.trace_file = nullptr;
    wrong.nand_faults = "BAD";
    EXPECT_NE(says(wrong), "nothing") << kind;
    wrong.nand_faults = nullptr;
    wrong.firmware = "remote";
    wrong.cache = "keep";
    EXPECT_NE(says(wrong), "nothing") << kind;
    EXPECT_EQ(pcie_device_check(&wrong, nullptr, 0), -EINVAL);
  }
  pcie_device_options model{};
  model.kind = "model";
  model.trace_file = wave.c_str();
  EXPECT_EQ(says(model), "the model has no signals: only rtl and soc write waveforms");
  EXPECT_FALSE(std::filesystem::exists(wave));
}

TEST_P(Device, AnImageOfAnotherShapeIsAFailureNotAWrongOption) {
  const TempDir dir;
  std::fclose(std::fopen((dir.path + "/flash.img").c_str(), "w"));
  std::ofstream(dir.path + "/flash.img") << "something else";
  pcie_device_options options{};
  options.image_dir = dir.path.c_str();
  const pcie_host host{};
  char error[256] = "";
  errno = 0;
  EXPECT_EQ(pcie_device_create(&options, &host, error, sizeof error), nullptr);
  EXPECT_EQ(errno, EIO) << error;
}

TEST_P(Device, StatisticsTellTheGeometry) {
  Ssd ssd(GetParam());
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  pcie_function *fn = openremap_pcie_function(ssd.dev);
  char text[1024];
  ASSERT_GT(fn->ops->sim_stats(fn, text, sizeof text), 0);
  const bool wide = openremap::IsWide(GetParam());
  for (const char *member : {"\"channels\": 2", "\"dies\": 4", "\"superblocks\": 16",
                             wide ? "\"pages_per_block\": 8" : "\"pages_per_block\": 32",
                             wide ? "\"slots_per_page\": 4" : "\"slots_per_page\": 1"}) {
    EXPECT_NE(std::string(text).find(member), std::string::npos) << text;
  }
}

TEST_P(Device, Bar0RefusesWhatIsNoRegisterAccess) {
  Ssd ssd(GetParam());
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  pcie_function *fn = openremap_pcie_function(ssd.dev);
  uint64_t value = 0;
  EXPECT_EQ(fn->ops->bar0_read(fn, 2, 4, &value), -EINVAL);
  EXPECT_EQ(fn->ops->bar0_read(fn, 4, 8, &value), -EINVAL);
  EXPECT_EQ(fn->ops->bar0_read(fn, 0, 2, &value), -EINVAL);
  EXPECT_EQ(fn->ops->bar0_read(fn, 16384, 4, &value), -EINVAL);
  EXPECT_EQ(fn->ops->bar0_write(fn, UINT64_MAX - 7, 8, 0), -EINVAL);
  ASSERT_EQ(fn->ops->bar0_read(fn, 0, 8, &value), 0);
  EXPECT_NE(value, 0u) << "CAP";
}

TEST_P(Device, WithoutPowerThereIsNoDevice) {
  Ssd ssd(GetParam());
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  pcie_function *fn = openremap_pcie_function(ssd.dev);
  EXPECT_EQ(fn->ops->power_on(fn), -EALREADY);
  ASSERT_EQ(fn->ops->power_cut(fn), 0);
  uint64_t value = 0;
  EXPECT_EQ(fn->ops->bar0_read(fn, 0, 4, &value), -ENODEV);
  EXPECT_EQ(fn->ops->bar0_write(fn, 0, 4, 0), -ENODEV);
  EXPECT_EQ(fn->ops->run(fn, 1000), -ENODEV);
  EXPECT_EQ(fn->ops->reset(fn), -ENODEV);
  EXPECT_EQ(fn->ops->power_cut(fn), -ENODEV);
  ASSERT_EQ(fn->ops->power_on(fn), 0);
  ASSERT_EQ(openremap_reset(ssd.dev), 0);
  EXPECT_EQ(ssd.write(1, 1), 0);
}

TEST_P(Device, DurableWritesSurvivePowerCuts) {
  SCOPED_TRACE("seed " + std::to_string(openremap::TestSeed()));
  Ssd ssd(GetParam());
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  SeededRandom random(openremap::TestSeed());
  std::map<uint64_t, uint64_t> durable;
  uint64_t value = 0;
  for (int cut = 0; cut < 4; ++cut) {
    for (int i = 0; i < 12; ++i) {
      const uint64_t lpn = random.below(64);
      ASSERT_EQ(ssd.write(lpn, ++value, true), 0);
      durable[lpn] = value;
    }
    ASSERT_EQ(ssd.write(100 + uint64_t(cut), ++value), 0);  // not flushed: old (zeroes) or new, nothing else
    const uint64_t unsure = value;
    ASSERT_EQ(openremap_power_cycle(ssd.dev), 0);
    for (const auto &[lpn, expected] : durable)
      ASSERT_EQ(ssd.read(lpn), page_of(expected)) << "cut " << cut << " LPN " << lpn;
    const Page page = ssd.read(100 + uint64_t(cut));
    EXPECT_TRUE(page == page_of(unsure) || page == Page(OPENREMAP_PAGE_BYTES)) << "cut " << cut;
  }
}

TEST_P(Device, ImagesKeepTheData) {
  TempDir dir;
  pcie_device_options options{};
  options.image_dir = dir.path.c_str();
  {
    Ssd ssd(GetParam(), options);
    ASSERT_NE(ssd.dev, nullptr) << ssd.error;
    ASSERT_EQ(ssd.write(7, 70), 0);
    ASSERT_EQ(openremap_remap(ssd.dev, 7, 8, 1, OPENREMAP_SHARE), 0);
  }
  {
    Ssd ssd(GetParam(), options);
    ASSERT_NE(ssd.dev, nullptr) << ssd.error;
    EXPECT_EQ(ssd.read(7), page_of(70));
    EXPECT_EQ(ssd.read(8), page_of(70));
  }
  options.superblocks = 32;
  Ssd other(GetParam(), options);
  EXPECT_EQ(other.dev, nullptr);
  EXPECT_NE(std::string(other.error).find("was formatted with 16, not 32"), std::string::npos) << other.error;
}

// What a format has decided is a wrong option, and not a start that fails: one line, before the firmware begins.
TEST_P(Device, OtherOptionsThanThoseOfTheFormatAreRefused) {
  TempDir dir;
  pcie_device_options formatted{};
  openremap::ChooseDevice(GetParam(), &formatted);
  formatted.superblocks = 16;
  formatted.image_dir = dir.path.c_str();
  formatted.over_provision_pct = 30;
  formatted.placement_handles = 2;
  formatted.remap_segments = 80;
  uint64_t pages = 0;
  {
    Ssd ssd(GetParam(), formatted);
    ASSERT_NE(ssd.dev, nullptr) << ssd.error;
    pages = openremap_get_info(ssd.dev)->pages;
  }
  const auto refused = [&](const pcie_device_options &wrong, const std::string &words) {
    const pcie_host host{};
    char error[256] = "";
    errno = 0;
    EXPECT_EQ(pcie_device_create(&wrong, &host, error, sizeof error), nullptr) << words;
    EXPECT_EQ(errno, EINVAL) << error;
    EXPECT_NE(std::string(error).find(words), std::string::npos) << error;
    EXPECT_EQ(std::string(error).find('\n'), std::string::npos) << error;
  };
  pcie_device_options wrong = formatted;
  wrong.placement_handles = 3;
  refused(wrong, "placement handles: the device in '" + dir.path + "' was formatted with 2, not 3");
  wrong = formatted;
  wrong.remap_segments = 90;
  refused(wrong, "segments of the remap table: the device in '" + dir.path + "' was formatted with 80, not 90");
  for (const uint32_t percent : {1u, 29u, 31u, 50u, 99u}) {
    wrong = formatted;
    wrong.over_provision_pct = percent;
    refused(wrong, "over-provisioning: the device in '" + dir.path + "' was formatted with " + std::to_string(pages) +
                       " pages, not with the ");
  }
  const Ssd same(GetParam(), formatted);
  EXPECT_NE(same.dev, nullptr) << same.error;
  const TempDir large;  // as large as the hardware permits
  formatted.image_dir = large.path.c_str();
  formatted.superblocks = 64;
  formatted.over_provision_pct = 1;
  for (const char *when : {"new", "again"}) {
    const Ssd ssd(GetParam(), formatted);
    EXPECT_NE(ssd.dev, nullptr) << when << ": " << ssd.error;
  }
}

TEST_P(Device, ImagesOpenUnderTheOtherKind) {
  TempDir dir;
  pcie_device_options options{};
  options.image_dir = dir.path.c_str();
  const std::string kind = GetParam();
  // Pages of several slots have one kind only.
  const char *const other = kind == "rtl" ? "model" : kind == "model" ? "rtl" : GetParam();
  uint64_t value = 0;
  for (int round = 0; round < 3; ++round) {
    Ssd ssd(round % 2 == 0 ? GetParam() : other, options);
    ASSERT_NE(ssd.dev, nullptr) << ssd.error;
    for (uint64_t lpn = 0; lpn < value; ++lpn) ASSERT_EQ(ssd.read(lpn), page_of(lpn + 1)) << lpn;
    for (int i = 0; i < 150; ++i, ++value) ASSERT_EQ(ssd.write(value, value + 1), 0);
    ASSERT_EQ(openremap_remap(ssd.dev, value - 1, value, 1, OPENREMAP_MOVE), 0);
    ASSERT_EQ(ssd.write(value - 1, value), 0);
    ASSERT_EQ(ssd.write(value, value + 1), 0);
    ++value;
    if (round == 0) {
      ASSERT_EQ(openremap_flush(ssd.dev), 0);
      ASSERT_EQ(openremap_power_cycle(ssd.dev), 0);  // also without an orderly shutdown
    }
  }
}

#ifdef __SANITIZE_ADDRESS__  // a minute and a half with the Verilated controller; rtl_device_test has what is its own
INSTANTIATE_TEST_SUITE_P(Kinds, Device, ::testing::Values("model", openremap::kWideModel),
#else
INSTANTIATE_TEST_SUITE_P(Kinds, Device, ::testing::Values("rtl", "model", openremap::kWideModel),
#endif
                         [](const auto &kind) { return std::string(kind.param); });

TEST(ModelOnly, ALargeFlashOpensAndKeepsItsData) {
  TempDir dir;
  pcie_device_options options{};
  options.geometry = "8x4x512x256";
  options.superblocks = 512;
  options.image_dir = dir.path.c_str();
  Ssd ssd("model", options);
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  const uint64_t pages = openremap_get_info(ssd.dev)->pages;
  EXPECT_GT(pages * OPENREMAP_PAGE_BYTES, 13ull << 30) << "of 16 GiB of flash";
  for (uint64_t lpn = 0; lpn < pages; lpn += pages / 50) ASSERT_EQ(ssd.write(lpn, lpn + 1), 0);
  ASSERT_EQ(openremap_remap(ssd.dev, 0, 1, 1, OPENREMAP_SHARE), 0);
  ASSERT_EQ(openremap_flush(ssd.dev), 0);
  ASSERT_EQ(openremap_power_cycle(ssd.dev), 0);
  for (uint64_t lpn = 0; lpn < pages; lpn += pages / 50) ASSERT_EQ(ssd.read(lpn), page_of(lpn + 1)) << lpn;
  EXPECT_EQ(ssd.read(1), page_of(1));
  EXPECT_EQ(ssd.read(2), Page(OPENREMAP_PAGE_BYTES));
}

#ifndef __SANITIZE_ADDRESS__  // the tables' 3.3 GiB are gone through several times
// Memory use follows the mapping tables, not the size of flash: there are two devices at once, and only written data
// takes memory.
TEST(ModelOnly, ATebibyteBesideSixteenGibibytes) {
  pcie_device_options large{}, largest{};
  large.geometry = "8x4x512x256";
  large.superblocks = 512;
  largest.geometry = "8x8x8192x512";
  largest.superblocks = 8192;
  large.firmware_cpu = largest.firmware_cpu = "none";  // a start takes a VexRiscv longer than CAP.TO allows
  Ssd a("model", large), b("model", largest);
  ASSERT_NE(a.dev, nullptr) << a.error;
  ASSERT_NE(b.dev, nullptr) << b.error;
  const uint64_t pages = openremap_get_info(b.dev)->pages;
  EXPECT_GT(pages * OPENREMAP_PAGE_BYTES, 890ull << 30) << "of 1 TiB of flash";
  for (Ssd *ssd : {&a, &b}) {
    const uint64_t last = openremap_get_info(ssd->dev)->pages - 1;
    ASSERT_EQ(ssd->write(last, 7), 0);
    ASSERT_EQ(openremap_remap(ssd->dev, last, last / 2, 1, OPENREMAP_SHARE), 0);
    ASSERT_EQ(openremap_power_cycle(ssd->dev), 0);
    EXPECT_EQ(ssd->read(last), page_of(7));
    EXPECT_EQ(ssd->read(last / 2), page_of(7));
    EXPECT_EQ(ssd->read(0), Page(OPENREMAP_PAGE_BYTES));
  }
}
#endif

TEST(ModelOnly, OptionsThatItCannotHaveAreRefusedWithALine) {
  const TempDir dir;
  const std::string wave = dir.path + "/wave.fst";
  const auto refused = [](pcie_device_options wrong, const std::string &words) {
    const pcie_host host{};
    char error[256] = "";
    wrong.kind = "model";
    errno = 0;
    EXPECT_EQ(pcie_device_create(&wrong, &host, error, sizeof error), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_NE(std::string(error).find(words), std::string::npos) << error;
  };
  pcie_device_options options{};
  options.superblocks = 4;
  refused(options, "superblocks: 4 is not from 5 to 64");
  options = {};
  options.trace_file = wave.c_str();
  refused(options, "only rtl and soc write waveforms");
  options = {};
  options.geometry = "2x2x64x31";
  refused(options, "geometry");
  options.geometry = "2x2x64x32x3";
  refused(options, "powers of two");
  options.geometry = "2x2x64x32x4x";
  refused(options, "CHANNELSxDIESxBLOCKSxPAGES[xSLOTS]");
}

#ifndef __SANITIZE_ADDRESS__  // every clock cycle: minutes
/// The results of a run that must not depend on the simulator.
struct Trail {
  std::vector<int> statuses;
  std::vector<uint64_t> times;
  std::vector<Page> reads;
  orm_remap_log log;
  std::string evaluated;  // the clock cycles that were; not a result, but what one may compare, too
};

Trail run_commands(bool no_time_skip, const char *trace_file = nullptr) {
  pcie_device_options options{};
  options.no_time_skip = no_time_skip ? 1 : 0;
  options.trace_file = trace_file;
  options.bus_stalls = 1;  // these, too, must not notice what was left out
  options.superblocks = 8;
  Ssd ssd("rtl", options);
  EXPECT_NE(ssd.dev, nullptr) << ssd.error;
  Trail trail{};
  if (ssd.dev == nullptr) return trail;
  SeededRandom random(openremap::TestSeed());
  for (int i = 0; i < 60; ++i) {
    const uint64_t lpn = random.below(40);
    int status = 0;
    switch (random.below(6)) {
      case 0:
      case 1:
      case 2:
        status = ssd.write(lpn, uint64_t(i) + 1, random.below(8) == 0);
        break;
      case 3:
        status = openremap_remap(ssd.dev, lpn, 50 + random.below(40), 1, OPENREMAP_SHARE);
        break;
      case 4: {
        const openremap_range range{lpn, 1 + random.below(3)};
        status = openremap_deallocate(ssd.dev, &range, 1);
        break;
      }
      default: {
        Page page(OPENREMAP_PAGE_BYTES);
        status = openremap_read(ssd.dev, lpn, 1, page.data());
        trail.reads.push_back(page);
        break;
      }
    }
    trail.statuses.push_back(status);
    trail.times.push_back(openremap_now_ns(ssd.dev));
  }
  for (uint64_t lpn = 0; lpn < 90; ++lpn) trail.reads.push_back(ssd.read(lpn));
  EXPECT_EQ(openremap_get_stats(ssd.dev, &trail.log), 0);
  trail.times.push_back(openremap_now_ns(ssd.dev));
  char text[2048] = "";
  pcie_function *fn = openremap_pcie_function(ssd.dev);
  EXPECT_GT(fn->ops->sim_stats(fn, text, sizeof text), 0);
  const std::string stats = text, name = "\"evaluated_cycles\": ";
  const size_t at = stats.find(name);
  EXPECT_NE(at, std::string::npos) << stats;
  if (at != std::string::npos) trail.evaluated = stats.substr(at, stats.find(',', at) - at);
  return trail;
}

void expect_same(const Trail &one, const Trail &other) {
  EXPECT_EQ(one.statuses, other.statuses);
  EXPECT_EQ(one.times, other.times);
  EXPECT_EQ(one.reads, other.reads);
#define EXPECT_SAME(field) EXPECT_EQ(one.log.field, other.log.field)
  EXPECT_SAME(host_write_pages);
  EXPECT_SAME(nand_program_host);
  EXPECT_SAME(nand_program_gc);
  EXPECT_SAME(nand_erase);
  EXPECT_SAME(remap_pages);
  EXPECT_SAME(remap_entries);
  EXPECT_SAME(stall_write_buffer);
  EXPECT_SAME(stall_alloc);
  EXPECT_SAME(stall_map_lock);
  EXPECT_SAME(stall_share_lock);
  EXPECT_SAME(stall_fence);
  EXPECT_SAME(stall_journal);
  EXPECT_SAME(map_lookups);
  EXPECT_SAME(map_updates);
  EXPECT_SAME(l2p_hits);
  EXPECT_SAME(l2p_misses);
  EXPECT_SAME(device_ns);
#undef EXPECT_SAME
  EXPECT_GT(one.log.host_write_pages, 10u);
}

TEST(RtlOnly, SkippingTimeChangesNothingButTheSpeed) {
  SCOPED_TRACE("seed " + std::to_string(openremap::TestSeed()));
  expect_same(run_commands(true), run_commands(false));
}

// The model with waveforms has clocks that do not stop, and inputs that take effect at once.
TEST(RtlOnly, StoppingClocksChangesNothingButTheSpeed) {
  SCOPED_TRACE("seed " + std::to_string(openremap::TestSeed()));
  const TempDir dir;
  const std::string wave = dir.path + "/wave.fst";
  const Trail stopping = run_commands(false);
  const Trail running = run_commands(false, wave.c_str());
  expect_same(stopping, running);
  EXPECT_EQ(stopping.evaluated, running.evaluated);
}
#endif

}  // namespace
}  // namespace orm
