/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console.h - lines of the log on their way to a slow UART.
 *
 * A line must not hold up the poll that writes it: at 115,200 baud a character takes 87 us. So lines are kept in a
 * ring, which the runner empties between polls. A line that finds no room is lost as a whole, and their number is told
 * with the next one that does.
 */
#ifndef OPENREMAP_BARE_CONSOLE_H
#define OPENREMAP_BARE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CONSOLE_BYTES 4096u /* a start-up's lines, all of them */

/* Where characters go. Returns false if there is no room now. */
typedef bool console_put(void *ctx, char c);

struct console {
  console_put *put;
  void *ctx; /* handed to `put` */
  char ring[CONSOLE_BYTES];
  size_t head;   /* place of the next character in */
  size_t used;   /* characters in the ring */
  uint32_t lost; /* lines that found no room, not told yet */
};

void console_init(struct console *c, console_put *put, void *ctx);

/* Adds a line: "<L>" with its level, the text, a newline. Sends what there is room for. */
void console_line(struct console *c, enum platform_log_level level, const char *line);

/* Sends what there is room for. Returns whether nothing is left. */
bool console_drain(struct console *c);

/* Sends everything, however long it takes: for the last words of a machine that stops. */
void console_flush(struct console *c);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_BARE_CONSOLE_H */
