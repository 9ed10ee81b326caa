/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - maintenance of both levels of data caches: the Cortex-A9's own, and the PL310 behind it. Their lines have
 * 32 bytes. The controller reads and writes DDR past both.
 */
#ifndef OPENREMAP_ZYNQ_CACHE_H
#define OPENREMAP_ZYNQ_CACHE_H

#include <stdint.h>

#define CACHE_LINE 32u

/* Forgets what both levels hold, which may be anything, and switches level 2 on. Before level 1 and the MMU are
 * switched on, and after the start code has written to memory what a boot stage left there (start.S). */
void cache_begin(void);

/* Writes [address, address + bytes) to memory, as far as caches hold newer bytes. Done when it returns. */
void cache_clean(uint32_t address, uint32_t bytes);

/* Forgets what the caches hold of [address, address + bytes). Where the range begins or ends within a line, the rest of
 * this line is not forgotten: it is written to memory first. */
void cache_invalidate(uint32_t address, uint32_t bytes);

#endif /* OPENREMAP_ZYNQ_CACHE_H */
