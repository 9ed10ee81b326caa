/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

uint64_t cli_progress_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool is(const char *variable, const char *value) {
  const char *found = getenv(variable);
  return found != NULL && strcmp(found, value) == 0;
}

enum cli_progress_style cli_progress_style_of(FILE *out, bool every) {
  if (every || is("OPENREMAP_PROGRESS", "every")) return CLI_PROGRESS_EVERY;
  /* A CI may provide a terminal, but what it shows is a log. */
  const char *ci = getenv("CI");
  const int file = fileno(out);
  const bool terminal = file >= 0 && isatty(file) != 0 && !is("TERM", "dumb") && (ci == NULL || ci[0] == '\0');
  return terminal ? CLI_PROGRESS_REDRAWN : CLI_PROGRESS_PLAIN;
}

void cli_progress_begin(struct cli_progress *p, FILE *out, enum cli_progress_style style, uint64_t now_ms) {
  *p = (struct cli_progress){.out = out, .style = style, .begun_ms = now_ms, .said_ms = now_ms, .drawn = false};
}

static int columns(FILE *out) {
  struct winsize size;
  const bool known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

void cli_progress_show(struct cli_progress *p, uint64_t now_ms, const char *what, uint64_t done, uint64_t total) {
  const uint64_t percent = total == 0 ? 100 : (uint64_t)(100.0 * (double)done / (double)total);
  const uint64_t since = now_ms - p->said_ms;
  char line[160];
  switch (p->style) {
    case CLI_PROGRESS_EVERY:
      fprintf(p->out, "progress %" PRIu64 " %" PRIu64 " %s\n", done, total, what);
      break;
    case CLI_PROGRESS_PLAIN:
      if (since < CLI_PROGRESS_PLAIN_MS) return;
      fprintf(p->out, "%s: %" PRIu64 " %% (%" PRIu64 "/%" PRIu64 "), %" PRIu64 " s\n", what, percent, done, total,
              (now_ms - p->begun_ms) / 1000);
      break;
    case CLI_PROGRESS_REDRAWN:
      if (p->drawn && since < CLI_PROGRESS_REDRAW_MS) return;
      snprintf(line, sizeof(line), "%s: %" PRIu64 " %% (%" PRIu64 "/%" PRIu64 ")", what, percent, done, total);
      /* A line as wide as the terminal would wrap, and the next one would not replace it. */
      fprintf(p->out, "\r\033[K%.*s", columns(p->out) - 1, line);
      p->drawn = true;
      break;
  }
  p->said_ms = now_ms;
  fflush(p->out);
}

void cli_progress_end(struct cli_progress *p) {
  if (p->drawn) fputs("\r\033[K", p->out);
  p->drawn = false;
  fflush(p->out);
}
