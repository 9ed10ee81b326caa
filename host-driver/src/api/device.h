/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - openremap_open on a transport that is there already; tests put their own there. */
#ifndef OPENREMAP_DEVICE_H
#define OPENREMAP_DEVICE_H

#include "api/handle.h"

/* Wraps an open transport: reads Identify Controller and Identify Namespace (NVMe 1.4, section 5.15) into dev->info,
 * and asks whether the device is known. Takes the transport over, also on failure. Returns 0, a negative errno
 * (-ENOMEM; -ENOTSUP: namespace 1 is not formatted to 4096-byte blocks) or an NVMe status; `error` then holds one line
 * for a person. */
int device_open(struct transport *transport, struct openremap_device **out, char *error, size_t error_len);

#endif /* OPENREMAP_DEVICE_H */
