/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async_events.h - the asynchronous events: which have happened, which may be reported now, and which the host has
 * cleared (NVMe base specification 2.0, 5.2).
 *
 * An event is named by dword 0 of its completion (enum nvme_async_event): type, information, log page. An event that
 * was reported masks all others of its type, and none of another type. It is cleared by a Get Log Page command that
 * returns its log page with Retain Asynchronous Event 0. Events that happen meanwhile wait. Those with the same dword 0
 * are one event.
 */
#ifndef OPENREMAP_FW_ASYNC_EVENTS_H
#define OPENREMAP_FW_ASYNC_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct fw;

/* One bit for each event, by its index in the table of async_events.c. */
struct async_events {
  uint32_t waiting;  /* happened, not reported */
  uint32_t newer;    /* happened after the log page that is on its way to the host was built */
  uint32_t reported; /* reported and not cleared; at most one of a type */
  uint32_t unread;   /* of these, reported after that log page was built: it does not show them */
};

/* OAES of Identify Controller: the optional events that there are, as bits of feature 0Bh. */
uint32_t async_events_optional(void);

/* After a controller reset: no event. */
void async_events_reset(struct fw *fw);

/* `event` has happened. */
void async_event_raise(struct fw *fw, uint32_t event);

/* `event` is not to be reported, unless it was already. */
void async_event_withdraw(struct fw *fw, uint32_t event);

/* Whether an event can be reported now. It is the one that `event` becomes. */
bool async_event_next(const struct fw *fw, uint32_t *event);

/* `event`, which async_event_next() named, was reported. */
void async_event_reported(struct fw *fw, uint32_t event);

/* Whether `event` has happened and was not cleared. */
bool async_event_stands(const struct fw *fw, uint32_t event);

/* A log page was built. What happens from now on is not in it. */
void async_events_page_built(struct fw *fw);

/* The host has log page `page`, the one built last, and wants its event cleared. The event that was reported is
 * cleared, and those that waited behind it come next. If none was reported, those that wait are dropped: the host has
 * read what they tell. One that was reported while the page was sent is not cleared: the host reads the page again. */
void async_events_page_read(struct fw *fw, uint8_t page);

#endif /* OPENREMAP_FW_ASYNC_EVENTS_H */
