/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trial.h - faults on purpose, so that the crash paths of the shipped image can be tried: those that the pins `trial`
 * of the SoC ask for (register TRIAL). A board ties them to 0.
 */
#ifndef OPENREMAP_LITEX_TRIAL_H
#define OPENREMAP_LITEX_TRIAL_H

#include <stdint.h>

#include "platform.h"

/* Exchanges members of `platform`, between two polls: at its next access to a register the firmware does what
 * TRIAL.poll says, and at its next write of NVRAM, if it is not 0, what TRIAL.log says. */
void trial_begin(struct platform *platform, uint32_t trial);

/* The port's member `settle`, which a trial calls by its name. */
void litex_settle(void *ctx);

#endif /* OPENREMAP_LITEX_TRIAL_H */
