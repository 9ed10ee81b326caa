/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.h - contents of the log pages. cmd_log.c answers Get Log Page with them.
 */
#ifndef OPENREMAP_FW_LOGS_H
#define OPENREMAP_FW_LOGS_H

#include <stdbool.h>
#include <stdint.h>

#define LOG_PAGE_MAX_BYTES 4096u

struct fw;

/* What a page belongs to, so which selectors of Get Log Page it looks at. */
enum log_scope {
  LOG_OF_CONTROLLER,
  LOG_OF_GROUP,      /* the Log Specific Identifier names the endurance group */
  LOG_OF_COMMAND_SET /* the Command Set Identifier names the I/O command set */
};

struct log_page {
  uint8_t id;
  enum log_scope scope;
  bool health; /* it shows figures of a survey (health.h), which must have ended before logs_build() */
  uint32_t (*build)(struct fw *fw, uint8_t *out);
};

/* NULL: there is no such page. */
const struct log_page *logs_page(uint8_t id);

/* Writes the page into `out`, which must be zero and have room for LOG_PAGE_MAX_BYTES. Returns its length in bytes. */
uint32_t logs_build(struct fw *fw, const struct log_page *page, uint8_t *out);

#endif /* OPENREMAP_FW_LOGS_H */
