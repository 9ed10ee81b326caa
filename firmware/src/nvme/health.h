/* SPDX-License-Identifier: Apache-2.0 */
/*
 * health.h - figures on wear and use, for SMART, Endurance Group, OCP and Identify.
 *
 * They come from a survey of the superblock table: health_begin(), then health_poll() until it is OK. The figures
 * below it are those of the last survey that ended; health_temperature(), health_conditions() and health_warning()
 * need none.
 */
#ifndef OPENREMAP_FW_HEALTH_H
#define OPENREMAP_FW_HEALTH_H

#include <stdint.h>

#include "core/result.h"

struct fw;

#define FW_RATED_ERASES 3000u  /* of a block; typical of the TLC flash on the boards */
#define FW_SPARE_THRESHOLD 10u /* percent; the vendor's choice (base specification 5.14.1.2) */
#define FW_NO_SENSOR_K 298u    /* what a port without a sensor shows: 25 degrees Celsius */

/* Conditions of critical warnings, as bits. */
enum health_condition {
  HEALTH_SPARE = 1,             /* the spare is below FW_SPARE_THRESHOLD */
  HEALTH_OVER_TEMPERATURE = 2,  /* at or above the over temperature threshold of feature 04h */
  HEALTH_UNDER_TEMPERATURE = 4, /* at or below the under temperature threshold */
  HEALTH_RELIABILITY = 8,       /* data was lost or could not be moved, or NVRAM is damaged */
  HEALTH_READ_ONLY = 16         /* the media can only be read */
};

struct health {
  uint32_t next;     /* superblock that the survey looks at next */
  uint32_t good;     /* superblocks that are not bad; the erases below are theirs */
  uint64_t valid;    /* slots in use */
  uint64_t destaged; /* how many of these hold chains of the remap table */
  uint64_t erases;   /* sum since the device was formatted */
  uint32_t fewest_erases, most_erases;
};

/* Begins a survey. */
void health_begin(struct fw *fw);

/* Looks at 64 more superblocks. PENDING: there are more. OK: the survey has ended. */
FW_MUST_USE fw_result_t health_poll(struct fw *fw);

/* Pages in use (NUSE). LPNs that share a slot count once: this is the flash that the namespace takes. */
uint32_t health_used(const struct fw *fw);

/* Mean over the superblocks that are not bad. */
uint32_t health_average_erases(const struct fw *fw);

/* Mean erases as percentage of FW_RATED_ERASES; at most 255. */
uint8_t health_percentage_used(const struct fw *fw);

/* Kelvin; FW_NO_SENSOR_K if the port has no sensor. */
uint16_t health_temperature(const struct fw *fw);

/* The conditions (enum health_condition) that hold now. Nothing is remembered: each ends with its cause. */
uint32_t health_conditions(const struct fw *fw);

/* critical_warning of SMART: which of the conditions hold. Bit 4 stays 0: there is no volatile memory with a backup. */
uint8_t health_warning(const struct fw *fw);

#endif /* OPENREMAP_FW_HEALTH_H */
