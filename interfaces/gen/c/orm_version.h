/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from VERSION. Do not edit: run python interfaces/generate.py */
/* The one version number: of the firmware (Identify Controller FR), the library and the launcher. C11 and C++17. */
#ifndef OPENREMAP_ORM_VERSION_H
#define OPENREMAP_ORM_VERSION_H

#define ORM_VERSION "0.1.0"
#define ORM_VERSION_MAJOR 0
#define ORM_VERSION_MINOR 1
#define ORM_VERSION_PATCH 0

#endif /* OPENREMAP_ORM_VERSION_H */
