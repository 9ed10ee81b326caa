/* SPDX-License-Identifier: Apache-2.0 */
/* Words for what a call returned, and for the library. */
#include <stdio.h>
#include <string.h>

#include "openremap.h"
#include "orm_formats.h"
#include "orm_nvme.h"
#include "orm_version.h"

struct status_name {
  int status;
  const char *name;
};

/* As the descriptions in interfaces/formats have them. */
#define STANDARD(name, value, text) {value, text},
#define VENDOR(name, value, text) {NVME_STATUS(NVME_STATUS_TYPE_VENDOR, value), #name ": " text},
static const struct status_name names[] = {
    NVME_STATUS_ITEMS(STANDARD) ORM_VENDOR_STATUS_ITEMS(VENDOR)
    /* Base Specification 1.4, section 4.6.1.2.4. Linux gives them to commands that the device has not answered. */
    {0x370, "Host Pathing Error: Linux could not reach the controller"},
    {0x371, "Command Aborted By Host: Linux gave it up, because it timed out or the controller was reset"},
};
#undef STANDARD
#undef VENDOR

static const char *status_name(int status) {
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (names[i].status == status) return names[i].name;
  }
  return NULL;
}

const char *openremap_version(void) { return ORM_VERSION; }

const char *openremap_describe(int status, char *text, size_t len) {
  if (status < 0) {
    snprintf(text, len, "%s", strerror(-status));
    return text;
  }
  if (status == 0) {
    snprintf(text, len, "success");
    return text;
  }
  const char *name = status_name(status);
  snprintf(text, len, "%s (NVMe status 0x%03X)", name != NULL ? name : "unknown status", (unsigned)status);
  return text;
}
