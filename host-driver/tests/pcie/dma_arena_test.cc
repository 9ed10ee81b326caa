// SPDX-License-Identifier: Apache-2.0
extern "C" {
#include "pcie/dma_arena.h"
}

#include <gtest/gtest.h>

#include <cstring>

namespace {

class DmaArenaTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(dma_arena_init(&arena_, 8 * DMA_PAGE_BYTES), 0); }
  void TearDown() override { dma_arena_destroy(&arena_); }
  dma_arena arena_{};
};

TEST_F(DmaArenaTest, MemoryIsPageAlignedAndZeroedAgain) {
  auto *a = static_cast<uint8_t *>(dma_arena_alloc(&arena_, 100));
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(dma_arena_bus(&arena_, a) % DMA_PAGE_BYTES, 0u);
  std::memset(a, 0xFF, DMA_PAGE_BYTES);
  dma_arena_free(&arena_, a);
  for (int i = 0; i < 8; i++) {
    auto *b = static_cast<uint8_t *>(dma_arena_alloc(&arena_, DMA_PAGE_BYTES));
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(b[0], 0);
    EXPECT_EQ(b[DMA_PAGE_BYTES - 1], 0);
  }
}

TEST_F(DmaArenaTest, TakingIsTheSameWithoutTheZeroes) {
  auto *a = static_cast<uint8_t *>(dma_arena_take(&arena_, 2 * DMA_PAGE_BYTES));
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(dma_arena_bus(&arena_, a) % DMA_PAGE_BYTES, 0u);
  EXPECT_NE(dma_arena_alloc(&arena_, DMA_PAGE_BYTES), a);
  EXPECT_EQ(dma_arena_take(&arena_, 6 * DMA_PAGE_BYTES), nullptr);
  EXPECT_EQ(dma_arena_take(&arena_, 0), nullptr);
  dma_arena_free(&arena_, a);
  EXPECT_EQ(dma_arena_take(&arena_, 2 * DMA_PAGE_BYTES), a);
}

TEST_F(DmaArenaTest, RefusesWhenFullAndTakesBackHoles) {
  void *a = dma_arena_alloc(&arena_, 3 * DMA_PAGE_BYTES);
  void *b = dma_arena_alloc(&arena_, 3 * DMA_PAGE_BYTES);
  ASSERT_NE(a, nullptr);
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(dma_arena_alloc(&arena_, 3 * DMA_PAGE_BYTES), nullptr);
  EXPECT_EQ(dma_arena_alloc(&arena_, 0), nullptr);
  EXPECT_EQ(dma_arena_alloc(&arena_, 9 * DMA_PAGE_BYTES), nullptr);
  dma_arena_free(&arena_, a);
  EXPECT_EQ(dma_arena_alloc(&arena_, 3 * DMA_PAGE_BYTES), a);
  dma_arena_free(&arena_, b);
  // Five pages are free in one run now: 3 + the 2 behind it.
  EXPECT_NE(dma_arena_alloc(&arena_, 5 * DMA_PAGE_BYTES), nullptr);
  EXPECT_EQ(arena_.used, 8u);
}

TEST_F(DmaArenaTest, BoundsAreExact) {
  const uint64_t size = 8 * DMA_PAGE_BYTES;
  EXPECT_NE(dma_arena_at(&arena_, DMA_ARENA_BUS_BASE, size), nullptr);
  EXPECT_NE(dma_arena_at(&arena_, DMA_ARENA_BUS_BASE + size - 1, 1), nullptr);
  EXPECT_EQ(dma_arena_at(&arena_, DMA_ARENA_BUS_BASE + size - 1, 2), nullptr);
  EXPECT_EQ(dma_arena_at(&arena_, DMA_ARENA_BUS_BASE - 1, 1), nullptr);
  EXPECT_EQ(dma_arena_at(&arena_, 0, 1), nullptr);
  EXPECT_EQ(dma_arena_at(&arena_, UINT64_MAX, 2), nullptr);
  EXPECT_TRUE(dma_arena_holds(&arena_, arena_.base, size));
  EXPECT_FALSE(dma_arena_holds(&arena_, arena_.base + 1, size));
  int local = 0;
  EXPECT_FALSE(dma_arena_holds(&arena_, &local, sizeof(local)));
}

}  // namespace
