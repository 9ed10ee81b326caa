/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from interfaces/. Do not edit: run python interfaces/generate.py */
/*
 * The interface of firmware and controller as one number: registers, records, NVMe, and the Zynq's memory map. A program
 * that shares memory with another one compares it, to find that the other was built from other descriptions.
 */
#ifndef OPENREMAP_ORM_INTERFACE_H
#define OPENREMAP_ORM_INTERFACE_H

#define ORM_INTERFACE_DIGEST 0xD6AD4A11u

#endif /* OPENREMAP_ORM_INTERFACE_H */
