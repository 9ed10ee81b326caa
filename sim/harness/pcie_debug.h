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

/* A step of the firmware's start-up (docs/firmware.md). Firmware takes device time for register accesses and for what it waits
 * for; that for memory is not in it, so the bytes of NVRAM are told. */
struct pcie_device_step {
  char name[40];
  uint64_t ns;
  uint64_t nvram_read, nvram_written; /* bytes */
};

/* The steps of the last start-up, those that have ended: `max` of them at most go to `out`. Returns how many there are; 0 while
 * power is off. */
size_t pcie_device_start_up(struct pcie_function *fn, struct pcie_device_step *out, size_t max);

/* Events at flash and NVRAM since the device was made (media_events.h): what changes something that survives a power cut. */
uint64_t pcie_device_media_events(struct pcie_function *fn);

/* Power goes instead of the `event`th of them from now on (1: the next one; 0: not any more), once. The call in which it
 * does, and all until power_on, return -ENODEV. */
void pcie_device_cut_before(struct pcie_function *fn, uint64_t event);

#ifdef __cplusplus
}
#endif
#endif /* OPENREMAP_PCIE_DEBUG_H */
