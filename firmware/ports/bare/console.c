/* SPDX-License-Identifier: Apache-2.0 */
#include "console.h"

#include <stdio.h>
#include <string.h>

void console_init(struct console *c, console_put *put, void *ctx) {
  memset(c, 0, sizeof *c);
  c->put = put;
  c->ctx = ctx;
}

static void push(struct console *c, char ch) {
  c->ring[c->head] = ch;
  c->head = (c->head + 1u) % CONSOLE_BYTES;
  c->used++;
}

static bool add(struct console *c, enum platform_log_level level, const char *line) {
  size_t len = strlen(line);
  if (len + 4u > CONSOLE_BYTES - c->used) return false;
  push(c, '<');
  push(c, (char)('0' + (int)level));
  push(c, '>');
  for (size_t i = 0; i < len; i++) push(c, line[i]);
  push(c, '\n');
  return true;
}

void console_line(struct console *c, enum platform_log_level level, const char *line) {
  console_drain(c);
  if (c->lost != 0) {
    char text[40];
    snprintf(text, sizeof text, "%u lines of the log lost", (unsigned)c->lost);
    if (add(c, PLATFORM_LOG_ERROR, text)) c->lost = 0;
  }
  if (c->lost != 0 || !add(c, level, line)) c->lost++;
  console_drain(c);
}

bool console_drain(struct console *c) {
  while (c->used > 0) {
    if (!c->put(c->ctx, c->ring[(c->head + CONSOLE_BYTES - c->used) % CONSOLE_BYTES])) return false;
    c->used--;
  }
  return true;
}

void console_flush(struct console *c) {
  while (!console_drain(c)) {
  }
}
