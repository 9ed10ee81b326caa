/* SPDX-License-Identifier: Apache-2.0 */
/*
 * identity.h - the names and numbers that the device reports of itself.
 */
#ifndef OPENREMAP_FW_IDENTITY_H
#define OPENREMAP_FW_IDENTITY_H

#include "orm_version.h"

#define FW_PCI_VENDOR 0x1234u /* of emulated devices; a board brings its own */
#define FW_MODEL "OpenRemap"
#define FW_SERIAL "ORM00000001"
#define FW_REVISION ORM_VERSION
#define FW_NQN "nqn.2026-01.org.openremap:nvme:"
#define FW_NGUID "OpenRemapNs00001" /* 16 bytes; unique within a host that has one device */

#define FW_NSID 1u            /* the one namespace */
#define FW_ENDURANCE_GROUP 1u /* of the namespace */

/* 70 degrees Celsius: WCTEMP, and the default of the temperature threshold. */
#define FW_WARNING_KELVIN 343u

#endif /* OPENREMAP_FW_IDENTITY_H */
