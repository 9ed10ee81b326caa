/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcie_transport.h - a small user-space NVMe driver over the PCIe-function seam.
 *
 *   transport ops -> queue_pair (rings, slots) -> prp + dma_arena (host memory)
 *                 -> BAR0 registers and doorbells of `struct pcie_function`
 *
 * Time is the device's: it moves in poll() and while waiting for the controller, through the function's `run`.
 */
#ifndef OPENREMAP_PCIE_TRANSPORT_H
#define OPENREMAP_PCIE_TRANSPORT_H

#include "base/transport.h"
#include "openremap.h"

/*
 * Makes the function with options->create, enables the controller and creates the I/O queues. On failure returns a
 * negative errno or an NVMe status and puts one line of explanation into `error`.
 */
int pcie_transport_open(const struct openremap_options *options, struct transport **out, char *error, size_t error_len);

/* The function behind a transport made above. */
struct pcie_function *pcie_transport_function(struct transport *transport);

#endif /* OPENREMAP_PCIE_TRANSPORT_H */
