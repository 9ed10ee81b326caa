/* SPDX-License-Identifier: Apache-2.0 */
#include "runner.h"

#include <stdio.h>
#include <string.h>

#include "firmware_limits.h"

void runner_init(struct runner *r, void *memory, const struct platform *platform, const struct machine *machine,
                 console_put *put) {
  memset(r, 0, sizeof *r);
  r->fw = (struct fw *)memory;
  r->platform = platform;
  r->machine = machine;
  console_init(&r->console, put, machine->ctx);
  fw_init(r->fw, platform);
  r->told = FW_STARTING;
  r->step = fw_describe(r->fw);
  machine->tell(machine->ctx, r->told, r->step);
}

static void tell(struct runner *r) {
  enum fw_phase phase = fw_phase(r->fw);
  const char *step = fw_describe(r->fw);
  if (phase == r->told && step == r->step) return;
  if (phase != r->told) {
    char line[120];
    unsigned long us = (unsigned long)(r->platform->time_ns(r->platform->ctx) / 1000u);
    snprintf(line, sizeof line, "firmware: %s, %lu us after power-on", step, us);
    console_line(&r->console, phase == FW_FATAL ? PLATFORM_LOG_ERROR : PLATFORM_LOG_INFO, line);
  }
  r->told = phase;
  r->step = step;
  r->machine->tell(r->machine->ctx, phase, step);
}

void runner_step(struct runner *r) {
  const struct machine *m = r->machine;
  r->polling = true;
  uint64_t ns = fw_poll(r->fw);
  r->polling = false;
  r->faults = 0;
  m->watchdog_stop(m->ctx);
  tell(r);
  bool idle = ns == FW_POLL_IDLE;
  if (ns > FW_POLL_MOST_NS) ns = FW_POLL_MOST_NS;
  if (!console_drain(&r->console)) {
    idle = false;
    if (ns > RUNNER_CONSOLE_NS) ns = RUNNER_CONSOLE_NS;
  }
  m->wait(m->ctx, ns, idle);
}

static void stop(struct runner *r) __attribute__((noreturn));
static void stop(struct runner *r) {
  bool first = !r->stopping;
  r->stopping = true;
  r->machine->watchdog_stop(r->machine->ctx);
  r->machine->tell(r->machine->ctx, FW_FATAL, "halted"); /* first: a UART may take no more lines */
  if (first) fw_stop(r->fw);                             /* it may be what traps */
  console_flush(&r->console);
  r->machine->halt(r->machine->ctx);
  for (;;) {
  }
}

/* Returns if the firmware can end the poll. The first time it writes a crash log; if that does not end, it stops the
 * controller without. It gets the watchdog's whole time for each. */
static void crash_begins(struct runner *r) {
  if (!r->polling || r->faults == RUNNER_FAULTS) stop(r);
  r->faults++;
  r->platform->watchdog_pet(r->platform->ctx);
}

void runner_fault(struct runner *r, const char *what, uint32_t pc, uint32_t addr) {
  char line[80];
  snprintf(line, sizeof line, "trap: %s at %08lx, address %08lx", what, (unsigned long)pc, (unsigned long)addr);
  console_line(&r->console, PLATFORM_LOG_ERROR, line);
  crash_begins(r);
  fw_fault(r->fw, what, pc);
}

void runner_bite(struct runner *r) {
  if (!r->polling) return;
  if (r->faults > 0) console_line(&r->console, PLATFORM_LOG_ERROR, "trap: the watchdog, while a crash log was written");
  crash_begins(r);
  fw_watchdog(r->fw);
}
