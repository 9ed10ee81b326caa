// SPDX-License-Identifier: Apache-2.0
//
// Devices of the fast model that are larger than the machine: their use of memory follows the amount of data written.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "openremap.h"
#include "openremap_stats.h"
#include "pcie_function.h"
#include "seeded_random.h"
#include "temp_dir.h"
#include "test_seed.h"

namespace orm {
namespace {

constexpr uint64_t kMiB = uint64_t(1) << 20;

/// Resident memory of this process, mapped files included.
uint64_t resident_bytes() {
  FILE *statm = std::fopen("/proc/self/statm", "r");
  if (statm == nullptr) return 0;
  uint64_t total = 0, resident = 0;
  const int found = std::fscanf(statm, "%" SCNu64 " %" SCNu64, &total, &resident);
  std::fclose(statm);
  return found == 2 ? resident * uint64_t(sysconf(_SC_PAGESIZE)) : 0;
}

/// What a file takes of its file system.
uint64_t allocated_bytes(const std::string &path) {
  struct stat found;
  EXPECT_EQ(stat(path.c_str(), &found), 0) << path;
  return uint64_t(found.st_blocks) * 512;
}

class LargeSsd {
 public:
  LargeSsd(const char *geometry, const std::string &folder) : folder_(folder) {
    openremap_options options{};
    options.device.kind = "model";
    options.device.geometry = geometry;
    options.device.image_dir = folder_.empty() ? nullptr : folder_.c_str();
    options.device.seed = openremap::TestSeed();
    options.device.firmware_cpu = "none";  // a start of the largest takes a VexRiscv longer than CAP.TO allows
    options.create = pcie_device_create;
    char error[256] = "";
    const int status = openremap_open(&options, &dev, error, sizeof error);
    EXPECT_EQ(status, 0) << error;
    if (status != 0) dev = nullptr;
  }
  ~LargeSsd() { close(); }
  LargeSsd(const LargeSsd &) = delete;
  LargeSsd &operator=(const LargeSsd &) = delete;

  void close() {
    if (dev != nullptr) {
      EXPECT_EQ(openremap_close(dev), 0);
    }
    dev = nullptr;
  }
  void power_cycle() {
    pcie_function *fn = openremap_pcie_function(dev);
    ASSERT_EQ(fn->ops->power_cut(fn), 0);
    ASSERT_EQ(fn->ops->power_on(fn), 0);
    ASSERT_EQ(openremap_reset(dev), 0);
  }
  uint64_t pages() const { return openremap_get_info(dev)->pages; }

  openremap_device *dev = nullptr;

