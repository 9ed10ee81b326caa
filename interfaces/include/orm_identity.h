/* SPDX-License-Identifier: Apache-2.0 */
/*
 * orm_identity.h - what the firmware says of every OpenRemap device, and what its PCI function and hosts know it by.
 */
#ifndef OPENREMAP_ORM_IDENTITY_H
#define OPENREMAP_ORM_IDENTITY_H

#define ORM_PCI_VENDOR 0x1234u /* of emulated devices; a board brings its own, which is to be added here */
#define ORM_MODEL "OpenRemap"  /* model number (MN of Identify Controller); a word of its own at its beginning */
#define ORM_SERIAL_MAX 20u     /* characters of a serial number: SN of Identify Controller, NVMe 1.4, figure 247 */

#endif /* OPENREMAP_ORM_IDENTITY_H */
