/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_async.h - Asynchronous Event Request (NVMe base specification 5.2) and Abort (5.1), and the events themselves.
 *
 * One event is kept at a time. It completes a request that is held, or waits for the next one. No other is reported
 * until the host has read the log page that the event names.
 */
#ifndef OPENREMAP_FW_CMD_ASYNC_H
#define OPENREMAP_FW_CMD_ASYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/result.h"
#include "drivers/mailbox.h"

struct fw;

#define FW_AER_LIMIT 4u /* Asynchronous Event Requests held at a time */

struct async_events {
  uint16_t aer[FW_AER_LIMIT]; /* command identifiers of the requests that are held */
  uint32_t aers;
  bool event_pending; /* an event waits for a request */
  bool event_masked;  /* one was reported, and its log page has not been read since */
  uint32_t event;     /* completion dword 0 */
  bool damage_told;   /* the host was told of damaged or worn media, */
  uint32_t bad_told;  /* when this many superblocks were bad */
};

/* `event` (completion dword 0) has happened. Dropped while another one waits or its log page has not been read. */
void async_event_raise(struct fw *fw, uint32_t event);

/* The host has read `log_page`: if it is that of the event that was reported, the next event may be. */
void async_event_unmask(struct fw *fw, uint8_t log_page);

/* Looks for damaged and worn media, and completes a request with the event that waits. */
void async_event_poll(struct fw *fw);

/* After a controller reset: no request, no event. */
void async_events_reset(struct fw *fw);

/* CC.EN fell: drops the event that waits. */
void async_events_abandon(struct fw *fw);

/* Aborts the requests that are held. False: the completion register is busy; call again in a later poll. */
bool async_events_drained(struct fw *fw);

/* ---- handlers (commands.h) */

/* HELD: async_event_poll() completes the command. AER_FULL: FW_AER_LIMIT are held already. */
FW_MUST_USE fw_result_t cmd_async_event(struct fw *fw, struct command *cmd);
FW_MUST_USE fw_result_t cmd_abort(struct fw *fw, struct command *cmd);

#endif /* OPENREMAP_FW_CMD_ASYNC_H */
