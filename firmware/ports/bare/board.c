/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include <string.h>

bool board_read(struct board *b, const uint8_t *record, struct platform *platform) {
  struct orm_soc_board r;
  memset(b, 0, sizeof *b);
  platform->identity.serial = b->serial;
  if (!orm_soc_board_open(&r, record) || r.mark != ORM_SOC_BOARD_MARK) return false;
  memcpy(b->serial, r.serial, sizeof r.serial);
  b->mailbox = r.mailbox;
  b->timer_hz = r.timer_hz;
  for (unsigned i = 0; i < PLATFORM_EUI64_BYTES; i++)
    platform->identity.eui64[i] = (uint8_t)(r.eui64 >> (8u * (PLATFORM_EUI64_BYTES - 1u - i)));
  platform->options.superblocks = r.superblocks;
  platform->options.over_provision_pct = r.over_provision_pct;
  platform->options.placement_handles = r.placement_handles;
  platform->options.remap_segments = r.remap_segments;
  return true;
}
