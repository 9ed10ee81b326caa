/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A self-test of what the port knows of the processor: vectors, MMU, caches, timers, interrupts, watchdog, UART, and
 * the C library. It is an image of its own, which needs neither controller nor SocBoard record, and runs on a board as
 * in QEMU (docs/design/firmware/ports.md has what QEMU does not model). It writes over the controller's DRAM, and puts
 * back what it writes over elsewhere: NVRAM stays as it is.
 *
 * Each test prints a line: "pass NAME", "FAIL NAME: why" or "skip NAME". The last line counts them: "self-test: 19
 * passed, 0 failed, 1 skipped".
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cache.h"
#include "interrupts.h"
#include "mmu.h"
#include "orm_zynq.h"
#include "ps.h"
#include "timers.h"
#include "traps.h"
#include "uart.h"

void zynq_main(void);

extern uint8_t _stack[];
extern const uint8_t vectors[];

static void print(const char *text) {
  for (; *text != 0; text++) {
    while (!uart_put(*text)) {
    }
  }
}

/* ---- traps that a test expects */

static struct {
  jmp_buf back;
  volatile bool expected;
  uint32_t number, pc, address;
} trap;
static volatile uint32_t bites;

void zynq_trap(uint32_t number, uint32_t pc) {
  if (number == TRAP_INTERRUPT) {
    if (interrupts_take() != ORM_ZYNQ_IRQ_WATCHDOG) return;
    timers_watchdog_stop();
    bites++;
    return;
  }
  trap.number = number;
  trap.pc = pc;
  trap.address = trap_address(number);
  if (trap.expected) longjmp(trap.back, 1);
  char line[80];
  snprintf(line, sizeof line, "FAIL: unexpected %s at %08lx, address %08lx\n", trap_name(number), (unsigned long)pc,
           (unsigned long)trap.address);
  print(line);
  print("self-test: 0 passed, 1 failed, 0 skipped\n");
  for (;;) {
  }
}

/* Whether running `code` ends in a trap. */
static bool traps(void (*code)(uint32_t), uint32_t argument) {
  trap.number = 0;
  trap.expected = true;
  if (setjmp(trap.back) == 0) code(argument);
  trap.expected = false;
  return trap.number != 0;
}

static void load(uint32_t address) { (void)ps_read(address); }
static void store(uint32_t address) { ps_write(address, 0); }
static void jump(uint32_t address) { ((void (*)(void))address)(); }
static void undefined(uint32_t unused) {
  (void)unused;
  __asm__ volatile("udf #0");
}
static void call_supervisor(uint32_t unused) {
  (void)unused;
  __asm__ volatile("svc #0" ::: "lr");
}
/* `depth` keeps the compiler from making a loop of it. */
static uint32_t deeper(uint32_t depth) {
  volatile uint8_t frame[256];
  frame[0] = (uint8_t)depth;
  return depth == 0 ? 0 : deeper(depth - 1u) + frame[0];
}
static void overflow(uint32_t depth) { (void)deeper(depth); }

/* ---- the tests: NULL, what is wrong, or `absent` if the machine lacks what would be tested */

static const char absent[] = "";

#define CHECK(condition)                 \
  do {                                   \
    if (!(condition)) return #condition; \
  } while (0)

static const char *undefined_instruction(void) {
  CHECK(traps(undefined, 0));
  CHECK(trap.number == TRAP_UNDEFINED);
  CHECK(*(const uint32_t *)trap.pc == 0xE7F000F0u); /* udf #0 */
  return NULL;
}

static const char *supervisor_call(void) {
  CHECK(traps(call_supervisor, 0));
  CHECK(trap.number == TRAP_SUPERVISOR);
  CHECK(*(const uint32_t *)trap.pc == 0xEF000000u); /* svc #0 */
  return NULL;
}

static const char *data_aborts(void) {
  CHECK(traps(load, 0) && trap.number == TRAP_DATA && trap.address == 0); /* a null pointer */
  CHECK(traps(load, 0x50000000u) && trap.number == TRAP_DATA && trap.address == 0x50000000u);
  CHECK(traps(store, (uint32_t)vectors) && trap.number == TRAP_DATA && trap.address == (uint32_t)vectors);
  CHECK(!traps(load, (uint32_t)vectors));
  return NULL;
}

