/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/kernel_linux.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "kernel/kernel_ring.h"

static int os_open(void *ctx, const char *path) {
  (void)ctx;
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

static int os_ioctl(void *ctx, int fd, unsigned long request, void *arg) {
  (void)ctx;
  const int rc = ioctl(fd, request, arg);
  return rc < 0 ? -errno : rc;
}

static int os_fstat(void *ctx, int fd, struct stat *out) {
  (void)ctx;
  return fstat(fd, out) < 0 ? -errno : 0;
}

static int os_close(void *ctx, int fd) {
  (void)ctx;
  return close(fd) < 0 ? -errno : 0;
}

static uint64_t os_now_ns(void *ctx) {
  (void)ctx;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

const struct kernel_os kernel_os_linux = {.ctx = NULL,
                                          .open = os_open,
                                          .ioctl = os_ioctl,
                                          .fstat = os_fstat,
                                          .close = os_close,
                                          .now_ns = os_now_ns,
                                          .ring_open = kernel_ring_open,
                                          .ring_submit = kernel_ring_submit,
                                          .ring_wait = kernel_ring_wait,
                                          .ring_close = kernel_ring_close,
                                          .block_devices = "/sys/dev/block"};
