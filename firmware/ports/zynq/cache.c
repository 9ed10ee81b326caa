/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include <stdbool.h>

#include "ps.h"

/* Level 1 of a Cortex-A9 in a Zynq: 32 KiB, 4 ways. */
#define L1_SETS 256u
#define L1_WAYS 4u
#define L1_WAY_SHIFT 30u
#define L1_SET_SHIFT 5u

/* PL310 (ARM DDI 0246): latencies as the Zynq's manual wants them (UG585, 3.4.10). */
#define L2_TAG_LATENCY 0x111u
#define L2_DATA_LATENCY 0x121u
#define L2_ALL_WAYS 0xFFu
#define SLCR_L2_RAM 0x00020202u /* UG585: has to be written before level 2 is switched on */

static void barrier(void) { __asm__ volatile("dsb" ::: "memory"); }

static void level2_sync(void) {
  ps_write(PS_L2_SYNC, 0);
  while (ps_read(PS_L2_SYNC) & 1u) {
  }
}

void cache_begin(void) {
  for (uint32_t way = 0; way < L1_WAYS; way++)
    for (uint32_t set = 0; set < L1_SETS; set++)
      __asm__ volatile("mcr p15, 0, %0, c7, c6, 2" ::"r"(way << L1_WAY_SHIFT | set << L1_SET_SHIFT)); /* DCISW */
  uint32_t zero = 0;
  __asm__ volatile("mcr p15, 0, %0, c7, c5, 0" ::"r"(zero)); /* ICIALLU */
  __asm__ volatile("mcr p15, 0, %0, c7, c5, 6" ::"r"(zero)); /* BPIALL */
  barrier();

  ps_write(PS_L2_CONTROL, 0);
  ps_write(PS_L2_TAG_LATENCY, L2_TAG_LATENCY);
  ps_write(PS_L2_DATA_LATENCY, L2_DATA_LATENCY);
  ps_write(PS_L2_INVALIDATE_WAY, L2_ALL_WAYS);
  while (ps_read(PS_L2_INVALIDATE_WAY) & L2_ALL_WAYS) {
  }
  level2_sync();
  ps_write(PS_L2_INTERRUPT_CLEAR, 0x1FFu);
  ps_write(PS_SLCR_UNLOCK, PS_SLCR_UNLOCK_KEY);
  ps_write(PS_SLCR_L2_RAM, SLCR_L2_RAM);
  ps_write(PS_SLCR_LOCK, PS_SLCR_LOCK_KEY);
  ps_write(PS_L2_CONTROL, 1);
  barrier();
}

/* Lines from and to which a range reaches. */
static uint32_t first_line(uint32_t address) { return address & ~(CACHE_LINE - 1u); }

void cache_clean(uint32_t address, uint32_t bytes) {
  if (bytes == 0) return;
  uint32_t last = first_line(address + bytes - 1u);
  for (uint32_t line = first_line(address);; line += CACHE_LINE) {
    __asm__ volatile("mcr p15, 0, %0, c7, c10, 1" ::"r"(line) : "memory"); /* DCCMVAC */
    if (line == last) break;
  }
  barrier(); /* what level 1 has written is in level 2 */
  for (uint32_t line = first_line(address);; line += CACHE_LINE) {
    ps_write(PS_L2_CLEAN_LINE, line);
    if (line == last) break;
  }
  level2_sync();
  barrier();
}

/* A whole line is forgotten, a part of one written first. */
static bool is_whole(uint32_t line, uint32_t address, uint32_t bytes) {
  return line >= address && line + CACHE_LINE <= address + bytes;
}

void cache_invalidate(uint32_t address, uint32_t bytes) {
  if (bytes == 0) return;
  uint32_t first = first_line(address), last = first_line(address + bytes - 1u);
  if (!is_whole(first, address, bytes)) cache_clean(first, CACHE_LINE);
  if (!is_whole(last, address, bytes)) cache_clean(last, CACHE_LINE);
  /* Level 2 first: level 1 must not fetch from it what is to be forgotten. */
  for (uint32_t line = first;; line += CACHE_LINE) {
    ps_write(PS_L2_INVALIDATE_LINE, line);
    if (line == last) break;
  }
  level2_sync();
  for (uint32_t line = first;; line += CACHE_LINE) {
    __asm__ volatile("mcr p15, 0, %0, c7, c6, 1" ::"r"(line) : "memory"); /* DCIMVAC */
    if (line == last) break;
  }
  barrier();
}
