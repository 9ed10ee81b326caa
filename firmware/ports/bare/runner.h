/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner.h - the firmware on a machine without an operating system: the main loop, and what becomes of a trap.
 *
 * A port (litex, zynq) fills in `struct platform` for the firmware and `struct machine` for the runner, and calls
 * runner_init() and then runner_step() for ever. Its trap handlers call runner_fault(), its watchdog's interrupt
 * runner_bite(). Both may run on a stack of their own: they leave the poll by longjmp().
 */
#ifndef OPENREMAP_BARE_RUNNER_H
#define OPENREMAP_BARE_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "console.h"
#include "firmware.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the runner asks of the machine. All members are needed. */
struct machine {
  void *ctx; /* handed back in every call */

  /* After each poll. Returns when the firmware interrupt is high or after `ns`, whichever is first; 0: at once. `idle`:
   * nothing but the interrupt is waited for, and `ns` is the longest time between two polls. */
  void (*wait)(void *ctx, uint64_t ns, bool idle);

  /* Shows what the firmware is doing: to a simulation, or by a lamp. Once before the first poll, then after each poll
   * that has changed it. `step`: fw_describe(). */
  void (*tell)(void *ctx, enum fw_phase phase, const char *step);

  /* A poll has ended: the watchdog must not bite before the next one (platform.watchdog_pet). */
  void (*watchdog_stop)(void *ctx);

  /* The machine has trapped outside of the firmware, or the firmware could not stop the controller: stops the machine.
   * Does not return. */
  void (*halt)(void *ctx);
};

struct runner {
  struct fw *fw;
  const struct platform *platform; /* with a watchdog */
  const struct machine *machine;
  struct console console;
  enum fw_phase told;
  const char *step;         /* that was told with it */
  volatile bool polling;    /* within fw_poll() */
  volatile unsigned faults; /* that have come in this poll, the watchdog's bites among them */
  volatile bool stopping;   /* the controller is told to stop, without the firmware */
};

/* The firmware ends so many faults of a poll: the first by a crash log, and one that comes in the way of that. */
#define RUNNER_FAULTS 2u

/* While text is on its way to the console, the runner waits no longer than this, in ns. */
#define RUNNER_CONSOLE_NS 1000000u

/* `memory`: FW_CONTEXT_BYTES, aligned as max_align_t. `put` is the console. `platform` and `machine` are kept by
 * reference. */
void runner_init(struct runner *r, void *memory, const struct platform *platform, const struct machine *machine,
                 console_put *put);

/* One poll, and the wait until the next. */
void runner_step(struct runner *r);

/* The processor has trapped. `what` names the trap, `pc` is the instruction, `addr` the address that it accessed (0:
 * none). Within a poll the firmware leaves a crash log and stops; the next runner_step() goes on from there. If it
 * traps or hangs on that way, it stops without a crash log. Outside of a poll, or if it does so again, the controller
 * is stopped without the firmware (fw_stop), and the machine halts. Does not return.
 *
 * The handler of the trap may be left for good, or be called again before it has ended: platform.watchdog_pet, which
 * this calls, lets the watchdog's interrupt in. */
void runner_fault(struct runner *r, const char *what, uint32_t pc, uint32_t addr) __attribute__((noreturn));

/* The watchdog's time is up. Within a poll this does not return: the firmware ends as after a trap. Otherwise the poll
 * has just ended, and nothing is wrong. */
void runner_bite(struct runner *r);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_BARE_RUNNER_H */
