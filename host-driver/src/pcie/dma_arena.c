/* SPDX-License-Identifier: Apache-2.0 */
#include "pcie/dma_arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "pcie_function.h"

#define RUN_INSIDE UINT32_MAX

int dma_arena_init(struct dma_arena *arena, size_t bytes) {
  memset(arena, 0, sizeof(*arena));
  arena->bus_base = DMA_ARENA_BUS_BASE;
  arena->pages = (bytes + DMA_PAGE_BYTES - 1) / DMA_PAGE_BYTES;
  arena->base = mmap(NULL, arena->pages * DMA_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (arena->base == MAP_FAILED) {
    arena->base = NULL;
    return -ENOMEM;
  }
  arena->runs = calloc(arena->pages, sizeof(*arena->runs));
  if (arena->runs == NULL) {
    dma_arena_destroy(arena);
    return -ENOMEM;
  }
  return 0;
}

void dma_arena_destroy(struct dma_arena *arena) {
  if (arena->base != NULL) munmap(arena->base, arena->pages * DMA_PAGE_BYTES);
  free(arena->runs);
  memset(arena, 0, sizeof(*arena));
}

void dma_arena_share(struct dma_arena *arena, struct pcie_function *fn) {
  if (fn->ops->shared_memory == NULL) return;
  uint64_t bytes = 0;
  fn->ops->shared_memory(fn, &arena->bus_base, &bytes);
  arena->shared_with = fn;
  const size_t pages = (size_t)(bytes / DMA_PAGE_BYTES);
  if (pages >= arena->pages) return;
  munmap(arena->base + pages * DMA_PAGE_BYTES, (arena->pages - pages) * DMA_PAGE_BYTES);
  arena->pages = pages;
}

int dma_arena_push(const struct dma_arena *arena, const void *memory, size_t bytes) {
  struct pcie_function *fn = arena->shared_with;
  return fn == NULL ? 0 : fn->ops->shared_write(fn, dma_arena_bus(arena, memory), memory, bytes);
}

int dma_arena_pull(const struct dma_arena *arena, void *memory, size_t bytes) {
  struct pcie_function *fn = arena->shared_with;
  return fn == NULL ? 0 : fn->ops->shared_read(fn, dma_arena_bus(arena, memory), memory, bytes);
}

/* First free run of `pages` pages; arena->pages when there is none. */
static size_t find_run(const struct dma_arena *arena, size_t pages) {
  size_t start = 0;
  while (start + pages <= arena->pages) {
    const uint32_t taken = arena->runs[start];
    if (taken != 0) {
      start += taken; /* runs are whole: what begins here is the first page of one */
      continue;
    }
    size_t length = 1;
    while (length < pages && arena->runs[start + length] == 0) length++;
    if (length == pages) return start;
    start += length;
  }
  return arena->pages;
}

void *dma_arena_take(struct dma_arena *arena, size_t bytes) {
  const size_t pages = (bytes + DMA_PAGE_BYTES - 1) / DMA_PAGE_BYTES;
  if (pages == 0 || pages > arena->pages - arena->used) return NULL;

  /* The first that fits: memory that was used before is in the caches, and the system need not give more. */
  const size_t start = find_run(arena, pages);
  if (start == arena->pages) return NULL;

  arena->runs[start] = (uint32_t)pages;
  for (size_t i = 1; i < pages; i++) arena->runs[start + i] = RUN_INSIDE;
  arena->used += pages;
  return arena->base + start * DMA_PAGE_BYTES;
}

void *dma_arena_alloc(struct dma_arena *arena, size_t bytes) {
  void *memory = dma_arena_take(arena, bytes);
  if (memory != NULL) memset(memory, 0, (bytes + DMA_PAGE_BYTES - 1) / DMA_PAGE_BYTES * DMA_PAGE_BYTES);
  return memory;
}

void dma_arena_free(struct dma_arena *arena, void *memory) {
  if (memory == NULL) return;
  const size_t start = (size_t)((uint8_t *)memory - arena->base) / DMA_PAGE_BYTES;
  const size_t pages = arena->runs[start];
  memset(&arena->runs[start], 0, pages * sizeof(*arena->runs));
  arena->used -= pages;
}

bool dma_arena_holds(const struct dma_arena *arena, const void *memory, size_t bytes) {
  const uintptr_t base = (uintptr_t)arena->base;
  const uintptr_t at = (uintptr_t)memory;
  const size_t size = arena->pages * DMA_PAGE_BYTES;
  return at >= base && at - base <= size && bytes <= size - (at - base);
}

uint64_t dma_arena_bus(const struct dma_arena *arena, const void *memory) {
  return arena->bus_base + (uint64_t)((const uint8_t *)memory - arena->base);
}

void *dma_arena_at(const struct dma_arena *arena, uint64_t bus, size_t bytes) {
  const uint64_t size = (uint64_t)arena->pages * DMA_PAGE_BYTES;
  if (bus < arena->bus_base || bus - arena->bus_base > size || bytes > size - (bus - arena->bus_base)) return NULL;
  return arena->base + (bus - arena->bus_base);
}
