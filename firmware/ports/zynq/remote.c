/* SPDX-License-Identifier: Apache-2.0 */
#include "remote.h"

#include <string.h>

#include "interrupts.h"
#include "orm_formats.h"
#include "timers.h"

#define DATA_BYTES (ORM_REMOTE_MAILBOX_BYTES - ORM_REMOTE_MAILBOX_DATA_OFFSET)
#define STEP_BYTES (ORM_REMOTE_MAILBOX_RESERVED1_OFFSET - ORM_REMOTE_MAILBOX_STEP_OFFSET)

/* While it waits for an answer the processor looks this often, and then sleeps between looks: in an emulator a loop
 * costs a core of the machine that emulates. */
#define LOOKS 20000u
#define SLEEP_NS 20000u

static uint32_t mailbox;
static const char *told_step;
static enum fw_phase told_phase;

static volatile uint32_t *word(uint32_t offset) { return (volatile uint32_t *)(mailbox + offset); }
static uint32_t get(uint32_t offset) { return *word(offset); }
static void set(uint32_t offset, uint32_t value) { *word(offset) = value; }
static void barrier(void) { __asm__ volatile("dsb" ::: "memory"); }

static void ask(uint32_t request) {
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

static void nvram_read(void *ctx, uint32_t addr, void *buf, size_t len) {
  (void)ctx;
  for (uint8_t *to = (uint8_t *)buf; len > 0;) {
    size_t bytes = piece(addr, len);
    ask(ORM_REMOTE_NV_READ);
    memcpy(to, data(), bytes);
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

/* How long a poll takes here says nothing: the other side is slow, and may stop for as long as it likes. So there is no
 * watchdog, and no interrupt is ever taken. */
static void watchdog_stop(void *ctx) { (void)ctx; }

static void halt(void *ctx) {
  tell(ctx, FW_FATAL, "halted");
  for (;;) wait(ctx, FW_POLL_MOST_NS, true);
}

void remote_begin(uint32_t address, struct platform *platform, struct machine *machine) {
  mailbox = address;
  platform->mmio_read = mmio_read;
  platform->mmio_write = mmio_write;
  platform->nvram_read = nvram_read;
  platform->nvram_write = nvram_write;
  platform->time_ns = time_ns;
  platform->temperature_k = temperature_k;
  machine->wait = wait;
  machine->tell = tell;
  machine->halt = halt;
  platform->watchdog_pet = NULL;
  machine->watchdog_stop = watchdog_stop;
}
