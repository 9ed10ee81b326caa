/* SPDX-License-Identifier: Apache-2.0 */
/*
 * startup.h - from power-on to a controller that can be enabled, as tables of named steps.
 */
#ifndef OPENREMAP_FW_STARTUP_H
#define OPENREMAP_FW_STARTUP_H

#include "core/result.h"

struct fw;

/* A step does a bounded piece of work; PENDING: call again, any other failure ends the start-up. */
struct startup_step {
  const char *name;
  fw_result_t (*run)(struct fw *fw);
  const char *reads; /* what it depends on */
  const char *makes; /* what it rebuilds or writes */
};

struct startup {
  const struct startup_step *step; /* ends with a NULL name */
  const struct startup_step *told; /* to the log */
};

void startup_begin(struct fw *fw);

/* Runs the current step; OK when all are done. */
FW_MUST_USE fw_result_t startup_poll(struct fw *fw);

/* What it reads, for the line that says why it failed. */
const char *startup_step_reads(const struct startup *s);

#endif /* OPENREMAP_FW_STARTUP_H */
