/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fatal.h - the phase of the firmware, and its stop for good; fw_phase() and fw_describe() of firmware.h tell the port.
 *
 * Start-up failures and crashes both end here. Only a power cycle leads out of FW_FATAL.
 */
#ifndef OPENREMAP_FW_FATAL_H
#define OPENREMAP_FW_FATAL_H

#include "core/result.h"
#include "firmware.h"

struct fw;

struct fatal {
  enum fw_phase phase; /* FW_STARTING in a new context, which is all zeroes */
  fw_result_t why;     /* in FW_FATAL */
  const char *step;    /* name of the start-up step that runs; never NULL after startup_begin() */
};

/* Records the name of the start-up step that runs, for fw_describe(). `name` must outlive the context. */
void fatal_step(struct fw *fw, const char *name);

/* Start-up is through: enters FW_RUNNING. */
void fatal_running(struct fw *fw);

/* Stops the firmware: masks all interrupts, sets CSTS.CFS (which then survives a controller reset) and enters FW_FATAL.
 * From then on fw_poll() does nothing. */
void fatal_stop(struct fw *fw, fw_result_t why);

#endif /* OPENREMAP_FW_FATAL_H */
