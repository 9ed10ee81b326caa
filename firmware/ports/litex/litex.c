/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The port of the SoC that LiteX makes (soc/): VexRiscv beside the controller, on one clock. Everything is at fixed
 * addresses of one bus (interfaces/registers/soc.yaml).
 *
 * The data cache writes through, so nothing has to be cleaned: a register write waits until what the CPU has stored is
 * in memory (FwBridge). Invalidating drops the whole cache, which costs no data.
 */
#include <stdint.h>
#include <string.h>

#include "board.h"
#include "firmware_limits.h"
#include "orm_regs.h"
#include "orm_soc.h"
#include "platform.h"
#include "runner.h"
#include "trial.h"

void litex_main(void);
void litex_trap(uint32_t cause, uint32_t pc, uint32_t value);

#define NS_PER_CYCLE (1000000000u / ORM_SOC_CLOCK_HZ)
_Static_assert(NS_PER_CYCLE *ORM_SOC_CLOCK_HZ == 1000000000u, "the clock's period is a whole number of ns");
_Static_assert(FW_POLL_MOST_NS / NS_PER_CYCLE <= ORM_SOC_WAIT_CYCLES_CYCLES_MASK, "the longest wait fits its register");

#define WATCHDOG_CYCLES (ORM_SOC_CLOCK_HZ / 10u) /* 100 ms: platform.h */

static struct platform platform;
static struct machine machine;
static struct board board;
static struct runner runner;
static uint8_t context[FW_CONTEXT_BYTES] __attribute__((section(".noinit"), aligned(16)));

static uint32_t load(uint32_t address) { return *(const volatile uint32_t *)address; }
static void store(uint32_t address, uint32_t value) { *(volatile uint32_t *)address = value; }
static uint32_t csr(uint32_t offset) { return load(ORM_SOC_CSR_BASE + offset); }
static void set_csr(uint32_t offset, uint32_t value) { store(ORM_SOC_CSR_BASE + offset, value); }

/* ---- struct platform */

static uint32_t mmio_read(void *ctx, uint32_t offset) {
  (void)ctx;
  return load(ORM_SOC_FW_BASE + offset);
}

static void mmio_write(void *ctx, uint32_t offset, uint32_t value) {
  (void)ctx;
  store(ORM_SOC_FW_BASE + offset, value);
}

#ifdef ORM_STALE_LINES /* a defect on purpose: the image `stale` (CMakeLists.txt) */
#define DROP_LINES "nop"
#else
#define DROP_LINES ".word 0x500F" /* VexRiscv: drop every line of the data cache */
#endif

static void cache_invalidate(void *ctx, uint32_t addr, size_t len) {
  (void)ctx, (void)addr, (void)len;
  __asm__ volatile(DROP_LINES ::: "memory");
}

static void barrier(void *ctx) {
  (void)ctx;
  __asm__ volatile("fence" ::: "memory");
}

/* A register access waits until stores are in DRAM. One that failed is in FAULT by then, and its interrupt comes some
 * instructions later; if it did not, the watchdog's would. */
void litex_settle(void *ctx) {
  (void)mmio_read(ctx, ORM_FW_IRQ_ENABLE);
  while (ORM_GET(csr(ORM_SOC_FAULT), ORM_SOC_FAULT_CAUSE) != ORM_SOC_FAULT_NONE) {
  }
}

/* The bus of NVRAM has words only. `buf` is nearly always at a word's address: then it is read and written by words.
 * Bytes would take as long as NVRAM. */
static bool is_of_words(const void *buf) { return (uintptr_t)buf % sizeof(uint32_t) == 0; }

static void nvram_read(void *ctx, uint32_t addr, void *buf, size_t len) {
  (void)ctx;
  const volatile uint32_t *from = (const volatile uint32_t *)(ORM_SOC_NVRAM_BASE + addr);
  if (is_of_words(buf)) {
    uint8_t *to = (uint8_t *)__builtin_assume_aligned(buf, sizeof(uint32_t));
    for (size_t i = 0; i < len / 4; i++) {
      uint32_t word = from[i];
      memcpy(to + 4 * i, &word, sizeof word);
    }
    return;
  }
  for (size_t i = 0; i < len / 4; i++) {
    uint32_t word = from[i];
    memcpy((uint8_t *)buf + 4 * i, &word, sizeof word);
  }
}

