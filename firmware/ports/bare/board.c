/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include <stdio.h>
#include <string.h>

const char *board_read(struct board *b, const uint8_t *record, uint32_t mailbox, struct platform *platform) {
  struct orm_soc_board r;
  memset(b, 0, sizeof *b);
  platform->identity.serial = b->serial;
  platform->log_level = PLATFORM_LOG_INFO;
  bool good = orm_soc_board_open(&r, record);
  if (r.mark != ORM_SOC_BOARD_MARK) return "there is none";
  if (r.version != ORM_SOC_BOARD_VERSION) return "it is of another version";
  if (!good) return "its CRC is wrong";
  if (r.mailbox != 0 && r.mailbox != mailbox) return "there is no mailbox at this address";
  b->mailbox = r.mailbox;
  b->timer_hz = r.timer_hz;
  if (r.log_level > PLATFORM_LOG_DEBUG) return "there is no such log level";
  if (r.reserved0 != 0 || (r.flags & ~ORM_BOARD_FLAGS) != 0) return "its reserved bits are not zero";
  memcpy(b->serial, r.serial, sizeof r.serial);
  for (unsigned i = 0; i < PLATFORM_EUI64_BYTES; i++)
    platform->identity.eui64[i] = (uint8_t)(r.eui64 >> (8u * (PLATFORM_EUI64_BYTES - 1u - i)));
  platform->options.superblocks = r.superblocks;
  platform->options.over_provision_pct = r.over_provision_pct;
  platform->options.placement_handles = r.placement_handles;
  platform->options.remap_segments = r.remap_segments;
  platform->board = r.flags;
  platform->log_level = (enum platform_log_level)r.log_level;
  return NULL;
}

void board_refused(const struct platform *platform, const char *why) {
  char line[80];
  snprintf(line, sizeof line, "SocBoard record: %s", why);
  platform->log(platform->ctx, PLATFORM_LOG_ERROR, line);
}