static const char *prefetch_aborts(void) {
  CHECK(traps(jump, 0x50000000u) && trap.number == TRAP_PREFETCH && trap.pc == 0x50000000u);
  CHECK(traps(jump, ORM_ZYNQ_DRAM_BASE) && trap.number == TRAP_PREFETCH && trap.address == ORM_ZYNQ_DRAM_BASE);
  CHECK(traps(jump, ORM_ZYNQ_DATA_BASE) && trap.number == TRAP_PREFETCH);
  return NULL;
}

static const char *stack_overflow(void) {
  CHECK(traps(overflow, 1000000u));
  CHECK(trap.number == TRAP_DATA);
  CHECK(trap.address < (uint32_t)_stack && trap.address >= (uint32_t)_stack - 4096u);
  return NULL;
}

static const char *control(void) {
  uint32_t on = MMU_CONTROL_MMU | MMU_CONTROL_DATA_CACHE | MMU_CONTROL_PREDICTION | MMU_CONTROL_INSTRUCTION_CACHE;
  CHECK((mmu_control() & on) == on);
  return NULL;
}

static const char *level_2_cache(void) {
  if (ps_read(PS_L2_ID) == 0) return absent;
  CHECK((ps_read(PS_L2_CONTROL) & 1u) == 1u);
  return NULL;
}

/* Every region is mapped to itself, from its first to its last byte, and can be written unless it is code. */
static const char *translations(void) {
  static const struct {
    uint32_t base, bytes;
    bool written;
  } regions[] = {
#define RW true
#define RX false
#define X(NAME, base, size, memory, access) {base, size, access},
      ORM_ZYNQ_SECTIONS(X)
#undef X
#undef RX
#undef RW
  };
  for (unsigned i = 0; i < sizeof regions / sizeof *regions; i++) {
    uint32_t ends[] = {regions[i].base, regions[i].base + regions[i].bytes - 4u};
    for (unsigned k = 0; k < 2; k++) {
      struct mmu_answer read = mmu_translate(ends[k], false), write = mmu_translate(ends[k], true);
      CHECK(read.mapped && read.physical == ends[k]);
      CHECK(write.mapped == regions[i].written);
    }
  }
  CHECK(!mmu_translate(0, false).mapped);
  CHECK(!mmu_translate(0x40000000u, false).mapped);
  CHECK(!mmu_translate(0xFFFFFFFCu, false).mapped);
  return NULL;
}

/* Maintenance of ranges that begin and end anywhere loses no byte that the CPU wrote and cleaned, nor one beside it. */
static const char *cache_maintenance(void) {
  uint8_t *at = (uint8_t *)ORM_ZYNQ_DRAM_BASE;
  for (uint32_t from = 0; from < CACHE_LINE; from += 7u) {
    for (uint32_t bytes = 1; bytes < 4u * CACHE_LINE; bytes += 13u) {
      for (uint32_t i = 0; i < 6u * CACHE_LINE; i++) at[i] = (uint8_t)(i * 5u + from + bytes);
      cache_clean(ORM_ZYNQ_DRAM_BASE + from, bytes);
      cache_invalidate(ORM_ZYNQ_DRAM_BASE + from, bytes);
      for (uint32_t i = 0; i < 6u * CACHE_LINE; i++) CHECK(at[i] == (uint8_t)(i * 5u + from + bytes));
    }
  }
  cache_clean(ORM_ZYNQ_DRAM_BASE, 0);
  cache_invalidate(ORM_ZYNQ_DRAM_BASE, 0);
  return NULL;
}

static const char *unaligned_accesses(void) {
  volatile uint8_t *at = (volatile uint8_t *)ORM_ZYNQ_DRAM_BASE;
  for (uint32_t i = 0; i < 8; i++) at[i] = (uint8_t)(i + 1u);
  CHECK(ps_read(ORM_ZYNQ_DRAM_BASE + 1u) == 0x05040302u);
  return NULL;
}

