/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "openremap_stats.h"

#define KNOWN_LOG_VERSION 1u

int openremap_get_stats(struct openremap_device *dev, struct orm_remap_log *out) {
  uint8_t page[ORM_REMAP_LOG_BYTES];
  const int rc = openremap_get_log_page(dev, ORM_VENDOR_LOG_PAGES_REMAP_LOG, 0, page, sizeof(page));
  if (rc != 0) return rc;
  orm_remap_log_unpack(out, page);
  return out->version == KNOWN_LOG_VERSION ? 0 : -EPROTO;
}
