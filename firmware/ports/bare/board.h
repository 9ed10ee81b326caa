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

/* Reads the ORM_SOC_BOARD_BYTES at `record` into the options, the identity and the log level of `platform`. `mailbox`:
 * the address at which the machine can have a RemoteMailbox; 0: nowhere. Returns NULL, or, if this is no record that
 * the image can take, why: then `platform` has no identity, with which the firmware does not start. What a value means
 * for the controller the firmware checks itself. */
const char *board_read(struct board *b, const uint8_t *record, uint32_t mailbox, struct platform *platform);

/* Logs, as an error, why board_read() has refused the record. */
void board_refused(const struct platform *platform, const char *why);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_BARE_BOARD_H */
