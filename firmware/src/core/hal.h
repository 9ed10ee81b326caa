/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hal.h - shorthand over the platform seam: registers, DRAM words, NVRAM, log lines.
 */
#ifndef OPENREMAP_FW_HAL_H
#define OPENREMAP_FW_HAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "orm_regs.h"
#include "platform.h"

static inline uint32_t hal_read(const struct platform *p, uint32_t offset) { return p->mmio_read(p->ctx, offset); }

static inline void hal_write(const struct platform *p, uint32_t offset, uint32_t value) {
  p->mmio_write(p->ctx, offset, value);
}

static inline uint64_t hal_time(const struct platform *p) { return p->time_ns(p->ctx); }

/* DRAM. Callers keep to ranges they own; addresses come from the CAP registers. */
static inline uint8_t *hal_dram(const struct platform *p, uint32_t addr) { return p->dram + addr; }

static inline uint32_t hal_dram_get32(const struct platform *p, uint32_t addr) {
  return *(const volatile uint32_t *)(const void *)(p->dram + addr); /* one access: the hardware may write beside us */
}

static inline void hal_dram_put32(const struct platform *p, uint32_t addr, uint32_t value) {
  *(volatile uint32_t *)(void *)(p->dram + addr) = value;
}

/* Up to a few hundred KiB, since a poll is short. */
void hal_dram_fill(const struct platform *p, uint32_t addr, uint8_t byte, size_t len);

static inline void hal_clean(const struct platform *p, uint32_t addr, size_t len) {
  if (p->cache_clean != NULL) p->cache_clean(p->ctx, addr, len);
  if (p->barrier != NULL) p->barrier(p->ctx);
}

static inline void hal_invalidate(const struct platform *p, uint32_t addr, size_t len) {
  if (p->cache_invalidate != NULL) p->cache_invalidate(p->ctx, addr, len);
}

static inline void hal_nv_read(const struct platform *p, uint32_t addr, void *buf, size_t len) {
  p->nvram_read(p->ctx, addr, buf, len);
}

/* Durable on return. */
static inline void hal_nv_write(const struct platform *p, uint32_t addr, const void *buf, size_t len) {
  if (p->barrier != NULL) p->barrier(p->ctx);
  p->nvram_write(p->ctx, addr, buf, len);
}

/* Writes zeroes; `len` is a multiple of 8. */
void hal_nv_zero(const struct platform *p, uint32_t addr, size_t len);

/* One formatted line, at most 159 characters. */
void hal_log(const struct platform *p, enum platform_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* OPENREMAP_FW_HAL_H */
