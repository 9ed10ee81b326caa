/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hal.h - shorthand over the platform (platform.h): registers, DRAM, NVRAM, time and log lines. Nothing here fails.
 */
#ifndef OPENREMAP_FW_HAL_H
#define OPENREMAP_FW_HAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fw_mutant.h"
#include "fw_work.h"
#include "orm_bytes.h"
#include "orm_regs.h"
#include "platform.h"

static inline uint32_t hal_read(const struct platform *p, uint32_t offset) { return p->mmio_read(p->ctx, offset); }

static inline void hal_write(const struct platform *p, uint32_t offset, uint32_t value) {
  p->mmio_write(p->ctx, offset, value);
}

static inline uint64_t hal_time(const struct platform *p) { return p->time_ns(p->ctx); }

/* Pointer to DRAM address `addr`. Callers keep to what they own; addresses come from device.h. */
static inline uint8_t *hal_dram(const struct platform *p, uint32_t addr) { return p->dram + addr; }

/* The same of an address that is a multiple of 4: a processor that cannot load unaligned words then loads words. */
static inline uint8_t *hal_dram_words(const struct platform *p, uint32_t addr) {
  return (uint8_t *)__builtin_assume_aligned(p->dram + addr, 4);
}

static inline uint32_t hal_dram_get32(const struct platform *p, uint32_t addr) {
  return *(const volatile uint32_t *)(const void *)(p->dram + addr); /* one access: the hardware may write beside us */
}

static inline void hal_dram_put32(const struct platform *p, uint32_t addr, uint32_t value) {
  *(volatile uint32_t *)(void *)(p->dram + addr) = value;
}

/* Sets `len` bytes of DRAM. Up to a few hundred KiB in a poll, which is short. */
void hal_dram_fill(const struct platform *p, uint32_t addr, uint8_t byte, size_t len);

/* Makes what the CPU wrote visible to the hardware; before the register write that lets the hardware read it, or write
 * over it. */
static inline void hal_clean(const struct platform *p, uint32_t addr, size_t len) {
  if (p->cache_clean != NULL) p->cache_clean(p->ctx, addr, len);
  if (p->barrier != NULL) p->barrier(p->ctx);
}

/* Makes what the hardware wrote visible to the CPU; before the CPU reads it. */
static inline void hal_invalidate(const struct platform *p, uint32_t addr, size_t len) {
  if (p->cache_invalidate != NULL) p->cache_invalidate(p->ctx, addr, len);
}

#ifdef ORM_MUTANTS /* one of all calls of these two may be left out (fw_mutant.h) */
#define hal_clean(p, addr, len) \
  (fw_mutant_omits("clean", __FILE__, __func__) ? (void)0 : (hal_clean)((p), (addr), (len)))
#define hal_invalidate(p, addr, len) \
  (fw_mutant_omits("invalidate", __FILE__, __func__) ? (void)0 : (hal_invalidate)((p), (addr), (len)))
#endif

/* NVRAM. Addresses and lengths are multiples of 8. */
static inline void hal_nv_read(const struct platform *p, uint32_t addr, void *buf, size_t len) {
  p->nvram_read(p->ctx, addr, buf, len);
}

/* Whether all of `len` bytes, a multiple of 4 at an address that is one, are zero: nothing was ever written there, and
 * there is no CRC to check. */
static inline bool hal_is_zero(const uint8_t *bytes, size_t len) {
  const uint8_t *words = (const uint8_t *)__builtin_assume_aligned(bytes, 4);
  uint32_t any = 0;
  for (size_t i = 0; i < len; i += 4u) any |= (uint32_t)orm_get_le(words + i, 4);
  return any == 0;
}

/* Durable on return. 8 bytes are atomic; the 8-byte units of one call become durable in any order. */
static inline void hal_nv_write(const struct platform *p, uint32_t addr, const void *buf, size_t len) {
  if (p->barrier != NULL) p->barrier(p->ctx);
  p->nvram_write(p->ctx, addr, buf, len);
}

/* Writes zeroes to NVRAM. Durable on return. */
void hal_nv_zero(const struct platform *p, uint32_t addr, size_t len);

/* Logs one formatted line; characters past the 159th are cut. */
void hal_log(const struct platform *p, enum platform_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif /* OPENREMAP_FW_HAL_H */
