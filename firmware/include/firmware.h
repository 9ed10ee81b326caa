/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firmware.h - the calls of a port: it makes a context at power-on, and then polls it.
 *
 *   power on:  struct fw *fw = aligned memory of fw_size() bytes;  fw_init(fw, &platform);
 *   forever:   if (firmware interrupt high || asked to || FW_POLL_MOST_NS have passed) wait = fw_poll(fw);
 *
 * The firmware never waits inside a call: waiting is a state. fw_init() touches nothing but its own memory.
 */
#ifndef OPENREMAP_FIRMWARE_H
#define OPENREMAP_FIRMWARE_H

#include <stddef.h>
#include <stdint.h>

#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

struct fw;

/* Bytes of a context, which needs the alignment of max_align_t. Each power cycle gets a new context. */
size_t fw_size(void);

/* Starts a context. `platform` is kept by reference and must outlive it. */
void fw_init(struct fw *fw, const struct platform *platform);

#define FW_POLL_IDLE UINT64_MAX

/* The longest time between two polls, in ns of device time. No interrupt tells that the temperature has passed a
 * threshold, or that a read of the host has found lost data; the host may have asked to be told of both. */
#define FW_POLL_MOST_NS 1000000000u

/* Does a bounded piece of work. Returns the time in ns after which to call again even if the firmware interrupt is
 * low: 0 at once, FW_POLL_IDLE: there is nothing to do (FW_POLL_MOST_NS still holds). While the interrupt is high the
 * port must call again. */
uint64_t fw_poll(struct fw *fw);

enum fw_phase {
  FW_STARTING, /* start-up steps run: check, format or recover */
  FW_RUNNING,  /* the controller can be enabled */
  FW_FATAL     /* start-up failed or the firmware crashed; CSTS.CFS is set; fw_describe() says why */
};

/* For the watchdog of the port, when fw_poll() has not returned in time (platform.h, watchdog_pet): saves the crash
 * log and stops the controller (CSTS.CFS). Does not return; instead the fw_poll() that hangs does, and each later
 * one returns at once. Must be called within fw_poll(): by a member of struct platform, or by a trap handler, which
 * may have a stack of its own. Called again in the course of that, or of fw_fault(), it stops the controller without a
 * crash log, as that is what hangs. */
void fw_watchdog(struct fw *fw) __attribute__((noreturn));

/* For a trap handler of the port, when the processor has trapped within fw_poll(): ends as fw_watchdog() does. `what`
 * names the trap ("load fault"); the crash log keeps as much of it as fits into CrashLog.file. `pc` is the address of
 * the instruction. */
void fw_fault(struct fw *fw, const char *what, uint32_t pc) __attribute__((noreturn));

/* For a port that has trapped outside of fw_poll(), or whose traps fw_fault() could not end: stops the controller
 * (CSTS.CFS) without a crash log. Each later fw_poll() returns at once. Its register writes may trap, too. */
void fw_stop(struct fw *fw);

/* For a port that waits for the end of start-up. */
enum fw_phase fw_phase(const struct fw *fw);

/* Name of the start-up step that runs (FW_STARTING) or one line on what failed (FW_FATAL); never NULL. */
const char *fw_describe(const struct fw *fw);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_FIRMWARE_H */
