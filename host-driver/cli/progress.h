/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - progress of a command that takes long, on standard error. common/progress_line.h is the same for C++.
 *
 * A terminal shows one line that is drawn again and again. A file or a pipe gets a plain line now and then, so that a
 * log stays short and has no control characters.
 */
#ifndef OPENREMAP_CLI_PROGRESS_H
#define OPENREMAP_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum cli_progress_style {
  CLI_PROGRESS_REDRAWN, /* one line, for a terminal */
  CLI_PROGRESS_PLAIN,   /* a line every CLI_PROGRESS_PLAIN_MS */
  CLI_PROGRESS_EVERY,   /* each step as `progress DONE TOTAL WHAT`, for a program that reads them */
};

#define CLI_PROGRESS_PLAIN_MS 15000u
#define CLI_PROGRESS_REDRAW_MS 100u

struct cli_progress {
  FILE *out;
  enum cli_progress_style style;
  uint64_t begun_ms, said_ms;
  bool drawn; /* a line that is to be removed */
};

/* Milliseconds since any fixed time. */
uint64_t cli_progress_now(void);

/* What suits `out`. `every`, or OPENREMAP_PROGRESS=every, asks for CLI_PROGRESS_EVERY. */
enum cli_progress_style cli_progress_style_of(FILE *out, bool every);

void cli_progress_begin(struct cli_progress *p, FILE *out, enum cli_progress_style style, uint64_t now_ms);

/* `done` of `total` units of `what` are done. Most calls print nothing. */
void cli_progress_show(struct cli_progress *p, uint64_t now_ms, const char *what, uint64_t done, uint64_t total);

/* Removes a line that was drawn, so that other output can take its place. */
void cli_progress_end(struct cli_progress *p);

#endif /* OPENREMAP_CLI_PROGRESS_H */
