/* SPDX-License-Identifier: Apache-2.0 */
/* pcie_start.h - start-up and shutdown of the controller. */
#ifndef OPENREMAP_PCIE_START_H
#define OPENREMAP_PCIE_START_H

#include "pcie/pcie_controller.h"

/* Enables the controller and creates the queues (NVMe 1.4, section 7.6.1). Fills t->base.limits. Returns 0, a negative
 * errno (-ETIMEDOUT, -EIO, -ENOMEM; -ENOTSUP: a controller that this driver cannot use) or an NVMe status. */
int pcie_start(struct pcie_transport *t);

/* Normal shutdown (CC.SHN, section 7.6.2): cached writes reach flash. A negative errno, or t->lost where the controller
 * is. */
int pcie_shut_down(struct pcie_transport *t);

#endif /* OPENREMAP_PCIE_START_H */
