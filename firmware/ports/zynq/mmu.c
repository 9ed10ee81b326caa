/* SPDX-License-Identifier: Apache-2.0 */
#include "mmu.h"

#include "cache.h"
#include "orm_zynq.h"

#define SECTIONS 4096u

/* Bits of a section's descriptor (ARM DDI 0406, B3.5.1). Nothing is shareable: on a Cortex-A9 outside of its coherent
 * group, shareable memory is not cached. */
#define SECTION_MARK 2u
#define SECTION_B (1u << 2)
#define SECTION_C (1u << 3)
#define SECTION_XN (1u << 4)
#define SECTION_AP_RW (1u << 10) /* only this mode reads and writes */
#define SECTION_TEX(n) ((uint32_t)(n) << 12)
#define SECTION_AP_RO (1u << 15) /* with AP_RW: only this mode reads */

#define MEMORY_CACHED (SECTION_TEX(1) | SECTION_C | SECTION_B) /* normal, write back, allocated by reads and writes */
#define MEMORY_UNCACHED SECTION_TEX(1)                         /* normal */
#define MEMORY_DEVICE SECTION_TEX(2)                           /* device, not shareable */
#define ACCESS_RX (SECTION_AP_RO | SECTION_AP_RW)
#define ACCESS_RW (SECTION_AP_RW | SECTION_XN)

/* Walks of the table go through the caches: write back, allocate. */
#define TTBR_WALKS ((1u << 3) | (1u << 6))
#define DOMAIN_0_CLIENT 1u /* descriptors' access bits count */

static uint32_t table[SECTIONS] __attribute__((aligned(SECTIONS * 4u)));

static void map(uint32_t base, uint32_t bytes, uint32_t attributes) {
  for (uint32_t i = 0; i < bytes / MMU_SECTION; i++)
    table[base / MMU_SECTION + i] = (base + i * MMU_SECTION) | attributes | SECTION_MARK;
}

uint32_t mmu_control(void) {
  uint32_t value;
  __asm__ volatile("mrc p15, 0, %0, c1, c0, 0" : "=r"(value));
  return value;
}

void mmu_start(void) {
#define X(NAME, base, size, memory, access) map(base, size, MEMORY_##memory | ACCESS_##access);
  ORM_ZYNQ_SECTIONS(X)
#undef X
  cache_begin();
  uint32_t zero = 0;
  __asm__ volatile("mcr p15, 0, %0, c8, c7, 0" ::"r"(zero)); /* TLBIALL */
  __asm__ volatile("mcr p15, 0, %0, c2, c0, 2" ::"r"(zero)); /* TTBCR: TTBR0 translates everything */
  __asm__ volatile("mcr p15, 0, %0, c2, c0, 0" ::"r"((uint32_t)table | TTBR_WALKS));
  __asm__ volatile("mcr p15, 0, %0, c3, c0, 0" ::"r"(DOMAIN_0_CLIENT));
  __asm__ volatile("dsb\n isb" ::: "memory");
  uint32_t on = MMU_CONTROL_MMU | MMU_CONTROL_DATA_CACHE | MMU_CONTROL_PREDICTION | MMU_CONTROL_INSTRUCTION_CACHE;
  __asm__ volatile("mcr p15, 0, %0, c1, c0, 0\n isb" ::"r"(mmu_control() | on) : "memory");
}

struct mmu_answer mmu_translate(uint32_t address, bool write) {
  uint32_t par;
  if (write)
    __asm__ volatile("mcr p15, 0, %0, c7, c8, 1\n isb" ::"r"(address)); /* ATS1CPW */
  else
    __asm__ volatile("mcr p15, 0, %0, c7, c8, 0\n isb" ::"r"(address)); /* ATS1CPR */
  __asm__ volatile("mrc p15, 0, %0, c7, c4, 0" : "=r"(par));
  struct mmu_answer answer = {(par & 1u) == 0, (par & ~0xFFFu) | (address & 0xFFFu), par};
  return answer;
}
