/* SPDX-License-Identifier: Apache-2.0 */
#include "remote.h"

#include <string.h>

#include "interrupts.h"
#include "orm_formats.h"
#include "orm_interface.h"
#include "timers.h"

#define DATA_BYTES (ORM_REMOTE_MAILBOX_BYTES - ORM_REMOTE_MAILBOX_DATA_OFFSET)
#define STEP_BYTES (ORM_REMOTE_MAILBOX_RESERVED1_OFFSET - ORM_REMOTE_MAILBOX_STEP_OFFSET)

/* While it waits for an answer the processor looks this often, and then sleeps between looks: in an emulator a loop
 * costs a core of the machine that emulates. */
#define LOOKS 10000u
#define SLEEP_NS 20000u

/* In memory, not in instructions: a tool finds it in the image, too. */
static const volatile uint32_t interface = ORM_INTERFACE_DIGEST;

static uint32_t mailbox;
static uint64_t nv_read;
/* NVRAM in `data`, from `ahead` on. Nothing changes it as long as nothing else is asked: no time passes. */
static uint32_t ahead, ahead_bytes;
static const char *told_step;
static enum fw_phase told_phase;

static volatile uint32_t *word(uint32_t offset) { return (volatile uint32_t *)(mailbox + offset); }
static uint32_t get(uint32_t offset) { return *word(offset); }
static void set(uint32_t offset, uint32_t value) { *word(offset) = value; }
static void barrier(void) { __asm__ volatile("dsb" ::: "memory"); }

/* The other side has found that the poll takes too long: the watchdog's interrupt ends it, as on a board. */
static void bite(void) __attribute__((noreturn));
static void bite(void) {
  timers_watchdog(1u);
  interrupts_poll_begins();
  for (;;) {
  }
}

static void ask(uint32_t request) {
  ahead_bytes = 0;
  set(ORM_REMOTE_MAILBOX_REQUEST_OFFSET, request);
  barrier();
  set(ORM_REMOTE_MAILBOX_TURN_OFFSET, ORM_REMOTE_CONTROLLER);
  for (uint32_t looks = 0; get(ORM_REMOTE_MAILBOX_TURN_OFFSET) != ORM_REMOTE_FIRMWARE; looks++) {
    if (looks < LOOKS) continue;
    timers_alarm(timers_ticks_of(SLEEP_NS));
    (void)interrupts_sleep();
    timers_alarm_stop();
  }
  barrier();
  if (get(ORM_REMOTE_MAILBOX_BITE_OFFSET) != 0) bite();
}

static uint32_t mmio_read(void *ctx, uint32_t offset) {
  (void)ctx;
  set(ORM_REMOTE_MAILBOX_ADDRESS_OFFSET, offset);
  ask(ORM_REMOTE_READ);
  return get(ORM_REMOTE_MAILBOX_VALUE_OFFSET);
}

static void mmio_write(void *ctx, uint32_t offset, uint32_t value) {
  (void)ctx;
  set(ORM_REMOTE_MAILBOX_ADDRESS_OFFSET, offset);
  set(ORM_REMOTE_MAILBOX_VALUE_OFFSET, value);
  ask(ORM_REMOTE_WRITE);
}

static void *data(void) { return (void *)(mailbox + ORM_REMOTE_MAILBOX_DATA_OFFSET); }

static size_t piece(uint32_t addr, size_t left) {
  size_t bytes = left < DATA_BYTES ? left : DATA_BYTES;
  set(ORM_REMOTE_MAILBOX_ADDRESS_OFFSET, addr);
  set(ORM_REMOTE_MAILBOX_LENGTH_OFFSET, (uint32_t)bytes);
  return bytes;
}

