// SPDX-License-Identifier: Apache-2.0
//
// A small device: the controller (Verilated, or its fast model) with its firmware, and the contents that each of its
// pages must have.
#ifndef OPENREMAP_HOST_DRIVER_TESTS_CONTROLLER_FIXTURE_H_
#define OPENREMAP_HOST_DRIVER_TESTS_CONTROLLER_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "device_kind.h"
#include "openremap.h"
#include "openremap_stats.h"
#include "pcie_function.h"
#include "test_seed.h"

namespace openremap {

using Page = std::vector<uint8_t>;

// The content of a page at version `version`; version 0 is a page that was never written.
inline Page Contents(uint64_t version) {
  Page page(OPENREMAP_PAGE_BYTES, 0);
  if (version == 0) return page;
  std::mt19937_64 random(version);
  for (size_t i = 0; i < page.size(); i += 8) {
    const uint64_t word = random();
    for (size_t b = 0; b < 8; b++) page[i + b] = static_cast<uint8_t>(word >> (8 * b));
  }
  return page;
}

class ControllerTest : public ::testing::TestWithParam<const char *> {
 protected:
  void SetUp() override {
    options_.create = pcie_device_create;
    ChooseDevice(GetParam(), &options_.device);
    options_.device.superblocks = 10;
    options_.device.seed = openremap::TestSeed();
    Open();
  }
  void TearDown() override { Close(); }

  void Open() {
    char error[300] = "";
    ASSERT_EQ(openremap_open(&options_, &dev_, error, sizeof(error)), 0) << error;
    pages_ = openremap_get_info(dev_)->pages;
  }
  void Close() {
    if (dev_ == nullptr) return;
    EXPECT_EQ(openremap_close(dev_), 0);
    dev_ = nullptr;
  }
  // Writes new data to `count` pages from `lpn` on.
  void Write(uint64_t lpn, uint64_t count = 1) {
    Page data;
    for (uint64_t i = 0; i < count; i++) {
      versions_[lpn + i] = ++last_version_;
      const Page page = Contents(last_version_);
      data.insert(data.end(), page.begin(), page.end());
    }
    ASSERT_EQ(openremap_write(dev_, lpn, count, data.data(), false), 0);
  }
  Page Read(uint64_t lpn) {
    Page page(OPENREMAP_PAGE_BYTES, 0xEE);
    EXPECT_EQ(openremap_read(dev_, lpn, 1, page.data()), 0) << "LPN " << lpn;
    return page;
  }
  void CheckPage(uint64_t lpn) {
    const auto found = versions_.find(lpn);
    ASSERT_EQ(Read(lpn), Contents(found != versions_.end() ? found->second : 0)) << "LPN " << lpn;
  }
  void CheckAll() {
    for (const auto &[lpn, version] : versions_) ASSERT_NO_FATAL_FAILURE(CheckPage(lpn));
  }
  int Remap(uint64_t src, uint64_t dst, uint64_t count, unsigned flags = OPENREMAP_SHARE) {
    const int rc = openremap_remap(dev_, src, dst, count, flags);
    for (uint64_t i = 0; rc == 0 && i < count; i++) {
      versions_[dst + i] = versions_[src + i];
      if (flags == OPENREMAP_MOVE) versions_[src + i] = 0;
    }
    return rc;
  }
  // Targets that do not ascend: the hardware leaves the ranges to the firmware.
  void FirmwareRemaps(const std::vector<openremap_remap_range> &ranges) {
    ASSERT_GT(ranges.size(), 1u);
    ASSERT_GT(ranges.front().dst, ranges.back().dst);
    ASSERT_EQ(openremap_remap_vector(dev_, ranges.data(), ranges.size(), OPENREMAP_SHARE), 0);
    for (const openremap_remap_range &range : ranges) {
      for (uint64_t i = 0; i < range.pages; i++) versions_[range.dst + i] = versions_[range.src + i];
    }
  }
  void Deallocate(uint64_t lpn, uint64_t count) {
    const openremap_range range = {lpn, count};
    ASSERT_EQ(openremap_deallocate(dev_, &range, 1), 0);
    for (uint64_t i = 0; i < count; i++) versions_[lpn + i] = 0;
  }
  // Slots that a flash page has room for: what is flushed is completed to whole pages.
  uint64_t InPage() const { return IsWide(GetParam()) ? 4 : 1; }
  uint64_t WholePages(uint64_t slots) const { return (slots + InPage() - 1) / InPage() * InPage(); }
  orm_remap_log Stats() {
    orm_remap_log stats{};
    EXPECT_EQ(openremap_get_stats(dev_, &stats), 0);
    return stats;
  }

  // Flash pages that the NAND model has programmed since it was made.
  uint64_t Programmed() {
    char text[4096] = "";
    pcie_function *fn = openremap_pcie_function(dev_);
    EXPECT_GT(fn->ops->sim_stats(fn, text, sizeof text), 0);
    const char name[] = "\"programs\": ", *at = std::strstr(text, name);
    EXPECT_NE(at, nullptr);
    return at == nullptr ? 0 : std::strtoull(at + std::strlen(name), nullptr, 10);
  }
  uint64_t Slots() {
    const orm_remap_log log = Stats();
    return log.nand_program_host + log.nand_program_gc + log.nand_program_meta + log.nand_program_pad;
  }
  // I6: every slot that flash has was counted once, once nothing is under way.
  void CheckCounters() {
    ASSERT_EQ(openremap_flush(dev_), 0);
    for (int waits = 0; waits < 100 && Slots() != InPage() * Programmed(); waits++) openremap_poll(dev_, 1000000);
    ASSERT_EQ(Slots(), InPage() * Programmed());
  }

  openremap_options options_{};
  openremap_device *dev_ = nullptr;
  uint64_t pages_ = 0;
  std::map<uint64_t, uint64_t> versions_;  // LPN -> version it must read
  uint64_t last_version_ = 0;
};

}  // namespace openremap

#endif  // OPENREMAP_HOST_DRIVER_TESTS_CONTROLLER_FIXTURE_H_
