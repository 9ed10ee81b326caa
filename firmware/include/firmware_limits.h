/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firmware_limits.h - how large and how small a device the firmware can run. A port, or a model that makes devices of its
 * own, refuses others before power-on; device_probe() refuses them after.
 */
#ifndef OPENREMAP_FIRMWARE_LIMITS_H
#define OPENREMAP_FIRMWARE_LIMITS_H

/* Bounds of the arrays in a context. */
#define FW_MAX_SUPERBLOCKS 8192u
#define FW_MAX_DIES 64u
#define FW_MAX_IO_QUEUES 63u
#define FW_MAX_HANDLES 7u /* placement handles */
/* The offset of a slot in its superblock has 16 bits in a remap entry; ALLOC_RESTORE has room for 15. */
#define FW_MAX_SLOTS_PER_SB 32768u
#define FW_MAX_SLOTS_PER_PAGE 8u
#define FW_MAX_DESTAGE_SLOTS 128u /* flash slots of a destaged chain */

/* Superblocks that hold no logical data at full fill: one open for the host, one open for GC, and the allocator's
 * reserve, out of which a collection always finds its target (it needs one new superblock at most, and frees one). Each
 * placement handle past the first keeps another one open; device_nsze() knows. */
#define FW_ALLOC_RESERVE 2u
#define FW_SPARE_SUPERBLOCKS (FW_ALLOC_RESERVE + 2u)
#define FW_MIN_SUPERBLOCKS (FW_SPARE_SUPERBLOCKS + 1u)

/* Stack that a port gives the firmware, its own members aside. What is needed is less: see launcher/suites/firmware_check.py. */
#define FW_STACK_BYTES 8192u

#endif /* OPENREMAP_FIRMWARE_LIMITS_H */
