/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_transport.h - commands through Linux's NVMe driver: the passthrough of a namespace's block device
 * (/dev/nvme0n1) or character device (/dev/ng0n1). Queues, PRPs, time-outs and resets are the driver's.
 *
 * Of a character device I/O commands go out by io_uring (NVME_URING_CMD_IO), as many at a time as the options say.
 * Admin commands, and all of a block device or where io_uring is not to be had, are carried out inside `submit`
 * (NVME_IOCTL_IO64_CMD, NVME_IOCTL_ADMIN64_CMD), one at a time.
 */
#ifndef OPENREMAP_KERNEL_TRANSPORT_H
#define OPENREMAP_KERNEL_TRANSPORT_H

#include "base/transport.h"
#include "kernel/kernel_os.h"
#include "openremap.h"

/* Opens options->node and asks the controller for its largest transfer. On failure returns a negative errno or an NVMe
 * status and puts one line of explanation into `error`: -ENODEV no such device, or none that is an NVMe namespace;
 * -EACCES no permission; -EBUSY another program has what options->access asks for. `os` outlives the transport. */
int kernel_transport_open(const struct kernel_os *os, const struct openremap_options *options, struct transport **out,
                          char *error, size_t error_len);

#endif /* OPENREMAP_KERNEL_TRANSPORT_H */