 private:
  std::string folder_;
};

constexpr uint64_t kRun = 64;

std::vector<uint8_t> data_of(uint64_t value) {
  std::vector<uint8_t> data(kRun * OPENREMAP_PAGE_BYTES);
  SeededRandom random(value);
  for (size_t i = 0; i < data.size(); i += 8) {
    const uint64_t word = random.next();
    std::memcpy(data.data() + i, &word, 8);
  }
  return data;
}

/// Runs of pages: `written` with data, `remapped` to it, and the pages trimmed again, at both ends and in the middle.
struct Runs {
  uint64_t written, remapped, trimmed;
};
std::vector<Runs> runs_of(const LargeSsd &ssd) {
  const uint64_t end = ssd.pages(), middle = end / 2;
  return {
      {0, kRun, 2 * kRun}, {middle, middle + kRun, middle + 2 * kRun}, {end - kRun, end - 2 * kRun, end - 3 * kRun}};
}

void use(const LargeSsd &ssd, uint64_t salt) {
  for (const Runs &r : runs_of(ssd)) {
    ASSERT_EQ(openremap_write(ssd.dev, r.written, kRun, data_of(salt + r.written).data(), false), 0);
    ASSERT_EQ(openremap_write(ssd.dev, r.trimmed, kRun, data_of(salt + r.trimmed).data(), false), 0);
    ASSERT_EQ(openremap_remap(ssd.dev, r.written, r.remapped, kRun, OPENREMAP_SHARE), 0);
    const openremap_range gone{r.trimmed, kRun};
    ASSERT_EQ(openremap_deallocate(ssd.dev, &gone, 1), 0);
  }
  ASSERT_EQ(openremap_flush(ssd.dev), 0);
}

void check(const LargeSsd &ssd, uint64_t salt) {
  std::vector<uint8_t> found(kRun * OPENREMAP_PAGE_BYTES);
  const std::vector<uint8_t> zeroes(found.size());
  for (const Runs &r : runs_of(ssd)) {
    ASSERT_EQ(openremap_read(ssd.dev, r.written, kRun, found.data()), 0);
    EXPECT_TRUE(found == data_of(salt + r.written)) << "LPN " << r.written;
    ASSERT_EQ(openremap_read(ssd.dev, r.remapped, kRun, found.data()), 0);
    EXPECT_TRUE(found == data_of(salt + r.written)) << "LPN " << r.remapped << ", remapped";
    ASSERT_EQ(openremap_read(ssd.dev, r.trimmed, kRun, found.data()), 0);
    EXPECT_TRUE(found == zeroes) << "LPN " << r.trimmed << ", trimmed";
  }
}

TEST(Capacity, ATebibyteBesideSixteenGibibytesTakesWhatIsWritten) {
  SCOPED_TRACE("seed " + std::to_string(openremap::TestSeed()));
  const uint64_t before = resident_bytes();
  ASSERT_NE(before, 0u);
  const auto grown = [&] { return (resident_bytes() - before) / kMiB; };
  const TempDir images;
  LargeSsd large("8x8x8192x512", images.path), small("8x4x512x256", "");
  ASSERT_TRUE(large.dev != nullptr && small.dev != nullptr);
  EXPECT_GT(large.pages() * OPENREMAP_PAGE_BYTES, 890 * 1024 * kMiB);
  EXPECT_GT(small.pages() * OPENREMAP_PAGE_BYTES, 13 * 1024 * kMiB);
  // 3.3 GiB of tables and 73 MiB of NVRAM bitmaps would be the devices' own. What there is: block records (16 bytes for
  // each block), host memory, what the two ends and their tables hold.
  constexpr uint64_t kMost = 192;
  std::printf("resident: %" PRIu64 " MiB more with both open\n", grown());
  EXPECT_LT(grown(), kMost);
  for (const LargeSsd *ssd : {&large, &small}) ASSERT_NO_FATAL_FAILURE(use(*ssd, 1));
  for (const LargeSsd *ssd : {&large, &small}) ASSERT_NO_FATAL_FAILURE(check(*ssd, 1));
  std::printf("resident: %" PRIu64 " MiB more with both used\n", grown());
  EXPECT_LT(grown(), kMost);
  for (LargeSsd *ssd : {&large, &small}) ASSERT_NO_FATAL_FAILURE(ssd->power_cycle());
  for (const LargeSsd *ssd : {&large, &small}) ASSERT_NO_FATAL_FAILURE(check(*ssd, 1));
  std::printf("resident: %" PRIu64 " MiB more after a power cycle\n", grown());
  EXPECT_LT(grown(), kMost);
}

/// Opens the images again, after a shutdown: pages that were trimmed before stay trimmed.
TEST(Capacity, ATebibyteIsOpenedAgain) {
  const TempDir images;
  for (uint64_t start = 1; start <= 2; ++start) {
    LargeSsd large("8x8x8192x512", images.path);
    ASSERT_NE(large.dev, nullptr);
    if (start > 1) {
      ASSERT_NO_FATAL_FAILURE(check(large, start - 1));
    }
    ASSERT_NO_FATAL_FAILURE(use(large, start));
    ASSERT_NO_FATAL_FAILURE(check(large, start));
    const uint64_t taken = allocated_bytes(images.path + "/flash.img");
    std::printf("flash.img takes %" PRIu64 " KiB\n", taken / 1024);
    EXPECT_LT(taken, 64 * kMiB) << "block records and what was written; erased blocks take nothing";
  }
}

}  // namespace
}  // namespace orm
