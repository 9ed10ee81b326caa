/* SPDX-License-Identifier: Apache-2.0 */
#include "trial.h"

#include "orm_soc.h"

static struct platform *of;   /* whose members are exchanged, and */
static struct platform usual; /* what they were */
static uint32_t wanted;

/* The watchdog's time is ten million cycles, which a simulation would have to evaluate: a trial waits for a hundredth
 * of it. TIMER_LOAD is the time of each later poll too; none comes. */
#define SOON (ORM_SOC_CLOCK_HZ / 1000u)

static volatile uint32_t *at(uint32_t address) { return (volatile uint32_t *)address; }

static void hang(void) __attribute__((noreturn));
static void hang(void) {
  *at(ORM_SOC_CSR_BASE + ORM_SOC_TIMER_EN) = 0;
  *at(ORM_SOC_CSR_BASE + ORM_SOC_TIMER_LOAD) = SOON;
  *at(ORM_SOC_CSR_BASE + ORM_SOC_TIMER_EN) = ORM_SOC_TIMER_EN_RUN_MASK;
  for (;;) {
  }
}

/* Nothing is there: the region is larger than the DRAM. */
static void lose_a_store(void) { *at(ORM_SOC_DRAM_BASE + ORM_SOC_DRAM_SIZE - 16u) = 0; }

/* None of them comes back: what is wrong with an access is told some instructions later. */
static void misbehave(uint32_t how) __attribute__((noreturn));
static void misbehave(uint32_t how) {
  switch (how) {
    case ORM_SOC_TRIAL_ILLEGAL:
      __asm__ volatile(".word 0");
      break;
    case ORM_SOC_TRIAL_LOAD: /* nothing is there */
      (void)*at(ORM_SOC_NVRAM_BASE + ORM_SOC_NVRAM_SIZE);
      break;
    case ORM_SOC_TRIAL_STORE:
      lose_a_store();
      break;
    case ORM_SOC_TRIAL_STACK:
      __asm__ volatile("1: addi sp, sp, -16\n sw zero, 0(sp)\n j 1b");
      break;
    default:
      break;
  }
  hang();
}

static uint32_t bad_read(void *ctx, uint32_t offset) {
  (void)ctx, (void)offset;
  of->mmio_read = usual.mmio_read;
  misbehave(ORM_GET(wanted, ORM_SOC_TRIAL_POLL));
}

static void bad_write(void *ctx, uint32_t addr, const void *buf, size_t len) {
  (void)ctx, (void)addr, (void)buf, (void)len;
  of->nvram_write = usual.nvram_write;
  misbehave(ORM_GET(wanted, ORM_SOC_TRIAL_LOG));
}

/* The last thing that a poll does. */
static void settle_badly(void *ctx) {
  of->settle = usual.settle;
  lose_a_store();
  litex_settle(ctx);
}

void trial_begin(struct platform *platform, uint32_t trial) {
  if (of != NULL || ORM_GET(trial, ORM_SOC_TRIAL_POLL) == ORM_SOC_TRIAL_NONE) return; /* once each power-on */
  of = platform;
  usual = *platform;
  wanted = trial;
  if (ORM_GET(trial, ORM_SOC_TRIAL_POLL) == ORM_SOC_TRIAL_LAST_STORE) {
    platform->settle = settle_badly;
  } else {
    platform->mmio_read = bad_read;
  }
  if (ORM_GET(trial, ORM_SOC_TRIAL_LOG) != ORM_SOC_TRIAL_NONE) platform->nvram_write = bad_write;
}
