/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fence.h - shares the hardware's one fence ("all host programs issued so far are durable") among those who wait for
 * one.
 */
#ifndef OPENREMAP_FW_FENCE_H
#define OPENREMAP_FW_FENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"
#include "platform.h"

struct fence {
  uint32_t started; /* fences started */
  uint32_t ended;   /* fences that have ended */
};

/* A ticket: fence_passed() is true once a fence that starts after this call has ended. */
uint32_t fence_ticket(struct fence *f, const struct platform *p);

/* Looks at the hardware, and starts the fence of a ticket that has had to wait for another one. */
bool fence_passed(struct fence *f, const struct platform *p, uint32_t ticket);

#endif /* OPENREMAP_FW_FENCE_H */
