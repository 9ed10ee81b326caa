/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The port of a Zynq-7000: a Cortex-A9, the controller in programmable logic, both on the board's DDR memory
 * (interfaces/registers/zynq.yaml). One CPU runs the firmware, the other sleeps.
 */
#include <stdint.h>
#include <string.h>

#include "board.h"
#include "cache.h"
#include "firmware_limits.h"
#include "interrupts.h"
#include "orm_zynq.h"
#include "platform.h"
#include "ps.h"
#include "remote.h"
#include "runner.h"
#include "timers.h"
#include "traps.h"
#include "uart.h"

void zynq_main(void);

#define WATCHDOG_NS 100000000u /* platform.h */

static struct platform platform;
static struct machine machine;
static struct board board;
static struct runner runner;
static uint8_t context[FW_CONTEXT_BYTES] __attribute__((section(".noinit"), aligned(16)));
static uint32_t watchdog_ticks;

/* ---- struct platform */

static uint32_t mmio_read(void *ctx, uint32_t offset) {
  (void)ctx;
  return ps_read(ORM_ZYNQ_FW_BASE + offset);
}

static void mmio_write(void *ctx, uint32_t offset, uint32_t value) {
  (void)ctx;
  ps_write(ORM_ZYNQ_FW_BASE + offset, value);
  __asm__ volatile("dsb" ::: "memory"); /* it has arrived before the next access */
}

static void clean(void *ctx, uint32_t addr, size_t len) {
  (void)ctx;
  cache_clean(ORM_ZYNQ_DRAM_BASE + addr, len);
}

static void invalidate(void *ctx, uint32_t addr, size_t len) {
  (void)ctx;
  cache_invalidate(ORM_ZYNQ_DRAM_BASE + addr, len);
}

static void barrier(void *ctx) {
  (void)ctx;
  __asm__ volatile("dsb" ::: "memory");
}

/* Stores to memory without a cache; what the cache keeps is written back at some later time. */
static void settle(void *ctx) { barrier(ctx); }

static void nvram_read(void *ctx, uint32_t addr, void *buf, size_t len) {
  (void)ctx;
  memcpy(buf, (const void *)(ORM_ZYNQ_NVRAM_BASE + addr), len);
}

/* 8 bytes are one access of the bus, which nothing divides. */
static void nvram_write(void *ctx, uint32_t addr, const void *buf, size_t len) {
  (void)ctx;
  volatile uint64_t *to = (volatile uint64_t *)(ORM_ZYNQ_NVRAM_BASE + addr);
  for (size_t i = 0; i < len / 8u; i++) {
    uint64_t unit;
    memcpy(&unit, (const uint8_t *)buf + 8u * i, sizeof unit);
    to[i] = unit;
  }
  __asm__ volatile("dsb" ::: "memory");
}

static uint64_t time_ns(void *ctx) {
  (void)ctx;
  return timers_ns();
}

static void log_line(void *ctx, enum platform_log_level level, const char *line) {
  (void)ctx;
  console_line(&runner.console, level, line);
}

static void watchdog_pet(void *ctx) {
  (void)ctx;
  timers_watchdog(watchdog_ticks);
  interrupts_poll_begins();
}

/* ---- struct machine */

static void watchdog_stop(void *ctx) {
  (void)ctx;
  interrupts_poll_ends();
  timers_watchdog_stop();
}

static void wait(void *ctx, uint64_t ns, bool idle) {
  (void)ctx, (void)idle;
  if (ns == 0) return;
  uint32_t ticks = timers_ticks_of((uint32_t)ns); /* at most FW_POLL_MOST_NS */
  timers_alarm(ticks > 0 ? ticks : 1u);
  (void)interrupts_sleep();
  timers_alarm_stop();
}

static void tell(void *ctx, enum fw_phase phase, const char *step) { (void)ctx, (void)phase, (void)step; }

static void halt(void *ctx) {
  for (;;) wait(ctx, FW_POLL_MOST_NS, true);
}

/* With a controller elsewhere it waits for room: no poll may depend on when this machine's UART has some. */
static bool put(void *ctx, char c) {
  (void)ctx;
  while (!uart_put(c)) {
    if (board.mailbox == 0) return false;
  }
  return true;
}

/* ---- traps */

void zynq_trap(uint32_t number, uint32_t pc) {
  if (number != TRAP_INTERRUPT) runner_fault(&runner, trap_name(number), pc, trap_address(number));
  if (interrupts_take() != ORM_ZYNQ_IRQ_WATCHDOG) return;
  timers_watchdog_stop();
  runner_bite(&runner);
}

void zynq_main(void) {
  uart_begin();
  const char *wrong = board_read(&board, (const uint8_t *)ORM_ZYNQ_BOARD_BASE, ORM_ZYNQ_MAILBOX_BASE, &platform);
  timers_begin(board.timer_hz);
  interrupts_begin();
  watchdog_ticks = timers_ticks_of(WATCHDOG_NS);
  platform.mmio_read = mmio_read;
  platform.mmio_write = mmio_write;
  platform.dram = (uint8_t *)ORM_ZYNQ_DRAM_BASE;
  platform.cache_clean = clean;
  platform.cache_invalidate = invalidate;
  platform.nvram_read = nvram_read;
  platform.nvram_write = nvram_write;
  platform.barrier = barrier;
  platform.settle = settle;
  platform.time_ns = time_ns;
  platform.watchdog_pet = watchdog_pet;
  platform.log = log_line;
  machine.wait = wait;
  machine.tell = tell;
  machine.watchdog_stop = watchdog_stop;
  machine.halt = halt;
  if (board.mailbox != 0) remote_begin(board.mailbox, &platform, &machine);
  runner_init(&runner, context, &platform, &machine, put);
  if (wrong != NULL) board_refused(&platform, wrong);
  for (;;) runner_step(&runner);
}