static const char *time_goes_on(void) {
  uint64_t before = timers_ticks(), ns = timers_ns(), at_most = before;
  for (int i = 0; i < 1000; i++) {
    uint64_t now = timers_ticks();
    CHECK(now >= at_most);
    at_most = now;
  }
  CHECK(at_most > before);
  CHECK(timers_ns() > ns);
  CHECK(timers_ticks_of(1000000000u) == ORM_ZYNQ_TIMER_HZ);
  return NULL;
}

static const char *wait_ends_in_time(void) {
  uint32_t ticks = 200000u;
  uint64_t before = timers_ticks();
  timers_alarm(ticks);
  CHECK(interrupts_sleep() == ORM_ZYNQ_IRQ_TIMER);
  uint64_t took = timers_ticks() - before;
  timers_alarm_stop();
  CHECK(took >= ticks);
  CHECK(took < 1000u * (uint64_t)ticks); /* an emulator may be late */
  return NULL;
}

static const char *wait_ends_by_the_controller(void) {
  timers_alarm(timers_ticks_of(500000000u));
  ps_write(PS_GIC_PENDING_SET(ORM_ZYNQ_IRQ_CONTROLLER), PS_GIC_BIT(ORM_ZYNQ_IRQ_CONTROLLER));
  CHECK(interrupts_sleep() == ORM_ZYNQ_IRQ_CONTROLLER);
  timers_alarm_stop();
  ps_write(PS_GIC_PENDING_CLEAR(ORM_ZYNQ_IRQ_CONTROLLER), PS_GIC_BIT(ORM_ZYNQ_IRQ_CONTROLLER));
  return NULL;
}

/* Whether the watchdog bites within `ticks`. */
static bool bites_within(uint64_t ticks) {
  uint32_t before = bites;
  uint64_t end = timers_ticks() + ticks;
  while (bites == before && timers_ticks() < end) {
  }
  return bites != before;
}

static const char *watchdog_bites(void) {
  timers_watchdog(100000u);
  interrupts_poll_begins();
  bool bitten = bites_within(500000000u);
  interrupts_poll_ends();
  CHECK(bitten);
  return NULL;
}

static const char *watchdog_petted_or_stopped(void) {
  interrupts_poll_begins();
  bool bitten = false;
  for (int i = 0; i < 20; i++) {
    timers_watchdog(100000000u);
    bitten = bitten || bites_within(10000u);
  }
  timers_watchdog(100000u);
  timers_watchdog_stop();
  bitten = bitten || bites_within(1000000u);
  interrupts_poll_ends();
  CHECK(!bitten);
  return NULL;
}

/* In a poll only the watchdog's interrupt is taken; between polls none is. */
static const char *interrupts_wait_for_the_sleep(void) {
  timers_alarm(1000u);
  interrupts_poll_begins();
  bool bitten = bites_within(1000000u); /* the timer's interrupt would be acknowledged by the handler */
  interrupts_poll_ends();
  CHECK(!bitten);
  CHECK(interrupts_sleep() == ORM_ZYNQ_IRQ_TIMER);
  timers_alarm_stop();
  timers_watchdog(1000u);
  bitten = bites_within(1000000u);
  CHECK(!bitten);
  CHECK(interrupts_sleep() == ORM_ZYNQ_IRQ_WATCHDOG);
  timers_watchdog_stop();
  return NULL;
}

static const char *uart_loops_back(void) {
  while (!uart_empty()) {
  }
  while (uart_get() >= 0) {
  }
  uart_loop_back(true);
  bool good = true;
  for (int c = 0; c < 256; c += 15) {
    while (!uart_put((char)c)) {
    }
    int back = -1;
    for (uint64_t end = timers_ticks() + timers_ticks_of(10000000u); back < 0 && timers_ticks() < end;)
      back = uart_get();
    good = good && back == c;
  }
  while (!uart_empty()) {
  }
  uart_loop_back(false);
  CHECK(good);
  return NULL;
}

/* At the end of the region, where a device of the usual size has no NVRAM, and with its contents put back. */
static const char *memory_for_nvram(void) {
  uint32_t address = ORM_ZYNQ_NVRAM_BASE + ORM_ZYNQ_NVRAM_SIZE - 16u;
  volatile uint64_t *at = (volatile uint64_t *)address;
  uint64_t before[] = {at[0], at[1]};
  at[0] = 0x0123456789ABCDEFull;
  at[1] = ~0ull;
  bool halves = ps_read(address) == 0x89ABCDEFu && ps_read(address + 4u) == 0x01234567u;
  bool whole = at[0] == 0x0123456789ABCDEFull && at[1] == ~0ull;
  at[0] = before[0];
  at[1] = before[1];
  CHECK(halves && whole);
  CHECK(at[0] == before[0] && at[1] == before[1]);
  return NULL;
}

