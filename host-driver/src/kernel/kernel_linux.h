/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_linux.h - kernel_os.h on the system that runs: system calls, liburing, /sys. */
#ifndef OPENREMAP_KERNEL_LINUX_H
#define OPENREMAP_KERNEL_LINUX_H

#include "kernel/kernel_os.h"

extern const struct kernel_os kernel_os_linux;

#endif /* OPENREMAP_KERNEL_LINUX_H */
