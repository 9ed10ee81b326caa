/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_os.h - what this library asks of Linux where it works through the kernel's NVMe driver; tests put their own here. */
#ifndef OPENREMAP_KERNEL_OS_H
#define OPENREMAP_KERNEL_OS_H

#include <stdint.h>
#include <sys/stat.h>

struct kernel_os {
  void *ctx; /* handed to each of these; each returns as the system call does, but a negative errno for an error */
  int (*open)(void *ctx, const char *path);
  int (*ioctl)(void *ctx, int fd, unsigned long request, void *arg);
  int (*fstat)(void *ctx, int fd, struct stat *out);
  int (*close)(void *ctx, int fd);
  uint64_t (*now_ns)(void *ctx); /* of a clock that only goes forward */
  const char *block_devices;     /* folder with a link `MAJOR:MINOR` for each block device */
};

extern const struct kernel_os kernel_os_linux;

#endif /* OPENREMAP_KERNEL_OS_H */