/* The start code runs twice: first as a boot stage has left the machine, then from here, with MMU and caches on and
 * lines dirty that nobody has cleaned. They have to be in memory after it. What remembers that is not cached. */
#define RESTART_MARK 0x41474E45u
#define RESTART_LINES 4096u /* some in every set of both levels */
static uint32_t *restart_line(uint32_t i) { return (uint32_t *)(ORM_ZYNQ_DRAM_BASE + i * CACHE_LINE); }

static bool restarted(void) {
  bool again = ps_read(ORM_ZYNQ_MAILBOX_BASE) == RESTART_MARK;
  ps_write(ORM_ZYNQ_MAILBOX_BASE, again ? 0 : RESTART_MARK);
  return again;
}

static void restart(void) __attribute__((noreturn));
static void restart(void) {
  for (uint32_t i = 0; i < RESTART_LINES; i++) *restart_line(i) = ~i;
  ((void (*)(void))vectors)();
  for (;;) {
  }
}

static const char *start_keeps_dirty_lines(void) {
  for (uint32_t i = 0; i < RESTART_LINES; i++) CHECK(*restart_line(i) == ~i);
  return NULL;
}

static const char *formatted_text(void) {
  char text[80];
  volatile unsigned long long large = 12345678901234567890ull;
  snprintf(text, sizeof text, "%llu %u %s %08lx", large, 7u, "x", 0xBEEFul);
  CHECK(strcmp(text, "12345678901234567890 7 x 0000beef") == 0);
  volatile size_t room = 5;
  snprintf(text, room, "%d", 1234567);
  CHECK(strcmp(text, "1234") == 0);
  return NULL;
}

static const struct {
  const char *name;
  const char *(*run)(void);
} tests[] = {
    {"start: dirty lines of a boot stage are kept", start_keeps_dirty_lines}, /* first: others write there */
    {"vectors: undefined instruction", undefined_instruction},
    {"vectors: supervisor call", supervisor_call},
    {"vectors: data aborts", data_aborts},
    {"vectors: prefetch aborts", prefetch_aborts},
    {"vectors: stack overflow", stack_overflow},
    {"mmu: MMU and caches are on", control},
    {"caches: level 2 is on", level_2_cache},
    {"mmu: translations", translations},
    {"mmu: unaligned accesses", unaligned_accesses},
    {"caches: maintenance", cache_maintenance},
    {"caches: memory of NVRAM", memory_for_nvram},
    {"timers: time goes on", time_goes_on},
    {"timers: a wait ends in time", wait_ends_in_time},
    {"interrupts: the controller ends a wait", wait_ends_by_the_controller},
    {"interrupts: they wait for the sleep", interrupts_wait_for_the_sleep},
    {"watchdog: it bites", watchdog_bites},
    {"watchdog: petted or stopped, it does not", watchdog_petted_or_stopped},
    {"uart: loops back", uart_loops_back},
    {"library: formatted text", formatted_text},
};

void zynq_main(void) {
  if (!restarted()) restart();
  uart_begin();
  timers_begin(0);
  interrupts_begin();
  unsigned passed = 0, failed = 0, skipped = 0;
  for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
    const char *wrong = tests[i].run();
    if (wrong == NULL) {
      passed++;
    } else if (wrong == absent) {
      skipped++;
    } else {
      failed++;
    }
    print(wrong == NULL ? "pass " : wrong == absent ? "skip " : "FAIL ");
    print(tests[i].name);
    if (wrong != NULL && wrong != absent) {
      print(": not ");
      print(wrong);
    }
    print("\n");
  }
  char line[80];
  snprintf(line, sizeof line, "self-test: %u passed, %u failed, %u skipped\n", passed, failed, skipped);
  print(line);
  for (;;) {
    timers_alarm(timers_ticks_of(1000000000u));
    (void)interrupts_sleep();
  }
}
