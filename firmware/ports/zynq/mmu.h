/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mmu.h - the address space: one page table of sections of 1 MiB, made once (ARMv7-A, short descriptors).
 */
#ifndef OPENREMAP_ZYNQ_MMU_H
#define OPENREMAP_ZYNQ_MMU_H

#include <stdbool.h>
#include <stdint.h>

#define MMU_SECTION (1u << 20)

/* Makes the table of the regions of orm_zynq.h, and switches on MMU, branch prediction and caches. Called by the start
 * code, before anything that a cache may hold is used. */
void mmu_start(void);

/* What the processor finds for an address, by its own translation. `write`: for a store. */
struct mmu_answer {
  bool mapped;       /* and the access is allowed */
  uint32_t physical; /* address */
  uint32_t par;      /* the processor's answer (PAR): attributes, or why not */
};
struct mmu_answer mmu_translate(uint32_t address, bool write);

/* System control register, and its bits. */
uint32_t mmu_control(void);
#define MMU_CONTROL_MMU (1u << 0)
#define MMU_CONTROL_DATA_CACHE (1u << 2)
#define MMU_CONTROL_PREDICTION (1u << 11)
#define MMU_CONTROL_INSTRUCTION_CACHE (1u << 12)

#endif /* OPENREMAP_ZYNQ_MMU_H */
