/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_async.h - Asynchronous Event Request (NVMe base specification 2.0, 5.2) and Abort (5.1): the requests that are
 * held until there is an event for them (async_events.h).
 */
#ifndef OPENREMAP_FW_CMD_ASYNC_H
#define OPENREMAP_FW_CMD_ASYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"
#include "drivers/mailbox.h"

struct fw;

#define FW_AER_LIMIT 4u /* Asynchronous Event Requests held at a time */

struct event_requests {
  uint16_t cid[FW_AER_LIMIT]; /* their command identifiers */
  uint32_t held;
};

/* Completes requests with the events that can be reported. From the begin of a shutdown on none is: like a controller
 * reset, a shutdown leaves the requests without a completion. */
void event_requests_poll(struct fw *fw);

/* After a controller reset: no request. */
void event_requests_reset(struct fw *fw);

/* Aborts the requests that are held. False: the completion register is busy; call again in a later poll. */
bool event_requests_drained(struct fw *fw);

/* ---- handlers (commands.h) */

/* HELD: event_requests_poll() completes the command. AER_FULL: FW_AER_LIMIT are held already. */
FW_MUST_USE fw_result_t cmd_async_event(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_abort(struct fw *fw, struct command *cmd);

#endif /* OPENREMAP_FW_CMD_ASYNC_H */
