/* SPDX-License-Identifier: Apache-2.0 */
/*
 * startup.h - from power-on to a controller that can be enabled, as tables of named steps (docs/design/firmware.md).
 *
 * The first table checks the hardware and the header, and goes on in one of the others: a format, a recovery, or a
 * start that only reads. Steps say by their results when the start has to go on in another table.
 */
#ifndef OPENREMAP_FW_STARTUP_H
#define OPENREMAP_FW_STARTUP_H

#include "core/result.h"

struct fw;

/* A step does a bounded piece of work in a call. PENDING: call again. OK: the next step. LOST and BAD_*: the start
 * goes on as one that only reads. IN_FULL: recovery begins again without the snapshot. Any other result ends the
 * start-up. */
struct startup_step {
  const char *name;
  fw_result_t (*run)(struct fw *fw);
  const char *reads; /* what it depends on */
  const char *makes; /* what it rebuilds or writes */
};

struct startup {
  const struct startup_step *step; /* ends with a NULL name */
  const struct startup_step *told; /* the last step that was logged */
};

/* Begins with the first step. */
void startup_begin(struct fw *fw);

/* Runs the current step. PENDING: call again. OK: the device is ready. Any other result: it cannot be started. */
FW_MUST_USE fw_result_t startup_poll(struct fw *fw);

/* What the current step reads, for the log line of a failure. */
const char *startup_step_reads(const struct startup *s);

#endif /* OPENREMAP_FW_STARTUP_H */