/* Start-up reads all of NVRAM, some bytes at a time: a request brings what follows them, too. */
static void nvram_read(void *ctx, uint32_t addr, void *buf, size_t len) {
  (void)ctx;
  nv_read += len;
  for (uint8_t *to = (uint8_t *)buf; len > 0;) {
    if (addr < ahead || addr - ahead >= ahead_bytes) {
      (void)piece(addr, DATA_BYTES);
      ask(ORM_REMOTE_NV_READ);
      ahead = addr;
      ahead_bytes = get(ORM_REMOTE_MAILBOX_LENGTH_OFFSET);
      if (ahead_bytes == 0) return; /* there is no such NVRAM: the other side has said so */
    }
    size_t bytes = ahead_bytes - (addr - ahead);
    if (bytes > len) bytes = len;
    memcpy(to, (const uint8_t *)data() + (addr - ahead), bytes);
    to += bytes, addr += (uint32_t)bytes, len -= bytes;
  }
}

static void nvram_write(void *ctx, uint32_t addr, const void *buf, size_t len) {
  (void)ctx;
  for (const uint8_t *from = (const uint8_t *)buf; len > 0;) {
    size_t bytes = piece(addr, len);
    memcpy(data(), from, bytes);
    ask(ORM_REMOTE_NV_WRITE);
    from += bytes, addr += (uint32_t)bytes, len -= bytes;
  }
}

/* No time passes between an answer and the next request. */
static uint64_t time_ns(void *ctx) {
  (void)ctx;
  return (uint64_t)get(ORM_REMOTE_MAILBOX_TIME_NS_OFFSET + 4u) << 32 | get(ORM_REMOTE_MAILBOX_TIME_NS_OFFSET);
}

static uint16_t temperature_k(void *ctx) {
  (void)ctx;
  return (uint16_t)get(ORM_REMOTE_MAILBOX_KELVIN_OFFSET);
}

static void wait(void *ctx, uint64_t ns, bool idle) {
  (void)ctx;
  uint64_t until = idle ? UINT64_MAX : ns;
  set(ORM_REMOTE_MAILBOX_WAIT_NS_OFFSET, (uint32_t)until);
  set(ORM_REMOTE_MAILBOX_WAIT_NS_OFFSET + 4u, (uint32_t)(until >> 32));
  set(ORM_REMOTE_MAILBOX_NV_READ_OFFSET, (uint32_t)nv_read);
  set(ORM_REMOTE_MAILBOX_NV_READ_OFFSET + 4u, (uint32_t)(nv_read >> 32));
  ask(ORM_REMOTE_WAIT);
}

static void tell(void *ctx, enum fw_phase phase, const char *step) {
  (void)ctx;
  if (step == told_step && phase == told_phase) return;
  told_step = step;
  told_phase = phase;
  char text[STEP_BYTES] = "";
  size_t length = strlen(step);
  memcpy(text, step, length < sizeof text ? length : sizeof text);
  memcpy((void *)(mailbox + ORM_REMOTE_MAILBOX_STEP_OFFSET), text, sizeof text);
  set(ORM_REMOTE_MAILBOX_PHASE_OFFSET, (uint32_t)phase);
}

static void watchdog_pet(void *ctx) { (void)ctx; }

/* How long a poll takes here says nothing: the other side is slow, and may stop for as long as it likes. So the other
 * side watches, by the controller's time, and no interrupt is taken but that of bite(). */
static void watchdog_stop(void *ctx) {
  (void)ctx;
  interrupts_poll_ends();
  timers_watchdog_stop();
}

static void halt(void *ctx) {
  for (;;) wait(ctx, FW_POLL_MOST_NS, true);
}

void remote_begin(uint32_t address, struct platform *platform, struct machine *machine) {
  mailbox = address;
  set(ORM_REMOTE_MAILBOX_INTERFACE_OFFSET, interface);
  platform->mmio_read = mmio_read;
  platform->mmio_write = mmio_write;
  platform->nvram_read = nvram_read;
  platform->nvram_write = nvram_write;
  platform->time_ns = time_ns;
  platform->temperature_k = temperature_k;
  machine->wait = wait;
  machine->tell = tell;
  machine->halt = halt;
  platform->watchdog_pet = watchdog_pet;
  machine->watchdog_stop = watchdog_stop;
}
