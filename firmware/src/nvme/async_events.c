/* SPDX-License-Identifier: Apache-2.0 */
#include "nvme/async_events.h"

#include <string.h>

#include "fw.h"

static const struct {
  uint32_t dword0;
  uint32_t notice; /* bit of feature 0Bh that lets it be reported; 0: it always may be, or watch.c has looked */
} events[] = {
    {NVME_ASYNC_EVENT_BAD_DOORBELL_REGISTER, 0}, {NVME_ASYNC_EVENT_BAD_DOORBELL_VALUE, 0},
    {NVME_ASYNC_EVENT_SMART_RELIABILITY, 0},     {NVME_ASYNC_EVENT_SMART_TEMPERATURE, 0},
    {NVME_ASYNC_EVENT_SMART_SPARE, 0},           {NVME_ASYNC_EVENT_NAMESPACE_CHANGED, NVME_OAES_NAMESPACE_CHANGED},
};

#define EVENTS (sizeof events / sizeof *events)

_Static_assert(EVENTS <= 32, "a bit for each event");

static uint32_t type_of(uint32_t event) { return event & 7u; }
static uint8_t page_of(uint32_t event) { return (uint8_t)(event >> 16 & 0xFFu); }

/* No bit for an event that is not in the table. */
static uint32_t bit_of(uint32_t event) {
  for (uint32_t i = 0; i < EVENTS; i++) {
    if (events[i].dword0 == event) return 1u << i;
  }
  return 0;
}

static uint32_t of_type(uint32_t type) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < EVENTS; i++) bits |= type_of(events[i].dword0) == type ? 1u << i : 0u;
  return bits;
}

static uint32_t of_page(uint8_t page) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < EVENTS; i++) bits |= page_of(events[i].dword0) == page ? 1u << i : 0u;
  return bits;
}

uint32_t async_events_optional(void) {
  uint32_t notices = 0;
  for (uint32_t i = 0; i < EVENTS; i++) notices |= events[i].notice;
  return notices;
}

void async_events_reset(struct fw *fw) { memset(&fw->async_events, 0, sizeof fw->async_events); }

void async_event_raise(struct fw *fw, uint32_t event) {
  fw->async_events.waiting |= bit_of(event);
  fw->async_events.newer |= bit_of(event);
}

void async_event_withdraw(struct fw *fw, uint32_t event) { fw->async_events.waiting &= ~bit_of(event); }

bool async_event_next(const struct fw *fw, uint32_t *event) {
  const struct async_events *e = &fw->async_events;
  uint32_t config = fw->features.feature[NVME_FEATURE_ASYNC_EVENT_CONFIG];
  for (uint32_t i = 0; i < EVENTS; i++) {
    bool wanted = events[i].notice == 0 || (config & events[i].notice) != 0;
    if (!(e->waiting >> i & 1u) || !wanted || (e->reported & of_type(type_of(events[i].dword0))) != 0) continue;
    *event = events[i].dword0;
    return true;
  }
  return false;
}

void async_event_reported(struct fw *fw, uint32_t event) {
  fw->async_events.waiting &= ~bit_of(event);
  fw->async_events.reported |= bit_of(event);
  fw->async_events.unread |= bit_of(event);
}

bool async_event_stands(const struct fw *fw, uint32_t event) {
  return ((fw->async_events.waiting | fw->async_events.reported) & bit_of(event)) != 0;
}

void async_events_page_built(struct fw *fw) {
  fw->async_events.newer = 0;
  fw->async_events.unread = 0;
}

void async_events_page_read(struct fw *fw, uint8_t page) {
  struct async_events *e = &fw->async_events;
  uint32_t all = of_page(page) & ~e->unread;
  uint32_t cleared = (e->reported & all) != 0 ? e->reported & all : all;
  e->waiting &= ~cleared | e->newer;
  e->reported &= ~all;
}
