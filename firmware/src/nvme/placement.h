/* SPDX-License-Identifier: Apache-2.0 */
/*
 * placement.h - Flexible Data Placement (NVM Express Base Specification 2.1, section 8.1.10) as the device has it: one
 * endurance group with one reclaim group, a reclaim unit is a superblock, a reclaim unit handle a host stream of the
 * allocator. The one namespace has all handles, so placement identifier, placement handle and reclaim unit handle are the
 * same number. It cannot be switched off.
 */
#ifndef OPENREMAP_FW_PLACEMENT_H
#define OPENREMAP_FW_PLACEMENT_H

#include <stdint.h>

#include "firmware_limits.h"
#include "orm_nvme.h"

struct fw;

#define PLACEMENT_RUH_BYTES 4u   /* of a reclaim unit handle in the FDP configuration descriptor */
#define PLACEMENT_USAGE_ENTRY 8u /* of one in Reclaim Unit Handle Usage, and of what stands before them */

/* Lengths of the log pages with as many handles as there can be. Descriptors are multiples of 8. */
#define PLACEMENT_CONFIGURATIONS_BYTES \
  (NVME_PLACEMENT_CONFIGURATIONS_BYTES + (FW_MAX_HANDLES * PLACEMENT_RUH_BYTES + 7u) / 8u * 8u)
#define PLACEMENT_USAGE_BYTES ((1u + FW_MAX_HANDLES) * PLACEMENT_USAGE_ENTRY)

/* The log pages, into zeroed memory. */
void placement_configurations(struct fw *fw, uint8_t *out);
void placement_usage(struct fw *fw, uint8_t *out);
void placement_statistics(struct fw *fw, uint8_t *out);

/* Logical blocks that a handle's reclaim unit still takes; all of one when none is open. */
uint32_t placement_blocks_left(const struct fw *fw, uint32_t handle);

/* The next write with the handle begins another reclaim unit. */
void placement_update(struct fw *fw, uint32_t handle);

#endif /* OPENREMAP_FW_PLACEMENT_H */