/* The low word of an 8-byte unit first: the high one commits both. */
static void nvram_write(void *ctx, uint32_t addr, const void *buf, size_t len) {
  (void)ctx;
  volatile uint32_t *to = (volatile uint32_t *)(ORM_SOC_NVRAM_BASE + addr);
  if (is_of_words(buf)) {
    const uint8_t *from = (const uint8_t *)__builtin_assume_aligned(buf, sizeof(uint32_t));
    for (size_t i = 0; i < len / 4; i++) {
      uint32_t word;
      memcpy(&word, from + 4 * i, sizeof word);
      to[i] = word;
    }
    return;
  }
  for (size_t i = 0; i < len / 4; i++) {
    uint32_t word;
    memcpy(&word, (const uint8_t *)buf + 4 * i, sizeof word);
    to[i] = word;
  }
}

static uint64_t time_ns(void *ctx) {
  (void)ctx;
  uint32_t low = csr(ORM_SOC_TIME_LO); /* latches the high half */
  return ((uint64_t)csr(ORM_SOC_TIME_HI) << 32 | low) * NS_PER_CYCLE;
}

static uint16_t temperature_k(void *ctx) {
  (void)ctx;
  return (uint16_t)ORM_GET(csr(ORM_SOC_TEMPERATURE), ORM_SOC_TEMPERATURE_KELVIN);
}

static void log_line(void *ctx, enum platform_log_level level, const char *line) {
  (void)ctx;
  console_line(&runner.console, level, line);
}

/* ---- interrupts: the watchdog's, whose timer runs while a poll does, and that of accesses that go wrong */

#define CSR_IRQ_MASK "0xBC0" /* of VexRiscv's interrupt controller */
#define MIE_EXTERNAL 0x800u
#define MSTATUS_MIE 8u

static void watchdog_pet(void *ctx) {
  (void)ctx;
  set_csr(ORM_SOC_TIMER_EN, 0);
  set_csr(ORM_SOC_TIMER_EV_PENDING, ORM_SOC_TIMER_EV_PENDING_ZERO_MASK);
  set_csr(ORM_SOC_TIMER_EN, ORM_SOC_TIMER_EN_RUN_MASK);
  /* A trap masks the interrupts; its handler may have left without its way back, or it is the one that calls. */
  __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE) : "memory");
}

/* It may have bitten in the last moment: then its interrupt is taken now, and runner_bite() finds that no poll runs. */
static void watchdog_stop(void *ctx) {
  (void)ctx;
  set_csr(ORM_SOC_TIMER_EN, 0);
}

/* An access that goes wrong is told by an interrupt, at any time: see litex_trap(). */
static void interrupts_init(void) {
  set_csr(ORM_SOC_TIMER_EN, 0);
  set_csr(ORM_SOC_TIMER_LOAD, WATCHDOG_CYCLES);
  set_csr(ORM_SOC_TIMER_RELOAD, 0);
  set_csr(ORM_SOC_TIMER_EV_PENDING, ORM_SOC_TIMER_EV_PENDING_ZERO_MASK);
  set_csr(ORM_SOC_TIMER_EV_ENABLE, ORM_SOC_TIMER_EV_ENABLE_ZERO_MASK);
  set_csr(ORM_SOC_FAULT, 0);
  __asm__ volatile("csrw " CSR_IRQ_MASK ", %0" ::"r"(1u << ORM_SOC_IRQ_TIMER | 1u << ORM_SOC_IRQ_FAULT));
  __asm__ volatile("csrs mie, %0" ::"r"(MIE_EXTERNAL));
}

/* ---- struct machine */

static void wait(void *ctx, uint64_t ns, bool idle) {
  (void)ctx;
  if (ns == 0) return;
  uint32_t cycles = (uint32_t)ns / NS_PER_CYCLE; /* at most FW_POLL_MOST_NS */
  set_csr(ORM_SOC_WAIT_CYCLES, ORM_PUT(ORM_SOC_WAIT_CYCLES_CYCLES, cycles) | ORM_PUT(ORM_SOC_WAIT_CYCLES_IDLE, idle));
  if (csr(ORM_SOC_WAIT) & ORM_SOC_WAIT_TRIAL_MASK) trial_begin(&platform, csr(ORM_SOC_TRIAL));
}

