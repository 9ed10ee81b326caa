/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement.h - Flexible Data Placement (NVM Express Base Specification 2.1, section 8.1.10).
 *
 * The device has one endurance group with one reclaim group. A reclaim unit is a superblock; a reclaim unit handle is
 * a host stream of the allocator. The one namespace has all handles, so placement identifier, placement handle and
 * reclaim unit handle are the same number. Placement cannot be switched off.
 */
#ifndef OPENREMAP_FW_PLACEMENT_H
#define OPENREMAP_FW_PLACEMENT_H

#include <stdint.h>

#include "firmware_limits.h"
#include "orm_nvme.h"

struct fw;

#define PLACEMENT_RUH_BYTES 4u   /* bytes of a handle in the FDP configuration descriptor */
#define PLACEMENT_USAGE_ENTRY 8u /* bytes of a handle in Reclaim Unit Handle Usage, and of the header of that page */

#define PLACEMENT_EVENTS_HEADER_BYTES 64u

/* Write the log pages 20h, 21h and 22h into zeroed memory. They return their length in bytes. */
uint32_t placement_configurations(struct fw *fw, uint8_t *out);
uint32_t placement_usage(struct fw *fw, uint8_t *out);
uint32_t placement_statistics(struct fw *fw, uint8_t *out);

/* Logical blocks that still fit into the reclaim unit of a handle; a whole unit if none is open. */
uint32_t placement_blocks_left(const struct fw *fw, uint32_t handle);

#endif /* OPENREMAP_FW_PLACEMENT_H */
