/* SPDX-License-Identifier: Apache-2.0 */
/* known.h - whether a device is one of this project. Vendor opcodes and log pages mean something else on the drives of
 * other vendors, where they may destroy data: none is sent to a device that is not known. */
#ifndef OPENREMAP_KNOWN_H
#define OPENREMAP_KNOWN_H

#include "api/handle.h"

/* Asks the device by standard commands, and last by the remap log page: PCI vendor, model, Commands Supported and
 * Effects log. Fills in dev->refused and dev->refusal. Returns 0, or the negative errno of a command that did not
 * complete. */
int known_ask(struct openremap_device *dev, const struct nvme_identify_controller *ctrl);

/* Why a command of this opcode may not be sent to the device: as dev->refused. 0: it may. */
int known_refuses(const struct openremap_device *dev, bool admin, uint8_t opcode);

#endif /* OPENREMAP_KNOWN_H */
