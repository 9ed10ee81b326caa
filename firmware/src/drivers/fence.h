/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fence.h - waits until all host programs issued so far are durable.
 *
 * The hardware has one fence, which several units may want at the same time. Each takes a ticket and asks in later
 * polls whether the ticket has passed. The interrupt FENCE_DONE tells when to ask again.
 */
#ifndef OPENREMAP_FW_FENCE_H
#define OPENREMAP_FW_FENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"
#include "platform.h"

struct fence {
  uint32_t started; /* fences started since power-on */
  uint32_t ended;   /* fences that have ended */
};

/* Takes a ticket for a fence that starts now, or as soon as the one under way has ended. */
uint32_t fence_ticket(struct fence *f, const struct platform *p);

/* Whether the fence of the ticket has ended: everything programmed before fence_ticket() is durable. Starts that
 * fence if it had to wait for another one. Tickets stay passed. */
bool fence_passed(struct fence *f, const struct platform *p, uint32_t ticket);

#endif /* OPENREMAP_FW_FENCE_H */
