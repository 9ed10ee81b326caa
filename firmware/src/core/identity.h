/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity.h - the names and numbers that the device reports of itself. Those of the kind are constants; those that
 * distinguish one device from another come from the port (struct platform_identity).
 */
#ifndef OPENREMAP_FW_IDENTITY_H
#define OPENREMAP_FW_IDENTITY_H

#include <stdint.h>

#include "core/result.h"
#include "orm_identity.h"
#include "orm_version.h"
#include "platform.h"

#define FW_REVISION ORM_VERSION
#define FW_NQN "nqn.2026-01.org.openremap:nvme:" /* the serial number follows */

#define FW_NSID 1u            /* the one namespace */
#define FW_ENDURANCE_GROUP 1u /* of the namespace */

/* 70 degrees Celsius: WCTEMP, and the default of the temperature threshold. */
#define FW_WARNING_KELVIN 343u
/* 80 degrees Celsius: CCTEMP. */
#define FW_CRITICAL_KELVIN 353u

#define IDENTITY_NGUID_BYTES 16u

/* IDENTITY: the serial number or the EUI-64 breaks a rule of platform.h. */
fw_result_t identity_check(const struct platform_identity *identity) FW_MUST_USE;

/* Text of a field of Identify, padded with spaces; a longer text is cut. */
void identity_put_ascii(uint8_t *out, size_t bytes, const char *text);

/* Name of the NVM subsystem into the field SUBNQN of `bytes`: FW_NQN and the serial number, then zeroes. */
void identity_put_nqn(const struct platform_identity *identity, uint8_t *out, size_t bytes);

/* NGUID of a namespace (NVMe 1.4, figure 245): the number of the namespace as the vendor specific extension, eight
 * bytes, and the EUI-64. */
void identity_put_nguid(const struct platform_identity *identity, uint32_t nsid, uint8_t out[IDENTITY_NGUID_BYTES]);

#endif /* OPENREMAP_FW_IDENTITY_H */
