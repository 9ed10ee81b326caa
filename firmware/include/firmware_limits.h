/* SPDX-License-Identifier: Apache-2.0 */
/*
 * firmware_limits.h - bounds of the devices that the firmware can run. A port or a model refuses other devices before
 * power-on; device_probe() refuses them afterwards.
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

/* Superblocks without logical data in a device that is full: one open for the host, one open for GC, and the
 * reserve of the allocator. Out of this reserve a collection always finds its target, since it needs one new
 * superblock at most and frees one. Each placement handle past the first keeps another superblock open
 * (device_nsze()). */
#define FW_ALLOC_RESERVE 2u
#define FW_SPARE_SUPERBLOCKS (FW_ALLOC_RESERVE + 2u)
#define FW_MIN_SUPERBLOCKS (FW_SPARE_SUPERBLOCKS + 1u)

/* Memory that a port without an allocator provides for a context; fw_size() says how much of it is needed. */
#define FW_CONTEXT_BYTES (360u * 1024u)

/* Stack that a port provides for a call of the firmware, without that of the members of struct platform.
 * `python -m launcher.suites.firmware_check stack` shows that it is enough. */
#define FW_STACK_BYTES 8192u

#endif /* OPENREMAP_FIRMWARE_LIMITS_H */
