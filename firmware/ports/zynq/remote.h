/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote.h - the controller elsewhere: registers, NVRAM, time and temperature through a RemoteMailbox in memory
 * (interfaces/formats/formats.yaml). The image that a board runs so drives a simulated controller; which of the two it
 * does is told by SocBoard.mailbox.
 */
#ifndef OPENREMAP_ZYNQ_REMOTE_H
#define OPENREMAP_ZYNQ_REMOTE_H

#include <stdint.h>

#include "platform.h"
#include "runner.h"

/* Fills in the members that reach the controller, and those that wait for it. `address`: of the mailbox. */
void remote_begin(uint32_t address, struct platform *platform, struct machine *machine);

#endif /* OPENREMAP_ZYNQ_REMOTE_H */
