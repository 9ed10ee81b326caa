/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.h - what SMART, Endurance Group, OCP and Identify say about wear, spare and use, from the superblock table.
 *
 * A survey looks at all superblocks, a piece at each poll; the figures below it are those of the last one that ended.
 */
#ifndef OPENREMAP_FW_HEALTH_H
#define OPENREMAP_FW_HEALTH_H

#include <stdint.h>

#include "core/result.h"

struct fw;

#define FW_RATED_ERASES 3000u  /* of a block; typical of the TLC flash on the boards */
#define FW_SPARE_THRESHOLD 10u /* percent; the vendor's choice (base specification 5.14.1.2) */
#define FW_NO_SENSOR_K 298u    /* what a port without a sensor shows: 25 degrees Celsius */

struct health {
  uint32_t next;     /* superblock that the survey looks at next */
  uint32_t good;     /* superblocks looked at that are not bad: the erases below are theirs */
  uint64_t valid;    /* slots in use */
  uint64_t destaged; /* of these: with chains of the remap table */
  uint64_t erases;   /* sum over them, since the device was formatted */
  uint32_t fewest_erases, most_erases;
};

void health_begin(struct fw *fw);

/* PENDING until all superblocks have been looked at. */
FW_MUST_USE fw_result_t health_poll(struct fw *fw);

/* Pages in use. LPNs that share a slot count once, so this is the flash that the namespace really takes. */
uint32_t health_used(const struct fw *fw);

uint32_t health_average_erases(const struct fw *fw);

/* Percent of the rated erases; at most 255. */
uint8_t health_percentage_used(const struct fw *fw);

/* Kelvin. */
uint16_t health_temperature(const struct fw *fw);

/* Bits of critical_warning. There is no volatile memory with a backup: bit 4 stays 0. */
uint8_t health_warning(const struct fw *fw);

#endif /* OPENREMAP_FW_HEALTH_H */
