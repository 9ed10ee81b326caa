/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupts.h"

#include "orm_zynq.h"
#include "ps.h"

/* A lower number comes first; what is not below the mask does not reach the CPU. */
#define PRIORITY_WATCHDOG 0x40u
#define PRIORITY_OTHERS 0xA0u
#define MASK_IN_POLL 0x80u
#define MASK_ASLEEP 0xF8u

static void enable(uint32_t irq, uint32_t priority) {
  *(volatile uint8_t *)PS_GIC_PRIORITY(irq) = (uint8_t)priority;
  if (irq >= 32u) *(volatile uint8_t *)PS_GIC_TARGET(irq) = 1u; /* CPU 0; private inputs have no choice */
  ps_write(PS_GIC_ENABLE(irq), PS_GIC_BIT(irq));
}

void interrupts_begin(void) {
  ps_write(PS_GIC_CPU_CONTROL, 0);
  ps_write(PS_GIC_CONTROL, 0);
  enable(ORM_ZYNQ_IRQ_WATCHDOG, PRIORITY_WATCHDOG);
  enable(ORM_ZYNQ_IRQ_TIMER, PRIORITY_OTHERS);
  enable(ORM_ZYNQ_IRQ_CONTROLLER, PRIORITY_OTHERS);
  ps_write(PS_GIC_CPU_MASK, MASK_IN_POLL);
  ps_write(PS_GIC_CONTROL, 1);
  ps_write(PS_GIC_CPU_CONTROL, 1);
}

void interrupts_poll_begins(void) {
  ps_write(PS_GIC_CPU_MASK, MASK_IN_POLL);
  __asm__ volatile("dsb\n cpsie i" ::: "memory");
}

void interrupts_poll_ends(void) { __asm__ volatile("cpsid i" ::: "memory"); }

uint32_t interrupts_take(void) {
  uint32_t acknowledged = ps_read(PS_GIC_CPU_ACKNOWLEDGE), irq = acknowledged & 0x3FFu;
  if (irq != INTERRUPT_NONE) ps_write(PS_GIC_CPU_END, acknowledged);
  return irq;
}

uint32_t interrupts_sleep(void) {
  ps_write(PS_GIC_CPU_MASK, MASK_ASLEEP);
  __asm__ volatile("dsb\n wfi" ::: "memory"); /* a masked interrupt ends it too */
  return interrupts_take();
}
