/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_transport.h - commands through Linux's NVMe driver: the passthrough of a namespace's block device (/dev/nvme0n1) or
 * character device (/dev/ng0n1). Queues, PRPs, time-outs and resets are the driver's.
 *
 * A command is carried out inside `submit` (NVME_IOCTL_IO64_CMD, NVME_IOCTL_ADMIN64_CMD), so one is in flight at a time.
 */
#ifndef OPENREMAP_KERNEL_TRANSPORT_H
#define OPENREMAP_KERNEL_TRANSPORT_H

#include "kernel_os.h"
#include "openremap.h"
#include "transport.h"

/* Opens options->node and asks the controller for its largest transfer. On failure returns a negative errno or an NVMe status and
 * puts one line of explanation into `error`: -ENODEV no such device, or none that is an NVMe namespace; -EACCES no
 * permission. `os` outlives the transport. */
int kernel_transport_open(const struct kernel_os *os, const struct openremap_options *options, struct transport **out,
                          char *error, size_t error_len);

#endif /* OPENREMAP_KERNEL_TRANSPORT_H */
