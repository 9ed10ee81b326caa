/* SPDX-License-Identifier: Apache-2.0 */
/*
 * controller.h - life cycle of the NVMe controller: CC.EN up and down, shutdown, fatal errors (base
 * specification 3.1.5, 3.1.6, 7.6).
 */
#ifndef OPENREMAP_FW_CONTROLLER_H
#define OPENREMAP_FW_CONTROLLER_H

#include <stdbool.h>
#include <stdint.h>

struct fw;

enum controller_phase {
  CONTROLLER_OFF,  /* CC.EN = 0, CSTS.RDY = 0 */
  CONTROLLER_ON,   /* CSTS.RDY = 1, or CFS because of settings that we do not have */
  CONTROLLER_DRAIN /* CC.EN fell: commands inside finish, their completions are dropped; then RDY = 0 */
};

enum shutdown_phase {
  SHUTDOWN_NONE,
  SHUTDOWN_DRAIN, /* no new I/O; what is inside and the collection under way finish */
  SHUTDOWN_FENCE, /* until all that the host wrote is in flash */
  SHUTDOWN_WRITE, /* a snapshot of the mapping */
  SHUTDOWN_DONE   /* CSTS.SHST = 2; power may go */
};

struct controller {
  enum controller_phase phase;
  enum shutdown_phase shutdown;
  bool fatal;
  uint32_t ticket;
};

void controller_begin(struct fw *fw);
void controller_poll(struct fw *fw);

#endif /* OPENREMAP_FW_CONTROLLER_H */
