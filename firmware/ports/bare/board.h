/* SPDX-License-Identifier: Apache-2.0 */
/*
 * board.h - what the firmware is told of its device: the SocBoard record (interfaces/formats/formats.yaml), which
 * whoever makes the device puts where the port looks for it.
 */
#ifndef OPENREMAP_BARE_BOARD_H
#define OPENREMAP_BARE_BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "orm_formats.h"
#include "orm_identity.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

struct board {
  char serial[ORM_SERIAL_MAX + 1u]; /* platform.identity points here */
  uint32_t mailbox;                 /* SocBoard.mailbox */
  uint32_t timer_hz;                /* SocBoard.timer_hz */
};

/* Reads the ORM_SOC_BOARD_BYTES at `record` into the options and the identity of `platform`. Returns false if they are
 * no good record: then `platform` has no identity, with which the firmware does not start. */
bool board_read(struct board *b, const uint8_t *record, struct platform *platform);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_BARE_BOARD_H */
