/* SPDX-License-Identifier: Apache-2.0 */
/* print.h - one result object, shown as lines for people or as JSON for machines. */
#ifndef OPENREMAP_CLI_PRINT_H
#define OPENREMAP_CLI_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct printer;

struct printer_ops {
  /* Begins the object. Between begin and end, members come in the order of the calls. */
  void (*begin)(struct printer *printer);
  /* `meaning`: a remark for people, or "". */
  void (*number)(struct printer *printer, const char *name, uint64_t value, const char *meaning);
  void (*real)(struct printer *printer, const char *name, double value, const char *meaning);
  void (*text)(struct printer *printer, const char *name, const char *value);
  void (*flag)(struct printer *printer, const char *name, bool value);
  /* `len` bytes, the first of which has number `offset`: a hex dump, or one hex string. */
  void (*bytes)(struct printer *printer, const char *name, uint64_t offset, const uint8_t *data, size_t len);
  void (*end)(struct printer *printer);
};

struct printer {
  const struct printer_ops *ops;
  FILE *out;
  bool first; /* no member printed yet */
};

extern const struct printer_ops print_text_ops;
extern const struct printer_ops print_json_ops;

#endif /* OPENREMAP_CLI_PRINT_H */