static void tell(void *ctx, enum fw_phase phase, const char *step) {
  (void)ctx, (void)step;
  static const uint8_t states[] = {
      [FW_STARTING] = ORM_SOC_STATE_STARTING,
      [FW_RUNNING] = ORM_SOC_STATE_RUNNING,
      [FW_FATAL] = ORM_SOC_STATE_FAILED,
  };
  set_csr(ORM_SOC_STATE, ORM_PUT(ORM_SOC_STATE_STATE, states[phase]));
}

static void halt(void *ctx) {
  for (;;) wait(ctx, FW_POLL_MOST_NS, true);
}

static bool put(void *ctx, char c) {
  (void)ctx;
  if (csr(ORM_SOC_UART_TXFULL) & ORM_SOC_UART_TXFULL_FULL_MASK) return false;
  set_csr(ORM_SOC_UART_RXTX, (uint8_t)c);
  return true;
}

/* ---- traps */

#define CAUSE_INTERRUPT 0x80000000u

/* VexRiscv takes no notice of a bus error. BusFaults ends the access and tells of it, some instructions later: by its
 * interrupt, or by register FAULT when what the CPU read instead has trapped before that. */
static void bus_fault(uint32_t pc) {
  static const char *const names[][3] = {
      [ORM_SOC_FAULT_REFUSED] = {"refused load", "refused store", "refused fetch"},
      [ORM_SOC_FAULT_LATE] = {"unanswered load", "unanswered store", "unanswered fetch"},
      [ORM_SOC_FAULT_LOST] = {"", "lost store", ""},
  };
  uint32_t fault = csr(ORM_SOC_FAULT), address = csr(ORM_SOC_FAULT_ADDR);
  uint32_t cause = ORM_GET(fault, ORM_SOC_FAULT_CAUSE);
  if (cause == ORM_SOC_FAULT_NONE) return;
  set_csr(ORM_SOC_FAULT, 0);
  unsigned of = ORM_GET(fault, ORM_SOC_FAULT_FETCH) ? 2u : ORM_GET(fault, ORM_SOC_FAULT_STORE) ? 1u : 0u;
  runner_fault(&runner, names[cause][of], pc, address);
}

void litex_trap(uint32_t cause, uint32_t pc, uint32_t value) {
  static const char *const names[] = {
      "misaligned fetch", "fetch fault", "illegal instruction", "breakpoint",
      "misaligned load",  "load fault",  "misaligned store",    "store fault",
  };
  bus_fault(pc);
  if (cause & CAUSE_INTERRUPT) {
    set_csr(ORM_SOC_TIMER_EV_PENDING, ORM_SOC_TIMER_EV_PENDING_ZERO_MASK);
    runner_bite(&runner);
    return;
  }
  runner_fault(&runner, cause < sizeof names / sizeof *names ? names[cause] : "trap", pc, value);
}

void litex_main(void) {
  interrupts_init();
  const char *wrong = board_read(&board, (const uint8_t *)ORM_SOC_BOARD_BASE, 0, &platform);
  platform.mmio_read = mmio_read;
  platform.mmio_write = mmio_write;
  platform.dram = (uint8_t *)ORM_SOC_DRAM_BASE;
  platform.cache_invalidate = cache_invalidate;
  platform.nvram_read = nvram_read;
  platform.nvram_write = nvram_write;
  platform.barrier = barrier;
  platform.settle = litex_settle;
  platform.time_ns = time_ns;
  if (temperature_k(NULL) != 0) platform.temperature_k = temperature_k;
  platform.watchdog_pet = watchdog_pet;
  platform.log = log_line;
  machine.wait = wait;
  machine.tell = tell;
  machine.watchdog_stop = watchdog_stop;
  machine.halt = halt;
  runner_init(&runner, context, &platform, &machine, put);
  __asm__ volatile("csrs mstatus, %0" ::"r"(MSTATUS_MIE) : "memory");
  if (wrong != NULL) board_refused(&platform, wrong);
  for (;;) runner_step(&runner);
}
