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

/* Start no background work: from when a shutdown finds nothing inside any more (not before: a write or remap that is
 * still inside may need a collection to find room) until the controller is enabled again and NVRAM says that the device
 * is not clean. */
bool controller_is_shut(const struct fw *fw);

/* As that, from when the shutdown has waited for all that was under way. */
bool controller_is_at_rest(const struct fw *fw);

/* Tells the hardware whether I/O commands are accepted, and if not, why. */
void controller_show_namespace(struct fw *fw);

/* No I/O command is inside the controller. */
bool controller_io_quiet(const struct fw *fw);

#endif /* OPENREMAP_FW_CONTROLLER_H */
