// SPDX-License-Identifier: Apache-2.0
//
// The device `soc` through libopenremap: its CPU gets the device's identity and options, starts from nothing and from
// what a power cut left, serves commands, and waits in a way that lets simulated time jump.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "openremap.h"
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
  for (uint8_t &byte : page) byte = uint8_t(random.next());
  return page;
}

constexpr char kSerial[] = "SOC-0123456789";

struct Ssd {
  Ssd(const char *kind, const std::string &folder) {
    openremap_options options{};
    options.device.kind = kind;
    options.device.superblocks = 12;
    options.device.over_provision_pct = 20;
    options.device.remap_segments = 68;  // a start looks at each
    options.device.seed = openremap::TestSeed();
    if (!folder.empty()) options.device.image_dir = folder.c_str();
    options.device.serial = kSerial;
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

  Page read(uint64_t lpn) {
    Page page(OPENREMAP_PAGE_BYTES);
    EXPECT_EQ(openremap_read(dev, lpn, 1, page.data()), 0) << "LPN " << lpn;
    return page;
  }

  openremap_device *dev = nullptr;
  char error[256] = "";
};

double figure(pcie_function *fn, const std::string &name) {
  std::string stats(4096, '\0');
  fn->ops->sim_stats(fn, stats.data(), stats.size());
  const size_t at = stats.find("\"" + name + "\": ");
  return at == std::string::npos ? -1 : std::stod(stats.substr(at + name.size() + 4));
}

// One test, because a start of the device takes most of its time.
TEST(SocDevice, StartsServesLosesPowerAndIsTheSameDeviceForTheRtl) {
  TempDir folder;
  const std::string image = folder.path + "/image";
  uint64_t pages = 0;
  {
    Ssd ssd("soc", image);
    ASSERT_NE(ssd.dev, nullptr) << ssd.error;
    pcie_function *fn = openremap_pcie_function(ssd.dev);
    pages = openremap_get_info(ssd.dev)->pages;
    EXPECT_STREQ(openremap_get_info(ssd.dev)->serial, kSerial);

    for (uint64_t lpn = 0; lpn < 24; ++lpn) ASSERT_EQ(openremap_write(ssd.dev, lpn, 1, page_of(lpn).data(), false), 0);
    const openremap_remap_range ranges[] = {{0, 100, 4}, {8, 200, 2}};
    ASSERT_EQ(openremap_remap_vector(ssd.dev, ranges, 2, OPENREMAP_SHARE), 0);
    const openremap_range gone{2, 1};
    ASSERT_EQ(openremap_deallocate(ssd.dev, &gone, 1), 0);
    ASSERT_EQ(openremap_flush(ssd.dev), 0);
    EXPECT_EQ(ssd.read(2), Page(OPENREMAP_PAGE_BYTES));
    EXPECT_EQ(ssd.read(102), page_of(2));

    // A device with nothing to do: the CPU waits, so hardly a cycle is evaluated and no time has to pass.
    const double before = figure(fn, "evaluated_cycles");
    EXPECT_LT(fn->ops->run(fn, 1'000'000'000), 1'000'000);
    EXPECT_LT(figure(fn, "evaluated_cycles") - before, 100'000);

    ASSERT_EQ(openremap_write(ssd.dev, 50, 1, page_of(50).data(), true), 0);
    ASSERT_EQ(openremap_power_cycle(ssd.dev), 0);
    EXPECT_EQ(ssd.read(50), page_of(50));
    EXPECT_EQ(ssd.read(2), Page(OPENREMAP_PAGE_BYTES));
    EXPECT_EQ(ssd.read(201), page_of(9));
  }
  // What the CPU left on the media is what native firmware expects to find there.
  Ssd ssd("rtl", image);
  ASSERT_NE(ssd.dev, nullptr) << ssd.error;
  EXPECT_EQ(openremap_get_info(ssd.dev)->pages, pages);
  for (uint64_t lpn = 0; lpn < 24; ++lpn) {
    ASSERT_EQ(ssd.read(lpn), lpn == 2 ? Page(OPENREMAP_PAGE_BYTES) : page_of(lpn)) << lpn;
  }
  for (uint64_t i = 0; i < 4; ++i) ASSERT_EQ(ssd.read(100 + i), page_of(i));
}

TEST(SocDevice, RefusesWhatItCannotBe) {
  openremap_options options{};
  options.create = pcie_device_create;
  char error[256] = "";
  openremap_device *dev = nullptr;
  options.device.kind = "soc";
  options.device.geometry = PCIE_WIDE_GEOMETRY;
  EXPECT_NE(openremap_open(&options, &dev, error, sizeof error), 0);
  EXPECT_NE(std::string(error).find("geometry"), std::string::npos) << error;
  options.device.geometry = nullptr;
  options.device.trace_file = "wave.txt";
  EXPECT_NE(openremap_open(&options, &dev, error, sizeof error), 0);
  EXPECT_NE(std::string(error).find(".vcd or .fst"), std::string::npos) << error;
  options.device.trace_file = nullptr;
  options.device.cache = "keep";
  EXPECT_NE(openremap_open(&options, &dev, error, sizeof error), 0);
  EXPECT_EQ(std::string(error).find("cache: "), 0u) << error;
  options.device.cache = nullptr;
  ASSERT_EQ(setenv("OPENREMAP_FW_CACHE", "evict", 1), 0);
  EXPECT_NE(openremap_open(&options, &dev, error, sizeof error), 0);
  EXPECT_EQ(std::string(error).find("OPENREMAP_FW_CACHE: "), 0u) << error;
  ASSERT_EQ(unsetenv("OPENREMAP_FW_CACHE"), 0);
}

}  // namespace
}  // namespace orm
