/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcie_debug.h - what a checker may look at inside a device; nothing that a host could.
 */
#ifndef OPENREMAP_PCIE_DEBUG_H
#define OPENREMAP_PCIE_DEBUG_H

#include <stddef.h>
#include <stdint.h>

#include "pcie_function.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The controller's DRAM (L2P from address 0, 4 bytes an LPN; ORM_UNMAPPED: no data). Valid until the device is closed; the
 * content changes inside the calls of pcie_function.h. */
const uint8_t *pcie_device_dram(struct pcie_function *fn, size_t *bytes);

/* A hardware counter (enum orm_counter), without the host command that the vendor log costs. A few clock cycles pass, as
 * for any register access. -EINVAL: there is no such counter; -ENODEV, -EIO as in pcie_function.h. */
int pcie_device_counter(struct pcie_function *fn, unsigned index, uint64_t *value);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_PCIE_DEBUG_H */
