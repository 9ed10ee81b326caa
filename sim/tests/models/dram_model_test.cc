// SPDX-License-Identifier: Apache-2.0
#include "dram_model.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "seeded_random.h"

namespace orm {
namespace {

TEST(DramModel, ReadsBackAndForgets) {
  DramModel m(64);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(m.data()) % 16, 0u) << "platform.h asks for it";
  uint8_t out[4];
  ASSERT_TRUE(m.read(60, out, 4));
  EXPECT_EQ(out[0], DramModel::kPattern);
  const uint8_t data[4] = {1, 2, 3, 4};
  ASSERT_TRUE(m.write(60, data, nullptr, 4));
  const uint8_t strobe[4] = {0, 1, 0, 0};
  const uint8_t more[4] = {9, 9, 9, 9};
  ASSERT_TRUE(m.write(60, more, strobe, 4));
  ASSERT_TRUE(m.read(60, out, 4));
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 9);
  EXPECT_EQ(out[2], 3);
  m.power_cut();
  ASSERT_TRUE(m.read(60, out, 4));
  for (const uint8_t b : out) EXPECT_EQ(b, DramModel::kPattern);
}

TEST(DramModel, RefusesRangesOutside) {
  DramModel m(64);
  uint8_t buf[16] = {};
  EXPECT_FALSE(m.read(50, buf, 16));
  EXPECT_FALSE(m.write(64, buf, nullptr, 1));
  EXPECT_FALSE(m.write(UINT64_MAX - 3, buf, nullptr, 8));
  EXPECT_FALSE(m.fill(60, 0, 5));
}

/// Anonymous memory and files of this process, KiB.
size_t resident_kib() {
  FILE *status = std::fopen("/proc/self/status", "r");
  char line[256];
  size_t kib = 0;
  while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr) {
    if (std::sscanf(line, "VmRSS: %zu", &kib) == 1) break;
  }
  if (status != nullptr) std::fclose(status);
  return kib;
}

/// Ranges of any alignment, on both sides of what is mapped rather than written.
TEST(DramModel, FillsOverWhatWasWritten) {
  constexpr size_t kBytes = size_t(32) << 20;
  DramModel m(kBytes);
  std::vector<uint8_t> expected(kBytes, DramModel::kPattern);
  SeededRandom random(7);
  for (int i = 0; i < 30; ++i) {
    const size_t at = random.below(kBytes), len = random.below(std::min(kBytes - at, size_t(6) << 20) + 1);
    const uint8_t byte = uint8_t(i % 3 == 0 ? 0 : random.below(256));
    ASSERT_TRUE(m.fill(at, byte, len));
    std::fill_n(expected.begin() + ptrdiff_t(at), len, byte);
    const size_t spot = random.below(kBytes);
    const uint8_t one = uint8_t(random.below(256));
    ASSERT_TRUE(m.write(spot, &one, nullptr, 1));
    expected[spot] = one;
    ASSERT_EQ(std::memcmp(m.data(), expected.data(), kBytes), 0) << "fill " << i << " at " << at << ", " << len;
  }
  m.power_cut();
  std::fill(expected.begin(), expected.end(), DramModel::kPattern);
  EXPECT_EQ(std::memcmp(m.data(), expected.data(), kBytes), 0);
}

TEST(DramModel, TakesRoomOnlyWhereItIsWritten) {
  const size_t before = resident_kib();
  ASSERT_NE(before, 0u);
  DramModel m(size_t(3) << 30);
  ASSERT_TRUE(m.fill(0, 0xFF, size_t(1) << 30));
  ASSERT_TRUE(m.fill(size_t(1) << 30, 0, size_t(2) << 30));
  const uint8_t one = 1;
  for (size_t at = 0; at < m.size(); at += size_t(64) << 20) ASSERT_TRUE(m.write(at, &one, nullptr, 1));
  EXPECT_EQ(m.data()[(size_t(64) << 20) + 1], 0xFF);
  EXPECT_EQ(m.data()[m.size() - 1], 0);
  EXPECT_LT(resident_kib() - before, 32u << 10);
}

TEST(DramModel, SharesAPartOfAFile) {
  constexpr uint64_t kFrom = 1 << 20, kBytes = 6 << 20;  // enough that a memory alone would map filled pages
  const int file = memfd_create("shared", MFD_CLOEXEC);
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, off_t(kFrom + 2 * kBytes)), 0);
  auto *other = static_cast<uint8_t *>(mmap(nullptr, kFrom + 2 * kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  ASSERT_NE(other, MAP_FAILED);
  {
    DramModel m(kBytes, {file, kFrom, 2 * kBytes});
    close(file);  // it keeps the memory
    EXPECT_EQ(other[kFrom], DramModel::kPattern);
    EXPECT_EQ(other[kFrom + kBytes - 1], DramModel::kPattern);
    EXPECT_EQ(other[kFrom - 1], 0);
    EXPECT_EQ(other[kFrom + kBytes], 0);
    ASSERT_TRUE(m.fill(0, 0xFF, kBytes));
    ASSERT_TRUE(m.fill(4096, 0, kBytes - 8192));
    other[kFrom + 4] = 7;
    uint8_t out[5];
    ASSERT_TRUE(m.read(0, out, sizeof out));
    EXPECT_EQ(out[3], 0xFF);
    EXPECT_EQ(out[4], 7);
    EXPECT_EQ(other[kFrom + 4096], 0);
    EXPECT_EQ(other[kFrom + kBytes - 1], 0xFF);
    m.power_cut();
    EXPECT_EQ(other[kFrom + 4], DramModel::kPattern);
    EXPECT_EQ(other[kFrom + kBytes / 2], DramModel::kPattern);
  }
  EXPECT_EQ(other[kFrom + kBytes], 0);
  munmap(other, kFrom + 2 * kBytes);
}

}  // namespace
}  // namespace orm
