/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "cli/print.h"

static void quoted(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text != '\0'; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      fprintf(out, "\\%c", c);
    } else if (c < 0x20 || c >= 0x7F) {
      fprintf(out, "\\u%04x", c);
    } else {
      fputc(c, out);
    }
  }
  fputc('"', out);
}

static void name_of(struct printer *printer, const char *name) {
  if (!printer->first) fputs(", ", printer->out);
  printer->first = false;
  quoted(printer->out, name);
  fputs(": ", printer->out);
}

static void begin(struct printer *printer) {
  printer->first = true;
  fputc('{', printer->out);
}

static void number(struct printer *printer, const char *name, uint64_t value, const char *meaning) {
  (void)meaning;
  name_of(printer, name);
  fprintf(printer->out, "%" PRIu64, value);
}

static void real(struct printer *printer, const char *name, double value, const char *meaning) {
  (void)meaning;
  name_of(printer, name);
  fprintf(printer->out, "%.6f", value);
}

static void text(struct printer *printer, const char *name, const char *value) {
  name_of(printer, name);
  quoted(printer->out, value);
}

static void flag(struct printer *printer, const char *name, bool value) {
  name_of(printer, name);
  fputs(value ? "true" : "false", printer->out);
}

static void bytes(struct printer *printer, const char *name, uint64_t offset, const uint8_t *data, size_t len) {
  (void)offset;
  name_of(printer, name);
  fputc('"', printer->out);
  for (size_t i = 0; i < len; i++) fprintf(printer->out, "%02x", data[i]);
  fputc('"', printer->out);
}

static void end(struct printer *printer) { fputs("}\n", printer->out); }

const struct printer_ops print_json_ops = {
    .begin = begin, .number = number, .real = real, .text = text, .flag = flag, .bytes = bytes, .end = end};
