/* SPDX-License-Identifier: Apache-2.0 */
#include "core/memory_error.h"

#include <string.h>

#include "fw.h"

static const char *user_text(uint32_t user) {
  switch (user) {
    case ORM_MEMORY_USER_L2P:
      return "L2P";
    case ORM_MEMORY_USER_REFS:
      return "REF";
    case ORM_MEMORY_USER_REMAP_LIST:
      return "remap list";
    case ORM_MEMORY_USER_FIRMWARE_DMA:
      return "DMA";
    case ORM_MEMORY_USER_SLOT_LOG:
      return "slot log";
    case ORM_MEMORY_USER_JOURNAL:
      return "journal";
    case ORM_MEMORY_USER_REMAP_TABLE:
      return "remap table";
    default:
      return "unknown";
  }
}

/* Appends `text` at `at` of `what`; returns where it ends. All texts together are shorter than a CrashLog's file
 * name. */
static size_t append(char *what, size_t at, const char *text) {
  size_t len = strlen(text);
  memcpy(what + at, text, len + 1u);
  return at + len;
}

void memory_error_check(struct fw *fw) {
  uint32_t error = hal_read(fw->p, ORM_FW_MEMORY_ERROR);
  if (!ORM_GET(error, ORM_FW_MEMORY_ERROR_VALID)) return;
  char what[sizeof((struct orm_crash_log *)0)->file];
  size_t at = append(what, 0, ORM_GET(error, ORM_FW_MEMORY_ERROR_NVRAM) ? "NVRAM " : "DRAM ");
  at = append(what, at, ORM_GET(error, ORM_FW_MEMORY_ERROR_WRITE) ? "write, " : "read, ");
  append(what, at, user_text(ORM_GET(error, ORM_FW_MEMORY_ERROR_USER)));
  crash_memory(fw, what, hal_read(fw->p, ORM_FW_MEMORY_ERROR_AT));
}
