/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts an Acorn: DDR3, then the controller, then the firmware. It lies in a memory of its own beside the firmware's
 * (soc/boards/acorn.py), and is what the CPU executes first.
 *
 * start_facts.h is written by the board's build (launcher/boards/acorn): it knows the addresses that LiteX has given to
 * registers, and what LiteDRAM wants DDR3 to be told.
 */
#include <stdint.h>

#include "dram_start.h"
#include "orm_soc.h"
#include "start_facts.h"

void start_main(void);

#define RUN 1u       /* of register boot_control */
#define TESTED 4096u /* bytes of NVRAM that are written and read back */

static uint32_t load(uint32_t address) { return *(const volatile uint32_t *)address; }
static void store(uint32_t address, uint32_t value) { *(volatile uint32_t *)address = value; }

/* A turn of the loop takes a cycle at least. */
static void wait(uint32_t cycles) {
  for (uint32_t i = 0; i < cycles; i++) __asm__ volatile("");
}

static void say(const char *text) {
  for (; *text; text++) {
    while (load(ORM_SOC_CSR_BASE + ORM_SOC_UART_TXFULL) & ORM_SOC_UART_TXFULL_FULL_MASK) {
    }
    store(ORM_SOC_CSR_BASE + ORM_SOC_UART_RXTX, (uint8_t)*text);
  }
}

static void say_number(uint32_t value) {
  char text[11];
  char *at = &text[sizeof text - 1];
  *at = 0;
  do *--at = (char)('0' + value % 10);
  while (value /= 10);
  say(at);
}

/* There is nothing to do without DDR3. The controller stays in reset, and the host finds no device that answers. */
static void stop(const char *why) __attribute__((noreturn));
static void stop(const char *why) {
  say("start: ");
  say(why);
  say("\r\n");
  for (;;) {
  }
}

/* NVRAM is DDR3: what it holds by chance, or from before a reset, belongs to a flash that is gone. */
static void clear_nvram(void) {
  for (uint32_t at = 0; at < START_NVRAM_BYTES; at += 4) store(START_NVRAM + at, 0);
}

static uint32_t pattern(uint32_t at) { return at * 0x9E3779B1u ^ 0x5A5AA5A5u; }

static int keeps(void) {
  for (uint32_t at = 0; at < TESTED; at += 4) store(START_NVRAM + at, pattern(at));
  __asm__ volatile(".word 0x500F" ::: "memory"); /* VexRiscv: drop every line of the data cache */
  for (uint32_t at = 0; at < TESTED; at += 4)
    if (load(START_NVRAM + at) != pattern(at)) return 0;
  return 1;
}

void start_main(void) {
  static const struct dram_bus bus = {load, store, wait};
  struct dram_setting found[START_DRAM_BYTES];
  uint32_t good = dram_start(&bus, &start_dram, found);
  for (uint32_t byte = 0; byte < good; byte++) {
    say("start: DDR3, byte ");
    say_number(byte);
    say(": shift ");
    say_number(found[byte].slip);
    say(", delay ");
    say_number(found[byte].delay);
    say(", delays that work: ");
    say_number(found[byte].width);
    say("\r\n");
  }
  if (good < START_DRAM_BYTES) stop("a byte of DDR3 cannot be read");
  store(START_CONTROL, RUN);
  wait(1000); /* the resets of all clocks have ended */
  if (!keeps()) stop("DDR3 does not read as it was written");
  clear_nvram();
  __asm__ volatile("fence" ::: "memory");
  __asm__ volatile(".word 0x500F" ::: "memory");
  ((void (*)(void))START_FIRMWARE)();
}
