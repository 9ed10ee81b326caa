/* SPDX-License-Identifier: Apache-2.0 */
/* kernel_os.h - what this library asks of Linux where it works through the kernel's NVMe driver; tests put their own
 * here. */
#ifndef OPENREMAP_KERNEL_OS_H
#define OPENREMAP_KERNEL_OS_H

#include <linux/nvme_ioctl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* NVMe commands under way through one character device of a namespace. */
struct kernel_ring;

struct kernel_ring_completion {
  uint32_t tag;
  int status; /* as the ioctl returns it, a negative errno for an error */
  uint32_t result;
};

struct kernel_os {
  void *ctx; /* handed to each of these; each returns as the system call does, but a negative errno for an error */
  int (*open)(void *ctx, const char *path);
  /* Claims the namespace of the node at `path`, for one program alone or for all readers, until the file that this
   * returns is closed. -EBUSY: another claim is in the way, for a second or longer. */
  int (*claim)(void *ctx, const char *path, bool alone);
  int (*ioctl)(void *ctx, int fd, unsigned long request, void *arg);
  int (*fstat)(void *ctx, int fd, struct stat *out);
  int (*close)(void *ctx, int fd);
  uint64_t (*now_ns)(void *ctx); /* of a clock that only goes forward */
  /* io_uring passthrough of the open file, up to `depth` commands. NULL where this kernel has none, or lets nobody. */
  struct kernel_ring *(*ring_open)(void *ctx, int fd, uint32_t depth);
  /* Sends a command; `tag` comes back with its end. REQUIRES: fewer than `depth` are under way. */
  int (*ring_submit)(struct kernel_ring *ring, const struct nvme_uring_cmd *command, uint32_t tag);
  /* Waits for the end of one, `max_ns` at most. 1: it is in *out; 0: none in that time. An error: there is nothing
   * under way any more, and what has not ended was never sent. */
  int (*ring_wait)(struct kernel_ring *ring, uint64_t max_ns, struct kernel_ring_completion *out);
  /* REQUIRES: nothing is under way. The kernel does not call a command back, and would use its memory on. */
  void (*ring_close)(struct kernel_ring *ring);
  const char *block_devices; /* folder with a link `MAJOR:MINOR` for each block device */
};

#endif /* OPENREMAP_KERNEL_OS_H */
