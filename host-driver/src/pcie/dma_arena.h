/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dma_arena.h - the only host memory that the device may touch: one mapped range, handed out in pages.
 *
 * Bus addresses start above 4 GiB, so that a device that drops upper address bits fails at once. Not thread-safe.
 *
 * A device that cannot reach this machine's memory has some that it shares with the host (pcie_function.h,
 * shared_memory). The arena stands for the beginning of that memory then, page for page, and the bytes are copied:
 * dma_arena_push() before the device is told of them, dma_arena_pull() after it has said that they are there.
 */
#ifndef OPENREMAP_DMA_ARENA_H
#define OPENREMAP_DMA_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DMA_PAGE_BYTES 4096u
#define DMA_ARENA_BUS_BASE 0x100000000ull

struct pcie_function;

struct dma_arena {
  uint8_t *base;
  size_t pages;
  size_t used; /* pages handed out */
  uint64_t bus_base;
  struct pcie_function *shared_with; /* the device whose memory this stands for; NULL: it reaches this memory itself */
  uint32_t *runs;                    /* [page]: length of the run that starts here; RUN_INSIDE within one; 0 free */
};

/* Maps `bytes` (rounded up to pages). -ENOMEM. */
int dma_arena_init(struct dma_arena *arena, size_t bytes);
void dma_arena_destroy(struct dma_arena *arena);

/* From now on the arena stands for the memory that this device shares, if it has any; it gets smaller where that is.
 * Nothing may have been handed out. */
void dma_arena_share(struct dma_arena *arena, struct pcie_function *fn);
/* Copies bytes of the arena to the device, or from it. Does nothing where the device reaches them itself. -EIO. */
int dma_arena_push(const struct dma_arena *arena, const void *memory, size_t bytes);
int dma_arena_pull(const struct dma_arena *arena, void *memory, size_t bytes);

/* Page-aligned, contiguous, zeroed; NULL when there is no room. bytes > 0. */
void *dma_arena_alloc(struct dma_arena *arena, size_t bytes);
/* The same with whatever was there before, for who writes all of it. */
void *dma_arena_take(struct dma_arena *arena, size_t bytes);
/* `memory` came from one of these, or is NULL. */
void dma_arena_free(struct dma_arena *arena, void *memory);

/* Whether all of [memory, memory + bytes) lies in the arena. */
bool dma_arena_holds(const struct dma_arena *arena, const void *memory, size_t bytes);
/* Bus address of a byte of the arena. */
uint64_t dma_arena_bus(const struct dma_arena *arena, const void *memory);
/* The memory behind [bus, bus + bytes), or NULL when any of it is outside. */
void *dma_arena_at(const struct dma_arena *arena, uint64_t bus, size_t bytes);

#endif /* OPENREMAP_DMA_ARENA_H */
