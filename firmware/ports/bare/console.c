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

#define AROUND 4u /* bytes of a line besides its text */

static void add(struct console *c, enum platform_log_level level, const char *line) {
  push(c, '<');
  push(c, (char)('0' + (int)level));
  push(c, '>');
  for (; *line != 0; line++) push(c, *line);
  push(c, '\n');
}

void console_line(struct console *c, enum platform_log_level level, const char *line) {
  console_drain(c);
  char note[40] = "";
  size_t bytes = strlen(line) + AROUND;
  if (c->lost != 0) {
    snprintf(note, sizeof note, "%u lines of the log lost", (unsigned)c->lost);
    bytes += strlen(note) + AROUND;
  }
  if (bytes > CONSOLE_BYTES - c->used) {
    c->lost++;
    return;
  }
  if (c->lost != 0) add(c, PLATFORM_LOG_ERROR, note);
  c->lost = 0;
  add(c, level, line);
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
