/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "cli/print.h"

#define BYTES_A_LINE 16u

static void begin(struct printer *printer) { (void)printer; }

static void number(struct printer *printer, const char *name, uint64_t value, const char *meaning) {
  fprintf(printer->out, "%-22s %12" PRIu64 "%s%s\n", name, value, meaning[0] != '\0' ? "  " : "", meaning);
}

static void real(struct printer *printer, const char *name, double value, const char *meaning) {
  fprintf(printer->out, "%-22s %12.3f%s%s\n", name, value, meaning[0] != '\0' ? "  " : "", meaning);
}

static void text(struct printer *printer, const char *name, const char *value) {
  fprintf(printer->out, "%-22s %s\n", name, value);
}

static void flag(struct printer *printer, const char *name, bool value) { text(printer, name, value ? "yes" : "no"); }

static void line(FILE *out, uint64_t offset, const uint8_t *data, size_t len) {
  fprintf(out, "%08" PRIx64 " ", offset);
  for (size_t i = 0; i < BYTES_A_LINE; i++) {
    if (i % 8 == 0) fputc(' ', out);
    if (i < len) {
      fprintf(out, "%02x ", data[i]);
    } else {
      fputs("   ", out);
    }
  }
  fputs(" |", out);
  for (size_t i = 0; i < len; i++) fputc(isprint(data[i]) ? data[i] : '.', out);
  fputs("|\n", out);
}

/* As hexdump -C: a run of equal lines is shown once, then as `*`. */
static void bytes(struct printer *printer, const char *name, uint64_t offset, const uint8_t *data, size_t len) {
  bool in_run = false;
  (void)name;
  for (size_t at = 0; at < len; at += BYTES_A_LINE) {
    const size_t length = len - at < BYTES_A_LINE ? len - at : BYTES_A_LINE;
    if (at != 0 && length == BYTES_A_LINE && memcmp(data + at, data + at - BYTES_A_LINE, BYTES_A_LINE) == 0) {
      if (!in_run) fputs("*\n", printer->out);
      in_run = true;
      continue;
    }
    in_run = false;
    line(printer->out, offset + at, data + at, length);
  }
  fprintf(printer->out, "%08" PRIx64 "\n", offset + len);
}

static void end(struct printer *printer) { (void)printer; }

const struct printer_ops print_text_ops = {
    .begin = begin, .number = number, .real = real, .text = text, .flag = flag, .bytes = bytes, .end = end};
